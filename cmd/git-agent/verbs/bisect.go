package verbs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/bisect"
	"git-agent/agent/bisect/engine"
	"git-agent/agent/release"
	"git-agent/agent/suspect"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/render"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
)

// Bisect is `git agent bisect`: it finds the commit since which a command fails.
type Bisect struct {
	Good             []string `sep:"none" placeholder:"<revision>" help:"a commit at which the command passes; may be given several times; default: one is looked for"`
	Bad              []string `sep:"none" placeholder:"<revision>" help:"a commit at which the command fails; default: HEAD"`
	Skip             []string `sep:"none" placeholder:"<revision>" help:"a commit at which the command is not run; may be given several times"`
	Fixed            bool     `help:"look for the commit since which the command passes: it passes at --good, which is HEAD by default, and fails at --bad"`
	Build            string   `placeholder:"<command>" help:"shell command that builds what the command runs; a commit where it fails is skipped"`
	With             []string `sep:"none" placeholder:"<file>" help:"lay this file of the work tree over each commit, such as a test that is newer than the commits; may be given several times"`
	Flaky            bool     `help:"the command may be wrong at times: estimate how often, and run it again where that matters"`
	Proofs           int      `placeholder:"<n>" help:"end only when <n> runs agree at the culprit, and <n> at each of its parents; default: 1, or 2 if the command is flaky"`
	RunsAtMost       int      `default:"200" placeholder:"<n>" help:"run the command at most <n> times; default: 200"`
	Jobs             int      `default:"1" placeholder:"<n>" help:"run the command at <n> commits at the same time; default: 1"`
	Restart          bool     `help:"forget the runs of an earlier call that was interrupted"`
	Log              string   `placeholder:"<file>" kind:"path" help:"also write a log that git bisect replay reads to <file>; - is standard output, instead of the answer"`
	Fetch            *bool    `negatable:"" help:"in a partial clone, fetch the objects that the work needs from the remote; default: agent.fetch, or no"`
	JSON             bool     `name:"json" help:"print one JSON object"`
	Events           string   `placeholder:"<file>" kind:"path" help:"append each event to <file> as it happens, as one JSON object per line"`
	app.PageFlags    `embed:""`
	app.ReleaseFlags `embed:""`
	CommandFlags     `embed:""`
	Words            []string `arg:"" optional:"" name:"command" help:"the command that fails, as one word for the shell, or as several words"`

	behind []string // words after "--"
}

// SetWords sets the words after "--".
func (c *Bisect) SetWords(words []string) { c.behind = words }

// Run searches for the commit and prints it.
func (c *Bisect) Run(ctx context.Context, a *app.App) (err error) {
	if err := c.check(); err != nil {
		return err
	}
	repo, err := a.Open(ctx, gitext.OpenOptions{})
	if err != nil {
		return err
	}
	if repo.Shallow() {
		a.WarnOnce("the repository is shallow: commits behind its boundary cannot be tried; " + app.Unshallow + " gets them")
	}
	replaced, err := engine.ReplacedNote(ctx, repo)
	if err != nil {
		return err
	}
	if replaced != "" {
		a.WarnOnce(replaced)
	}
	q, err := c.question(ctx, a, repo)
	if err != nil {
		return err
	}
	e := &engine.Engine{Repo: repo, Jobs: c.Jobs, MaxRuns: c.RunsAtMost}
	if e.Fetch, err = a.Fetcher(ctx, repo, c.Fetch); err != nil {
		return err
	}
	defer func() { err = a.OrFetch(e.Fetch, err) }()
	if e.Trial, err = c.Confined(ctx, a); err != nil {
		return err
	}
	e.Trial.Compiled = a.CompiledFolder(ctx, repo)
	kept, err := openBisectRuns(a.Data.Folders(ctx, repo.CommonDir()), q, e.Trial, c.Restart)
	if err != nil {
		return err
	}
	defer kept.close()
	if n := kept.elsewhere(q.Tip); n > 0 {
		a.Say("goes on from %s of an earlier call; --restart begins anew", agent.Plural(n, "run"))
	}
	return c.answer(ctx, a, e, q, kept)
}

