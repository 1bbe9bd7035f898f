package classic

import (
	"slices"
	"strings"
	"unicode/utf8"

	"git-agent/agent/source"
)

// A token is a word of a program, without white space.
type token struct {
	Text string
	Line int  // 1-based
	Name bool // an identifier, which a refactoring may rename
}

// words cuts text at white space and around each character that cannot be part of an
// identifier.
func words(text string) []token {
	var out []token
	line, start := 1, -1
	flush := func(end int) {
		if start >= 0 {
			w := text[start:end]
			out = append(out, token{Text: w, Line: line, Name: w[0] < '0' || w[0] > '9'})
			start = -1
		}
	}
	for i, r := range text {
		if isWordRune(r) {
			if start < 0 {
				start = i
			}
			continue
		}
		flush(i)
		switch {
		case r == '\n':
			line++
		case r > ' ':
			out = append(out, token{Text: string(r), Line: line})
		}
	}
	flush(len(text))
	return out
}

func isWordRune(r rune) bool {
	return r >= utf8.RuneSelf || source.IsIdentByte(byte(r))
}

// joinWords joins words with a space after each, and replaces renamed words.
func joinWords(ws []token, renamed map[string]string) string {
	var b strings.Builder
	for _, w := range ws {
		text := w.Text
		if to, ok := renamed[text]; ok {
			text = to
		}
		b.WriteString(text)
		b.WriteByte(' ')
	}
	return b.String()
}

// A renameCount is the number of places that seem to rename an identifier, and whether
// one of them declares it.
type renameCount struct {
	places   int
	declared bool
}

func (c renameCount) plus(o renameCount) renameCount {
	return renameCount{c.places + o.places, c.declared || o.declared}
}

// proposeRenames compares the removed with the added lines of a change and counts the
// places that differ in one name and nothing else.
func (c *change) proposeRenames(count func(rename, renameCount)) {
	if c.file.Status == 'A' || c.file.Status == 'D' || len(c.removed)*len(c.added) > maxAligned {
		return
	}
	for i := range c.removed {
		for j := range c.added {
			from, to, seen := oneNameApart(c.removed[i].words, c.added[j].words)
			if seen.places > 0 {
				seen.declared = seen.declared && !source.IsImport(c.removed[i].text)
				count(rename{c.file, from, to}, seen)
				break // a removed line has one counterpart: the first
			}
		}
	}
}

// oneNameApart returns the only name in which two lines differ, and its number of uses
// there. The count is 0 for lines that differ in more or in nothing.
func oneNameApart(old, new []token) (from, to string, seen renameCount) {
	if len(old) != len(new) {
		return "", "", renameCount{}
	}
	for i := range old {
		if old[i].Text == new[i].Text {
			continue
		}
		if !old[i].Name || !new[i].Name || seen.places > 0 && (old[i].Text != from || new[i].Text != to) {
			return "", "", renameCount{}
		}
		from, to = old[i].Text, new[i].Text
		seen.places++
		seen.declared = seen.declared || declares(old, i)
	}
	if seen.places == 0 || seen.places == len(old) || source.IsKeyword(from) || source.IsKeyword(to) {
		return "", "", renameCount{}
	}
	return from, to, seen
}

// declares guesses whether a line declares the name at index i: after a type or a word
// like def, before an assignment, or among the parameters of a function. A call of
// another function, or a constant instead of a name, is no declaration:
//
//	int count;   count = 0   def f(count)      declare count
//	f(count)     return count   x & count      use it
func declares(line []token, i int) bool {
	for _, w := range line[:i] {
		switch w.Text {
		case "def", "func", "function", "fn", "lambda", "define":
			return true
		}
	}
	if i+2 < len(line) && (line[i+1].Text == "=" && line[i+2].Text != "=" || line[i+1].Text == ":" && line[i+2].Text == "=") {
		return i == 0 || line[i-1].Text != "." && line[i-1].Text != ">"
	}
	k := i - 1
	for k > 0 && (line[k].Text == "*" || line[k].Text == "&") {
		k--
	}
	if k < 0 || !line[k].Name || slices.Contains(source.BeforeUse, line[k].Text) {
		return false
	}
	if k == i-1 || k == 0 || line[k-1].Name {
		return true
	}
	// x * name is a product, but a parameter if the line defines a function: such a line
	// begins with its type and name.
	return line[0].Name && line[1].Name && !slices.Contains(source.BeforeUse, line[0].Text)
}

// identifiers returns the set of names in a file.
func identifiers(blob []byte) map[string]bool {
	set := map[string]bool{}
	for _, w := range words(string(blob)) {
		if w.Name {
			set[w.Text] = true
		}
	}
	return set
}
