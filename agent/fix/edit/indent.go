package edit

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// merge returns the new lines for have, the lines of a file that match old. Lines in both old
// and new keep the bytes of the file. Other lines of new get the file's indentation.
func merge(have, old, new []string) []string {
	ind := newIndents(have, old)
	if flat(old) && leastIndent(new) == leastIndent(have) {
		ind.known = nil // only the old text lost its indentation
	}
	trim := addsSpace(have, old)
	out := make([]string, 0, len(new))
	for i, o := range aligned(old, new) {
		if o.same {
			out = append(out, have[o.at])
			continue
		}
		line := ind.apply(new[i], o.at)
		if trim {
			line = strings.TrimRight(line, " \t")
		}
		out = append(out, line)
	}
	return out
}

// flat reports whether no line is indented.
func flat(lines []string) bool {
	return !slices.ContainsFunc(lines, func(line string) bool { return indentOf(line) != "" })
}

// leastIndent returns the shortest indentation of non-blank lines.
func leastIndent(lines []string) string {
	least, found := "", false
	for _, line := range lines {
		if own := indentOf(line); strings.TrimSpace(line) != "" && (!found || len(own) < len(least)) {
			least, found = own, true
		}
	}
	return least
}

// addsSpace reports whether lines of a model have white space at the end that the file's lines
// lack.
func addsSpace(have, old []string) bool {
	for i, line := range old {
		if strings.TrimRight(line, " \t\r") != line && strings.TrimRight(have[i], " \t\r") == have[i] {
			return true
		}
	}
	return false
}

// An origin connects a line of the new text with its line in the old text, or with the line
// before the insertion.
type origin struct {
	at   int
	same bool
}

// maxAligned bounds the lines for a line-by-line comparison. In longer texts, only the common
// lines at both ends count as equal.
const maxAligned = 2000

// aligned returns the origin of each line of new.
func aligned(old, new []string) []origin {
	out := make([]origin, 0, len(new))
	head := 0
	for head < len(old) && head < len(new) && old[head] == new[head] {
		out = append(out, origin{head, true})
		head++
	}
	tail := 0
	for tail < len(old)-head && tail < len(new)-head && old[len(old)-1-tail] == new[len(new)-1-tail] {
		tail++
	}
	out = append(out, middle(old[head:len(old)-tail], new[head:len(new)-tail], head)...)
	for i := tail; i > 0; i-- {
		out = append(out, origin{len(old) - i, true})
	}
	return out
}

// middle does the work of aligned for texts without common lines at the ends; offset is the
// index of the first line of old.
func middle(old, new []string, offset int) []origin {
	out := make([]origin, 0, len(new))
	if len(old)+len(new) > maxAligned {
		for i := range new {
			out = append(out, origin{offset + min(i, max(0, len(old)-1)), false})
		}
		return out
	}
	ids := map[string]rune{}
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = 0 // the same result on any machine
	at := offset
	for _, d := range dmp.DiffMainRunes(numbersOf(old, ids), numbersOf(new, ids), false) {
		for range utf8.RuneCountInString(d.Text) {
			switch d.Type {
			case diffmatchpatch.DiffInsert:
				out = append(out, origin{at, false})
			case diffmatchpatch.DiffDelete:
				at++
			default:
				out = append(out, origin{at, true})
				at++
			}
		}
	}
	return out
}

// numbersOf returns a character for each line, the same for equal lines. There are at most
// maxAligned characters, below the ones that are invalid in UTF-8.
func numbersOf(lines []string, ids map[string]rune) []rune {
	var out []rune
	for _, line := range lines {
		id, ok := ids[line]
		if !ok {
			id = rune(len(ids) + 1)
			ids[line] = id
		}
		out = append(out, id)
	}
	return out
}

// indents translates the indentation of a model's text to that of the file.
type indents struct {
	known []indentPair // by line of the old text; blank lines have none
	tabs  bool         // the file's lines are indented by tabs
	width int          // spaces of one level in the text that uses spaces
}

// An indentPair is the indentation of a line in the old text and in the file.
type indentPair struct {
	at       int
	from, to string
}

func newIndents(have, old []string) indents {
	ind := indents{}
	least := 0
	for i, line := range old {
		if strings.TrimSpace(line) == "" {
			continue
		}
		p := indentPair{i, indentOf(line), indentOf(have[i])}
		ind.known = append(ind.known, p)
		ind.tabs = ind.tabs || strings.Contains(p.to, "\t")
		for _, side := range []string{p.from, p.to} {
			if n := strings.Count(side, " "); n > 1 && !strings.Contains(side, "\t") && (least == 0 || n < least) {
				least = n
			}
		}
	}
	ind.width = 4
	if least == 2 || least == 3 || least == 6 {
		ind.width = max(2, least%4)
	}
	return ind
}

func indentOf(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// apply returns a line of the new text with the file's indentation. The line is near line at of
// the old text.
func (ind indents) apply(line string, at int) string {
	own := indentOf(line)
	if len(own) == len(line) {
		return line // blank
	}
	return ind.translate(own, at) + line[len(own):]
}

// translate returns the file's form of an indentation. It uses the nearest line of the old text
// with the same indentation, or else a line with the most similar one.
func (ind indents) translate(own string, at int) string {
	var best *indentPair
	rank := func(p *indentPair) (int, int) {
		shared := 0
		for shared < len(own) && shared < len(p.from) && own[shared] == p.from[shared] {
			shared++
		}
		return len(own) + len(p.from) - 2*shared, max(p.at-at, at-p.at)
	}
	for i := range ind.known {
		p := &ind.known[i]
		if best == nil {
			best = p
			continue
		}
		apart, lines := rank(p)
		bestApart, bestLines := rank(best)
		if apart < bestApart || apart == bestApart && lines < bestLines {
			best = p
		}
	}
	switch {
	case best == nil || best.from == best.to:
		return own
	case strings.HasPrefix(own, best.from):
		return best.to + ind.convert(own[len(best.from):])
	case strings.HasPrefix(best.from, own):
		less := len(ind.convert(best.from[len(own):]))
		return best.to[:max(0, len(best.to)-less)]
	}
	return own
}

// convert returns additional indentation in the file's characters.
func (ind indents) convert(more string) string {
	switch {
	case ind.tabs && !strings.Contains(more, "\t"):
		return strings.Repeat("\t", (len(more)+ind.width-1)/ind.width)
	case !ind.tabs && strings.Contains(more, "\t") && ind.spaced():
		return strings.ReplaceAll(more, "\t", strings.Repeat(" ", ind.width))
	}
	return more
}

// spaced reports whether the file's lines are indented by spaces.
func (ind indents) spaced() bool {
	for _, p := range ind.known {
		if strings.Contains(p.to, " ") {
			return true
		}
	}
	return false
}
