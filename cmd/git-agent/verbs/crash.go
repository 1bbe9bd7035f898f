package verbs

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/crash/engine"
	"git-agent/agent/crash/input"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/render"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
)

// Crash is `git agent crash`: it ranks the files, and the commits, behind a crash
// report.
type Crash struct {
	At               string     `placeholder:"<revision>" help:"the commit that crashed; default: the one that the report names, else HEAD"`
	Since            string     `placeholder:"<revision>" help:"a commit that did not crash; suspect only commits after it"`
	Exe              string     `placeholder:"<file>" kind:"path" help:"the program that dumped a core file, or whose addresses a report has; default: the one that the core file names"`
	Debuginfod       *bool      `negatable:"" help:"ask the servers of DEBUGINFOD_URLS about addresses without a name; default: agent.debuginfod, or no"`
	Core             storedCore `name:"core" placeholder:"<match>" value:"optional" help:"read the newest core that systemd-coredump keeps, of <match>: a process id, or the name or the path of a program"`
	Algorithm        string     `enum:",rank,baseline1,baseline2" default:"" placeholder:"<name>" help:"algorithm of the offline engine: rank (the default), or one of AutoCrashFL's baselines, baseline1 and baseline2"`
	Engine           string     `enum:"auto,offline,agent" default:"auto" placeholder:"<name>" help:"which engine to use: offline, agent (a language model), or auto (the default), which uses a model if one is configured"`
	MaxCount         int        `short:"n" default:"5" placeholder:"<n>" help:"print at most <n> files for each report; default: 5"`
	Suspects         int        `default:"3" placeholder:"<n>" help:"name at most <n> suspect commits for each report; default: 3"`
	Group            bool       `help:"put reports of the same fault into groups, and rank the files of each group's first report"`
	Null             bool       `short:"z" help:"terminate lines of output with NUL, not newline"`
	JSON             bool       `name:"json" xor:"form" help:"print one JSON object for each report, or one for all groups"`
	Format           *string    `xor:"form" placeholder:"<format>" help:"print each file in <format>, which has placeholders like those of git log"`
	SARIF            bool       `name:"sarif" xor:"form" help:"print a SARIF log for viewers of code scanning"`
	Section          string     `xor:"form" placeholder:"<name>" help:"print the section <name> of a SAP HANA dump, and exit"`
	Fetch            *bool      `negatable:"" help:"in a partial clone, fetch the objects that the answer needs from the remote; default: agent.fetch, or no"`
	Cache            bool       `negatable:"" default:"true" help:"reuse a model's cached answers, and cache new ones"`
	Events           string     `placeholder:"<file>" kind:"path" help:"append each event to <file> as it happens, as one JSON object per line"`
	ShowRequest      bool       `name:"show-request" xor:"form" help:"print the first request to the model instead of sending it"`
	app.PageFlags    `embed:""`
	app.ReleaseFlags `embed:""`
	CrashModelFlags  `embed:""`
	crashFixFlags    `embed:""`
	Reports          []string `arg:"" optional:"" name:"report" help:"files with crash reports, and folders of them; - is standard input"`

	lacks         app.Clone
	ask           bool // servers of debuginfod may be asked
	agentRequired bool // the user asked for the agent engine, so an answer of the offline engine counts as a failure
}

// Run answers for each report and prints the answers in the order of the reports. One of several
// reports that cannot be read or answered does not affect the others.
func (c *Crash) Run(ctx context.Context, a *app.App) (err error) {
	if c.Fix {
		return c.repair(ctx, a)
	}
	sources, err := c.sources(a)
	if err != nil {
		return err
	}
	if c.ask, err = askDebuginfod(ctx, a, c.Debuginfod); err != nil {
		return err
	}
	if c.Section != "" {
		return c.printSections(ctx, a, sources)
	}
	repo, err := a.Open(ctx, gitext.OpenOptions{})
	if err != nil {
		return err
	}
	question, err := c.question(ctx, a, repo)
	if err != nil {
		return err
	}
	e, traces, err := c.engine(ctx, a, repo)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, traces.Close()) }()
	if e.Fetch, err = a.Fetcher(ctx, repo, c.Fetch); err != nil {
		return err
	}
	defer e.Cache.Close() // an unstored answer only costs time
	batch := c.newBatch(a, sources)
	defer batch.meter.End()
	switch {
	case c.Group:
		err = c.groups(ctx, a, batch, e, question)
	case c.ShowRequest:
		err = c.showRequests(ctx, a, batch, e, question)
	default:
		err = c.answerAll(ctx, a, batch, e, question)
	}
	c.lacks.Advise(ctx, a, e.Fetch)
	return a.OrFetch(e.Fetch, err)
}

// answerAll answers for each report and prints the answers.
func (c *Crash) answerAll(ctx context.Context, a *app.App, batch *crashBatch, e *engine.Engine, question crash.Question) (err error) {
	events, err := a.NewEventLog(ctx, c.Events)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, events.Close(err)) }()
	html, err := c.OpenPage(a, "crash")
	if err != nil {
		return err
	}
	show := c.renderer(ctx, a, e.Repo, len(batch.sources), html)
	defer func() { err = errors.Join(err, show.Close()) }()
	batch.failed = show.failed
	watching := app.Followers{Events: events, Meter: batch.meter, Live: a.NewLiveView(len(batch.sources), e.Agent != nil)}
	events.Start(app.EventTotal{Reports: len(batch.sources)})
	tally := crashTally{ExitTally: app.ExitTally{AgentRequired: c.agentRequired}}
	err = batch.each(ctx, func(name string, report *crash.Report) error {
		question := about(question, name, report)
		about := app.EventSubject{Report: name}
		ans, err := e.Answer(ctx, question, func(event agent.Event) { watching.See(about, input.Title(name), event) })
		if err != nil {
			return err
		}
		if events != nil {
			events.Answer(about, render.CrashAnswerOf(name, report, ans.Answer, c.MaxCount))
		}
		if err := batch.print(func() error { return show.Crash(name, report, ans.Answer) }); err != nil {
			return err
		}
		ans.End(ctx)
		tally.add(ans.Answer)
		c.lacks.See(ans.Answer.Incomplete)
		return spentOn(e, ans.Answer)
	})
	if err != nil && e.Agent != nil && errors.Is(context.Cause(ctx), app.ErrInterrupted) {
		return a.WithAgainHint(err)
	}
	if err != nil {
		return err
	}
	return tally.status()
}

