package investigate

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/gitext"
)

// These bound the suspected functions in the first prompt, in characters except maxListed.
const (
	maxListed   = 8 // suspected functions
	maxSuspects = 10000
	wordsOnly   = 300 // for a function whose only ground is similar words, if the executed lines are known
	maxContract = 500 // for the comment above a function
)

// windows are the numbers of shown characters of code for each suspected function. Each
// function gets a window, because the true one is often not the first. The first one is mostly
// shown completely.
var windows = [maxListed]int{3200, 2000, 1600, 1000, 800, 700, 600, 600}

// makeSuspectsText shows the suspected functions with their grounds and suspicious lines.
// history includes the grounds of history.
func (w *work) makeSuspectsText(ctx context.Context, history bool) (string, error) {
	if w.in.Localization == nil || len(w.in.Localization.Locations) == 0 {
		return "", nil
	}
	var b strings.Builder
	for i, l := range w.in.Localization.Locations[:min(len(w.in.Localization.Locations), maxListed)] {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "## %d. %s\n", i+1, placeOf(l))
		b.WriteString(groundsText(l, history))
		if i > 0 && w.groundless(l) {
			continue
		}
		most := windows[i]
		if !w.worthCode(l) {
			most = wordsOnly
		}
		if b.Len()+most > maxSuspects {
			most = wordsOnly
		}
		text, err := w.code(ctx, l, most)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
		if i == 0 {
			if lines, err := w.lines(ctx, l.Path); err == nil {
				b.WriteString(suffixed(importsOf(l.Path, lines), "\n"))
				b.WriteString(constantsOf(l, lines))
			}
		}
	}
	return b.String(), nil
}

// groundsText lists the grounds of a location. Grounds of history are the last ones.
func groundsText(l fix.Location, history bool) string {
	var why []string
	for _, g := range l.Grounds[:min(len(l.Grounds), 3)] {
		if g.Source != fix.SourceHistory || history {
			why = append(why, agent.Shorten(agent.CleanLine(g.Text), 120))
		}
	}
	if len(why) == 0 {
		return ""
	}
	return "(" + strings.Join(why, "; ") + ")\n"
}

// suffixed adds an end to a text that is not empty.
func suffixed(text, end string) string {
	if text == "" {
		return ""
	}
	return text + end
}

// groundless reports whether nothing at all speaks for a suspected function, which is in the list
// only because it is long or new, while something speaks for others.
func (w *work) groundless(l fix.Location) bool {
	return len(l.Grounds) == 0 && slices.ContainsFunc(w.in.Localization.Locations, func(o fix.Location) bool { return len(o.Grounds) > 0 })
}

// worthCode reports whether a suspected function has other grounds than words and history. If the
// executed lines are unknown, every ground counts.
func (w *work) worthCode(l fix.Location) bool {
	if s := w.in.Localization.Spectrum; s == nil || s.Failing == 0 {
		return !w.groundless(l)
	}
	return slices.ContainsFunc(l.Grounds, func(g fix.Ground) bool {
		return g.Source == fix.SourceGiven || g.Source == fix.SourceStack || g.Source == fix.SourceCoverage
	})
}

// placeOf names a location.
func placeOf(l fix.Location) string {
	place := fmt.Sprintf("%s:%s", agent.CleanLine(l.Path), lineRange(l.Lines))
	if l.Function != "" {
		place += " " + agent.CleanLine(l.Function)
	}
	return place
}

func lineRange(r gitext.LineRange) string {
	if r.Start == r.End {
		return fmt.Sprint(r.Start)
	}
	return fmt.Sprintf("%d-%d", r.Start, r.End)
}

