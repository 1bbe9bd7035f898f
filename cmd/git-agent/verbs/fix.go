package verbs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"git-agent/agent"
	"git-agent/agent/backfill"
	"git-agent/agent/fix"
	"git-agent/agent/fix/engine"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/render"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
)

// Fix is `git agent fix`: it repairs a bug of the current work tree.
type Fix struct {
	Test      string   `placeholder:"<command>" help:"shell command that fails because of the bug; default: agent.testCommand, else what the files of the repository suggest"`
	Build     string   `placeholder:"<command>" help:"shell command that builds what the test runs; default: agent.buildCommand, if --test is not given"`
	Setup     string   `placeholder:"<command>" help:"shell command that installs what the others need, such as 'npm ci'; it runs with the network, once for each state of the files; default: agent.setupCommand"`
	Suite     string   `placeholder:"<command>" help:"shell command that runs the wider tests, which must not get worse; default: the test"`
	Report    string   `placeholder:"<file>" kind:"path" help:"file with a report of the bug in words; - is standard input"`
	Crash     string   `placeholder:"<file>" kind:"path" help:"file with a crash report; - is standard input"`
	At        []string `sep:"none" placeholder:"<file>[:<line>[-<line>]]" help:"a place where the bug is suspected; may be given several times"`
	Good      string   `placeholder:"<revision>" help:"a commit at which the test passes; bisect from there"`
	WriteTest bool     `help:"let a model write the test that shows the bug of --report or --crash, even if a known command fails"`
	Locate    bool     `help:"only say which functions are suspected, and which commits wrote them"`
	History   string   `default:"auto" placeholder:"<kinds>" help:"history that a model is shown: none, auto (the default), or some of fn_all, fn_pair and fl_diff, separated by commas"`
	FixWork   `embed:""`

	Apply         bool   `xor:"to" help:"apply the patch to the work tree"`
	Index         bool   `xor:"to" help:"apply the patch to the work tree and the index"`
	Commit        bool   `xor:"to" help:"apply the patch and commit it"`
	Branch        string `xor:"to" placeholder:"<name>" help:"commit the patch on a new branch, and leave HEAD, the index and the work tree alone"`
	Patch         string `placeholder:"<file>" kind:"path" help:"also write the patch to <file>"`
	Fetch         *bool  `negatable:"" help:"in a partial clone, fetch the objects that the work needs from the remote; default: agent.fetch, or no"`
	JSON          bool   `name:"json" xor:"form" help:"print one JSON object"`
	app.PageFlags `embed:""`
	Events        string `placeholder:"<file>" kind:"path" help:"append each event to <file> as it happens, as one JSON object per line"`
	ShowRequest   bool   `xor:"form" help:"print the first request to the model instead of sending it"`

	commit        string            // the commit to repair; "" is HEAD with the uncommitted changes
	strategy      fix.Strategy      // strategy of a model if Strategy is ""
	fetch         *backfill.Fetcher // fetches a partial clone's missing objects; nil fetches nothing
	agentRequired bool              // the user asked for the agent engine, so work of the offline engine counts as a failure
}

// FixWork are the shared options of fix and eval fix for the work on a problem.
type FixWork struct {
	Engine       string         `enum:"auto,offline,agent" default:"auto" placeholder:"<name>" help:"which engine to use: offline, agent (a language model), or auto (the default), which uses a model if one is configured"`
	Strategy     fix.Strategy   `enum:",react,research" default:"" placeholder:"<name>" help:"how a model works: react (the default), which edits and tests at once, or research, which analyses code and history first"`
	Samples      int            `default:"1" placeholder:"<n>" help:"start <n> trajectories of the model at the same time; default: 1"`
	Tools        fix.Toolset    `enum:",structured,bash" default:"" placeholder:"<set>" help:"tools of the model: structured (the default), or bash, which is one shell"`
	EditFormat   fix.EditFormat `enum:",replace,lines,whole" default:"" placeholder:"<format>" help:"how a model writes an edit: replace (the default), lines, or whole files"`
	Review       bool           `help:"let the model choose among several plausible patches"`
	EditTests    bool           `help:"allow patches that change tests"`
	Coverage     bool           `negatable:"" default:"true" help:"measure which lines the tests execute, to find the functions to suspect (the default)"`
	Abstain      bool           `negatable:"" default:"true" help:"decline a problem that a repair cannot solve, such as a flaky test, before anything is spent (the default)"`
	Time         time.Duration  `default:"10m" placeholder:"<duration>" help:"let the offline engine answer within <duration>; default: 10m"`
	Tries        int            `default:"10000" placeholder:"<n>" help:"let the offline engine try at most <n> candidate patches; default: 10000"`
	CommandFlags `embed:""`

	app.ModelFlags `embed:"" set:"work=a trajectory"`
}

