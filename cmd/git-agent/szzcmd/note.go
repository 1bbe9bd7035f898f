package szzcmd

import (
	"context"
	"fmt"
	"strings"

	"git-agent/agent/szz"
	"git-agent/cmd/git-agent/render"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
)

// writeNote stores the answer as a git note on the fix, in refs/notes/agent. It
// replaces the note of an earlier answer.
func writeNote(ctx context.Context, repo *gitext.Repo, ans render.Answer) error {
	return repo.AddNote(ctx, ans.Answer.Fix, []byte(noteText(ans)))
}

// noteText returns the text of the note. The text consists of trailers, so that
// git log
// --format=%N and git interpret-trailers can be used on it.
func noteText(ans render.Answer) string {
	var b strings.Builder
	for _, s := range ans.Answer.Suspects {
		fmt.Fprintf(&b, "Bug-introduced-by: %s (\"%s\")", s.Commit.OID, ui.OneLine(s.Commit.Subject()))
		if s.Probability > 0 {
			fmt.Fprintf(&b, " %.2f", s.Probability)
		}
		b.WriteString("\n")
	}
	if b.Len() == 0 {
		b.WriteString("Bug-introduced-by: unknown\n")
	}
	b.WriteString("Found-by: git agent szz " + optionsThatFound(ans.Answer) + "\n")
	return b.String()
}

// optionsThatFound returns the options of szz for the answer.
func optionsThatFound(v *szz.Answer) string {
	if v.Agent != nil && v.Agent.Fallback == "" {
		return "--engine=agent --model=" + ui.OneLine(v.Agent.Model)
	}
	return "--algorithm=" + v.Algorithm
}
