package offline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/source"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

// BisectInput is the input of Bisect.
type BisectInput struct {
	Problem      fix.Problem
	Reproduction fix.Reproduction // of Problem.Test; the zero value lets Bisect run it
	Good         gitext.OID       // a commit at which the test passes; "" lets Bisect look for one
	// Spectrum has the files that the failing test executes. Commits with equal versions of
	// these files count as equal. It may be nil.
	Spectrum *fix.Spectrum
	Trial    trial.Options // MaxRuns bounds the search; 0 is 40
	OnEvent  func(agent.Event)
}

// A Bisected is the result of a bisection.
type Bisected struct {
	First gitext.Commit // the first bad commit; the zero value if none was found
	Good  gitext.OID    // a commit at which the test passes; "" if none was found
	Runs  int           // number of test runs
	Note  string        // a sentence about the result, or about the reason for no result
}

const (
	defaultBisectRuns = 40
	// unknownLeaps bounds the commits in a row, each twice as far away, that do not build with
	// today's tests. Older commits will not build either.
	unknownLeaps = 3
)

// Bisect looks for the commit that made the test of a problem fail. It lays the tests of the
// problem's tree over each commit. Without a good commit, it tries the commits 1, 2, 4 and so
// on steps back until the test passes. It skips commits that do not build, or fail in another
// way. At the end it runs the first bad commit and its parent, even if it ran equal trees
// before.
//
// If the history has no good commit, or if the runs are used up, the result has a note. An
// error means that ctx ended or the workspace failed.
func Bisect(ctx context.Context, repo *gitext.Repo, in BisectInput) (Bisected, error) {
	in.Problem.Test = cmp.Or(in.Problem.Test, in.Reproduction.Command)
	in.Trial.Command = in.Problem.Test
	if in.Problem.Build != "" {
		in.Trial.Command = in.Problem.Build + " || exit 125\n" + in.Problem.Test
	}
	in.Trial.Compiling, _ = testrun.CompileOnly(in.Problem.Test)
	in.Trial.MaxRuns = cmp.Or(in.Trial.MaxRuns, defaultBisectRuns)
	in.Trial.OnEvent = in.OnEvent
	w, err := trial.Open(ctx, repo, in.Trial)
	if err != nil {
		return Bisected{}, err
	}
	defer w.Close()
	b := &bisector{in: &in, repo: repo, w: w, known: map[string]trial.Result{}, tests: testOverlays(in.Problem)}
	out, err := b.run(ctx)
	out.Runs = w.Runs()
	if errors.Is(err, trial.ErrMaxRuns) {
		out.Note, err = fmt.Sprintf("The bisection stopped after %d runs, the most that were allowed.", out.Runs), nil
	}
	return out, err
}

// testOverlays returns the files to lay over each commit: the tests, or all files if none looks
// like a test.
func testOverlays(p fix.Problem) []gitext.Overlay {
	over := p.Tree.Over
	tests := slices.DeleteFunc(slices.Clone(over), func(o gitext.Overlay) bool { return !source.IsTestOf(o.Path, p.Test) })
	if len(tests) == 0 {
		return over
	}
	return tests
}

// A bisector is the state of a bisection.
type bisector struct {
	in      *BisectInput
	repo    *gitext.Repo
	w       *trial.Workspace
	tests   []gitext.Overlay
	failing []string
	failure trial.Failure
	known   map[string]trial.Result // results by key; see key
}

