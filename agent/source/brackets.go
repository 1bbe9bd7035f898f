package source

import "strings"

// This file reads headings of Python whose parameters or type have lines of their own:
//
//	def f(
//	    a: int,
//	) -> Iterator[
//	    int
//	]:

// code returns the text of a line without a trailing comment.
func (l layout) code(i int) string {
	if !l.rules.indented {
		return withoutComment(l.text(i))
	}
	t := l.text(i)
	quote := byte(0)
	for j := 0; j < len(t); j++ {
		switch c := t[j]; {
		case c == '\\':
			j++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '#' && j > 0 && (t[j-1] == ' ' || t[j-1] == '\t'):
			return strings.TrimSpace(t[:j])
		}
	}
	return t
}

// opening returns the line that opens the brackets that line i closes, and their heading with them.
// It returns i itself if i closes none.
func (l layout) opening(i int) int {
	if !l.rules.indented {
		return i
	}
	for at := i; closesBlock(l.text(at)); {
		margin, above := l.indent(at), at-1
		for above >= 0 && i-above < maxHeading && (l.text(above) == "" || l.indent(above) > margin) {
			above--
		}
		if above < 0 || i-above >= maxHeading || l.indent(above) != margin || !opensBracket(l.code(above)) {
			return i
		}
		if at = above; !closesBlock(l.text(at)) {
			return at
		}
	}
	return i
}

// inBrackets reports whether line at, which begins with the end of a bracket, is not the last one of the
// statement that begins at line i.
func (l layout) inBrackets(i, at int) bool {
	return l.rules.indented && at > i && (l.indent(at) > l.indent(i) || l.indent(at) == l.indent(i) && opensBracket(l.code(at)))
}

// opensBracket reports whether the text of a line ends with the beginning of a bracket.
func opensBracket(t string) bool {
	return t != "" && strings.IndexByte("([{", t[len(t)-1]) >= 0
}
