package offline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/bisect"
	"git-agent/agent/bisect/prior"
	"git-agent/agent/fix"
	"git-agent/agent/fix/testcmd"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/fix/testrun/testlog"
	"git-agent/agent/source"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

// BisectInput is the input of Bisect.
type BisectInput struct {
	Problem      fix.Problem
	Reproduction fix.Reproduction // of Problem.Test; the zero value lets Bisect run it
	Good         gitext.OID       // a commit at which the test passes; "" lets Bisect look for one
	// Spectrum has the files that the failing test executes: commits that change them are the
	// likeliest. It may be nil.
	Spectrum *fix.Spectrum
	Trial    trial.Options // MaxRuns bounds the search; 0 is 40
	OnEvent  func(agent.Event)
}

// A Bisected is the result of a bisection.
type Bisected struct {
	First gitext.Commit // the first bad commit; the zero value if none was found
	Good  gitext.OID    // a commit at which the test passes; "" if none was found
	Runs  int           // number of test runs
	Note  string        // a clause about the result, or about the reason for no result
	Wrong string        // a clause that says why BisectInput.Good is no good commit; "" if nothing speaks against it
}

const defaultBisectRuns = 40

// Bisect looks for the commit that made the test of a problem fail. It lays the tests of the
// problem's tree over each commit, and skips commits that do not build, or fail in another way.
//
// If the history has no good commit, or if the runs are used up, the result has a note. An
// error means that ctx ended or the workspace failed.
func Bisect(ctx context.Context, repo *gitext.Repo, in BisectInput) (Bisected, error) {
	in.Problem.Test = cmp.Or(in.Problem.Test, in.Reproduction.Command)
	in.Trial.Command = in.Problem.Test
	if in.Problem.Build != "" {
		in.Trial.Command = in.Problem.Build + " || exit 125\n" + in.Problem.Test
	}
	in.Trial.Compiling, _ = testcmd.CompileOnly(in.Problem.Test)
	in.Trial.MaxRuns = cmp.Or(in.Trial.MaxRuns, defaultBisectRuns)
	in.Trial.OnEvent = in.OnEvent
	w, err := trial.Open(ctx, repo, in.Trial)
	if err != nil {
		return Bisected{}, err
	}
	defer w.Close()
	b := &bisector{in: &in, repo: repo, w: w}
	if b.tests, b.units, err = testsOf(ctx, repo, in.Problem); err != nil {
		return Bisected{}, err
	}
	out, err := b.run(ctx)
	out.Runs = w.Runs()
	if errors.Is(err, trial.ErrMaxRuns) { // a second search shares the runs of the first
		out.Note, err = stoppedNote(out.Runs), nil
	}
	return out, err
}

// testsOf returns the files to lay over each commit, and the source files whose unit tests are: the tests, or all
// files if none has tests. New tests that are committed are laid over, too.
func testsOf(ctx context.Context, repo *gitext.Repo, p fix.Problem) (files []gitext.Overlay, units []trial.UnitTests, err error) {
	if len(p.Tree.Tests) > 0 {
		there, err := repo.Tree(ctx, p.Tree.Commit, p.Tree.Tests...)
		for _, e := range there {
			o := gitext.Overlay{Path: e.Path, Mode: e.Mode, OID: e.OID}
			if text, err := repo.Blob(ctx, e.OID, trial.MaxUnitTests); err == nil && len(text) > 0 { // else its words are unknown
				o = gitext.Overlay{Path: e.Path, Mode: e.Mode, Content: text}
			}
			files = append(files, o)
		}
		return files, nil, err
	}
	for _, o := range p.Tree.Over {
		if source.IsTestOf(o.Path, p.Test) {
			files = append(files, o)
			continue
		}
		if len(o.Content) == 0 || !source.HasUnitTests(o.Path) {
			continue
		}
		old, err := repo.BlobAt(ctx, p.Tree.Commit, o.Path, trial.MaxUnitTests)
		if err == nil && source.UnitTestsDiffer(o.Path, old, o.Content) {
			units = append(units, trial.UnitTests{Path: o.Path, Mode: o.Mode, Text: o.Content})
		}
	}
	if len(files)+len(units) == 0 {
		return p.Tree.Over, nil, nil
	}
	return files, units, nil
}

// A bisector is the state of a bisection.
type bisector struct {
	in      *BisectInput
	repo    *gitext.Repo
	w       *trial.Workspace
	tests   []gitext.Overlay
	units   []trial.UnitTests
	first   *trial.Result // at the problem's commit
	failure *testrun.Failure
	wrong   string // Bisected.Wrong
}

