package offline

import (
	"context"
	"slices"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/fix/testcmd"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/fix/testrun/testlog"
	"git-agent/agent/source"
	"git-agent/agent/trial"
)

const (
	// maxOutput bounds the read part of a command's output, in bytes at each end.
	maxOutput = 1 << 20
	// slower bounds the duration of the failing test with a patch, as a multiple of the
	// duration without one. leastLimit is the least limit. Small changes often make a loop
	// endless.
	slower     = 5
	leastLimit = 15 * time.Second
)

// A baseline describes the failing test without a patch.
type baseline struct {
	output  []byte
	lines   trial.Failure // lines of every run
	noise   trial.Failure // lines of only some runs
	failing []string
	passed  []string
	// panicked says that the process ends before its tests do.
	panicked bool
	known    []string      // tests that fail for another reason
	took     time.Duration // duration of a run without a patch
	limit    time.Duration
}

// A quick is a command that runs only the failing tests, and its result without a patch. The
// command is "" if there is none.
type quick struct {
	command string
	baseline
}

const (
	// slowTest is the least duration of the failing command for which a quick one is looked for,
	// and quickShare the most share of this duration that the quick one may take.
	slowTest   = 500 * time.Millisecond
	quickShare = 0.7
	// narrowShare bounds the two runs that look for such a command, as a share of the time left: where
	// a run is long, all tries share few of them, and these two come out of those.
	narrowShare = 8
	// suiteShare bounds a run of the wider tests before the proof, which runs them, too, as a share of the time left.
	suiteShare = 8
)

// narrow looks for a command that runs only the failing tests. The command counts if the same
// tests fail with it, and if it is faster.
func (s *search) narrow(ctx context.Context, w *trial.Workspace) error {
	command, ok := testcmd.Focus(s.in.Problem.Test, s.baseline.failing)
	if !ok || command == s.in.Problem.Test || s.baseline.took < slowTest {
		return nil
	}
	limit := s.narrowLimit(ctx)
	if err := w.Prepare(ctx, s.in.Problem.Tree.Commit, s.in.Problem.Tree.Over); err != nil {
		return err
	}
	q := quick{command: command, baseline: baseline{noise: trial.Failure{}, known: s.in.Problem.Known}}
	for range 2 { // two runs show the varying lines
		res, err := w.Exec(ctx, command, trial.ExecOptions{Timeout: limit, MaxOutput: maxOutput})
		if err != nil {
			return err
		}
		if res.Outcome != trial.Fails || res.TimedOut || res.Took > limit {
			return nil
		}
		if q.add(res.Output, res.Took); !slices.Equal(q.failing, s.baseline.failing) {
			return nil
		}
	}
	s.quick = q
	return nil
}

// narrowLimit bounds each of the two runs that look for a command that runs only the failing tests.
func (s *search) narrowLimit(ctx context.Context) time.Duration {
	limit := time.Duration(quickShare * float64(s.baseline.took))
	if end, bounded := ctx.Deadline(); bounded {
		limit = min(limit, time.Until(end)/narrowShare/2)
	}
	return limit
}

// measure runs the failing test twice without a patch: the first run builds, and the second one
// shows the duration and the varying lines.
func (s *search) measure(ctx context.Context, w *trial.Workspace) (baseline, error) {
	b := baseline{noise: trial.Failure{}, known: s.in.Problem.Known}
	if err := w.Prepare(ctx, s.in.Problem.Tree.Commit, s.in.Problem.Tree.Over); err != nil {
		return b, err
	}
	if s.in.Problem.Build != "" {
		if _, err := w.Exec(ctx, s.in.Problem.Build, trial.ExecOptions{}); err != nil {
			return b, err
		}
	}
	for range 2 {
		res, err := w.Exec(ctx, s.in.Problem.Test, trial.ExecOptions{MaxOutput: maxOutput})
		if err != nil {
			return b, err
		}
		b.add(res.Output, res.Took)
	}
	return b, nil
}

// ranBefore makes a baseline from runs without a patch.
func ranBefore(runs []testrun.Ending, known []string) baseline {
	b := baseline{noise: trial.Failure{}, known: known}
	for _, e := range runs {
		if e.State == fix.Failing {
			b.add(e.Raw, e.Took)
		}
	}
	return b
}

// add adds a failing run. took is the duration of the last run, because the first one may
// include a build.
func (b *baseline) add(output []byte, took time.Duration) {
	lines := trial.FailureOf(trial.Result{Output: output}, nil)
	if b.lines != nil {
		addDifference(b.noise, lines, b.lines)
		addDifference(b.noise, b.lines, lines)
	}
	ran := readTests(output)
	b.output, b.lines, b.failing, b.passed, b.panicked = output, lines, ran.failing, ran.passed, ran.panicked
	b.took, b.limit = took, max(slower*took, leastLimit)
}