// These are the defaults in the tags of FixWork.
const (
	defaultSearchTime = 10 * time.Minute
	defaultTries      = 10000
)

// defaultFixWork returns the default options.
func defaultFixWork() FixWork {
	return FixWork{
		Engine:   "auto",
		Samples:  1,
		Coverage: true,
		Abstain:  true,
		Time:     defaultSearchTime,
		Tries:    defaultTries,

		CommandFlags: NewCommandFlags(),
	}
}

// Run repairs the bug and prints the patch.
func (c *Fix) Run(ctx context.Context, a *app.App) (err error) {
	if err := c.check(); err != nil {
		return err
	}
	repo, err := a.Open(ctx, gitext.OpenOptions{})
	if err != nil {
		return err
	}
	if err := c.ready(ctx, repo); err != nil {
		return err
	}
	if c.fetch, err = a.Fetcher(ctx, repo, c.Fetch); err != nil {
		return err
	}
	defer func() { err = a.OrFetch(c.fetch, err) }()
	question, err := c.question(ctx, a, repo)
	if err != nil {
		return err
	}
	e, closing, err := c.engine(ctx, a, repo, question)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closing()) }()
	if question.Problem.Test == "" && e.Agent == nil && !c.Locate {
		return app.WithHint(errOnlyReport, "git agent fix --test='<command>'\n%s", app.NoModelHint)
	}
	if c.ShowRequest {
		return c.showRequest(ctx, a, e, question)
	}
	return c.answer(ctx, a, e, question)
}

// errOnlyReport is returned if only a report of a bug is known, and there is no model.
var errOnlyReport = errors.New("no command is known that fails because of the bug, and only a model can write a test from a report")

// answer works on the question, prints the answer, and delivers the patch if requested.
func (c *Fix) answer(ctx context.Context, a *app.App, e *engine.Engine, q fix.Question) (err error) {
	events, err := a.NewEventLog(ctx, c.Events)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, events.Close(err)) }()
	html, err := c.OpenPage(a, "fix")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, html.Close()) }()
	meter := a.NewSlowProgress("fix", app.ProgressLong)
	defer meter.End()
	watching := app.Followers{Events: events, Meter: meter, Live: a.NewLiveView(1, e.Agent != nil)}
	events.Start(app.EventTotal{})
	ans, err := e.Answer(ctx, q, func(event agent.Event) { watching.See(app.EventSubject{}, "fix", event) })
	if err != nil {
		meter.End()
		return c.stopped(ctx, a, e, q, ans, html, err)
	}
	events.Answer(app.EventSubject{}, render.FixAnswerOf(q.Problem.Tree.Commit, ans.Answer))
	meter.End()
	if err := c.print(ctx, a, e.Repo, q.Problem.Tree.Commit, ans.Answer, html); err != nil {
		return err
	}
	if err := c.deliver(ctx, a, e.Repo, q, ans.Answer); err != nil {
		return err
	}
	ans.End(ctx)
	lacks := app.Clone{}
	lacks.See(ans.Incomplete)
	lacks.Advise(ctx, a, c.fetch)
	return c.status(ans.Answer)
}

// stopped returns the error that ended the work. After a signal, it adds the way to continue with
// a model, or the progress of the offline engine's search, and prints the findings so far: the
// failure of the test, the suspected functions, patches. It writes nothing to the work tree.
func (c *Fix) stopped(
	ctx context.Context, a *app.App, e *engine.Engine, q fix.Question, ans *engine.Result, html *app.AnswerPage, err error,
) error {
	if ans == nil || !errors.Is(context.Cause(ctx), app.ErrInterrupted) {
		return explainSetup(a, err)
	}
	if e.Agent != nil && ans.Agent == nil {
		return a.WithAgainHint(err)
	}
	fmt.Fprintf(
		a.Stderr,
		"patches tried: %d, plausible: %d; the work tree is unchanged, and another search starts from the beginning\n",
		ans.Tried,
		len(ans.Plausible),
	)
	if ans.Reproduction.State == "" && len(ans.Localization.Locations) == 0 {
		return err
	}
	return errors.Join(err, c.print(context.WithoutCancel(ctx), a, e.Repo, q.Problem.Tree.Commit, ans.Answer, html))
}

