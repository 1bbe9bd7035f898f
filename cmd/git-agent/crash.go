package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/crash/engine"
	"git-agent/agent/crash/format"
	"git-agent/cmd/git-agent/render"
	"git-agent/gitext"
	"git-agent/gitext/openfile"
)

// crashCmd is `git agent crash`: it ranks the files, and the commits, behind a crash
// report.
type crashCmd struct {
	At        string   `placeholder:"<revision>" help:"the commit that crashed; default: the one that the report names, else HEAD"`
	Since     string   `placeholder:"<revision>" help:"a commit that did not crash; suspect only commits after it"`
	Algorithm string   `enum:",rank,baseline1,baseline2" default:"" placeholder:"<name>" help:"how to order the files: rank (the default), or one of AutoCrashFL's baselines, baseline1 and baseline2"`
	MaxCount  int      `short:"n" default:"5" placeholder:"<n>" help:"print at most <n> files for each report; default: 5"`
	Suspects  int      `default:"3" placeholder:"<n>" help:"name at most <n> suspect commits for each report; default: 3"`
	JSON      bool     `name:"json" help:"print one JSON object for each report"`
	Reports   []string `arg:"" optional:"" name:"report" help:"files with crash reports; - is standard input"`
}

// Run answers for each report and prints the answers in the order of the reports.
func (c *crashCmd) Run(ctx context.Context, a *app) (err error) {
	names, err := c.names(a)
	if err != nil {
		return err
	}
	repo, err := a.open(ctx, gitext.OpenOptions{})
	if err != nil {
		return err
	}
	question, err := c.question(ctx, repo)
	if err != nil {
		return err
	}
	page := a.page(ctx)
	defer func() { err = errors.Join(err, page.Close()) }()
	show := c.renderer(ctx, a, repo, page)
	found := false
	e := &engine.Engine{Repo: repo}
	for _, name := range names {
		question.Report, err = readReport(a, name)
		if err != nil {
			return err
		}
		ranking, err := e.Answer(ctx, question)
		if err != nil {
			return err
		}
		found = found || ranking.Answered
		if err := show.Crash(name, question.Report, ranking); err != nil {
			return err
		}
	}
	if !found {
		return exitStatus(exitNothing)
	}
	return nil
}

// names returns the names of the reports: those that are given, else standard input
// unless a person would have to type it.
func (c *crashCmd) names(a *app) ([]string, error) {
	if c.MaxCount < 0 || c.Suspects < 0 {
		return nil, usagef("a number of files or suspects is not negative")
	}
	if len(c.Reports) > 0 {
		return c.Reports, nil
	}
	if isTerminal(a.stdin) {
		return nil, withHint(usagef("no crash report is given"), "name a file, or pipe a report into git agent crash -")
	}
	return []string{"-"}, nil
}

// question returns what is asked about each report.
func (c *crashCmd) question(ctx context.Context, repo *gitext.Repo) (crash.Question, error) {
	q := crash.Question{Algorithm: c.Algorithm, Suspects: c.Suspects}
	for _, rev := range []struct {
		name string
		oid  *gitext.OID
	}{{c.At, &q.Commit}, {c.Since, &q.Since}} {
		if rev.name == "" {
			continue
		}
		oid, err := repo.Resolve(ctx, rev.name)
		if err != nil {
			return q, err
		}
		*rev.oid = oid
	}
	return q, nil
}

// readReport reads the report of a file, or of standard input if name is "-".
func readReport(a *app, name string) (*crash.Report, error) {
	in := a.stdin
	if name != "-" {
		f, err := openfile.Regular(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	report, err := format.ReadNamed(in, filepath.Base(name))
	if errors.Is(err, format.ErrUnknown) {
		return nil, withHint(fmt.Errorf("%s: %w", reportTitle(name), err), "%s", format.Known)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", reportTitle(name), err)
	}
	return report, nil
}

func reportTitle(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}

// A crashRenderer prints answers about crashes in one form.
type crashRenderer interface {
	Crash(name string, report *crash.Report, ranking *crash.Ranking) error
}

func (c *crashCmd) renderer(ctx context.Context, a *app, repo *gitext.Repo, page io.Writer) crashRenderer {
	if c.JSON {
		return &render.CrashJSON{W: a.raw, End: lineEnd(false), Max: c.MaxCount}
	}
	return &render.CrashHuman{
		W: page, Color: a.newPalette(ctx), Width: a.textWidth(), All: a.flags.Verbose > 0, Max: c.MaxCount, Place: fromHere(repo),
	}
}

// fromHere returns a function that writes a tracked path as it is called from the
// working directory, so that a terminal can open it.
func fromHere(repo *gitext.Repo) func(path string) string {
	here, err := os.Getwd()
	top := repo.WorkTree()
	if err != nil || top == "" {
		return func(path string) string { return path }
	}
	if resolved, err := filepath.EvalSymlinks(here); err == nil {
		here = resolved
	}
	return func(path string) string {
		rel, err := filepath.Rel(here, filepath.Join(top, filepath.FromSlash(path)))
		if err != nil || strings.HasPrefix(rel, "../../..") {
			return path
		}
		return rel
	}
}
