package investigate

import (
	"fmt"
	"strings"

	"git-agent/agent"
	"git-agent/agent/crash/crashtool"
)

// These bound the text about the offline engine's answer for a crash.
const (
	crashFiles    = 5
	crashSuspects = 3
)

// crashText describes a crash report, as in the first message of git agent crash, with the
// suspected files and commits. The commits are history.
func (w *work) crashText(history bool) string {
	var b strings.Builder
	c := &crashtool.Case{Report: w.in.Problem.Crash, Mask: w.opt.Mask}
	b.WriteString(c.ProblemsInShort())
	if stacks := c.StacksInShort(); stacks != "" {
		b.WriteString("\n(#n function, place in the repository; frames of other code with the end of their path)\n" + stacks)
	}
	b.WriteByte('\n')
	for i, f := range w.in.Problem.Files[:min(len(w.in.Problem.Files), crashFiles)] {
		if f.Related && !history {
			continue // commits are a part of history
		}
		fmt.Fprintf(&b, "suspected file %d: %s (%.0f %%)\n", i+1, agent.CleanLine(f.Path), 100*f.Probability)
	}
	for i, s := range w.in.Problem.Suspects {
		if i == crashSuspects || !history {
			break
		}
		fmt.Fprintf(&b, "suspected commit: %s %s %s: %s\n", s.Commit.OID.Short(), s.Commit.Committer.Time.UTC().Format("2006-01-02"),
			agent.Shorten(agent.CleanLine(s.Commit.Subject()), 120), agent.Shorten(agent.CleanLine(s.Reason), 200))
	}
	return strings.TrimRight(b.String(), "\n")
}
