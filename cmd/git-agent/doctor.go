package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"git-agent/cache"
	"git-agent/cmd/git-agent/layout"
	"git-agent/cmd/git-agent/render"
	"git-agent/cmd/git-agent/terminal"
	"git-agent/gitext"
	"git-agent/gitext/gitcmd"
)

type doctorCmd struct {
	JSON   bool `name:"json" help:"print one JSON object for each check"`
	Fix    bool `help:"build a commit-graph that speeds up reading the history, and offer to import the data of earlier versions"`
	Yes    bool `help:"answer yes to the questions of --fix"`
	Online bool `help:"also send a small test request to the configured model, which may cost a fraction of a cent"`

	answers *bufio.Reader
}

// doctorSchema is the schema of --json.
const doctorSchema = "git-agent/doctor/1"

// The statuses of a check.
const (
	checkOK   = "ok"
	checkWarn = "warn"
	checkFail = "fail"
)

// finding is the result of one check, and its documented JSON form. Fix is a
// command that solves the problem, or "".
type finding struct {
	Schema string `json:"schema"`
	Check  string `json:"check"`
	Status string `json:"status"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}

func ok(check, format string, args ...any) finding {
	return finding{Check: check, Status: checkOK, Detail: fmt.Sprintf(format, args...)}
}

func warn(check, fix, format string, args ...any) finding {
	return finding{Check: check, Status: checkWarn, Detail: fmt.Sprintf(format, args...), Fix: fix}
}

// hintOf returns the hint that an error of git or of the cache has, or "".
func hintOf(err error) string {
	var git *gitcmd.Error
	var kept *cache.Error
	switch {
	case errors.As(err, &git):
		return git.Hint
	case errors.As(err, &kept):
		return kept.Hint
	}
	return ""
}

func fail(check, fix, format string, args ...any) finding {
	return finding{Check: check, Status: checkFail, Detail: fmt.Sprintf(format, args...), Fix: fix}
}

// Run runs all checks, even if one fails, so that all problems are seen at once.
// Outside of a repository it skips the checks of the repository.
func (c *doctorCmd) Run(ctx context.Context, a *app) error {
	if c.Yes && !c.Fix {
		return usagef("--yes needs --fix")
	}
	failed := false
	show := c.printer(a, a.newPalette(ctx))
	report := func(list ...finding) error {
		if err := ctx.Err(); err != nil {
			return err // a check that was interrupted has found nothing
		}
		for _, f := range list {
			failed = failed || f.Status == checkFail
			if err := show(f); err != nil {
				return err
			}
		}
		return nil
	}
	if err := report(checkInstallation(ctx, a)...); err != nil {
		return err
	}
	if err := report(checkModel(ctx, a, c.Online)...); err != nil {
		return err
	}
	opt := gitext.OpenOptions{}
	if c.Fix {
		opt.Bloom = gitext.BloomBuild
		if terminal.IsTerminal(a.stderr) && !a.flags.Quiet {
			fmt.Fprintln(a.stderr, "building changed-path filters: ten seconds for 80,000 commits")
		}
	}
	repo, err := a.open(ctx, opt)
	if err != nil {
		err = report(fail("repository", hintOf(err), "%s", fatalText(err)))
	} else {
		if c.Fix {
			err = c.repair(ctx, a, repo)
		}
		err = errors.Join(err, report(checkRepository(ctx, a, repo)...))
	}
	if err == nil && failed {
		return exitStatus(exitNothing)
	}
	return err
}

// printer returns a function that prints a finding, as text or as JSON.
func (c *doctorCmd) printer(a *app, color layout.Palette) func(finding) error {
	if c.JSON {
		return func(f finding) error {
			f.Schema = doctorSchema
			return render.WriteJSON(a.stdout, f, "\n")
		}
	}
	return func(f finding) error {
		if a.flags.Quiet && f.Status == checkOK {
			return nil
		}
		return printFinding(a.stdout, color, f)
	}
}

func printFinding(w io.Writer, color layout.Palette, f finding) error {
	slot := map[string]string{checkOK: "ok", checkWarn: "warning", checkFail: "error"}[f.Status]
	text := fmt.Sprintf("%s %-13s %s\n", color.Paint(slot, fmt.Sprintf("%-4s", f.Status)), f.Check, layout.OneLine(f.Detail))
	if f.Fix != "" {
		text += fmt.Sprintf("%19s%s\n", "", color.Paint("command", layout.OneLine(f.Fix)))
	}
	_, err := io.WriteString(w, text)
	return err
}
