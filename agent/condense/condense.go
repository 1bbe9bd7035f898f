// Package condense fits the answer of a tool into a bounded text.
//
// A tool renders its value at several levels of detail, each a [Layout]. Compose shows a
// short answer in full, and a long one at the first level that is short enough. Nothing
// is lost: a notice names the omitted parts and how to get them, and pages hold the whole
// answer.
package condense

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"git-agent/agent"
)

// These are the first levels of detail. A tool has further levels of growing
// condensation; the last one is cut if it is still too long.
const (
	Plain = -1 // git's own format, for a toolbox without compression
	Full  = 0
)

// These bound a text, in characters and lines. Above Room, AgentSZZ (Algorithm 1)
// extracts structure instead of showing everything. The list of commits is that
// structure, so it has additional room.
const (
	Room           = 3000
	legendRoom     = 1000 // additional room for the list of commits
	NoteRoom       = 400  // room for notes, which are added later
	pageLines      = 200
	pageChars      = 12000
	plainPageLines = 2000
	plainPageChars = 100000
)

// Layout is a value rendered at one level of detail.
type Layout struct {
	Head    string      // the subject of the answer, one line
	Blocks  []Block     // the answer
	Legend  []Reference // the commits that blocks refer to
	Missing string      // the omissions of this level; "" at the full level
	Unit    string      // the noun for blocks, in the count of omitted blocks: "lines"
	Tail    int         // number of blocks at the end that a cut keeps, such as the oldest commit
	Narrow  string      // how to ask for less, if the tool's general advice does not fit
	Room    int         // characters without the legend; 0 is the constant Room
	Last    bool        // there is no shorter level
	Extras  []Extra     // optional content, added to the last level while it fits
}

// Block is a part of an answer that is never split by a cut or a page.
type Block struct {
	Text    string   // without a final newline
	Section string   // the heading above it, repeated if a page begins inside the section
	Refs    []string // oids of commits that the legend must explain
}

// Reference is an entry of the legend: a commit and its explanation.
type Reference struct{ Commit, Line string }

// Extra is optional content, longest form first; the first form with enough room is
// shown.
type Extra []string

// Answer is an answer as text. If Text is incomplete, Full is the whole answer, for later
// readers of the recorded run.
type Answer struct{ Text, Full string }

// fullBytes bounds Answer.Full, which is recorded with each step of a run.
const fullBytes = 256 << 10

// withFull returns an answer whose text is a part of full.
func withFull(text, full string) Answer {
	if len(full) > fullBytes {
		cut := strings.LastIndexByte(full[:fullBytes], '\n') + 1
		full = fmt.Sprintf("%s[%d more bytes are not kept]\n", full[:cut], len(full)-cut)
	}
	return Answer{text, full}
}

// Compose renders an answer: the full answer if it is short, else the first condensed
// level that is short enough, or the requested page. narrow says how to ask for less. The
// only error is a page that does not exist.
func Compose(render func(detail int) Layout, detail, page int, notes []string, narrow string) (Answer, error) {
	full := render(detail)
	pages := paginate(full.Blocks, pageLines, pageChars)
	if detail == Plain {
		pages = paginate(full.Blocks, plainPageLines, plainPageChars)
	}
	if page > len(pages) {
		return Answer{}, fmt.Errorf("there is no page %d; the full answer has %s", page, agent.Plural(len(pages), "page"))
	}
	text := write(full, full.Blocks, notes)
	if page == 0 && detail != Plain {
		if Fits(full, full.Blocks, notes) {
			return Answer{Text: text}, nil
		}
		return withFull(condense(render, notes, narrow, full, len(pages)), text), nil
	}
	if len(pages) == 1 {
		return Answer{Text: text}, nil
	}
	page = max(page, 1)
	shown := pages[page-1]
	notice := fmt.Sprintf("[page %d of %d", page, len(pages))
	if page < len(pages) {
		notice += fmt.Sprintf("; page=%d goes on", page+1)
	}
	return withFull(write(full, shown, notes)+notice+"]\n", text), nil
}

