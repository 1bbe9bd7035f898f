package szzcmd

import (
	"context"
	"fmt"
	"strings"

	"git-agent/agent/crash"
	crashengine "git-agent/agent/crash/engine"
	"git-agent/agent/crash/input"
	"git-agent/agent/szz"
	"git-agent/cmd/git-agent/app"
	"git-agent/gitext"
)

// Bounds of what a crash report tells about a fix.
const (
	mostFrames   = 20 // of the report that are in the repository
	mostSuspects = 5  // commits that the report leads to
)

// checkHint returns an error for --hint and --crash where they are of no use.
func (c *Szz) checkHint() error {
	if (c.Hint != "" || c.Crash != "") && (c.Check || c.Risk || len(c.Culprit) > 0 || c.Algorithm != "" && c.Algorithm != "rank") {
		return app.Usagef("--hint and --crash go with the ranking and with a model only")
	}
	if c.Crash != "" && (c.Stdin || c.Journal != "") {
		return app.Usagef("--crash goes with one fix, not with --stdin and --journal")
	}
	return nil
}

// hinted adds to a question what the user says of the bug, and what a crash report tells.
func (c *Szz) hinted(ctx context.Context, a *app.App, repo *gitext.Repo, q szz.Question) (szz.Question, error) {
	q.Hint = szz.Hint{}.And(szz.Hint{Text: c.Hint})
	if c.Crash == "" {
		return q, nil
	}
	crashed, err := c.crashHint(ctx, a, repo, q)
	q.Hint = q.Hint.And(crashed)
	return q, err
}

// crashHint reads a crash report, and ranks its files and commits before the fix.
func (c *Szz) crashHint(ctx context.Context, a *app.App, repo *gitext.Repo, q szz.Question) (szz.Hint, error) {
	at := q.Fix
	if q.Committed() {
		fix, err := repo.Commit(ctx, q.Fix)
		if err != nil {
			return szz.Hint{}, err
		}
		if len(fix.Parents) == 0 {
			return szz.Hint{}, nil
		}
		at = fix.Parents[0]
	}
	reader := &input.Reader{Stdin: a.Stdin, Confine: func(ctx context.Context) (input.Confinement, error) {
		s, err := a.SandboxSettings(ctx, "")
		return input.Confinement{Level: s.Level, Readable: s.Readable}, err
	}}
	report, err := reader.Read(ctx, c.Crash)
	if err != nil {
		return szz.Hint{}, app.WithAdvice(err)
	}
	ranking, err := (&crashengine.Engine{Repo: repo}).Rank(ctx, crash.Question{Report: report, Commit: at, Suspects: mostSuspects})
	if err != nil {
		return szz.Hint{}, fmt.Errorf("%s: %w", input.Title(c.Crash), err)
	}
	hint := szz.Hint{Text: framesText(report)}
	if hint.Text == "" {
		a.Say("warning: %s has no frame in this repository, and says nothing about the fix", input.Title(c.Crash))
	}
	for _, s := range ranking.Suspects {
		hint.Pointed = append(hint.Pointed, szz.Pointed{
			By: "the crash report", Commit: string(s.Commit.OID), Subject: s.Commit.Subject(), Probability: s.Probability,
		})
	}
	return hint, nil
}

// framesText returns what failed, and the functions and files of the frames in the repository, a
// line each.
func framesText(report *crash.Report) string {
	var lines []string
	said := map[string]bool{}
	for _, s := range report.Stacks {
		for _, f := range s.Frames {
			line := strings.TrimSpace(f.Function + " " + f.Path)
			if f.Path == "" || said[line] || len(said) == mostFrames {
				continue
			}
			said[line] = true
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return ""
	}
	for _, p := range report.Problems {
		if text := strings.TrimSpace(p.Kind + " " + p.Message); text != "" {
			lines = append([]string{text}, lines...)
			break
		}
	}
	return strings.Join(lines, "\n")
}
