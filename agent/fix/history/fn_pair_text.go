package history

import (
	"bytes"
	"fmt"
	"strings"

	"git-agent/agent"
)

// pairText writes a function before and after a commit within room bytes. If it does not fit,
// pairText omits common lines far from a change, with a mark that counts them. If this is not
// enough, it omits all lines far from a blamed line.
func pairText(p Pair, blamed []int, room int) written {
	after, before := p.After, p.Before
	olds := mapBack(before.Lines, after.Lines)
	if len(before.Lines) > 0 && !differ(before, after) {
		return written{text: fmt.Sprintf("The function %s is the same before and after, but for white space.", name(after))}
	}
	for _, near := range []int{-1, 8, 3, 1} {
		text, cut := pairAt(before, after, keepChanges(before, after, olds, near))
		if len(text) <= room {
			return written{text, pairCuts(cut)}
		}
	}
	var text string
	var cut int
	for _, near := range []int{30, 15, 8, 4, 2, 1} {
		kept := nearBlamed(before, after, olds, blamed, near)
		if text, cut = pairAt(before, after, kept); len(text) <= room {
			return written{text, pairCuts(cut)}
		}
	}
	text, cut = pairAt(before, after, shortened(before, after, keepChanges(before, after, olds, 0), room-len(pairMarks)))
	return written{text, pairCuts(cut)}
}

// pairMarks stands for the text that pairText writes besides the lines of functions.
const pairMarks = "Before (in , line 00000):\nAfter (in , line 00000):\n``````\n``````\n[... 0000 lines]\n[... 0000 lines]\n"

// shortened keeps only the first kept lines of both versions, as many as fit.
func shortened(before, after Body, kept [2][]bool, room int) [2][]bool {
	room -= 2 * (len(after.Path) + len(name(after)) + len(name(before)) + 40)
	for side, body := range []Body{before, after} {
		left := room / 2
		for i, l := range body.Lines {
			if kept[side][i] {
				left -= len(shown(l)) + 1
				kept[side][i] = left >= 0
			}
		}
	}
	return kept
}

func pairCuts(cut int) []string {
	if cut == 0 {
		return nil
	}
	return []string{agent.Plural(cut, "line") + " of the function not shown"}
}

// pairSize returns the largest size of a pair's text, in bytes.
func pairSize(p Pair) int {
	n := 300
	for _, b := range []Body{p.Before, p.After} {
		for _, l := range b.Lines {
			n += len(shown(bytes.TrimSuffix(l, []byte("\r")))) + 1
		}
	}
	return n
}

func differ(a, b Body) bool {
	if len(a.Lines) != len(b.Lines) {
		return true
	}
	for i := range a.Lines {
		if !bytes.Equal(bytes.TrimSpace(a.Lines[i]), bytes.TrimSpace(b.Lines[i])) {
			return true
		}
	}
	return false
}

// keepChanges marks the lines of both versions that are at most near lines away from a changed
// line. A negative number keeps all lines.
func keepChanges(before, after Body, olds []int, near int) [2][]bool {
	oldKept, newKept := make([]bool, len(before.Lines)), make([]bool, len(after.Lines))
	same := make([]bool, len(before.Lines))
	for _, old := range olds {
		if old > 0 {
			same[old-1] = true
		}
	}
	for i, old := range olds {
		if old == 0 || near < 0 {
			mark(newKept, i, near)
		}
	}
	for i, s := range same {
		if !s || near < 0 {
			mark(oldKept, i, near)
		}
	}
	for i, old := range olds { // lines beside a change in one version are kept in both
		if old > 0 && newKept[i] != oldKept[old-1] {
			newKept[i], oldKept[old-1] = true, true
		}
	}
	return [2][]bool{oldKept, newKept}
}

// nearBlamed marks the lines of both versions that are at most near lines away from a blamed
// line. blamed has line numbers of the commit.
func nearBlamed(before, after Body, olds []int, blamed []int, near int) [2][]bool {
	oldKept, newKept := make([]bool, len(before.Lines)), make([]bool, len(after.Lines))
	for _, at := range blamed {
		if i := at - after.Start; i >= 0 && i < len(newKept) {
			mark(newKept, i, near)
		}
	}
	last := 0 // the next line's position in the old version
	for i, old := range olds {
		if old > 0 {
			last = old
		}
		if newKept[i] && len(oldKept) > 0 {
			mark(oldKept, min(last, len(oldKept)-1), 1)
		}
	}
	return [2][]bool{oldKept, newKept}
}

func mark(kept []bool, at, near int) {
	for i := max(at-near, 0); i <= min(at+max(near, 0), len(kept)-1); i++ {
		kept[i] = true
	}
	if at < len(kept) {
		kept[at] = true
	}
}

// pairAt writes the kept lines of both versions. cut counts the other lines.
func pairAt(before, after Body, kept [2][]bool) (text string, cut int) {
	var b strings.Builder
	if len(before.Lines) == 0 {
		fmt.Fprintf(&b, "The function %s did not exist before this commit.\n", name(after))
	} else {
		fmt.Fprintf(&b, "Before (%s, line %d):\n", where(before), before.Start)
		cut += writeBody(&b, before, kept[0])
	}
	fmt.Fprintf(&b, "After (%s, line %d):\n", where(after), after.Start)
	cut += writeBody(&b, after, kept[1])
	return strings.TrimSuffix(b.String(), "\n"), cut
}

func where(b Body) string { return name(b) + " in " + agent.CleanLine(b.Path) }

func name(b Body) string {
	if b.Name == "" {
		return "at line " + fmt.Sprint(b.Start)
	}
	return agent.CleanLine(agent.Shorten(b.Name, 120))
}

// writeBody writes the kept lines of a function in a fence, and returns the number of other
// lines.
func writeBody(b *strings.Builder, body Body, kept []bool) (cut int) {
	strip := true
	for _, l := range body.Lines {
		strip = strip && bytes.HasSuffix(l, []byte("\r"))
	}
	var text strings.Builder
	gap := 0
	flush := func() {
		if gap > 0 {
			fmt.Fprintf(&text, "[... %s]\n", agent.Plural(gap, "line"))
		}
		cut, gap = cut+gap, 0
	}
	for i, l := range body.Lines {
		if !kept[i] && i > 0 { // the heading is always shown
			gap++
			continue
		}
		flush()
		if strip {
			l = bytes.TrimSuffix(l, []byte("\r"))
		}
		text.WriteString(shown(l) + "\n")
	}
	flush()
	b.WriteString(fenced(text.String(), ""))
	return cut
}

// fenced puts a text between fences that do not occur in the text.
func fenced(text, language string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence + "\n"
}
