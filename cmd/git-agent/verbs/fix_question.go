package verbs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"git-agent/agent/crash"
	crashengine "git-agent/agent/crash/engine"
	"git-agent/agent/crash/input"
	"git-agent/agent/fix"
	"git-agent/agent/fix/testcmd"
	"git-agent/agent/sandbox"
	"git-agent/agent/source"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
	"git-agent/gitext/disk"
)

// The keys of the commands that fix runs.
const (
	TestCommandKey  = "agent.testCommand"
	BuildCommandKey = "agent.buildCommand"
	SuiteCommandKey = "agent.suiteCommand"
)

// question returns the problem that the options and the work tree describe.
func (c *Fix) question(ctx context.Context, a *app.App, repo *gitext.Repo) (q fix.Question, err error) {
	if q.Method, err = c.method(); err != nil {
		return q, err
	}
	p := &q.Problem
	p.EditTests = c.EditTests
	if p.Tree.Commit, err = repo.Resolve(ctx, cmp.Or(c.commit, "HEAD")); err != nil {
		return q, err
	}
	if repo.WorkTree() != "" && c.commit == "" {
		if err := c.addUncommitted(ctx, a, repo, p); err != nil {
			return q, err
		}
	}
	if p.Tree, err = testcmd.WithNewTests(ctx, repo, p.Tree); err != nil {
		return q, err
	}
	if p.Given, err = c.given(repo); err != nil {
		return q, err
	}
	if p.Report, err = c.reportText(a); err != nil {
		return q, err
	}
	if err := c.addCrash(ctx, a, repo, p); err != nil {
		return q, err
	}
	return q, c.addCommands(ctx, a, repo, p)
}

