package edit

import (
	"slices"
	"strings"
)

// A pair is a text and its replacement.
type pair struct {
	old, new string
	line     int // the line number before the first line of the model's text; 0 if there is none
	// single says that the text was one line after a number. The number may also belong to the
	// text, so find only accepts the line with this number.
	single bool
}

// A span is a part of a file's text, by offsets, and its replacement.
type span struct {
	from, to int
	text     string
}

// grades lists the ways of comparing lines, each with the compared form of a line.
var grades = []struct {
	match Match
	key   func(f *file, line string) string
}{
	{Trailing, func(_ *file, line string) string { return strings.TrimRight(line, " \t\r") }},
	{Indentation, func(_ *file, line string) string { return strings.TrimSpace(line) }},
	{Shown, func(f *file, line string) string { return plain(strings.TrimSpace(f.as(line))) }},
}

// find returns the places of a pair's old text, by the best grade that finds any.
func (f *file) find(p pair) ([]span, Match) {
	if spans := f.findExact(p); len(spans) > 0 {
		return spans, Exact
	}
	// A text up to the file's last line, which has no line break, only differs in its final
	// line break. The trailing grade would find it, too, but the match counts as exact.
	if trimmed := strings.TrimSuffix(p.old, "\n"); trimmed != "" && strings.HasSuffix(f.text, trimmed) {
		if at := len(f.text) - len(trimmed); at == 0 || f.text[at-1] == '\n' {
			return []span{{at, len(f.text), strings.TrimSuffix(p.new, "\n")}}, Exact
		}
	}
	for _, g := range grades {
		key := func(line string) string { return g.key(f, line) }
		if spans := f.findLines(p, key); len(spans) > 0 {
			return spans, g.match
		}
	}
	return nil, ""
}

// maxFound bounds the found places.
const maxFound = 10_000

func (f *file) findExact(p pair) []span {
	var spans []span
	for at := 0; len(spans) < maxFound; {
		i := strings.Index(f.text[at:], p.old)
		if i < 0 {
			break
		}
		s := span{at + i, at + i + len(p.old), p.new}
		at = s.to
		if !f.cutsIndentation(p, s) {
			spans = append(spans, f.wholeLines(p, s))
		}
	}
	return spans
}

// cutsIndentation reports whether a text of whole lines begins inside the indentation of a
// line: the model gave the first line too little indentation. For such a text, find uses the
// grade Indentation, which corrects the new text too.
func (f *file) cutsIndentation(p pair, s span) bool {
	before := f.text[f.starts[f.lineAt(s.from)-1]:s.from]
	ends := strings.HasSuffix(p.old, "\n") || s.to == len(f.text) || f.text[s.to] == '\n'
	return ends && before != "" && strings.TrimSpace(before) == "" && indentOf(p.old) != ""
}

// wholeLines corrects the replacement of whole lines if only one of the two texts ends with a
// line break. So no two lines are joined, and a removal of lines leaves no empty line.
func (f *file) wholeLines(p pair, s span) span {
	s = f.indented(p, s)
	begins := s.from == 0 || f.text[s.from-1] == '\n'
	ended := strings.HasSuffix(p.old, "\n")
	ends := ended || s.to == len(f.text) || f.text[s.to] == '\n'
	switch {
	case !begins || !ends:
	case ended && p.new != "" && !strings.HasSuffix(p.new, "\n"):
		s.text += "\n"
	case !ended && p.new == "" && s.to < len(f.text):
		s.to++
	case !ended && strings.TrimSuffix(p.new, "\n") != p.old:
		s.text = strings.TrimSuffix(p.new, "\n")
	}
	return s
}