// answer searches and prints.
func (c *Bisect) answer(ctx context.Context, a *app.App, e *engine.Engine, q engine.Question, kept *bisectRuns) (err error) {
	events, err := a.NewEventLog(ctx, c.Events)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, events.Close(err)) }()
	html, err := c.OpenPage(a, "bisect")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, html.Close()) }()
	meter := a.NewSlowProgress("bisect", app.ProgressLong)
	defer meter.End()
	watching := app.Followers{Events: events, Meter: meter, Live: a.NewLiveView(1, false)}
	events.Start(app.EventTotal{})
	found, err := e.Answer(ctx, q, engine.Memory{Known: kept.known, Keep: kept.keep}, func(event agent.Event) {
		watching.See(app.EventSubject{}, "bisect", event)
	})
	meter.End()
	if err != nil {
		return c.stopped(ctx, a, q, found, err)
	}
	if found.Status != bisect.Stopped {
		kept.remove()
	}
	events.Answer(app.EventSubject{}, render.BisectJSONOf(found))
	if err := c.print(ctx, a, e.Repo, found); err != nil {
		return err
	}
	if html != nil {
		if err := html.Bisect(found); err != nil {
			return err
		}
	}
	var clone app.Clone
	clone.See(found.Incomplete)
	clone.Advise(ctx, a, e.Fetch)
	switch {
	case found.Status == bisect.Proved:
		return nil
	case found.Status == bisect.Stopped:
		return app.ExitStatus(app.ExitLimit)
	case len(found.Incomplete) > 0:
		return app.ExitStatus(app.ExitIncomplete)
	}
	return app.ExitStatus(app.ExitNothing)
}

// stopped explains the error that ended a search.
func (c *Bisect) stopped(ctx context.Context, a *app.App, q engine.Question, found *engine.Result, err error) error {
	var old *bisect.OldError
	isNew, isOld := "fails", "passes"
	if c.Fixed {
		isNew, isOld = isOld, isNew
	}
	switch {
	case errors.As(err, &old) && old.Newer:
		return app.WithHint(fmt.Errorf("%s, where the command %s as you say, is newer than %s, where it %s", old.Commit.Short(), isOld, q.Tip.Short(), isNew),
			"%s", map[bool]string{false: "the commit since which it passes is found with --fixed", true: "the commit since which it fails is found without --fixed"}[c.Fixed])
	case errors.As(err, &old) && old.Base:
		return app.WithHint(fmt.Errorf("the command %s at %s already, which the commits share; it was changed on the other branch", isNew, old.Commit.Short()),
			"name a commit of --%s in the history of %s", map[bool]string{false: "good", true: "bad"}[c.Fixed], q.Tip.Short())
	case errors.As(err, &old) && old.Chance:
		return app.WithHint(errors.New(found.ByChance(old)), "make the command %s more surely where the bug is, or name an older commit", isNew[:len(isNew)-1])
	case errors.As(err, &old):
		return app.WithHint(fmt.Errorf("the command %s at %s, where it %s as you say", isNew, old.Commit.Short(), isOld),
			"name an older commit, or none: then one is looked for")
	case errors.Is(context.Cause(ctx), app.ErrInterrupted) && found != nil && len(found.Runs) > 0:
		if len(found.Candidates) > 0 {
			top := found.Candidates[0]
			fmt.Fprintf(a.Stderr, "%s so far; the most probable commit is %s, with %.0f%%\n",
				agent.Plural(len(found.Runs), "run"), top.Commit.Short(), 100*top.Probability)
		}
		return a.WithAgainHint(err, "--restart")
	}
	return err
}

// question returns the search that the options describe.
func (c *Bisect) question(ctx context.Context, a *app.App, repo *gitext.Repo) (q engine.Question, err error) {
	q.Fixed, q.Flaky, q.Proofs, q.Build = c.Fixed, c.Flaky, c.Proofs, c.Build
	tips, olds := c.Bad, c.Good
	if c.Fixed {
		tips, olds = olds, tips
	}
	tip := "HEAD"
	if len(tips) > 0 {
		tip = tips[0]
	}
	if q.Tip, err = repo.Resolve(ctx, tip); err != nil {
		return q, err
	}
	for _, list := range []struct {
		from []string
		to   *[]gitext.OID
	}{{olds, &q.Old}, {c.Skip, &q.Skip}} {
		for _, rev := range list.from {
			oid, err := repo.Resolve(ctx, rev)
			if err != nil {
				return q, err
			}
			*list.to = append(*list.to, oid)
		}
	}
	if _, err := os.Lstat(filepath.Join(repo.GitDir(), "BISECT_START")); err == nil && len(tips) == 0 {
		a.WarnOnce("git bisect is in progress here: the search begins at the commit that it checked out, " + q.Tip.Short() +
			"; name the newest commit to begin there, or call git bisect reset")
	}
	if slices.Contains(q.Old, q.Tip) {
		return q, fmt.Errorf("%s is named as good and as bad", q.Tip.Short())
	}
	if q.Test, err = c.command(ctx, a); err != nil {
		return q, err
	}
	if len(c.Words)+len(c.behind) > 0 {
		a.WarnOfTop(repo, q.Test)
	}
	return q, c.addFiles(ctx, a, repo, &q, len(tips) == 0)
}

// command returns the shell command: that of the command line, else the configured one.
func (c *Bisect) command(ctx context.Context, a *app.App) (string, error) {
	words := slices.Concat(c.Words, c.behind)
	switch {
	case len(words) == 1:
		return words[0], nil
	case len(words) > 1:
		return ui.ShellJoin(words), nil
	}
	config, err := configuredCommands(ctx, a, c.Sandbox)
	if err != nil {
		return "", err
	}
	if config[TestCommandKey] == "" {
		return "", app.Usagef("no command is given; put it behind --, or set %s", TestCommandKey)
	}
	a.Say("test: %s (%s)", ui.Printable(config[TestCommandKey]), TestCommandKey)
	return config[TestCommandKey], nil
}