// crashTally counts the answers of crash. A batch of reports succeeds if a file is named for one
// of them, and if the clone was complete.
type crashTally struct {
	app.ExitTally
	named bool // a file is named for one report
}

func (t *crashTally) add(r *crash.Answer) {
	t.ExitTally.Add(talliedCrash(r))
	t.named = t.named || r.Answered
}

func (t *crashTally) status() error {
	if t.named {
		t.Missed = 0
	}
	return t.ExitTally.Status()
}

// spentOn returns an error if the spent budget prevented the model's answer for a report, because
// it also prevents further answers.
func spentOn(e *engine.Engine, r *crash.Answer) error {
	if e.Agent != nil && r.Unanswered() && e.Agent.Session.Ledger.Refused() {
		return e.Agent.Session.Spent()
	}
	return nil
}

// talliedCrash returns the parts of one answer that count.
func talliedCrash(r *crash.Answer) app.Tallied {
	return app.Tallied{
		Empty:      !r.Answered,
		Incomplete: slices.Contains(r.Incomplete, agent.LacksObjects),
		Unanswered: r.Unanswered(),
		Runs:       r.Agent.RunReports(),
	}
}

// sources returns the given reports, else standard input unless that is a terminal.
func (c *Crash) sources(a *app.App) ([]input.Source, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.Core.given {
		return []input.Source{input.StoredCore(c.Core.match)}, nil
	}
	if len(c.Reports) > 0 {
		return input.Expand(c.Reports), nil
	}
	if ui.IsTerminal(a.Stdin) {
		return nil, app.WithHint(app.Usagef("no crash report is given"), "name a file, or pipe a report into git agent crash -")
	}
	return []input.Source{{Name: input.Stdin}}, nil
}

// check returns an error for options that make no sense, alone or together.
func (c *Crash) check() error {
	switch {
	case c.MaxCount < 0 || c.Suspects < 0:
		return app.Usagef("a number of files or suspects is not negative")
	case c.Group && (c.Format != nil || c.SARIF || c.ShowRequest || c.Events != ""):
		return app.Usagef("--group takes --json, but not --format, --sarif, --show-request or --events")
	case c.Core.given && (len(c.Reports) > 0 || c.Section != ""):
		return app.Usagef("--core reads a core that systemd-coredump keeps; it goes with neither <report> nor --section")
	case c.Section != "" && (len(c.Reports) == 0 || slices.Contains(c.Reports, input.Stdin)):
		return app.Usagef("--section needs the file of a dump, and cannot read standard input")
	case c.Repro != "" || c.Suite != "" || c.Build != "":
		return app.Usagef("--repro, --suite and --build need --fix")
	case c.Null && c.Format == nil && !c.JSON && !c.SARIF:
		return app.Usagef("-z needs --json, --format or --sarif")
	}
	if c.Format != nil {
		if _, err := render.ParseCrashFormat(*c.Format); err != nil {
			return &app.UsageError{Text: err.Error()}
		}
	}
	if err := c.CheckReleases(c.Group || c.Format != nil || c.SARIF || c.ShowRequest || c.Section != ""); err != nil {
		return err
	}
	if err := c.checkPage(); err != nil {
		return err
	}
	return c.CrashModelFlags.Check()
}

// checkPage returns an error if an option leaves no answer for a page, or no place for it.
func (c *Crash) checkPage() error {
	return c.CheckPage(
		cmp.Or(app.Given("--json", c.JSON), app.Given("--format", c.Format != nil), app.Given("--sarif", c.SARIF)),
		cmp.Or(app.Given("--group", c.Group), app.Given("--affected", c.Affected),
			app.Given("--show-request", c.ShowRequest), app.Given("--section", c.Section != "")),
	)
}

// question returns the question about each report, without the parts from the settings of a
// model.
func (c *Crash) question(ctx context.Context, a *app.App, repo *gitext.Repo) (crash.Question, error) {
	q := crash.Question{Algorithm: c.Algorithm, Suspects: c.Suspects, Switches: c.Switches()}
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
	if c.At == "" && !c.Group {
		q.Work = workFiles(ctx, a, repo)
	}
	return q, nil
}

// workFiles returns the files of the work tree that differ from HEAD. A work tree that cannot be
// compared is no reason not to answer.
func workFiles(ctx context.Context, a *app.App, repo *gitext.Repo) []crash.WorkFile {
	never, err := repo.NeverCheckedOut(ctx)
	if repo.WorkTree() == "" || never && err == nil {
		return nil
	}
	var patch *gitext.Patch
	var added []string
	if err == nil {
		patch, added, _, err = repo.Changed(ctx)
	}
	if err != nil {
		a.WarnOnce("the work tree was not compared with HEAD: " + err.Error())
		return nil
	}
	return crash.WorkFiles(patch, added)
}

// about returns a question about one of the reports.
func about(q crash.Question, name string, report *crash.Report) crash.Question {
	q.Report, q.Dump, q.Work = report, dumpOf(name, report), crash.WorkOf(q.Work, report)
	return q
}