// indented corrects the replacement of a line that the model gave without its indentation. If
// the new text has the indentation, it is not doubled. If a later line of the new text is not
// indented at all, the later lines get the indentation of the first line.
func (f *file) indented(p pair, s span) span {
	line := f.starts[f.lineAt(s.from)-1]
	indent := f.text[line:s.from]
	if indent == "" || strings.TrimSpace(indent) != "" || indentOf(p.old) != "" {
		return s
	}
	if strings.HasPrefix(p.new, indent) {
		s.from = line
		return s
	}
	first, rest, _ := strings.Cut(p.new, "\n")
	lines := splitLines(rest)
	if strings.Contains(strings.TrimSuffix(p.old, "\n"), "\n") || !slices.ContainsFunc(lines, notIndented) {
		return s
	}
	for i, line := range lines {
		if line != "" && line[0] != '#' {
			lines[i] = indent + line
		}
	}
	s.text = first + "\n" + joinLike(lines, rest)
	return s
}

// notIndented reports whether a line lacks indentation. Directives of C need none.
func notIndented(line string) bool { return line != "" && line[0] != '#' && indentOf(line) == "" }

// findLines returns the places of the old text's lines in the file; lines with the same key are
// equal. Blank lines around the old text are optional.
func (f *file) findLines(p pair, key func(string) string) []span {
	old, new := trimBlank(splitLines(p.old), splitLines(p.new))
	if len(old) == 0 {
		return nil
	}
	var spans []span
	for _, i := range occurrences(keys(f.lines, key), keys(old, key)) {
		if len(spans) == maxFound {
			break
		}
		spans = append(spans, f.spanOf(i, old, new))
	}
	return spans
}

// trimBlank removes the blank lines around the old text, and at most as many around the new
// one.
func trimBlank(old, new []string) ([]string, []string) {
	blank := func(line string) bool { return strings.TrimSpace(line) == "" }
	for len(old) > 0 && blank(old[0]) {
		old = old[1:]
		if len(new) > 0 && blank(new[0]) {
			new = new[1:]
		}
	}
	for len(old) > 0 && blank(old[len(old)-1]) {
		old = old[:len(old)-1]
		if len(new) > 0 && blank(new[len(new)-1]) {
			new = new[:len(new)-1]
		}
	}
	return old, new
}

func keys(lines []string, key func(string) string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = key(line)
	}
	return out
}

// occurrences returns the start indexes of part in all, without overlaps, in linear time
// (Knuth, Morris and Pratt).
func occurrences(all, part []string) []int {
	border := make([]int, len(part)) // length of the longest proper border of each prefix
	for i, k := 1, 0; i < len(part); i++ {
		for k > 0 && part[i] != part[k] {
			k = border[k-1]
		}
		if part[i] == part[k] {
			k++
		}
		border[i] = k
	}
	var found []int
	for i, k := 0, 0; i < len(all); i++ {
		for k > 0 && all[i] != part[k] {
			k = border[k-1]
		}
		if all[i] == part[k] {
			k++
		}
		if k == len(part) {
			found = append(found, i-k+1)
			k = 0
		}
	}
	return found
}

// spanOf returns the replacement of the lines that begin at index i and match old.
func (f *file) spanOf(i int, old, new []string) span {
	last := i + len(old) - 1
	s := span{from: f.starts[i], to: f.lineEnd(last)}
	lines := merge(f.lines[i:last+1], old, new)
	stop := f.lineBreak(i)
	for n, line := range lines {
		line = strings.TrimSuffix(line, "\r")
		if n == len(lines)-1 && !strings.HasSuffix(f.text[s.from:s.to], "\n") {
			s.text += line // the file ends here, without a line break
		} else {
			s.text += line + stop
		}
	}
	return s
}

// typography replaces typographic characters by plain ones, because models confuse them.
var typography = strings.NewReplacer(
	"‘", "'", "’", "'", "‚", "'", "‛", "'", "“", `"`, "”", `"`, "„", `"`, "‟", `"`,
	"‐", "-", "‑", "-", "‒", "-", "–", "-", "—", "-", "−", "-", "…", "...",
	"\u00a0", " ", "\u2002", " ", "\u2003", " ", "\u2009", " ", "\u202f", " ", "\u3000", " ",
)

// plain returns a line without typographic quotes, dashes and spaces.
func plain(line string) string { return typography.Replace(line) }
