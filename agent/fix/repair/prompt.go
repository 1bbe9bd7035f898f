package repair

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/fix/history"
	"git-agent/gitext"
	"git-agent/prompts"
)

// firstPrompt fills the prompt text fix/case.
type firstPrompt struct {
	Report, Crash, Command, Tests, Suspects, History, Findings, Rejected, Patches string
	Bash, Analysis                                                                bool
}

// Bounds of the texts in the first prompt, in characters. Every turn sends the prompt
// again.
const (
	maxReport   = 6000
	maxOutput   = 3200
	maxSuspects = 9000
	maxFirst    = 6000 // of the most suspicious function
	maxFunction = 3000 // of another suspected function
	maxListed   = 8    // suspected functions that are named
	maxCode     = 6    // suspected functions whose code is shown
	alwaysCode  = 3    // suspected functions whose code is shown even if those before are long
	maxHistory  = 1500 // tokens
	maxRejected = 3000
)

// system returns the system message.
func (w *work) system(kinds []fix.Heuristic) (string, error) {
	task, err := prompts.Get("fix/task")
	if err != nil {
		return "", err
	}
	method, err := prompts.Get("fix/method")
	if err != nil {
		return "", err
	}
	text, err := method.Render(map[string]any{
		"History": len(kinds) > 0, "EditTests": w.in.Problem.EditTests, "Turns": w.opt.Limits.Turns,
		"Suite": w.in.Problem.Suite != "" && w.opt.Method.Tools != fix.Bash,
	})
	return task.Text + "\n" + strings.TrimRight(text, "\n") + "\n", err
}

// prompt returns the first message of a repair that is shown these kinds of history,
// and the findings of an analysis.
func (w *work) prompt(ctx context.Context, kinds []fix.Heuristic, findings string) (string, error) {
	return w.casePrompt(ctx, caseParts{kinds: kinds, findings: findings})
}

// caseParts are the parts of a first message that differ between conversations.
type caseParts struct {
	kinds    []fix.Heuristic // the history that is shown
	findings string          // of an analysis
	patches  string          // that a review is about
	analysis bool            // the message begins an analysis
}

// casePrompt returns the first message of a repair, of an analysis or of a review.
func (w *work) casePrompt(ctx context.Context, parts caseParts) (string, error) {
	p := firstPrompt{
		Analysis: parts.analysis, Patches: parts.patches, Findings: parts.findings,
		Report: agent.Abridge(agent.Clean(w.in.Problem.Report), maxReport), Command: w.commandText(), Tests: w.testsText,
		Suspects: w.suspectsText, Rejected: w.rejectedText(), Bash: w.opt.Method.Tools == fix.Bash,
	}
	if parts.patches != "" {
		p.Rejected = "" // they are of earlier rounds
	}
	if w.in.Problem.Crash != nil {
		p.Crash = w.crashText()
	}
	if w.in.History != nil && len(parts.kinds) > 0 {
		text, _, err := history.Render(ctx, w.repo, w.in.History, parts.kinds, maxHistory)
		if err != nil {
			return "", err
		}
		p.History = text
	}
	text, err := prompts.Get("fix/case")
	if err != nil {
		return "", err
	}
	return text.Render(p)
}

// commandText says which command fails, and what it prints.
func (w *work) commandText() string {
	r := w.in.Reproduction
	if r.Command == "" {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "$ %s\nIt %s.", agent.CleanLine(r.Command), agent.CleanLine(r.How))
	if len(r.Failing) > 0 {
		fmt.Fprintf(&b, " Failing: %s.", listed(r.Failing, 12))
	}
	if strings.Contains(r.Command, "&&") {
		b.WriteString(" What stands after a part that fails has not run.")
	}
	b.WriteString("\n")
	if out := w.outputText(r.Output); out != "" {
		b.WriteString("\n" + out + "\n")
	}
	return b.String()
}

