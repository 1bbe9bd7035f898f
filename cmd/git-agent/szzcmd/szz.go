// Package szzcmd has the command line of szz: it parses the options, asks one engine about each fix, and
// prints the answers. It also has the functions with which trace replays and resumes recorded runs
// of szz, and eval merges journals of it.
package szzcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/model"
	"git-agent/agent/session"
	"git-agent/agent/szz"
	"git-agent/agent/szz/engine"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/render"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
)

// Szz is `git agent szz`: it finds the commits that introduced the bug fixed by a commit.
type Szz struct {
	Algorithm      string   `enum:",rank,b,ag,ma,l,r,ra" default:"" placeholder:"<name>" help:"algorithm of the offline engine: rank (the default), or one of the classic SZZ variants b, ag, ma, l, r and ra"`
	Engine         string   `enum:"auto,offline,agent" default:"auto" placeholder:"<name>" help:"which engine to use: offline, agent (a language model), or auto (the default), which uses a model if one is configured"`
	Annotations    bool     `negatable:"" default:"true" help:"trust Fixes: trailers and similar statements in the fix's message"`
	MaxCount       *int     `short:"n" placeholder:"<n>" help:"print at most <n> suspects for each fix; to limit the fixes, give a range such as HEAD~3.."`
	Skip           int      `placeholder:"<n>" help:"skip the first <n> fixes"`
	Staged         bool     `xor:"source" help:"treat the staged changes as the fix"`
	Worktree       bool     `xor:"source" help:"treat all changes to tracked files, staged or not, as the fix"`
	Patch          string   `xor:"source" placeholder:"<file>" kind:"path" help:"treat the patches in <file> as the fix, as git am and git apply take them: a mail, an mbox with a series, or a diff; - is standard input"`
	Base           string   `placeholder:"<commit>" help:"with --patch, the commit that the patches apply to; default: the one that they name, HEAD, or one of HEAD's history"`
	Stdin          bool     `xor:"source" help:"also read revisions from standard input, one per line"`
	Not            []string `placeholder:"<commit>" sep:"none" help:"do not suspect <commit>, because you know that it did not introduce the bug; may be given several times"`
	Hint           string   `placeholder:"<text>" help:"take <text> as evidence, as if it stood in the message of the fix: what you know of the bug"`
	Crash          string   `placeholder:"<report>" kind:"path" help:"take a crash report as evidence: its functions, its files, and the commits that git agent crash suspects; - is standard input"`
	Null           bool     `short:"z" help:"terminate lines of input and output with NUL, not newline"`
	JSON           bool     `name:"json" xor:"form" help:"print one JSON object for each fix"`
	Format         *string  `xor:"form" placeholder:"<format>" help:"print each suspect in <format>, which has placeholders like those of git log"`
	Check          bool     `help:"check the Fixes: trailers of the commits instead of tracing them; exit with 1 if any is wrong"`
	SARIF          bool     `name:"sarif" xor:"form" help:"with --check, print the findings as one SARIF 2.1.0 log"`
	Risk           bool     `help:"say what history shows about the changes, as before a commit, instead of tracing them; exit with 1 if it shows anything"`
	Stat           bool     `help:"sum the culprits of the fixes among the commits by directory, age, release and trailers for tools"`
	AffectedFlags  `embed:""`
	Culprit        []string      `sep:"none" placeholder:"<revision>" help:"with --affected, the commit that introduced the bug; then nothing is traced; may be given several times"`
	Trailer        bool          `xor:"form" help:"print a Fixes: trailer that names the first suspect of each fix"`
	TrailerFloor   *string       `placeholder:"<probability>" help:"with --trailer, print none for a first suspect that is less probable than this; default: agent.trailerFloor, or 55%"`
	Cc             bool          `help:"with --trailer, also print Cc: trailers for the author and the reviewers of that suspect"`
	Note           bool          `help:"also store the answer as a note on the fix, in refs/notes/agent"`
	Verify         bool          `xor:"verify" help:"confirm suspects by running the test that came with the fix at each of them and at its parents"`
	VerifyCmd      string        `xor:"verify" placeholder:"<command>" help:"confirm suspects by running a shell command at each of them and at its parents"`
	VerifyTimeout  time.Duration `placeholder:"<duration>" help:"limit each execution of the command to <duration>, such as 90s; default: 10m"`
	VerifyMemory   string        `placeholder:"<size>" help:"limit the memory of each process of the command to <size>, such as 2g; default: no limit"`
	Network        bool          `help:"let the command of --verify or --verify-cmd use the network"`
	RunsAtMost     int           `placeholder:"<n>" help:"run the command at most <n> times for a fix; default: 100"`
	Sandbox        string        `enum:",auto,bwrap,landlock,none" default:"" placeholder:"<level>" help:"how to confine the command: bwrap, landlock, none, or auto (bwrap if it works, else landlock); default: agent.sandbox, or auto"`
	Bisect         bool          `help:"if --verify or --verify-cmd confirms no suspect, bisect with the command"`
	With           []string      `sep:"none" placeholder:"<file>" help:"with --verify or --verify-cmd, lay this file of the work tree over each commit, such as a test that is newer than the fix; may be given several times"`
	AllowShallow   bool          `help:"work in a shallow clone, where answers may be incomplete"`
	Fetch          *bool         `negatable:"" help:"in a partial clone, fetch the objects that the answer needs from the remote; default: agent.fetch, or no"`
	Cache          bool          `negatable:"" default:"true" help:"reuse cached answers, and cache new ones"`
	Events         string        `placeholder:"<file>" kind:"path" help:"append each event to <file> as it happens, as one JSON object per line"`
	ShowRequest    bool          `xor:"form" help:"print the first request to the model instead of sending it"`
	Jobs           int           `placeholder:"<n>" help:"work on <n> fixes in parallel; default: the number of processors, or 8 with a model (fewer with --runs)"`
	app.PageFlags  `embed:""`
	app.ShardFlags `embed:""`
	ModelFlags     `embed:""`
	Revisions      []string `arg:"" optional:"" name:"revision" help:"the fix, as a revision or a revision range"`

	paths         []string
	confinement   app.SandboxSettings
	lacks         app.Clone
	floor         float64 // of --trailer; 0 without it
	agentRequired bool    // the user asked for the agent engine, so an answer of the offline engine counts as a failure
	kept          *answerJournal
}

