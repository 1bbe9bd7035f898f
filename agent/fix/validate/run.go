package validate

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"git-agent/agent/fix"
	"git-agent/agent/fix/testcmd"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/fix/testrun/testlog"
	"git-agent/agent/source"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

const (
	// maxOutput bounds the part of a command's output that is read for names of tests, in bytes
	// at each end.
	maxOutput = 1 << 20
	// slower bounds the duration of a test with a patch, as a multiple of the duration before.
	// A patch may make a loop endless, and the workspace's limit is meant for whole builds.
	slower = 20
	// minTestLimit is the least time limit of a test, because its first run may include a build
	// without a cache.
	minTestLimit = 5 * time.Minute
)

// A run is one trial of a patch in a workspace.
type run struct {
	*Validator
	w     *trial.Workspace
	trial *fix.Trial // nil for a run without a patch
	aside bool       // the commands are preparations or counterchecks, and not recorded as checks
}

// prepare makes the workspace a clean copy of the problem's tree with files laid over it. The
// caches have only the output of compilers from before any code ran.
func (r *run) prepare(ctx context.Context, files []gitext.Overlay) error {
	if err := r.w.Fresh(ctx); err != nil {
		return err
	}
	tree := r.problem.Tree
	return r.w.Prepare(ctx, tree.Commit, slices.Concat(tree.Over, files))
}

// anew prepares the workspace and builds, so that the next command reads no remains of an
// earlier one.
func (r *run) anew(ctx context.Context, files []gitext.Overlay) error {
	if err := r.prepare(ctx, files); err != nil || r.problem.Build == "" {
		return err
	}
	r.aside = true
	_, err := r.command(ctx, r.problem.Build)
	r.aside = false
	return err
}

// command runs one command and adds it to the trial's checks.
func (r *run) command(ctx context.Context, command string) (trial.Result, error) {
	res, err := r.w.Exec(ctx, command, trial.ExecOptions{MaxOutput: maxOutput})
	if err == nil {
		r.note(command, res.How, res.Took)
	}
	return res, err
}

// note adds a command to the trial's checks.
func (r *run) note(command, how string, took time.Duration) {
	if r.trial == nil {
		return
	}
	r.trial.Seconds += took.Seconds()
	if !r.aside {
		r.trial.Checks = append(r.trial.Checks, fix.Check{Command: command, How: how})
	}
}

// cutOff is the end of a command that the end of the whole work cut off.
const cutOff = "was cut off after %.0fs, at the end of the time"

// tests runs a test command and adds it to the trial's checks. again also runs tests with a
// cached result.
func (r *run) tests(ctx context.Context, command string, limit time.Duration, again bool) (testrun.Ending, error) {
	c := testrun.Commands{Test: command, Timeout: limit, Set: naming(command, again)}
	begun := time.Now()
	e, err := testrun.Run(ctx, r.w, c)
	if err == nil {
		r.note(command, e.How, e.Took)
	} else if ctx.Err() != nil {
		r.note(command, fmt.Sprintf(cutOff, time.Since(begun).Seconds()), 0)
	}
	return e, err
}

// naming returns environment variables that make go test print the names of passing tests.
// Without these names, a patch that ends the program before its tests would look right. Cargo is told
// to store nothing for a next build, which is from nothing, too: that saves it a fifth of the time.
func naming(command string, again bool) []string {
	if strings.Contains(command, "cargo ") {
		return []string{"CARGO_INCREMENTAL=0"}
	}
	if !strings.Contains(command, "go test") || strings.Contains(command, "-json") {
		return nil
	}
	flags := os.Getenv("GOFLAGS") + " -v"
	if again {
		flags += " -count=1"
	}
	return []string{"GOFLAGS=" + strings.TrimSpace(flags)}
}

// end sets the verdict. The reason is one line.
func (r *run) end(v fix.Verdict, failing []string, reason string) {
	r.trial.Verdict, r.trial.Failing, r.trial.Reason = v, failing, reason
}

// judge runs the commands in order until one decides the verdict.
func (r *run) judge(ctx context.Context, base baseline) error {
	for _, step := range []func() (passes bool, err error){
		func() (bool, error) { return r.builds(ctx) },
		func() (bool, error) { return r.repairs(ctx, base) },
		func() (bool, error) { return r.alive(ctx, base) },
		func() (bool, error) { return r.keeps(ctx) },
		func() (bool, error) { return r.lints(ctx) },
	} {
		if passes, err := step(); err != nil || !passes {
			return err
		}
	}
	r.trial.Cautions = append(r.trial.Cautions, runsItself(r.trial.Patch.Files)...)
	r.end(fix.Plausible, nil, "")
	return nil
}