// condense tries one level after the other, and cuts the last one if necessary.
func condense(render func(int) Layout, notes []string, narrow string, full Layout, pages int) string {
	level := Full + 1
	v := render(level)
	for !Fits(v, v.Blocks, notes) && !v.Last {
		level++
		v = render(level)
	}
	for _, e := range v.Extras {
		for _, form := range e {
			if more := append(slices.Clip(v.Blocks), Block{Text: form}); Fits(v, more, notes) {
				v.Blocks = more
				break
			}
		}
	}
	text, missing := write(v, v.Blocks, notes), v.Missing
	if !Fits(v, v.Blocks, notes) {
		shown, cut := cutMiddle(v, notes)
		text = write(v, shown, notes)
		missing = strings.TrimPrefix(fmt.Sprintf("%s; %d %s left out", missing, cut, v.Unit), "; ")
	}
	where := "page=1"
	if pages > 1 {
		where = fmt.Sprintf("page=1 to page=%d", pages)
	}
	if v.Narrow != "" {
		narrow = v.Narrow
	}
	return fmt.Sprintf("%s[condensed: %s. To see more, %s; %s: everything (%d lines)]\n",
		text, missing, narrow, where, countLines(full.Blocks))
}

// Fits reports whether the rendered text is short enough.
func Fits(v Layout, blocks []Block, notes []string) bool {
	all := Runes(write(v, blocks, notes))
	v.Legend = nil
	room, legend := Room, legendRoom
	if v.Room > 0 { // a longer text refers to more commits
		room, legend = v.Room, max(legendRoom, v.Room/2)
	}
	return all <= room+legend && Runes(write(v, blocks, notes)) <= room
}

// cutMiddle keeps as many blocks from the front as fit together with the tail.
func cutMiddle(v Layout, notes []string) (shown []Block, cut int) {
	tail := v.Blocks[len(v.Blocks)-min(v.Tail, len(v.Blocks)):]
	front := v.Blocks[:len(v.Blocks)-len(tail)]
	keep := 0
	low, high := 0, len(front)
	for low <= high { // the length grows with the number of blocks
		middle := (low + high) / 2
		if Fits(v, join(front[:middle], tail, len(front)-middle, v.Unit), notes) {
			keep, low = middle, middle+1
		} else {
			high = middle - 1
		}
	}
	keep = max(keep, 1)
	keep = min(keep, len(front))
	return join(front[:keep], tail, len(front)-keep, v.Unit), len(front) - keep
}

func join(front, tail []Block, cut int, unit string) []Block {
	if cut == 0 {
		return slices.Concat(front, tail)
	}
	return slices.Concat(front, []Block{{Text: fmt.Sprintf("... %d %s left out ...", cut, unit)}}, tail)
}

// paginate divides blocks into pages. There is always at least one.
func paginate(blocks []Block, maxLines, maxChars int) [][]Block {
	var pages [][]Block
	from, lines, chars := 0, 0, 0
	for i, b := range blocks {
		l, c := strings.Count(b.Text, "\n")+1, Runes(b.Text)+1
		if i > from && (lines+l > maxLines || chars+c > maxChars) {
			pages = append(pages, blocks[from:i])
			from, lines, chars = i, 0, 0
		}
		lines, chars = lines+l, chars+c
	}
	return append(pages, blocks[from:])
}

// write joins head, notes, blocks and legend.
func write(v Layout, blocks []Block, notes []string) string {
	var b strings.Builder
	if v.Head != "" {
		b.WriteString(v.Head + "\n")
	}
	for _, n := range notes {
		b.WriteString("note: " + n + "\n")
	}
	if len(blocks) > 0 && blocks[0].Section != "" && blocks[0].Text != blocks[0].Section {
		b.WriteString(blocks[0].Section + " (continued)\n")
	}
	for _, block := range blocks {
		b.WriteString(block.Text + "\n")
	}
	writeLegend(&b, v.Legend, blocks)
	if strings.Contains(b.String(), agent.CutMark) {
		b.WriteString("[" + agent.CutMark + "N): N more characters of a long line; git_grep shows the part around a match]\n")
	}
	return b.String()
}

// writeLegend lists the commits that the blocks refer to, newest first.
func writeLegend(b *strings.Builder, legend []Reference, blocks []Block) {
	used := map[string]bool{}
	for _, block := range blocks {
		for _, ref := range block.Refs {
			used[ref] = true
		}
	}
	first := true
	for _, c := range legend {
		if !used[c.Commit] {
			continue
		}
		if first {
			b.WriteString("commits:\n")
			first = false
		}
		b.WriteString("  " + c.Line + "\n")
	}
}

func Runes(s string) int { return utf8.RuneCountInString(s) }

func countLines(blocks []Block) int {
	n := 0
	for _, b := range blocks {
		n += strings.Count(b.Text, "\n") + 1
	}
	return n
}
