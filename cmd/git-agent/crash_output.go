package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"git-agent/agent/crash"
	"git-agent/cmd/git-agent/render"
	"git-agent/cmd/git-agent/terminal"
	"git-agent/gitext"
)

// A crashRenderer prints answers about crashes in one form.
type crashRenderer interface {
	Crash(name string, report *crash.Report, ranking *crash.Ranking) error
}

// crashOutput prints answers in the form that the options ask for.
type crashOutput struct {
	crashRenderer
	page  *terminal.Pager // nil if no person reads the form
	sarif *render.CrashSARIF
}

// renderer returns the output for a number of reports.
func (c *crashCmd) renderer(ctx context.Context, a *app, repo *gitext.Repo, reports int) crashOutput {
	end := lineEnd(c.Null)
	switch {
	case c.JSON:
		return crashOutput{crashRenderer: &render.CrashJSON{W: a.raw, End: end, Max: c.MaxCount}}
	case c.SARIF:
		log := &render.CrashSARIF{W: a.raw, End: end, Version: versionString(), Max: c.MaxCount}
		return crashOutput{crashRenderer: log, sarif: log}
	case c.Format != nil:
		pieces, _ := render.ParseCrashFormat(*c.Format) // check rejects a wrong format
		return crashOutput{crashRenderer: &render.CrashFormat{W: a.raw, Pieces: pieces, End: end, Clean: a.personReads(), Max: c.MaxCount}}
	}
	page := a.page(ctx)
	if reports > 1 {
		page.Lines = 0 // start the pager at the first of several answers, as git log does
	}
	return crashOutput{page: page, crashRenderer: &render.CrashHuman{
		W: page, Color: a.newPalette(ctx), Width: a.textWidth(), All: a.flags.Verbose > 0, Max: c.MaxCount, Place: fromHere(repo),
	}}
}

// Failed notes a report that has no answer, in a form that has a place for it.
func (o crashOutput) Failed(err error) {
	if o.sarif != nil {
		o.sarif.Failed(err)
	}
}

// Close prints what is printed at the end.
func (o crashOutput) Close() error {
	switch {
	case o.sarif != nil:
		return o.sarif.Close()
	case o.page != nil:
		return o.page.Close()
	}
	return nil
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