// addFiles adds the files that are laid over each commit: those of --with, and at HEAD the
// uncommitted tests.
func (c *Bisect) addFiles(ctx context.Context, a *app.App, repo *gitext.Repo, q *engine.Question, atHead bool) error {
	named, over, err := app.FilesOver(ctx, repo, c.With)
	if err != nil {
		return err
	}
	q.Over = over
	if !atHead || repo.WorkTree() == "" {
		return nil
	}
	laid, err := engine.UncommittedTests(ctx, repo, q.Test, named)
	if err != nil {
		return err
	}
	q.Over, q.Units, q.LeftOut = append(q.Over, laid.Files...), laid.Units, laid.Others
	if n := len(laid.Files) + len(laid.Units); n > 0 {
		a.Say("%s of the work tree: laid over each commit", agent.Plural(n, "uncommitted test"))
	}
	if laid.Others > 0 {
		a.Say("%s left out; --with=<file> lays one over each commit", agent.Plural(laid.Others, "other uncommitted file"))
	}
	return nil
}

// print prints the answer in the form of the options.
func (c *Bisect) print(ctx context.Context, a *app.App, repo *gitext.Repo, found *engine.Result) (err error) {
	if c.Alone() {
		return c.writeLog(found)
	}
	if c.Log == "-" {
		err := render.WriteBisectLog(a.Raw, found)
		if found.Status != bisect.Proved { // the log does not say why
			err = errors.Join(err, c.human(ctx, a, repo, found, a.Stderr))
		}
		return err
	}
	if err := c.writeLog(found); err != nil {
		return err
	}
	if c.JSON {
		return errors.Join(render.WriteJSON(a.Raw, render.BisectJSONOf(found), "\n"), c.releases(ctx, a, repo, found, nil))
	}
	page := a.Page(ctx)
	defer func() { err = errors.Join(err, page.Close()) }()
	if err := c.human(ctx, a, repo, found, page); err != nil {
		return err
	}
	return c.releases(ctx, a, repo, found, page)
}

// human writes the answer as text.
func (c *Bisect) human(ctx context.Context, a *app.App, repo *gitext.Repo, found *engine.Result, w io.Writer) error {
	at, local := app.HereIn(repo), *found
	if found.Culprit != nil {
		local.Culprit = &at.Suspects([]suspect.Suspect{*found.Culprit})[0]
	}
	return render.NewHuman(w, a.NewPalette(ctx), a.TextWidth(), a.Flags.Verbose > 0, at.Path).Bisect(&local, at.Up())
}

// writeLog writes the log to the file of --log, if there is one.
func (c *Bisect) writeLog(found *engine.Result) error {
	if c.Log == "" {
		return nil
	}
	var text strings.Builder
	if err := errors.Join(render.WriteBisectLog(&text, found), os.WriteFile(c.Log, []byte(text.String()), 0o666)); err != nil {
		return fmt.Errorf("write the log: %w", err)
	}
	return nil
}

// releases prints which releases have the bug, on request and if the culprit is known.
func (c *Bisect) releases(ctx context.Context, a *app.App, repo *gitext.Repo, found *engine.Result, page io.Writer) error {
	if !c.Affected || found.Culprit == nil {
		return nil
	}
	culprit := release.Culprit{Commit: found.Culprit.Commit, Probability: found.Culprit.Probability}
	return c.PrintReleases(ctx, a, repo, culprit, page)
}

// check returns an error for options that make no sense, alone or together.
func (c *Bisect) check() error {
	tips, name := c.Bad, "--bad"
	if c.Fixed {
		tips, name = c.Good, "with --fixed, --good"
	}
	switch {
	case len(tips) > 1:
		return app.Usagef("%s may be given only once: it is the newest commit of the search", name)
	case len(c.Words) > 0 && len(c.behind) > 0:
		return app.Usagef("the whole command belongs behind --, but got %q before it", c.Words[0])
	case c.Proofs < 0 || c.RunsAtMost < 1 || c.Jobs < 1:
		return app.Usagef("--runs-at-most and --jobs take numbers from 1, and --proofs from 0")
	case c.Fixed && c.Affected:
		return app.Usagef("--fixed finds the fix, and --affected needs the commit that introduced the bug")
	case c.Log == "-" && c.JSON:
		return app.Usagef("--log=- and --json both want standard output")
	}
	if err := c.CheckReleases(c.Log == "-"); err != nil {
		return err
	}
	form := cmp.Or(app.Given("--log=-", c.Log == "-"), app.Given("--json", c.JSON))
	if err := c.CheckPage(form, app.Given("--affected", c.Affected)); err != nil {
		return err
	}
	return c.CommandFlags.Check()
}
