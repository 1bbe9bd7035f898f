package validate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"git-agent/agent/fix"
	"git-agent/agent/source"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

const (
	// maxOutput is how much of a command's output is read for the names of tests, in
	// bytes at each end.
	maxOutput = 1 << 20
	// slower is how many times slower than before a test may be with a patch. A patch
	// may make a loop endless, and the limit of the workspace is for whole builds.
	slower = 20
	// minTestLimit is the least time that a test gets, because its first run may have to
	// build without a cache.
	minTestLimit = 5 * time.Minute
)

// A run is one trial of a patch in a workspace.
type run struct {
	*Validator
	w     *trial.Workspace
	trial *fix.Trial // nil for a run without a patch
}

// prepare makes the workspace a clean copy of the problem's tree with files over it.
func (r *run) prepare(ctx context.Context, files []gitext.Overlay) error {
	if err := r.w.Clean(ctx); err != nil {
		return err
	}
	tree := r.problem.Tree
	return r.w.Prepare(ctx, tree.Commit, slices.Concat(tree.Over, files))
}

// command runs one command and adds it to the trial's checks.
func (r *run) command(ctx context.Context, command string, limit time.Duration) (trial.Result, error) {
	res, err := r.w.Exec(ctx, command, trial.ExecOptions{Timeout: limit, MaxOutput: maxOutput})
	if err == nil && r.trial != nil {
		r.trial.Checks = append(r.trial.Checks, fix.Check{Command: command, How: res.How})
		r.trial.Seconds += res.Took.Seconds()
	}
	return res, err
}

// end sets the verdict. The reason is one line.
func (r *run) end(v fix.Verdict, failing []string, reason string) {
	r.trial.Verdict, r.trial.Failing, r.trial.Reason = v, failing, reason
}

// judge runs the commands in their order until one decides the verdict.
func (r *run) judge(ctx context.Context, base baseline) error {
	for _, step := range []func() (passes bool, err error){
		func() (bool, error) { return r.builds(ctx) },
		func() (bool, error) { return r.repairs(ctx, base) },
		func() (bool, error) { return r.keeps(ctx) },
		func() (bool, error) { return r.lints(ctx) },
	} {
		if passes, err := step(); err != nil || !passes {
			return err
		}
	}
	r.end(fix.Plausible, nil, "")
	return nil
}

// builds runs the build.
func (r *run) builds(ctx context.Context) (bool, error) {
	if r.problem.Build == "" {
		return true, nil
	}
	res, err := r.command(ctx, r.problem.Build, 0)
	switch {
	case err != nil:
		return false, err
	case res.TimedOut:
		r.end(fix.TimesOut, nil, "the build "+res.How)
	case res.Outcome != trial.Passes:
		r.end(fix.NoBuild, nil, telling(res))
	}
	return res.Outcome == trial.Passes, nil
}

// repairs runs the failing test: once if it failed each time without the patch, else so
// often that it would have failed before.
func (r *run) repairs(ctx context.Context, base baseline) (bool, error) {
	times := 1
	if r.rep.State == fix.Flaky {
		times = max(2, r.rep.Runs)
	}
	for range times {
		res, err := r.command(ctx, r.problem.Test, r.testLimit())
		if err != nil {
			return false, err
		}
		if !r.repaired(res, base) {
			return false, nil
		}
	}
	return true, nil
}

// testLimit returns the time limit of the failing test with a patch; 0 is the
// workspace's.
func (r *run) testLimit() time.Duration {
	limit := max(slower*r.rep.Took, minTestLimit)
	if r.rep.Took == 0 || r.opt.Timeout > 0 && limit > r.opt.Timeout {
		return 0
	}
	return limit
}