// SetPaths sets the paths after "--".
func (c *Szz) SetPaths(paths []string) { c.paths = paths }

// renderer prints answers in one form. When Answer returns, the whole answer has been written.
type renderer interface {
	Answer(ans render.Answer) error
}

// Run does what the options ask for.
func (c *Szz) Run(ctx context.Context, a *app.App) error {
	if err := c.check(); err != nil {
		return err
	}
	repo, err := c.open(ctx, a)
	if err != nil {
		return err
	}
	if c.Check {
		return c.runCheck(ctx, a, repo)
	}
	if c.Risk {
		return c.runRisk(ctx, a, repo)
	}
	if c.Stat {
		return c.runStat(ctx, a, repo)
	}
	if len(c.Culprit) > 0 {
		return c.runCulprit(ctx, a, repo)
	}
	return c.runTrace(ctx, a, repo)
}

// runTrace answers for each fix and prints the answers in the order of the fixes. After an error
// or a signal, the answers so far have been printed.
func (c *Szz) runTrace(ctx context.Context, a *app.App, repo *gitext.Repo) (err error) {
	if c.floor, err = c.trailerFloor(ctx); err != nil {
		return err
	}
	if c.verifies() {
		if c.confinement, err = a.ProbeSandbox(ctx, c.Sandbox, c.Network); err != nil {
			return err
		}
	}
	if c.VerifyCmd != "" {
		a.WarnOfTop(repo, c.VerifyCmd)
	}
	agent, traces, err := c.openAgent(ctx, a, repo)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, traces.Close()) }()
	defer func() { err = errors.Join(err, c.kept.close()) }()
	questions, total, err := c.questions(ctx, a, repo, agent)
	if err != nil {
		return err
	}
	e := c.engine(ctx, a, repo, agent)
	if e.Fetch, err = a.Fetcher(ctx, repo, c.Fetch); err != nil {
		return err
	}
	if err := c.layOver(ctx, repo, e); err != nil {
		return err
	}
	defer e.Cache.Close() // an unstored answer only costs time
	if c.ShowRequest {
		return c.showRequests(ctx, a, e, questions)
	}
	events, err := a.NewEventLog(ctx, c.Events)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, events.Close(err)) }()
	html, err := c.OpenPage(a, "szz")
	if err != nil {
		return err
	}
	show := &output{a: a, repo: repo, cmd: c, events: events, total: total, at: app.HereIn(repo), html: html}
	defer func() { err = errors.Join(err, show.close()) }()

	tally := app.ExitTally{AgentRequired: c.agentRequired}
	if err := c.answerAll(ctx, a, e, show, questions, &tally); err != nil {
		return a.OrFetch(e.Fetch, err)
	}
	c.lacks.Advise(ctx, a, e.Fetch)
	if c.kept != nil {
		tally.Missed = 0 // for a scheduler, an empty answer is no failure
	}
	return tally.Status()
}