// addUncommitted adds the changes of the work tree to the problem.
func (c *Fix) addUncommitted(ctx context.Context, a *app.App, repo *gitext.Repo, p *fix.Problem) error {
	tree, left, err := testcmd.WithUncommitted(ctx, repo, p.Tree)
	if errors.As(err, new(*gitext.MissingObjectError)) && c.fetch != nil && c.fetch.Files(ctx, p.Tree.Commit, "") {
		tree, left, err = testcmd.WithUncommitted(ctx, repo, p.Tree)
	}
	if errors.Is(err, testcmd.ErrNotCheckedOut) {
		a.WarnOnce(err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	p.Tree = tree
	if len(left) > 0 {
		a.WarnOnce(fmt.Sprintf("%d uncommitted files are left out, the first is %q", len(left), left[0]))
	}
	if head, err := repo.Head(ctx); err == nil && head.Conflicts {
		a.WarnOnce("files with conflicts are taken as they are, with the marks of the conflicts")
	}
	return nil
}

// maxReportText bounds a report in words, in bytes.
const maxReportText = 1 << 20

// reportText reads the report in words.
func (c *Fix) reportText(a *app.App) (string, error) {
	in := a.Stdin
	if c.Report == "" {
		return "", nil
	}
	if c.Report != "-" {
		f, err := disk.Regular(c.Report)
		if err != nil {
			return "", err
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxReportText))
	if err == nil && len(strings.TrimSpace(string(text))) == 0 {
		err = errors.New("the report of the bug is empty")
	}
	return string(text), err
}

// addCrash reads the crash report, and ranks the files behind it.
func (c *Fix) addCrash(ctx context.Context, a *app.App, repo *gitext.Repo, p *fix.Problem) error {
	if c.Crash == "" {
		return nil
	}
	crashed := Crash{}
	batch := crashed.newBatch(a, []input.Source{{Name: c.Crash}})
	return batch.each(ctx, func(name string, report *crash.Report) error {
		ranking, err := (&crashengine.Engine{Repo: repo, Fetch: c.fetch}).Rank(
			ctx,
			// With changes that are not committed, the lines may be those of the work tree.
			crash.Question{Report: report, Commit: p.Tree.Commit, Suspects: 3, AsReported: len(p.Tree.Over) > 0},
		)
		if err == nil {
			p.Crash, p.Dump, p.Files, p.Suspects = report, dumpOf(name, report), ranking.Files, ranking.Suspects
		}
		return err
	})
}

// atPlace splits the value of --at.
var atPlace = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.+?)(?::(\d+)(?:-(\d+))?)?$`)
})

// given returns the locations of --at, with paths from the top of the work tree.
func (c *Fix) given(repo *gitext.Repo) ([]fix.GivenLocation, error) {
	var list []fix.GivenLocation
	for _, at := range c.At {
		m := atPlace().FindStringSubmatch(at)
		if m == nil {
			return nil, app.Usagef("--at takes <file>, <file>:<line> or <file>:<line>-<line>, not %q", at)
		}
		path, err := app.PathspecsIn(repo, nil).File(m[1])
		if err != nil {
			return nil, err
		}
		if path == "" {
			return nil, app.Usagef("--at=%s names the whole work tree; name a file", at)
		}
		g := fix.GivenLocation{Path: path}
		if m[2] != "" {
			start, err := strconv.Atoi(m[2])
			end := start
			if err == nil && m[3] != "" {
				end, err = strconv.Atoi(m[3])
			}
			if err != nil || start < 1 || end < start {
				return nil, app.Usagef("--at=%s: lines count from 1, and a range ends after it begins", at)
			}
			g.Lines = gitext.LineRange{Start: start, End: end}
		}
		list = append(list, g)
	}
	return list, nil
}

// addCommands finds the commands that test the bug: commands from the options, else from the
// configuration, else guesses from the files of the repository.
func (c *Fix) addCommands(ctx context.Context, a *app.App, repo *gitext.Repo, p *fix.Problem) error {
	p.Test, p.Build, p.Suite = c.Test, c.Build, c.Suite
	p.WriteTest = c.Test == "" && !c.Locate && (p.Report != "" || p.Crash != nil)
	a.WarnOfTop(repo, c.Test, c.Build, c.Suite, c.Setup)
	config, err := configuredCommands(ctx, a, c.Sandbox)
	if err != nil {
		return err
	}
	if p.Setup, err = c.setupCommand(ctx, a); err != nil {
		return err
	}
	if p.Suite == "" {
		p.Suite = config[SuiteCommandKey]
	}
	if p.Test != "" {
		return nil
	}
	if p.Build == "" {
		p.Build = config[BuildCommandKey]
	}
	if p.Test = config[TestCommandKey]; p.Test != "" {
		a.Say("test: %s (%s)", ui.Printable(p.Test), TestCommandKey)
		c.leaveTest(p)
		return nil
	}
	if c.Locate && (p.Report != "" || p.Crash != nil || len(p.Given) > 0) {
		return nil // a guessed command may run for an hour without the user's request
	}
	proposals, err := c.proposals(ctx, repo, p)
	if err != nil {
		return err
	}
	if c.Network {
		proposals = testcmd.Online(proposals)
	}
	if len(proposals) == 0 && p.WriteTest {
		return nil
	}
	if len(proposals) == 0 {
		return app.WithHint(errors.New("no command that tests the bug is known, and no file of the repository suggests one"),
			"git agent fix --test='<command>'\ngit config %s '<command>'", TestCommandKey)
	}
	guess := func(of testcmd.Proposal) fix.Commands {
		return fix.Commands{
			Build: cmp.Or(p.Build, of.Build), Test: of.Test, Suite: cmp.Or(p.Suite, of.Suite), Part: of.Part, ByName: of.ByName, Covered: of.Covered,
		}
	}
	var guesses []fix.Commands
	for _, proposal := range proposals {
		guesses = append(guesses, guess(proposal))
	}
	first := guesses[0]
	p.Build, p.Test, p.Suite, p.Part, p.ByName, p.Others = first.Build, first.Test, first.Suite, first.Part, first.ByName, guesses[1:]
	a.Say("test: %s (because of %s; --test or %s gives another)", ui.Printable(p.Test), ui.Printable(proposals[0].From), TestCommandKey)
	c.leaveTest(p)
	return nil
}

// proposals guesses commands for the tests in question: the new tests, else those that are named like changed files of the program. A model
// that writes a test needs the whole suite, and a report tells more of a bug than the last commit does.
func (c *Fix) proposals(ctx context.Context, repo *gitext.Repo, p *fix.Problem) ([]testcmd.Proposal, error) {
	var code []string
	if !p.WriteTest || suspected(p) != "" {
		var err error
		if code, err = testcmd.ChangedCode(ctx, repo, p.Tree); err != nil {
			return nil, err
		}
	}
	near := cmp.Or(app.PathspecsIn(repo, nil).Prefix, append(changedTests(p.Tree), "")[0], suspected(p))
	proposals, err := testcmd.Propose(ctx, repo, p.Tree, near, code...)
	if c.WriteTest {
		proposals = slices.DeleteFunc(proposals, func(of testcmd.Proposal) bool { return of.Part })
	}
	return proposals, err
}

// suspected returns a path at which the bug may be: one that the user names, else one with uncommitted changes;
// "" if there is none.
func suspected(p *fix.Problem) string {
	if len(p.Given) > 0 {
		return p.Given[0].Path
	}
	for _, o := range p.Tree.Over {
		if o.Mode != 0 && !source.IsDocument(o.Path) && !source.IsBuildOrData(o.Path) {
			return o.Path
		}
	}
	return ""
}

// changedTests returns the test files with uncommitted changes, or the new ones that are committed: the failing test
// is probably in one of them.
func changedTests(tree fix.Tree) []string {
	list := slices.Clone(tree.Tests)
	for _, o := range tree.Over {
		if o.Mode != 0 && source.IsTestPath(o.Path) {
			list = append(list, o.Path)
		}
	}
	return list
}

// leaveTest turns the found test into the wider tests, if a model will write another test in any
// case.
func (c *Fix) leaveTest(p *fix.Problem) {
	if c.WriteTest {
		p.Suite, p.Test, p.Others = cmp.Or(p.Suite, p.Test), "", nil
	}
}

// configuredCommands returns the commands of the configuration; level is the value of --sandbox. Values of the repository's own
// configuration count only if the commands are confined, because the configuration may have come
// with an archive.
func configuredCommands(ctx context.Context, a *app.App, level string) (map[string]string, error) {
	config, err := gitext.Settings(ctx)
	if err != nil {
		return nil, err
	}
	confinement, err := a.SandboxSettings(ctx, level)
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for _, key := range []string{TestCommandKey, BuildCommandKey, SuiteCommandKey} {
		for _, v := range config[strings.ToLower(key)] {
			if !v.Trusted() && confinement.Level == sandbox.None {
				a.WarnUntrusted(key, v.Scope)
				continue
			}
			found[key] = v.Value
		}
	}
	return found, nil
}