// builds runs the build.
func (r *run) builds(ctx context.Context) (bool, error) {
	if r.problem.Build == "" {
		return true, nil
	}
	res, err := r.command(ctx, r.problem.Build)
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

// repairs runs the failing test: once if it failed each time without the patch, else often
// enough to expect a failure without the patch.
func (r *run) repairs(ctx context.Context, base baseline) (bool, error) {
	times := 1
	if r.rep.State == fix.Flaky {
		times = max(2, r.rep.Runs)
	}
	for i := range times {
		e, err := r.tests(ctx, r.problem.Test, r.testLimit(), i > 0)
		if err != nil {
			return false, err
		}
		if !r.repaired(e, base) {
			return false, nil
		}
	}
	return true, nil
}

// testLimit returns the time limit of the failing test with a patch; 0 is the workspace's
// limit.
func (r *run) testLimit() time.Duration {
	limit := max(slower*r.rep.Took, minTestLimit)
	if r.rep.Took == 0 || r.opt.Timeout > 0 && limit > r.opt.Timeout {
		return 0
	}
	return limit
}

// repaired decides whether a run of the failing test shows that the bug is gone. A failing
// command counts as passing if it names the failing tests and all of them are known to fail for
// another reason.
func (r *run) repaired(e testrun.Ending, base baseline) bool {
	target := r.targets(base)
	left := testrun.Compare(testrun.Ending{}, e, r.problem.Known)
	lost := r.lost(base.test.Report, e.Report)
	switch {
	case e.TimedOut:
		r.end(fix.TimesOut, nil, "the test "+e.How)
	case e.Report.Build && e.State == fix.Broken:
		r.end(fix.NoBuild, nil, "it "+e.How)
	case e.State == fix.Broken:
		r.end(fix.Fails, target, "the test "+e.How)
	case left.Worse:
		r.end(fix.Fails, left.New, firstPlace(e))
	case base.test.Report.NamesPassing() && len(absent(target, e.Report.Passing)) == len(target) && len(target) > 0:
		r.end(fix.Fails, target, "the failing test is no longer run")
	case len(lost) > 0 && !e.Report.Cut && len(e.Report.Passing) > 0:
		r.end(fix.Fails, nil, fmt.Sprintf("%s, which passed before, is no longer run", lost[0]))
	default:
		return r.runsAsMany(base.test, e, fix.Fails, "the test")
	}
	return false
}

// firstPlace returns the first message of a failing run, in one line.
func firstPlace(e testrun.Ending) string {
	for _, p := range e.Report.Places {
		switch {
		case p.Text != "" && p.Line > 0:
			return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text)
		case p.Text != "":
			return p.Text
		}
	}
	return "the test " + e.How
}

// runsAsMany reports whether a run has at least half of the tests of the run without the patch,
// if their numbers are known. A patch that ends the program early, or hides tests from their
// tool, must not pass. Some tools name only failing tests, so the number of passing ones is
// unknown: for example go test in a command that sets GOFLAGS itself and so overrides -v.
func (r *run) runsAsMany(base, e testrun.Ending, otherwise fix.Verdict, what string) bool {
	before, after := base.Report, e.Report
	if before.Ran <= 0 || after.Cut || 2*max(after.Ran, 0) >= before.Ran {
		return true
	}
	switch {
	case after.Ran < 0 && after.Some && !before.NamesPassing():
		return true
	case after.Ran < 0:
		r.end(otherwise, nil, fmt.Sprintf("%s no longer says how many tests it ran, which were %d", what, before.Ran))
	default:
		r.end(otherwise, nil, fmt.Sprintf("%s runs %d tests instead of %d", what, after.Ran, before.Ran))
	}
	return false
}

// keeps runs the wider tests. If they fail and the patch is not at fault, the check says so.
func (r *run) keeps(ctx context.Context) (bool, error) {
	if !r.hasSuite() {
		return true, nil
	}
	ok, failed, err := r.keepsSuite(ctx)
	if checks := r.trial.Checks; ok && failed && err == nil && len(checks) > 0 {
		checks[len(checks)-1].How += asBefore
	}
	return ok, err
}

// onlyUnbuilt reports whether a run fails for nothing but test files that did not build or load before either.
func onlyUnbuilt(e, before testrun.Ending) bool {
	return len(e.Report.Unbuilt) > 0 && e.Exit == before.Exit && len(absent(e.Report.Unbuilt, before.Report.Unbuilt)) == 0
}

// asBefore follows the end of a command that also fails without the patch.
const asBefore = ", as it does without the patch"

