package gittool

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
	detailPlain = -1 // git's own format, for a toolbox without compression
	detailFull  = 0
)

// These bound a text, in characters and lines. extractAbove is the length above
// which AgentSZZ (Algorithm 1) extracts structure instead of showing
// everything. The list of commits is that structure, so it has some room of its
// own.
const (
	extractAbove   = 3000
	legendRoom     = 1000 // additional room for the list of commits
	noteRoom       = 400  // room for notes, which are added later
	pageLines      = 200
	pageChars      = 12000
	plainPageLines = 2000
	plainPageChars = 100000
)

// layout is a value rendered at one level of detail.
type layout struct {
	head    string      // what this is, one line
	blocks  []block     // the answer
	legend  []reference // the commits that blocks refer to
	missing string      // what this level leaves out; "" at the full level
	unit    string      // what a block is, for counting those that a cut left out: "lines"
	tail    int         // how many blocks at the end a cut keeps, such as the oldest commit
	narrow  string      // how to ask for less, if the tool's general advice does not fit
	room    int         // characters without the legend; 0 is extractAbove
	last    bool        // there is no shorter level
	extras  []extra     // optional content, added to the last level while it fits
}

// block is a part of an answer that is never split by a cut or a page.
type block struct {
	text    string   // without a final newline
	section string   // the heading above it, repeated if a page begins inside the section
	refs    []string // oids of commits that the legend must explain
}

// reference is an entry of the legend: a commit, and the line that explains it.
type reference struct{ oid, line string }

// extra is optional content, longest form first; the first that fits is shown.
type extra []string

// rendered is an answer as text. If text is incomplete, full is the whole of
// it, for those who later read the recorded run.
type rendered struct{ text, full string }

// fullBytes bounds rendered.full, which is recorded with each step of a run.
const fullBytes = 256 << 10

// withFull returns an answer whose text is a part of full.
func withFull(text, full string) rendered {
	if len(full) > fullBytes {
		cut := strings.LastIndexByte(full[:fullBytes], '\n') + 1
		full = fmt.Sprintf("%s[%d more bytes are not kept]\n", full[:cut], len(full)-cut)
	}
	return rendered{text, full}
}