// listed joins the first names of a list.
func listed(names []string, most int) string {
	var clean []string
	for _, n := range names[:min(len(names), most)] {
		clean = append(clean, agent.Shorten(agent.CleanLine(n), 160))
	}
	text := strings.Join(clean, ", ")
	if n := len(names) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// suspectsText lists the suspected functions, and shows the code of the first ones.
func (w *work) makeSuspectsText(ctx context.Context) (string, error) {
	if w.in.Localization == nil || len(w.in.Localization.Locations) == 0 {
		return "", nil
	}
	var b strings.Builder
	for i, l := range w.in.Localization.Locations[:min(len(w.in.Localization.Locations), maxListed)] {
		fmt.Fprintf(&b, "%d. %s", i+1, placeOf(l))
		if len(l.Grounds) > 0 {
			var why []string
			for _, g := range l.Grounds[:min(len(l.Grounds), 3)] {
				why = append(why, agent.Shorten(agent.CleanLine(g.Text), 120))
			}
			b.WriteString(": " + strings.Join(why, "; "))
		}
		b.WriteString("\n")
	}
	left := maxSuspects
	for i, l := range w.in.Localization.Locations[:min(len(w.in.Localization.Locations), maxCode)] {
		if !w.worthCode(l) {
			continue
		}
		most := maxFunction
		if i == 0 {
			most = maxFirst
		}
		text, err := w.code(ctx, l, most)
		if err != nil {
			return "", err
		}
		if text == "" || len(text) > left && i >= alwaysCode {
			continue
		}
		left -= len(text)
		b.WriteString("\n" + text)
		if i == 0 {
			if lines, err := w.lines(ctx, l.Path); err == nil {
				b.WriteString(suffixed(importsOf(l.Path, lines), "\n"))
			}
		}
	}
	return b.String(), nil
}

// suffixed adds an end to a text that is not empty.
func suffixed(text, end string) string {
	if text == "" {
		return ""
	}
	return text + end
}

// worthCode reports whether the code of a suspected function is shown. Where it is known
// what the failing tests execute, a function that only shares words with them is named,
// and no more.
func (w *work) worthCode(l fix.Location) bool {
	if s := w.in.Localization.Spectrum; s == nil || s.Failing == 0 {
		return true
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

// code returns the numbered lines of a suspected function. Of one with more than most
// characters it returns the lines around the suspicious ones.
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
	show := shownLines(lines, l, hot, w.idle(l.Path), most)
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n", placeOf(l))
	last := 0
	for _, n := range show {
		if last > 0 && n > last+1 {
			fmt.Fprintf(&b, "    … (%d lines)\n", n-last-1)
		}
		mark := " "
		if hot[n] && len(hot) < l.Lines.End-l.Lines.Start {
			mark = ">"
		}
		fmt.Fprintf(&b, "%s%4d  %s\n", mark, n, agent.Shorten(agent.Clean(string(lines[n-1])), 240))
		last = n
	}
	if last < min(l.Lines.End, len(lines)) {
		fmt.Fprintf(&b, "    … (to line %d)\n", l.Lines.End)
	}
	return b.String(), nil
}

// idle returns the lines of a file that can be executed and that the failing tests do
// not execute.
func (w *work) idle(path string) map[int]bool {
	lines := map[int]bool{}
	if s := w.in.Localization.Spectrum; s != nil && s.Failing > 0 {
		for _, h := range s.Files[path] {
			lines[h.Line] = h.Failing == 0
		}
	}
	return lines
}

// shownLines returns the numbers of the lines that the prompt shows of a function: all
// if they have at most so many characters, else its head and the lines around the
// suspicious ones, those last that the failing tests do not execute.
func shownLines(lines [][]byte, l fix.Location, hot, idle map[int]bool, most int) []int {
	start, end := max(l.Lines.Start, 1), min(l.Lines.End, len(lines))
	size := 0
	for n := start; n <= end; n++ {
		size += len(lines[n-1]) + 7
	}
	var all []int
	for n := start; n <= end; n++ {
		all = append(all, n)
	}
	if size <= most {
		return all
	}
	const around = 12
	near := func(n int) int { // the distance to the nearest suspicious line, or to the head
		best := n - start
		for h := range hot {
			best = min(best, max(h-n, n-h))
		}
		if idle[n] {
			best += around
		}
		return best
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(near(a), near(b)) })
	size = 0
	for i, n := range all {
		if size += len(lines[n-1]) + 7; size > most || near(n) > around*4 {
			all = all[:i]
			break
		}
	}
	slices.Sort(all)
	return closeGaps(all)
}

// closeGaps adds the lines between two shown ones where saying that they are left out
// would take as much room as they do.
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

// rejectedText shows the patches of earlier rounds, and what the tests said of them.
func (w *work) rejectedText() string {
	var b strings.Builder
	left := maxRejected
	for i := len(w.rejected) - 1; i >= 0 && left > 0; i-- {
		t := w.rejected[i]
		head := fmt.Sprintf("## The patch of %s: %s", t.Origin, t.Verdict)
		if len(t.Failing) > 0 {
			head += ", " + listed(t.Failing, 4) + " fail"
		}
		if t.Reason != "" {
			head += " (" + agent.Shorten(agent.CleanLine(t.Reason), 200) + ")"
		}
		diff := agent.Abridge(agent.Clean(string(bytes.TrimSpace(t.Patch.Diff))), left)
		left -= len(head) + len(diff)
		b.WriteString(head + "\n" + diff + "\n")
	}
	return b.String()
}
