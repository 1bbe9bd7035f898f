package testrun

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"git-agent/agent/fix"
	"git-agent/agent/trial"
)

// Options bound a reproduction.
type Options struct {
	Runs    int           // most runs; 0 means 3
	Timeout time.Duration // time limit of one run; 0 means the workspace's limit
	Budget  time.Duration // time for all runs: no run begins that would probably end later; 0 means one minute
}

const (
	defaultRuns   = 3
	defaultBudget = time.Minute
	keptOutput    = 64 << 10 // bytes at each end of Reproduction.Output
)

// Reproduce runs the test command of a problem at the problem's tree, after its build command,
// and repeats it to tell flaky tests from failing ones. Before each run, tracked files are
// restored to the tree's content; files of a build are kept.
//
// In the result, Failing has the tests that fail in each run, or if there are none, those that
// fail in any. Opened comes from the first run. Output comes from the first failing run, or
// else from the first run. Reproduce returns an error if ctx ends, the tree cannot be checked
// out, or the workspace fails.
func Reproduce(ctx context.Context, w *trial.Workspace, p fix.Problem, opt Options) (fix.Reproduction, error) {
	rep, _, err := Runs(ctx, w, p, opt)
	return rep, err
}

// Runs works like Reproduce, and also returns the single runs.
func Runs(ctx context.Context, w *trial.Workspace, p fix.Problem, opt Options) (fix.Reproduction, []Ending, error) {
	var runs []Ending
	var opened map[string]bool
	start := time.Now()
	for {
		if err := w.Prepare(ctx, p.Tree.Commit, p.Tree.Over); err != nil {
			return fix.Reproduction{}, nil, err
		}
		stop, err := watched(ctx, w, p, len(runs) == 0)
		if err != nil {
			return fix.Reproduction{}, nil, err
		}
		c := Commands{Build: p.Build, Test: p.Test, Timeout: opt.Timeout}
		if len(runs) > 0 {
			c.Set = Uncached(p.Test)
		}
		e, err := Run(ctx, w, c)
		if err != nil {
			stop()
			return fix.Reproduction{}, nil, err
		}
		if names, complete := stop(); complete {
			opened = names
		}
		runs = append(runs, e)
		if e.State == fix.Broken || !opt.again(len(runs), time.Since(start)) {
			out := Summarize(p.Test, runs)
			out.Opened = opened
			return out, runs, nil
		}
	}
}

// watched begins to collect the files that the first run opens.
func watched(ctx context.Context, w *trial.Workspace, p fix.Problem, first bool) (stop func() (map[string]bool, bool), err error) {
	if !first {
		return func() (map[string]bool, bool) { return nil, false }, nil
	}
	files, err := w.Paths(ctx, p.Tree.Commit, p.Tree.Over)
	if err != nil && ctx.Err() == nil {
		err = nil // a damaged tree: the existing files are watched
	}
	return w.WatchOpened(files), err
}

// again reports whether there is time for another run. The first run may include a build, so
// the estimate for the second is half of its time.
func (opt Options) again(runs int, spent time.Duration) bool {
	next := spent + spent/time.Duration(max(runs, 2))
	return runs < cmp.Or(opt.Runs, defaultRuns) && next <= cmp.Or(opt.Budget, defaultBudget)
}

// Uncached returns the environment variables that make go test repeat tests with cached
// results; nil for other commands.
func Uncached(command string) []string {
	if !strings.Contains(command, "go test") || strings.Contains(command, "-count") {
		return nil
	}
	return []string{strings.TrimSuffix("GOFLAGS="+os.Getenv("GOFLAGS"), " ") + " -count=1"}
}

// Summarize makes one Reproduction from several runs.
func Summarize(command string, runs []Ending) fix.Reproduction {
	shown, failed := runs[0], 0
	for _, e := range slices.Backward(runs) {
		if e.State != fix.Passing {
			shown = e
		}
		if e.State == fix.Failing {
			failed++
		}
	}
	out := fix.Reproduction{
		Command: command, State: shown.State, How: shown.How, Runs: len(runs), Took: runs[len(runs)-1].Took, First: runs[0].Took,
		Output: withoutMiddle(shown.Output), TimedOut: shown.TimedOut, Full: shown.Full,
	}
	if lacks, line := shown.Report.Lack(); shown.State == fix.Broken || shown.State == fix.Failing && lacks == fix.LackCoverage {
		out.Lacks, out.Lacking = lacks, line
		if errs := shown.Report.BuildErrors; len(errs) > 0 && out.Lacks == "" {
			out.Unbuilt = errs[0].File
		}
	}
	always, sometimes := failures(runs)
	out.Failing = always
	switch {
	case failed > 0 && failed < len(runs):
		out.State, out.Failing = fix.Flaky, slices.Concat(always, sometimes)
		out.How = fmt.Sprintf("fails in %d of %d runs", failed, len(runs))
	case len(always) == 0:
		out.Failing = sometimes
	case len(sometimes) > 0:
		out.How += fmt.Sprintf(", and in some runs %s fails too", sometimes[0])
	}
	out.InSetUp = len(out.Failing) > 0 &&
		!slices.ContainsFunc(out.Failing, func(name string) bool { return !slices.Contains(shown.Report.SetUp, name) })
	return out
}

// failures returns the names of the tests that fail in every failing run, and of those that
// fail only in some.
func failures(runs []Ending) (always, sometimes []string) {
	times, failed := map[string]int{}, 0
	var order []string
	for _, e := range runs {
		if e.State == fix.Failing {
			failed++
		}
		for _, name := range e.Report.Failing {
			if times[name]++; times[name] == 1 {
				order = append(order, name)
			}
		}
	}
	for _, name := range order {
		if times[name] == failed {
			always = append(always, name)
		} else {
			sometimes = append(sometimes, name)
		}
	}
	return always, sometimes
}

// withoutMiddle keeps at most keptOutput bytes at each end of an output.
func withoutMiddle(output []byte) []byte {
	lost := len(output) - 2*keptOutput
	if lost <= 0 {
		return output
	}
	out := slices.Clone(output[:keptOutput])
	out = fmt.Appendf(out, "\n[%d bytes left out]\n", lost)
	return append(out, output[len(output)-keptOutput:]...)
}
