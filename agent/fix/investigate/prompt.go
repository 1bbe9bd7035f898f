package investigate

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/fix/history"
	"git-agent/prompts"
)

// firstPrompt fills the prompt text fix/case.
type firstPrompt struct {
	Report, Crash, Command, Tests, Suspects, History, Writers, Found, Findings, Rejected, Patches, Suite string
	Bash, Analysis, Writing                                                                              bool
}

// These bound the texts in the first prompt, in characters. Every turn sends the prompt again.
const (
	maxReport   = 6000
	maxOutput   = 3200
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

// prompt returns the first message of a repair, with some kinds of history and the findings of
// an analysis.
func (w *work) prompt(ctx context.Context, kinds []fix.Heuristic, findings string) (string, error) {
	return w.casePrompt(ctx, caseParts{kinds: kinds, findings: findings})
}

// caseParts are the parts of a first message that differ between conversations.
type caseParts struct {
	kinds    []fix.Heuristic // the shown history
	findings string          // findings of an analysis
	patches  string          // patches under review
	analysis bool            // the message begins an analysis
	writing  bool            // the message begins the writing of a test
}

// casePrompt returns the first message of a repair, of an analysis or of a review.
func (w *work) casePrompt(ctx context.Context, parts caseParts) (string, error) {
	p := firstPrompt{
		Analysis: parts.analysis, Patches: parts.patches, Findings: parts.findings,
		Report: agent.Abridge(agent.Clean(w.in.Problem.Report), maxReport), Command: w.commandText(), Tests: w.testsText,
		Suspects: w.suspectsText, Rejected: w.rejectedText(), Bash: w.opt.Method.Tools == fix.Bash,
	}
	if p.Writing = parts.writing; p.Writing {
		p.Suite = agent.CleanLine(w.in.Problem.Suite)
	}
	if parts.patches != "" {
		p.Rejected = "" // rejected patches belong to earlier rounds
	}
	if w.in.Problem.Crash != nil {
		p.Crash = w.crashText(len(parts.kinds) > 0)
	}
	if len(parts.kinds) == 0 {
		p.Suspects = w.plainText
	}
	if w.in.History != nil && len(parts.kinds) > 0 {
		text, _, err := history.Render(ctx, w.repo, w.past(), parts.kinds, maxHistory)
		if err != nil {
			return "", err
		}
		p.History, p.Writers, p.Found = text, w.writersText, w.foundText
	}
	text, err := prompts.Get("fix/case")
	if err != nil {
		return "", err
	}
	return text.Render(p)
}

// commandText shows the failing command and its output.
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

// rejectedText shows the patches of earlier rounds, and the results of their tests.
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