// code returns the numbered lines of a suspected function, below its doc comment. For a
// function with more than most characters, it returns the lines around the suspicious ones.
func (w *work) code(ctx context.Context, l fix.Location, most int) (string, error) {
	lines, err := w.lines(ctx, l.Path)
	if err != nil || lines == nil {
		return "", err
	}
	hot := map[int]bool{}
	for _, r := range l.Hot {
		for n := r.Start; n <= min(r.End, len(lines)); n++ {
			hot[n] = true
		}
	}
	show := append(contract(l.Path, lines, l.Lines.Start, most), toEnd(shownLines(lines, l, w.idle(l.Path), most), min(l.Lines.End, len(lines)))...)
	var b strings.Builder
	last := 0
	for _, n := range show {
		if last > 0 && n > last+1 {
			fmt.Fprintf(&b, "    … (%s)\n", agent.Plural(n-last-1, "line"))
		}
		mark := " "
		if hot[n] && len(hot) < l.Lines.End-l.Lines.Start {
			mark = ">"
		}
		fmt.Fprintf(&b, "%s%4d  %s\n", mark, n, shownLine(lines[n-1]))
		last = n
	}
	if last < min(l.Lines.End, len(lines)) {
		fmt.Fprintf(&b, "    … (to line %d)\n", l.Lines.End)
	}
	return b.String(), nil
}

// contract returns the line numbers of the comment above a function; for a long comment, only
// the first lines.
func contract(name string, lines [][]byte, start, most int) []int {
	first := min(start, len(lines)+1)
	for first > 1 && comments(name, lines[first-2]) {
		first--
	}
	var out []int
	room := min(maxContract, most/2)
	for n := first; n < start && n <= len(lines); n++ {
		if room -= len(lines[n-1]) + 7; room < 0 {
			break
		}
		out = append(out, n)
	}
	return out
}

// comments reports whether a line begins like a comment, or like a line between a comment and
// its function, such as a decorator.
func comments(name string, line []byte) bool {
	t := bytes.TrimSpace(line)
	if slices.Contains([]string{".py", ".rb", ".pl", ".sh", ".ex", ".exs"}, path.Ext(name)) && bytes.HasPrefix(t, []byte("#")) {
		return true
	}
	for _, begin := range []string{"//", "/*", "* ", "*/", "--", "@", "#["} {
		if bytes.HasPrefix(t, []byte(begin)) {
			return true
		}
	}
	return string(t) == "*"
}

// idle returns the executable lines of a file that the failing tests do not execute.
func (w *work) idle(path string) map[int]bool {
	lines := map[int]bool{}
	if s := w.in.Localization.Spectrum; s != nil && s.Failing > 0 {
		for _, h := range s.Files[path] {
			lines[h.Line] = h.Failing == 0
		}
	}
	return lines
}

// shownLines returns the numbers of a function's lines for the prompt: all lines if they have
// up to most characters; otherwise the head and lines around the suspicious ones. It chooses
// the most suspicious lines first, and last the lines that the failing tests do not execute.
func shownLines(lines [][]byte, l fix.Location, idle map[int]bool, most int) []int {
	start, end := max(l.Lines.Start, 1), min(l.Lines.End, len(lines))
	size := 0
	var all []int
	for n := start; n <= end; n++ {
		size += min(len(lines[n-1]), maxShownLine) + 7
		all = append(all, n)
	}
	if size <= most {
		return all
	}
	const around, perRange, perHead = 12, 2, 4
	near := func(n int) int { // the distance to the nearest suspicious line, or to the head
		best := (n - start) * perHead
		if len(l.Hot) == 0 {
			best = n - start
		}
		for i, r := range l.Hot {
			best = min(best, i*perRange+max(r.Start-n, n-r.End, 0))
		}
		if idle[n] {
			best += around
		}
		return best
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(near(a), near(b)) })
	size = 0
	for i, n := range all {
		if size += min(len(lines[n-1]), maxShownLine) + 7; size > most || near(n) > around*4 {
			all = all[:max(i, 1)]
			break
		}
	}
	slices.Sort(all)
	return closeGaps(all)
}

// toEnd adds the last lines of a part of a file if a note about their omission would be as
// long.
func toEnd(shown []int, end int) []int {
	const small = 2
	if len(shown) > 0 && end-shown[len(shown)-1] <= small {
		for n := shown[len(shown)-1] + 1; n <= end; n++ {
			shown = append(shown, n)
		}
	}
	return shown
}

// closeGaps adds the lines between two shown ones if a note about their omission would be as
// long.
func closeGaps(shown []int) []int {
	const small = 3
	var out []int
	for i, n := range shown {
		if i > 0 && n-shown[i-1]-1 <= small {
			for k := shown[i-1] + 1; k < n; k++ {
				out = append(out, k)
			}
		}
		out = append(out, n)
	}
	return out
}