func (b *bisector) run(ctx context.Context) (Bisected, error) {
	q := bisect.Question{Tip: b.in.Problem.Tree.Commit}
	if b.in.Good != "" {
		q.Old = []gitext.OID{b.in.Good}
	}
	opt := bisect.Options{Try: b.try, Prior: b.prior, MaxRuns: b.in.Trial.MaxRuns, Progress: b.in.Trial.Progress}
	found, err := bisect.Find(ctx, b.repo, q, opt)
	if old := new(bisect.OldError); errors.As(err, &old) {
		b.wrong = wrongGood(old, b.in.Good)
		q.Old, opt.Known = nil, found.Runs
		found, err = bisect.Find(ctx, b.repo, q, opt)
	}
	if err != nil {
		return Bisected{Good: goodOf(found), Wrong: b.wrong}, err
	}
	return b.bisected(ctx, found)
}

// wrongGood says why a commit is no good one.
func wrongGood(old *bisect.OldError, good gitext.OID) string {
	switch {
	case old.Newer:
		return fmt.Sprintf("the good commit %s is newer than the commit at which the test fails; an older one was looked for", good.Short())
	case old.Base:
		return fmt.Sprintf("the test fails at %s, too, from where the history of the good commit %s is another one; an older good commit was looked for",
			old.Commit.Short(), good.Short())
	}
	return fmt.Sprintf("the test fails at %s, too, which you name as good; an older good commit was looked for", good.Short())
}

// bisected describes the end of a search.
func (b *bisector) bisected(ctx context.Context, found *bisect.Answer) (out Bisected, err error) {
	out.Good, out.Wrong = goodOf(found), b.wrong
	switch found.Status {
	case bisect.Nothing:
		out.Note = "at the last commit the test " + b.first.How + ": there is nothing to bisect"
	case bisect.Always:
		out.Note = "no earlier commit was found at which the test passes: the bug may be as old as the code, or older commits do not build with today's tests"
	case bisect.Stopped:
		out.Note = stoppedNote(b.w.Runs())
	case bisect.Apart:
		out.Note = fmt.Sprintf("the bisection ended at %s: %d commits cannot be told apart, because the test says nothing at some of them",
			found.First.Short(), len(found.Candidates))
	case bisect.Proved:
		if out.First, err = b.repo.Commit(ctx, found.First); err != nil {
			return out, err
		}
		out.Note = fmt.Sprintf("the test fails since %s (%s): it passes at the parent", out.First.OID.Short(), strings.TrimSpace(out.First.Subject()))
	}
	return out, nil
}

func stoppedNote(runs int) string {
	return fmt.Sprintf("the bisection stopped after %d runs, the most that were allowed", runs)
}

// goodOf returns the last commit at which the test passed, or "".
func goodOf(found *bisect.Answer) gitext.OID {
	if found == nil {
		return ""
	}
	for _, r := range slices.Backward(found.Runs) {
		if r.Outcome == bisect.Old {
			return r.Commit
		}
	}
	return ""
}

// try runs the test at a commit. A failure other than the first one is an unknown outcome.
func (b *bisector) try(ctx context.Context, _ int, commit gitext.OID) (trial.Result, error) {
	start := time.Now()
	over, err := trial.LayUnitTests(ctx, b.repo, commit, b.tests, b.units)
	if err != nil {
		return trial.Result{}, err
	}
	res, err := b.w.Run(ctx, commit, over)
	if err != nil {
		return res, err
	}
	e := testrun.Judge(res, b.w.Dir(), b.in.Problem.Test, start)
	e.UnitTest = func(p testlog.Place) bool { return trial.InUnitTests(over, b.units, p.File, p.Line) }
	res.Outcome, res.How = e.Outcome(), e.How
	switch {
	case b.first == nil:
		b.first, b.failure = &res, testrun.FailureOf(e, nil)
	case res.Outcome == trial.Fails && !b.failure.Recurs(e):
		res.Outcome, res.How = trial.Unknown, "fails in another way"
	}
	return res, nil
}

// prior returns the weights of commits: those that change what the failing test executes weigh
// most.
func (b *bisector) prior(ctx context.Context, tip gitext.OID, commits []gitext.OID) ([]float64, error) {
	opened := b.in.Reproduction.Opened
	if opened == nil {
		opened = coveredFiles(b.in.Spectrum)
	}
	laid := map[string][]byte{}
	for _, o := range b.tests {
		if len(o.Content) > 0 {
			laid[o.Path] = o.Content
		}
	}
	return prior.Weights(ctx, b.repo, tip, commits, prior.Evidence{Command: b.in.Problem.Test, Output: b.first.Output, Opened: opened, Laid: laid})
}

// coveredFiles returns the files that failing tests execute, or nil if they are not known.
func coveredFiles(sp *fix.Spectrum) map[string]bool {
	if sp == nil {
		return nil
	}
	paths := map[string]bool{}
	for p, lines := range sp.Files {
		if slices.ContainsFunc(lines, func(h fix.LineHits) bool { return h.Failing > 0 }) {
			paths[p] = true
		}
	}
	return paths
}