// addDifference adds the lines of a that b lacks.
func addDifference(to, a, b trial.Failure) {
	for l := range a {
		if !b[l] {
			to[l] = true
		}
	}
}

// effectOf compares a run of the failing test with the baseline.
func (b *baseline) effectOf(res trial.Result, ran tests) effect {
	switch {
	case res.Outcome == trial.Passes, res.Outcome == trial.Fails && onlyKnown(res.Output, b.known):
		return passing
	case ran.noBuild:
		return unknown
	case res.TimedOut:
		return none // an endless loop says nothing about the bug
	case b.failsMore(ran):
		return fewer
	}
	lines := trial.FailureOf(res, nil)
	other := trial.Failure{}
	addDifference(other, lines, b.lines)
	addDifference(other, b.lines, lines)
	for l := range b.noise {
		delete(other, l)
	}
	if len(other) > 0 {
		return changed
	}
	return none
}

// onlyKnown reports whether a command fails only because of tests that are known to fail for
// another reason. Package validate uses the same rule.
func onlyKnown(output []byte, known []string) bool {
	if len(known) == 0 {
		return false
	}
	r := testlog.Read(output)
	return len(r.Failing) > 0 && !r.Build && !r.Panicked && len(without(r.Failing, known)) == 0
}

// failsMore reports whether some failing tests pass now, while no other test fails and every
// test still runs.
func (b *baseline) failsMore(ran tests) bool {
	return len(ran.failing) < len(b.failing) && len(ran.failing) > 0 && (!ran.panicked || b.panicked) &&
		len(without(ran.failing, b.failing)) == 0 && len(without(b.passed, ran.passed)) == 0
}

// try runs a candidate through the commands. The time of the budget bounds the build and the
// failing test; a candidate that passes them in time is judged to the end.
func (s *search) try(ctx context.Context, w *trial.Workspace, c waiting) (fix.Trial, effect, error) {
	t := fix.Trial{Patch: fix.Patch{Files: c.Files}, Origin: c.Origin, Why: c.Why, Commit: c.Commit, Prior: c.Prior, Votes: 1}
	tree := s.in.Problem.Tree
	s.mu.Lock()
	s.touched = true
	s.mu.Unlock()
	if err := w.Prepare(ctx, tree.Commit, slices.Concat(tree.Over, c.Files)); err != nil {
		return t, unknown, err
	}
	r := &attempt{search: s, w: w, trial: &t, direct: c.direct && s.in.Validate != nil}
	seen, err := r.judge(ctx)
	if err == nil && t.Verdict == fix.Plausible {
		err = r.prove(s.whole)
	}
	return t, seen, err
}

// An attempt is one candidate in a workspace.
type attempt struct {
	*search
	w      *trial.Workspace
	trial  *fix.Trial
	direct bool // the proof runs the wider tests
}

// command runs one command and notes it in the trial.
func (a *attempt) command(ctx context.Context, command string, limit time.Duration) (trial.Result, error) {
	res, err := a.w.Exec(ctx, command, trial.ExecOptions{Timeout: limit, MaxOutput: maxOutput})
	if err == nil {
		a.trial.Checks = append(a.trial.Checks, fix.Check{Command: command, How: res.How})
		a.trial.Seconds += res.Took.Seconds()
	}
	return res, err
}

// judge runs the build, the failing test and the suite until one rejects the patch.
func (a *attempt) judge(ctx context.Context) (effect, error) {
	p := a.in.Problem
	if p.Build != "" {
		res, err := a.command(ctx, p.Build, 0)
		if err != nil || res.Outcome != trial.Passes {
			a.trial.Verdict, a.trial.Reason = fix.NoBuild, complaintIn(res.Output)
			return unknown, err
		}
	}
	if a.quick.command != "" {
		res, err := a.command(ctx, a.quick.command, a.limit(a.quick.limit))
		if err != nil {
			return unknown, err
		}
		ran := readTests(res.Output)
		if seen := a.quick.effectOf(res, ran); seen != passing {
			a.fails(seen, res, ran)
			return seen, nil
		}
	}
	res, err := a.command(ctx, p.Test, a.limit(a.baseline.limit))
	if err != nil {
		return unknown, err
	}
	ran := readTests(res.Output)
	seen := a.baseline.effectOf(res, ran)
	switch {
	case seen == passing && a.runsNoMore(ran):
		a.trial.Verdict, a.trial.Reason = fix.Fails, "the failing test is no longer run"
		return changed, nil
	case seen == passing && a.direct:
		a.trial.Verdict = fix.Plausible
		return passing, nil
	case seen == passing:
		return passing, a.wider(a.whole)
	default:
		a.fails(seen, res, ran)
	}
	return seen, nil
}