// workers returns the number of concurrent fixes: one with --verify-cmd, so that the project's
// code has the machine for itself.
func (c *Szz) workers(model bool) int {
	switch {
	case c.verifies():
		return 1
	case c.Jobs > 0:
		return c.Jobs
	case model:
		return c.ModelFlags.Jobs()
	}
	return runtime.GOMAXPROCS(0)
}

// answerAll prints the answer for each fix, stores notes on request, and counts the answers in
// tally.
func (c *Szz) answerAll(
	ctx context.Context,
	a *app.App,
	e *engine.Engine,
	show *output,
	questions iter.Seq2[szz.Question, error],
	tally *app.ExitTally,
) error {
	meter := a.NewProgress("tracing")
	defer meter.End()
	watching := app.Followers{Events: show.events, Meter: meter, Live: a.NewLiveView(show.total, e.Agent != nil)}
	show.events.Start(app.EventTotal{Fixes: show.total})
	done := 0
	meter.Update(done, show.total, "")
	batch := engine.Batch{
		Workers: c.workers(e.Agent != nil), KeepGoing: c.Stdin || c.kept != nil || show.total > 1,
		OnEvent: func(q szz.Question, e agent.Event) { watching.See(subjectOf(q), q.Fix.Short(), e) },
	}
	for found, err := range e.All(ctx, questions, batch) {
		if err != nil {
			return c.addResumeHint(ctx, a, e.Agent != nil, done, err)
		}
		ans := render.Answer{Result: *found}
		meter.Clear()
		if failed := ans.Failed(); failed != nil {
			fmt.Fprintf(a.Stderr, "error: %s: %s\n", ans.Answer.Fix.Short(), ui.FatalText(failed))
		}
		if err := show.answer(ctx, ans); err != nil {
			return err
		}
		if show.paging() {
			meter.End()
		}
		if c.Note && ans.Failed() == nil {
			if err := writeNote(ctx, e.Repo, ans); err != nil {
				return err
			}
		}
		c.lacks.See(ans.Answer.Incomplete)
		c.adviseBisect(ctx, a, ans.Answer)
		c.adviseNetwork(ctx, a, ans.Answer)
		tally.Add(c.tallied(ans))
		done++
		meter.Resume()
		meter.Update(done, show.total, "")
		if e.Agent != nil && e.Agent.Broke(ans.Answer) {
			return c.addResumeHint(ctx, a, true, done-1, e.Agent.Session.Spent())
		}
	}
	return nil
}

// incomplete reports whether an answer needs objects or history missing in the clone. With
// --allow-shallow, an answer from a shallow clone is incomplete only if it names nothing.
func incomplete(ans render.Answer) bool {
	v := ans.Answer
	return slices.Contains(v.Incomplete, agent.LacksObjects) ||
		len(v.Suspects) == 0 && slices.Contains(v.Incomplete, szz.LacksHistory)
}

// tallied returns the parts of an answer that count.
func (c *Szz) tallied(ans render.Answer) app.Tallied {
	return app.Tallied{
		Failed: ans.Failed() != nil && !slices.Contains(ans.Answer.Incomplete, agent.LacksObjects), Empty: len(ans.Answer.Suspects) == 0,
		Incomplete: incomplete(ans), Unsure: belowFloor(ans.Answer, c.floor),
		Unanswered: ans.Answer.Unanswered(), Runs: ans.Answer.Agent.RunReports(),
	}
}

// subjectOf returns the subject of a question's events.
func subjectOf(q szz.Question) app.EventSubject {
	if !q.Committed() {
		return app.EventSubject{}
	}
	return app.EventSubject{Fix: q.Fix}
}

// maxSuspects returns the largest number of suspects from the engine, 0 for all.
func (c *Szz) maxSuspects() int {
	if c.MaxCount == nil {
		return 0
	}
	return *c.MaxCount
}

// hidesSuspects reports whether --max-count=0 is given: suspects then decide the
// exit code, but are not printed.
func (c *Szz) hidesSuspects() bool { return c.MaxCount != nil && *c.MaxCount == 0 }

// uncommitted reports whether the fix is no commit.
func (c *Szz) uncommitted() bool { return c.Staged || c.Worktree || c.Patch != "" }