// compose renders an answer: all of it if it is short, else the first condensed
// level that is short enough, or the requested page. narrow says how to ask for
// less. The only error is that there is no such page.
func compose(render func(detail int) layout, detail, page int, notes []string, narrow string) (rendered, error) {
	full := render(detail)
	pages := paginate(full.blocks, pageLines, pageChars)
	if detail == detailPlain {
		pages = paginate(full.blocks, plainPageLines, plainPageChars)
	}
	if page > len(pages) {
		return rendered{}, fmt.Errorf("there is no page %d; the full answer has %d", page, len(pages))
	}
	text := write(full, full.blocks, notes)
	if page == 0 && detail != detailPlain {
		if fits(full, full.blocks, notes) {
			return rendered{text: text}, nil
		}
		return withFull(condense(render, notes, narrow, full, len(pages)), text), nil
	}
	if len(pages) == 1 {
		return rendered{text: text}, nil
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
func condense(render func(int) layout, notes []string, narrow string, full layout, pages int) string {
	level := detailFull + 1
	v := render(level)
	for !fits(v, v.blocks, notes) && !v.last {
		level++
		v = render(level)
	}
	for _, e := range v.extras {
		for _, form := range e {
			if more := append(slices.Clip(v.blocks), block{text: form}); fits(v, more, notes) {
				v.blocks = more
				break
			}
		}
	}
	text, missing := write(v, v.blocks, notes), v.missing
	if !fits(v, v.blocks, notes) {
		shown, cut := cutMiddle(v, notes)
		text = write(v, shown, notes)
		missing = strings.TrimPrefix(fmt.Sprintf("%s; %d %s left out", missing, cut, v.unit), "; ")
	}
	where := "page=1"
	if pages > 1 {
		where = fmt.Sprintf("page=1 to page=%d", pages)
	}
	if v.narrow != "" {
		narrow = v.narrow
	}
	return fmt.Sprintf("%s[condensed: %s. To see more, %s; %s: everything (%d lines)]\n",
		text, missing, narrow, where, countLines(full.blocks))
}

// fits reports whether the rendered text is short enough.
func fits(v layout, blocks []block, notes []string) bool {
	all := runes(write(v, blocks, notes))
	v.legend = nil
	room, legend := extractAbove, legendRoom
	if v.room > 0 { // a longer text refers to more commits
		room, legend = v.room, max(legendRoom, v.room/2)
	}
	return all <= room+legend && runes(write(v, blocks, notes)) <= room
}

// cutMiddle keeps as many blocks from the front as fit together with the tail.
func cutMiddle(v layout, notes []string) (shown []block, cut int) {
	tail := v.blocks[len(v.blocks)-min(v.tail, len(v.blocks)):]
	front := v.blocks[:len(v.blocks)-len(tail)]
	keep := 0
	low, high := 0, len(front)
	for low <= high { // the length grows with the number of blocks
		middle := (low + high) / 2
		if fits(v, join(front[:middle], tail, len(front)-middle, v.unit), notes) {
			keep, low = middle, middle+1
		} else {
			high = middle - 1
		}
	}
	keep = max(keep, 1)
	keep = min(keep, len(front))
	return join(front[:keep], tail, len(front)-keep, v.unit), len(front) - keep
}

func join(front, tail []block, cut int, unit string) []block {
	if cut == 0 {
		return slices.Concat(front, tail)
	}
	return slices.Concat(front, []block{{text: fmt.Sprintf("... %d %s left out ...", cut, unit)}}, tail)
}

// paginate divides blocks into pages. There is always at least one.
func paginate(blocks []block, maxLines, maxChars int) [][]block {
	var pages [][]block
	from, lines, chars := 0, 0, 0
	for i, b := range blocks {
		l, c := strings.Count(b.text, "\n")+1, runes(b.text)+1
		if i > from && (lines+l > maxLines || chars+c > maxChars) {
			pages = append(pages, blocks[from:i])
			from, lines, chars = i, 0, 0
		}
		lines, chars = lines+l, chars+c
	}
	return append(pages, blocks[from:])
}

// write joins head, notes, blocks and legend.
func write(v layout, blocks []block, notes []string) string {
	var b strings.Builder
	if v.head != "" {
		b.WriteString(v.head + "\n")
	}
	for _, n := range notes {
		b.WriteString("note: " + n + "\n")
	}
	if len(blocks) > 0 && blocks[0].section != "" && blocks[0].text != blocks[0].section {
		b.WriteString(blocks[0].section + " (continued)\n")
	}
	for _, block := range blocks {
		b.WriteString(block.text + "\n")
	}
	writeLegend(&b, v.legend, blocks)
	if strings.Contains(b.String(), agent.CutMark) {
		b.WriteString("[" + agent.CutMark + "N): N more characters of a long line; git_grep shows the part around a match]\n")
	}
	return b.String()
}

// writeLegend lists the commits that the blocks refer to, newest first.
func writeLegend(b *strings.Builder, legend []reference, blocks []block) {
	used := map[string]bool{}
	for _, block := range blocks {
		for _, ref := range block.refs {
			used[ref] = true
		}
	}
	first := true
	for _, c := range legend {
		if !used[c.oid] {
			continue
		}
		if first {
			b.WriteString("commits:\n")
			first = false
		}
		b.WriteString("  " + c.line + "\n")
	}
}

func runes(s string) int { return utf8.RuneCountInString(s) }

func countLines(blocks []block) int {
	n := 0
	for _, b := range blocks {
		n += strings.Count(b.text, "\n") + 1
	}
	return n
}