// fails sets the verdict of a patch with which the failing test does not pass.
func (a *attempt) fails(seen effect, res trial.Result, ran tests) {
	switch {
	case seen == unknown:
		a.trial.Verdict, a.trial.Reason = fix.NoBuild, complaintIn(res.Output)
	case res.TimedOut:
		a.trial.Verdict = fix.TimesOut
	default:
		a.trial.Verdict, a.trial.Failing = fix.Fails, ran.failing
	}
}

// limit bounds a failing test, within the limit of all commands.
func (a *attempt) limit(most time.Duration) time.Duration {
	if all := a.in.Trial.Timeout; all > 0 {
		return min(most, all)
	}
	return most
}

// runsNoMore reports whether a run of the failing test only passes because named tests are
// missing.
func (a *attempt) runsNoMore(ran tests) bool {
	return len(ran.passed) > 0 && len(without(a.baseline.passed, ran.passed)) > 0
}

// wider runs the suite, and sets the verdict.
func (a *attempt) wider(ctx context.Context) error {
	p := a.in.Problem
	a.trial.Verdict = fix.Plausible
	if p.Suite == "" || p.Suite == p.Test {
		return nil
	}
	limit, skip := a.suiteLimit()
	if skip {
		return nil
	}
	res, err := a.command(ctx, p.Suite, a.limit(limit))
	slow := limit > 0 && res.TimedOut
	a.mu.Lock()
	a.suiteTook, a.suiteSlow = res.Took, a.suiteSlow || slow
	a.mu.Unlock()
	if err != nil || res.Outcome == trial.Passes || slow {
		return err
	}
	known, err := a.wide.get(ctx, a.search)
	if err != nil {
		return err
	}
	ran := readTests(res.Output)
	failing := without(without(ran.failing, known.failing), p.Known)
	if len(failing) > 0 || len(ran.failing) == 0 || ran.panicked && !known.panicked {
		a.trial.Verdict, a.trial.Failing, a.trial.Reason = fix.Regresses, failing, complaintIn(res.Output)
	}
	return nil
}

// suiteLimit bounds a run of the wider tests, 0 is no limit of its own. skip says that they take too much of the time that is left, and that the
// proof, which runs them in any case, is to judge alone.
func (a *attempt) suiteLimit() (limit time.Duration, skip bool) {
	end, bounded := a.whole.Deadline()
	if a.in.Validate == nil || !bounded || a.in.Budget.Proof == 0 {
		return 0, false
	}
	limit = time.Until(end) / suiteShare
	a.mu.Lock()
	defer a.mu.Unlock()
	return limit, a.suiteSlow || a.in.SuiteTook > limit
}

// prove validates a probably plausible patch, and makes its diff.
func (a *attempt) prove(ctx context.Context) error {
	if a.in.Validate == nil {
		var err error
		a.trial.Patch.Diff, err = a.w.Diff(ctx, a.in.Problem.Tree.Commit, a.in.Problem.Tree.Over, a.trial.Patch.Files)
		return err
	}
	a.forward(agent.Progress{Text: "proving a patch, which " + a.trial.Origin}) // it may take longer than the search
	proof, err := a.in.Validate(ctx, a.trial.Patch)
	if err != nil {
		if len(proof.Checks) > 0 {
			a.trial.Checks = proof.Checks // what the proof ran before it was cut off
		}
		return err
	}
	t := a.trial
	t.Patch, t.Verdict, t.Failing, t.Reason = proof.Patch, proof.Verdict, proof.Failing, proof.Reason
	t.Cautions, t.Checks, t.Seconds = proof.Cautions, proof.Checks, t.Seconds+proof.Seconds
	return nil
}

// complaintPattern matches a line with a tool's error message.
var complaintPattern = source.Lazy(`(?i)\berror\b|undefined|cannot |panic:|^\S+:\d+(:\d+)?: |--- FAIL`)

// complaintIn returns the line of an output that best explains a failure.
func complaintIn(output []byte) string {
	for line := range strings.Lines(string(output)) {
		if line = strings.TrimSpace(line); complaintPattern().MatchString(line) {
			return source.FirstBytes(strings.ToValidUTF8(line, "\uFFFD"), 300)
		}
	}
	return ""
}

// without returns the names that are not in other.
func without(names, other []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(other, n) })
}