// repaired decides whether a run of the failing test shows that the bug is gone. A
// command that fails passes nevertheless if it names the tests that fail, and all of
// them are known to fail for another reason.
func (r *run) repaired(res trial.Result, base baseline) bool {
	ran := readTests(res.Output)
	failing := without(ran.Failing, r.problem.Known)
	switch {
	case res.TimedOut:
		r.end(fix.TimesOut, nil, "the test "+res.How)
	case res.Outcome == trial.Passes && !r.stillRuns(ran, base):
		r.end(fix.Fails, r.rep.Failing, "the failing test is no longer run")
	case res.Outcome == trial.Passes:
		return true
	case ran.NoBuild:
		r.end(fix.NoBuild, nil, telling(res))
	case res.Outcome == trial.Fails && len(ran.Failing) > 0 && len(failing) == 0:
		return true
	default:
		r.end(fix.Fails, failing, telling(res))
	}
	return false
}

// stillRuns reports whether at least one of the tests that failed was run. A patch that
// ends the program before the tests would pass otherwise. It can be told only if the
// test tool names the tests that pass.
func (r *run) stillRuns(ran tests, base baseline) bool {
	if len(r.rep.Failing) == 0 || len(base.tests.Passed) == 0 {
		return true
	}
	return slices.ContainsFunc(r.rep.Failing, func(name string) bool { return slices.Contains(ran.Passed, name) })
}

// keeps runs the wider tests.
func (r *run) keeps(ctx context.Context) (bool, error) {
	if !r.hasSuite() {
		return true, nil
	}
	res, err := r.command(ctx, r.problem.Suite, 0)
	if err != nil {
		return false, err
	}
	base, err := r.wide.get(ctx, r.makeWide)
	if err != nil {
		return false, err
	}
	ran := readTests(res.Output)
	failing := without(ran.Failing, r.known(base.tests))
	switch {
	case res.TimedOut && !base.suite.TimedOut:
		r.end(fix.TimesOut, nil, "the suite "+res.How)
	case len(failing) > 0:
		r.end(fix.Regresses, failing, fmt.Sprintf("%d tests of the suite fail that passed without the patch", len(failing)))
	case res.Outcome != trial.Passes && len(ran.Failing) == 0 && !sameEnd(res, base.suite):
		r.end(fix.Regresses, nil, telling(res))
	default:
		if lost := r.lost(ran, base.tests); len(lost) > 0 {
			r.end(fix.Regresses, lost, fmt.Sprintf("%d tests of the suite are no longer run", len(lost)))
			return false, nil
		}
		return true, nil
	}
	return false, nil
}

// lost returns the tests of the suite that passed without the patch and are not run with
// it.
func (r *run) lost(ran, base tests) []string {
	return without(base.Passed, slices.Concat(ran.Passed, ran.Failing))
}

// sameEnd reports whether two runs of a command that names no test end alike: with the
// same exit code, and without lines that the second did not print.
func sameEnd(with, without trial.Result) bool {
	return with.Exit == without.Exit && with.TimedOut == without.TimedOut && len(trial.FailureOf(with, without.Output)) == 0
}

// lints runs the linter. It counts only if it accepts the tree without the patch.
func (r *run) lints(ctx context.Context) (bool, error) {
	if r.problem.Lint == "" {
		return true, nil
	}
	res, err := r.command(ctx, r.problem.Lint, 0)
	if err != nil || res.Outcome == trial.Passes {
		return err == nil, err
	}
	base, err := r.wide.get(ctx, r.makeWide)
	if err != nil || base.lint.Outcome != trial.Passes {
		return err == nil, err
	}
	r.end(fix.Regresses, nil, "the linter rejects it: "+telling(res))
	return false, nil
}

// without returns the names that are not in other.
func without(names, other []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(other, n) })
}

// complaint matches a line in which a tool says what is wrong.
var complaint = source.Lazy(`(?i)\berror\b|\bfatal\b|undefined|cannot |panic:|^\S+:\d+(:\d+)?: `)

// telling returns the line of the output that says best why a command failed: the first
// one with a complaint, or else the last one.
func telling(res trial.Result) string {
	last := ""
	for line := range strings.Lines(string(res.Output)) {
		line = strings.ToValidUTF8(strings.TrimSpace(line), "\uFFFD")
		if line == "" {
			continue
		}
		if last = source.FirstBytes(line, maxReason); complaint().MatchString(last) {
			return last
		}
	}
	if last == "" {
		return "it " + res.How
	}
	return last
}

// maxReason bounds a line that is quoted, in bytes.
const maxReason = 300
