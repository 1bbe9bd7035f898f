package main

import (
	"context"
	"errors"
	"slices"

	"git-agent/agent/crash"
	"git-agent/agent/crash/engine"
	"git-agent/agent/crash/input"
	"git-agent/cmd/git-agent/render"
	"git-agent/cmd/git-agent/terminal"
	"git-agent/gitext"
)

// crashCmd is `git agent crash`: it ranks the files, and the commits, behind a crash
// report.
type crashCmd struct {
	At        string   `placeholder:"<revision>" help:"the commit that crashed; default: the one that the report names, else HEAD"`
	Since     string   `placeholder:"<revision>" help:"a commit that did not crash; suspect only commits after it"`
	Algorithm string   `enum:",rank,baseline1,baseline2" default:"" placeholder:"<name>" help:"how to order the files: rank (the default), or one of AutoCrashFL's baselines, baseline1 and baseline2"`
	MaxCount  int      `short:"n" default:"5" placeholder:"<n>" help:"print at most <n> files for each report; default: 5"`
	Suspects  int      `default:"3" placeholder:"<n>" help:"name at most <n> suspect commits for each report; default: 3"`
	Group     bool     `help:"put reports of the same fault into groups, and rank the files of each group's first report"`
	Null      bool     `short:"z" help:"terminate lines of output with NUL, not newline"`
	JSON      bool     `name:"json" xor:"form" help:"print one JSON object for each report, or one for all groups"`
	Format    *string  `xor:"form" placeholder:"<format>" help:"print each file in <format>, which has placeholders like those of git log"`
	SARIF     bool     `name:"sarif" xor:"form" help:"print a SARIF log for viewers of code scanning"`
	Section   string   `xor:"form" placeholder:"<name>" help:"print the section <name> of a SAP HANA dump, and exit"`
	Exe       string   `placeholder:"<file>" kind:"path" help:"the program that dumped a core file; default: the one that the core file names"`
	Reports   []string `arg:"" optional:"" name:"report" help:"files with crash reports, and folders of them; - is standard input"`
}

// Run answers for each report and prints the answers in the order of the reports. A
// report among several that cannot be read, or answered, costs itself only.
func (c *crashCmd) Run(ctx context.Context, a *app) (err error) {
	sources, err := c.sources(a)
	if err != nil {
		return err
	}
	if c.Section != "" {
		return c.printSections(ctx, a, sources)
	}
	repo, err := a.open(ctx, gitext.OpenOptions{})
	if err != nil {
		return err
	}
	question, err := c.question(ctx, repo)
	if err != nil {
		return err
	}
	batch := c.newBatch(a, sources)
	defer batch.meter.end()
	e := &engine.Engine{Repo: repo}
	if c.Group {
		return c.groups(ctx, a, batch, e, question)
	}
	show := c.renderer(ctx, a, repo, len(sources))
	defer func() { err = errors.Join(err, show.Close()) }()
	batch.failed = show.Failed
	found := false
	err = batch.each(ctx, func(name string, report *crash.Report) error {
		question.Report = report
		ranking, err := e.Answer(ctx, question)
		if err != nil {
			return err
		}
		found = found || ranking.Answered
		return batch.print(func() error { return show.Crash(name, report, ranking) })
	})
	if err == nil && !found {
		return exitStatus(exitNothing)
	}
	return err
}

// sources returns the reports: those that are given, else standard input unless a
// person would have to type it.
func (c *crashCmd) sources(a *app) ([]input.Source, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if len(c.Reports) > 0 {
		return input.Expand(c.Reports), nil
	}
	if terminal.IsTerminal(a.stdin) {
		return nil, withHint(usagef("no crash report is given"), "name a file, or pipe a report into git agent crash -")
	}
	return []input.Source{{Name: input.Stdin}}, nil
}

// check returns an error for options that make no sense, alone or together.
func (c *crashCmd) check() error {
	switch {
	case c.MaxCount < 0 || c.Suspects < 0:
		return usagef("a number of files or suspects is not negative")
	case c.Group && (c.Format != nil || c.SARIF):
		return usagef("--group takes --json, but not --format or --sarif")
	case c.Section != "" && (len(c.Reports) == 0 || slices.Contains(c.Reports, input.Stdin)):
		return usagef("--section needs the file of a dump, and cannot read standard input")
	case c.Null && c.Format == nil && !c.JSON && !c.SARIF:
		return usagef("-z needs --json, --format or --sarif")
	}
	if c.Format != nil {
		if _, err := render.ParseCrashFormat(*c.Format); err != nil {
			return &usageError{err.Error()}
		}
	}
	return nil
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
