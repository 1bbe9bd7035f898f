package offline

import (
	"bytes"
	"context"
	"slices"
	"sync"

	"git-agent/agent/fix/testrun/testlog"
	"git-agent/agent/source"
	"git-agent/agent/trial"
)

// tests are the tests in an output.
type tests struct {
	failing, passed []string
	noBuild         bool // no test ran, because the build failed
	makeFailed      bool // make ended; without a test, because of the build
	panicked        bool // the process ended before its tests did
}

var (
	// makeEnds matches the end of a failed recipe, which may be a build as well as tests.
	makeEnds = source.Lazy(`^make(\[\d+\])?: \*\*\* `)

	goTest  = source.Lazy(`^\s*--- (FAIL|PASS): (\S+)`)
	tapTest = source.Lazy(`^\s*(not ok|ok) \d+ (.*)`)
	unity   = source.Lazy(`^\S+:\d+:(\w+):(FAIL|PASS)`)
	noBuild = source.Lazy(`\[(build|setup) failed\]|^SyntaxError|^\S+:\d+:\d+: (fatal )?error:`)
)

// readTests reads the names of tests in an output. Names of Go tests have no package, because a
// test binary that is started directly prints none.
func readTests(output []byte) tests {
	t := readPlainTests(output)
	if len(t.failing)+len(t.passed) > 0 {
		return t
	}
	r := testlog.Read(output)
	t.failing, t.passed = slices.Sorted(slices.Values(r.Failing)), slices.Sorted(slices.Values(r.Passing))
	t.noBuild = t.noBuild || (r.Build || t.makeFailed && len(t.failing) == 0) && r.Ran <= 0
	t.panicked = t.panicked || r.Panicked
	return t
}

// readPlainTests reads the names of tests of Go, TAP and Unity.
func readPlainTests(output []byte) tests {
	var t tests
	add := func(failed bool, name []byte) {
		if failed {
			t.failing = append(t.failing, string(name))
		} else {
			t.passed = append(t.passed, string(name))
		}
	}
	for line := range bytes.Lines(output) {
		line = bytes.TrimRight(line, "\r\n")
		if m := goTest().FindSubmatch(line); m != nil {
			add(m[1][0] == 'F', m[2])
		} else if m := tapTest().FindSubmatch(line); m != nil {
			add(m[1][0] == 'n', m[2])
		} else if m := unity().FindSubmatch(line); m != nil {
			add(m[2][0] == 'F', m[1])
		}
		t.noBuild = t.noBuild || noBuild().Match(line)
		t.makeFailed = t.makeFailed || makeEnds().Match(line)
		t.panicked = t.panicked || bytes.HasPrefix(line, []byte("panic: "))
	}
	slices.Sort(t.failing)
	slices.Sort(t.passed)
	t.failing, t.passed = slices.Compact(t.failing), slices.Compact(t.passed)
	return t
}

// A wideBaseline is the result of the suite without a patch. The suite is run for it when the
// first candidate fails the suite.
type wideBaseline struct {
	once  sync.Once
	tests tests
	err   error
}

// get runs the suite without a patch in a separate workspace, and caches the result.
func (b *wideBaseline) get(ctx context.Context, s *search) (tests, error) {
	b.once.Do(func() {
		var w *trial.Workspace
		if w, b.err = s.open(ctx); b.err != nil {
			return
		}
		tree := s.in.Problem.Tree
		if b.err = w.Prepare(ctx, tree.Commit, tree.Over); b.err != nil {
			return
		}
		if s.in.Problem.Build != "" {
			if _, b.err = w.Exec(ctx, s.in.Problem.Build, trial.ExecOptions{}); b.err != nil {
				return
			}
		}
		var res trial.Result
		if res, b.err = w.Exec(ctx, s.in.Problem.Suite, trial.ExecOptions{MaxOutput: maxOutput}); b.err == nil {
			b.tests = readTests(res.Output)
		}
	})
	return b.tests, b.err
}