// print prints the answer in the form of the options, and adds it to the page, which may be nil.
func (c *Fix) print(ctx context.Context, a *app.App, repo *gitext.Repo, commit gitext.OID, ans *fix.Answer, html *app.AnswerPage) (err error) {
	if !c.Alone() {
		err = c.printText(ctx, a, repo, commit, ans)
	}
	if err != nil || html == nil {
		return err
	}
	html.Locate = c.Locate
	return html.Fix(commit, ans)
}

// printText prints the answer as text or as JSON.
func (c *Fix) printText(ctx context.Context, a *app.App, repo *gitext.Repo, commit gitext.OID, ans *fix.Answer) (err error) {
	if c.JSON {
		return render.WriteJSON(a.Raw, render.FixAnswerOf(commit, ans), "\n")
	}
	page := a.Page(ctx)
	defer func() { err = errors.Join(err, page.Close()) }()
	human := render.FixHuman{
		W: page, Color: a.NewPalette(ctx), Width: a.TextWidth(), All: a.Flags.Verbose > 0,
		Exact: !ui.IsTerminal(a.Stdout), Locate: c.Locate, Place: app.HereIn(repo).Path,
	}
	return human.Fix(commit, ans)
}

// status returns the exit code as an error, or nil if it is 0. The tests prove a plausible patch,
// even in an incomplete clone.
func (c *Fix) status(ans *fix.Answer) error {
	tally := app.ExitTally{AgentRequired: c.agentRequired}
	tally.Add(app.Tallied{
		Empty:      len(ans.Offered()) == 0 && (!c.Locate || len(ans.Localization.Locations) == 0),
		Incomplete: len(ans.Offered()) == 0 && slices.Contains(ans.Incomplete, agent.LacksObjects),
		Unsure:     len(ans.Plausible) == 0 && len(ans.OwnTested) > 0,
		Unanswered: ans.Agent != nil && (ans.Agent.Fallback != "" || len(ans.Offered()) == 0),
		Runs:       ans.Agent.RunReports(),
	})
	return tally.Status()
}

// check returns an error for options that make no sense, alone or together.
func (c *Fix) check() error {
	switch {
	case c.Locate && (c.Apply || c.Index || c.Commit || c.Branch != "" || c.Patch != ""):
		return app.Usagef("--locate makes no patch, so there is nothing to apply or to write")
	case c.WriteTest && (c.Report == "" && c.Crash == "" || c.Test != "" || c.Locate):
		return app.Usagef("--write-test goes with --report or --crash, and with neither --test nor --locate")
	case c.Report == "-" && c.Crash == "-":
		return app.Usagef("only one of --report and --crash can be standard input")
	}
	if err := c.CheckPage(app.Given("--json", c.JSON), app.Given("--show-request", c.ShowRequest)); err != nil {
		return err
	}
	if _, err := c.method(); err != nil {
		return err
	}
	return c.FixWork.Check()
}

// Check returns an error for numbers that make no sense.
func (w *FixWork) Check() error {
	switch {
	case w.Samples < 1:
		return app.Usagef("--samples takes a number from 1; --engine=offline asks no model")
	case w.Tries < 1 || w.Time <= 0:
		return app.Usagef("--tries and --time take values above 0")
	}
	if err := w.CommandFlags.Check(); err != nil {
		return err
	}
	return w.ModelFlags.Check()
}

// method returns a model's method from the options.
func (c *Fix) method() (fix.Method, error) {
	kinds, auto, err := fix.ParseHistory(c.History)
	if err != nil {
		return fix.Method{}, app.Usagef("--history: %v", err)
	}
	return fix.Method{
		Heuristics: kinds,
		Auto:       auto,
		Samples:    c.Samples,
		Strategy:   cmp.Or(c.Strategy, c.strategy),
		Tools:      c.Tools,
		Edits:      c.EditFormat,
		Review:     c.Review,
	}, nil
}