// check returns an error for options that make no sense, alone or together.
func (c *Szz) check() error {
	uncommitted := c.uncommitted()
	switch {
	case uncommitted && len(c.Revisions) > 0 && (c.paths != nil || !c.takesAsPaths()):
		return app.Usagef("an uncommitted fix has no revision, but got %q", c.Revisions[0])
	case len(c.Not) > 0 && c.Algorithm != "" && c.Algorithm != "rank":
		return app.Usagef("--not goes with the ranking and with a model, not with --algorithm=%s", c.Algorithm)
	case c.Base != "" && c.Patch == "":
		return app.Usagef("--base needs --patch")
	case c.SARIF && !c.Check:
		return app.Usagef("--sarif needs --check")
	case c.Check && (uncommitted || c.Journal != "" || c.Note || c.Trailer || c.Format != nil || c.ShowRequest || c.verifies() || c.ModelFlags.Used()):
		return app.Usagef("--check goes with revisions, --stdin, --json and --sarif only")
	case c.Cc && !c.Trailer:
		return app.Usagef("--cc needs --trailer")
	case c.TrailerFloor != nil && !c.Trailer:
		return app.Usagef("--trailer-floor needs --trailer")
	case uncommitted && c.Note:
		return app.Usagef("--note needs a fix that is committed")
	case c.MaxCount != nil && *c.MaxCount < 0 || c.Skip < 0:
		return app.Usagef("--max-count and --skip take numbers from 0")
	case c.Null && !c.Stdin && c.Format == nil && !c.Trailer && !c.JSON && !c.OSV && !c.ShowRequest:
		return app.Usagef("-z needs --stdin, --json, --format or --trailer")
	}
	if c.TrailerFloor != nil {
		if _, ok := parseProbability(*c.TrailerFloor); !ok {
			return app.Usagef("--trailer-floor takes a probability such as 60%% or 0.6, not %q", *c.TrailerFloor)
		}
	}
	if c.Format != nil {
		if _, err := render.ParseFormat(*c.Format); err != nil {
			return &app.UsageError{Text: err.Error()}
		}
	}
	if c.Jobs < 0 {
		return app.Usagef("--jobs takes no negative number")
	}
	for _, check := range []func() error{
		c.checkAffected, c.checkRisk, c.checkStat, c.checkHint, c.checkPage, c.checkVerify, c.ShardFlags.CheckShard,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	if c.Journal != "" && (uncommitted || c.Format != nil || c.Trailer || c.ShowRequest) {
		return app.Usagef(
			"--journal keeps answers to commits as JSON, so it goes with none of --staged, --worktree, --format, --trailer and --show-request",
		)
	}
	return c.ModelFlags.Check()
}

// checkPage returns an error if an option leaves no answer for a page, or no place for it.
func (c *Szz) checkPage() error {
	return c.CheckPage(
		cmp.Or(app.Given("--json", c.JSON), app.Given("--format", c.Format != nil), app.Given("--trailer", c.Trailer)),
		cmp.Or(app.Given("--check", c.Check), app.Given("--risk", c.Risk), app.Given("--affected", c.Affected),
			app.Given("--show-request", c.ShowRequest), app.Given("--journal", c.Journal != "")),
	)
}

// open opens the repository. It fails for a shallow one unless --allow-shallow is given, because
// blame would attribute all older lines to the oldest commit in the repository.
func (c *Szz) open(ctx context.Context, a *app.App) (*gitext.Repo, error) {
	var opt gitext.OpenOptions
	if c.Journal != "" {
		opt.Bloom = gitext.BloomBuild // a journal is for many fixes; filters make them three times as fast
	}
	repo, err := a.Open(ctx, opt)
	if err != nil {
		return nil, err
	}
	if repo.Shallow() && !c.AllowShallow {
		return nil, app.WithHint(errors.New("the repository is shallow: its history is cut short"),
			app.Unshallow+"\nor use --allow-shallow for an answer that may be incomplete")
	}
	if (c.Staged || c.Worktree) && repo.Bare() {
		return nil, errors.New("a bare repository has no uncommitted fix")
	}
	return repo, nil
}

// addResumeHint adds a hint to the error of an interrupt, of a spent budget or of a model's
// server: the command that continues after the done answers. Without an answer so far, only an
// interrupted model gets the hint, because its recorded run can be resumed.
func (c *Szz) addResumeHint(ctx context.Context, a *app.App, asked bool, done int, err error) error {
	var spent *session.SpentError
	var server *model.Error
	interrupted := errors.Is(context.Cause(ctx), app.ErrInterrupted)
	passing := interrupted || errors.As(err, &spent) || errors.As(err, &server)
	begun := done > 0 || interrupted && asked
	if !passing || !begun || c.Staged || c.Worktree {
		return err
	}
	words := []string{"git", "agent"}
	added := c.kept != nil // the journal has the done answers
	for _, arg := range a.Args {
		if done > 0 && c.kept == nil && strings.HasPrefix(arg, "--skip=") {
			continue
		}
		words = append(words, arg)
		if arg == "szz" && done > 0 && !added {
			words = append(words, fmt.Sprintf("--skip=%d", c.Skip+done))
			added = true
		}
	}
	hint := ui.ShellJoin(words)
	var before *session.HintedError
	if errors.As(err, &before) {
		hint = before.Hint + "\n" + hint
	}
	return app.WithHint(err, "%s", hint)
}