func (b *bisector) run(ctx context.Context) (Bisected, error) {
	head := b.in.Problem.Tree.Commit
	res, err := b.outcome(ctx, head)
	if err != nil {
		return Bisected{}, err
	}
	b.failing, b.failure = readTests(res.Output).failing, trial.FailureOf(res, nil)
	if res.Outcome != trial.Fails {
		return Bisected{Note: "At the last commit the test " + res.How + ": there is nothing to bisect."}, nil
	}
	bi := &trial.Bisection{Repo: b.repo, Run: b.once, Bad: head, Progress: b.in.Trial.Progress}
	if b.in.Good != "" {
		if _, err := bi.Try(ctx, b.in.Good); err != nil {
			return Bisected{}, err
		}
	}
	if len(bi.Goods) == 0 {
		if err := bi.LeapBack(ctx, unknownLeaps); err != nil {
			return Bisected{}, err
		}
	}
	if len(bi.Goods) == 0 {
		return Bisected{
			Note: "No earlier commit was found at which the test passes: the bug may be as old as the code, or older commits do not build with today's tests.",
		}, nil
	}
	left, err := bi.Halve(ctx)
	if err != nil {
		return Bisected{Good: bi.Goods[0]}, err
	}
	if left > 1 {
		return Bisected{
			Good: bi.Goods[0],
			Note: fmt.Sprintf(
				"The bisection ended at %s: %d commits up to it cannot be told apart, because the test says nothing at the others.",
				bi.Bad.Short(),
				left,
			),
		}, nil
	}
	return b.confirm(ctx, bi)
}

// confirm runs the test at the first bad commit and its parent.
func (b *bisector) confirm(ctx context.Context, bi *trial.Bisection) (Bisected, error) {
	out := Bisected{Good: bi.Goods[len(bi.Goods)-1]}
	commit, err := b.repo.Commit(ctx, bi.Bad)
	if err != nil || len(commit.Parents) == 0 {
		return out, err
	}
	bad, err := b.outcome(ctx, commit.OID)
	if err != nil {
		return out, err
	}
	good, err := b.outcome(ctx, commit.Parents[0])
	if err != nil {
		return out, err
	}
	if b.judged(bad).Outcome != trial.Fails || good.Outcome != trial.Passes {
		out.Note = fmt.Sprintf("The bisection led to %s, but the test %s there and %s before it.", commit.OID.Short(), bad.How, good.How)
		return out, nil
	}
	out.First = commit
	out.Note = fmt.Sprintf("The test fails since %s (%s): it passes at the parent.", commit.OID.Short(), strings.TrimSpace(commit.Subject()))
	return out, nil
}

// once returns the result at a commit. Of commits with equal keys, it runs only one.
func (b *bisector) once(ctx context.Context, commit gitext.OID) (trial.Result, error) {
	key, err := b.key(ctx, commit)
	if err != nil {
		return trial.Result{}, err
	}
	if res, ok := b.known[key]; ok {
		return res, nil
	}
	res, err := b.outcome(ctx, commit)
	if err != nil {
		return res, err
	}
	res = b.judged(res)
	b.known[key] = res
	return res, nil
}

// outcome runs the test at a commit.
func (b *bisector) outcome(ctx context.Context, commit gitext.OID) (trial.Result, error) {
	return b.w.Run(ctx, commit, b.tests)
}

// judged changes a different failure to an unknown outcome.
func (b *bisector) judged(res trial.Result) trial.Result {
	if res.Outcome != trial.Fails {
		return res
	}
	ran := readTests(res.Output)
	same := b.failure.Recurs(res)
	if len(b.failing) > 0 {
		same = slices.ContainsFunc(ran.failing, func(n string) bool { return slices.Contains(b.failing, n) })
	}
	if ran.noBuild || !same {
		res.Outcome, res.How = trial.Unknown, "fails in another way"
	}
	return res
}

// key returns equal texts for commits with equal versions of the files that the failing test
// executes; if these are not known, of all files.
func (b *bisector) key(ctx context.Context, commit gitext.OID) (string, error) {
	if paths := coveredFiles(b.in.Spectrum); len(paths) > 0 {
		entries, err := b.repo.Tree(ctx, commit, paths...)
		if err != nil && !gitext.Unreadable(err) {
			return "", err
		}
		var key strings.Builder
		for _, e := range entries {
			fmt.Fprintf(&key, "%s %s\n", e.OID, e.Path)
		}
		return key.String(), nil
	}
	c, err := b.repo.Commit(ctx, commit)
	return string(c.Tree), err
}

// coveredFiles returns the files that failing tests execute, in order.
func coveredFiles(sp *fix.Spectrum) []string {
	if sp == nil {
		return nil
	}
	var paths []string
	for p, lines := range sp.Files {
		if slices.ContainsFunc(lines, func(h fix.LineHits) bool { return h.Failing > 0 }) {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	return paths
}