// keepsSuite is keeps of a problem with wider tests; failed reports whether they fail.
func (r *run) keepsSuite(ctx context.Context) (ok, failed bool, err error) {
	if err := r.anew(ctx, r.trial.Patch.Files); err != nil {
		return false, false, err
	}
	e, err := r.tests(ctx, r.problem.Suite, 0, false)
	if err != nil {
		return false, false, err
	}
	base, err := r.before(ctx, e)
	if err != nil {
		return false, false, err
	}
	c := testrun.Compare(base, e, r.problem.Known)
	lost := r.lost(base.Report, e.Report)
	switch {
	case e.TimedOut:
		if !base.TimedOut {
			r.end(fix.TimesOut, nil, "the suite "+e.How)
		}
		return base.TimedOut, true, nil
	case c.Worse:
		r.end(fix.Regresses, c.New, "it "+c.Why)
	case e.Exit != 0 && len(e.Report.Failing) == 0 && !sameEnd(e, base) && !onlyUnbuilt(e, base):
		r.end(fix.Regresses, nil, "the suite "+e.How+", and not as it did before")
	case len(lost) > 0 && !e.Report.Cut:
		r.end(fix.Regresses, lost, fmt.Sprintf("%s of the suite is no longer run", lost[0]))
	case len(c.Unclear) > 0:
		ok, err = r.failedBefore(ctx, c.Unclear)
		return ok, e.Exit != 0, err
	default:
		return r.runsAsMany(base, e, fix.Regresses, "the suite"), e.Exit != 0, nil
	}
	return false, true, nil
}

// before returns a run of the wider tests without the patch, for comparison with one with it.
func (r *run) before(ctx context.Context, with testrun.Ending) (testrun.Ending, error) {
	if r.ran != nil && with.State == fix.Passing {
		return *r.ran, nil
	}
	base, err := r.wide.get(ctx, r.makeWide)
	return base.suite, err
}

// failedBefore reports whether tests that fail now also fail without the patch, after a crash
// kept them from running. It runs only these tests.
func (r *run) failedBefore(ctx context.Context, tests []string) (bool, error) {
	fresh := tests
	if focused, ok := testcmd.Focus(r.problem.Suite, tests); ok {
		err := r.unpatched(ctx, nil, func(base *run) error {
			e, err := base.tests(ctx, focused, 0, false)
			fresh = absent(tests, e.Report.Failing)
			return err
		})
		if err != nil {
			return false, err
		}
	}
	if len(fresh) > 0 {
		r.end(fix.Regresses, fresh, fmt.Sprintf("%s fails, which was not run before", fresh[0]))
	}
	return len(fresh) == 0, nil
}

// lost returns the tests that passed before and are no longer run. node --test names a file that ends before its first test
// like the file, as one test that passes; without the bug, the file has tests of its own instead.
func (r *run) lost(before, after testlog.Report) []string {
	ran := slices.Concat(after.Passing, after.Failing)
	lost := absent(before.Passing, ran)
	rest := slices.DeleteFunc(slices.Clone(lost), r.isTestFile)
	fresh := absent(ran, slices.Concat(before.Passing, before.Failing))
	if len(lost)-len(rest) > len(fresh) {
		return lost
	}
	return rest
}

// isTestFile reports whether the name of a test is that of a test file for Node.js, which the patch leaves as it is.
func (r *run) isTestFile(name string) bool {
	return source.IsTestPath(name) && slices.Contains([]string{".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"}, path.Ext(name)) &&
		!slices.ContainsFunc(r.trial.Patch.Files, func(f gitext.Overlay) bool { return f.Path == name })
}

// absent returns the tests that did not run. Names count with and without packages. A test with
// parts counts as one test, because the names of parts may be made at run time.
func absent(tests, ran []string) []string {
	whole := func(list []string) []string {
		var short []string
		for _, name := range list {
			short = append(short, wholeTest(name))
		}
		slices.Sort(short)
		return slices.Compact(short)
	}
	// Compare lists tests that are missing in the second run as fixed.
	before, after := testrun.Ending{Report: testlog.Report{Failing: whole(tests)}}, testrun.Ending{Report: testlog.Report{Failing: whole(ran)}}
	return testrun.Compare(before, after, nil).Fixed
}

// wholeTest returns a test's name without the name of a part. A part's name begins at the first
// slash or bracket behind the package.
func wholeTest(name string) string {
	from := strings.LastIndexByte(name, ':') + 1
	if i := strings.IndexAny(name[from:], "/["); i > 0 && from > 0 {
		return name[:from+i]
	}
	return name
}

// sameEnd reports whether two runs of a command that names no test end in the same way: with
// the same exit code, and every line of the first run is in the second.
func sameEnd(with, without testrun.Ending) bool {
	return with.Exit == without.Exit && with.TimedOut == without.TimedOut &&
		len(trial.FailureOf(trial.Result{Output: with.Output}, without.Output)) == 0
}

// lints runs the linter. Its result counts only if the linter accepts the tree without the
// patch.
func (r *run) lints(ctx context.Context) (bool, error) {
	if r.problem.Lint == "" {
		return true, nil
	}
	if err := r.anew(ctx, r.trial.Patch.Files); err != nil {
		return false, err
	}
	res, err := r.command(ctx, r.problem.Lint)
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

// complaint matches a line with a tool's error message.
var complaint = source.Lazy(`(?i)\berror\b|\bfatal\b|undefined|cannot |panic:|^\S+:\d+(:\d+)?: `)

// telling returns the line of the output that best explains a failure: the first complaint, or
// else the last line.
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

// maxReason bounds a quoted line, in bytes.
const maxReason = 300
