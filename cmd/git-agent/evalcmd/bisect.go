package evalcmd

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"git-agent/agent/eval"
	bisecteval "git-agent/agent/eval/bisect"
	"git-agent/cache"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/verbs"
)

type evalBisectCmd struct {
	Repos              string   `placeholder:"<directory>" kind:"path" help:"directory that holds the repositories named by the cases"`
	Algorithm          []string `placeholder:"<names>" help:"algorithms to measure: bayes, uniform, nogood and git; each is compared with the first; default: bayes,git"`
	Simulate           bool     `help:"run the command only at the bad commit; elsewhere it fails where the known culprit is in the history"`
	Flaky              float64  `placeholder:"<rate>" help:"with --simulate, make outcomes wrong at <rate>, from 0 to 1: in one half of the cases failures, in the other one passes"`
	Jobs               int      `placeholder:"<n>" help:"work on <n> cases in parallel; default: half the number of processors"`
	evalFlags          `embed:""`
	verbs.CommandFlags `embed:""`
}

// Run measures the algorithms, or reports an earlier run, or compares two runs.
func (c *evalBisectCmd) Run(ctx context.Context, a *app.App) error {
	if err := c.check(); err != nil {
		return err
	}
	e := evaluation{
		evalFlags: &c.evalFlags, task: bisecteval.Task{}, repos: c.Repos, jobs: c.Jobs, algorithms: c.Algorithm,
		only: bisecteval.Regression, onlyName: "regressions",
		isAgent:     func(string) bool { return false },
		doubt:       doubt{count: func(*eval.Results) int { return 0 }},
		foreignLine: bisecteval.CheckForeign,
		staff: func(ctx context.Context, plan *eval.Plan, _ *cache.Traces) error {
			return c.staff(ctx, a, plan)
		},
		report: func(task eval.Task, about eval.About, res *eval.Results, _ bool) error {
			return c.show(a, eval.NewReport(task, about, res))
		},
	}
	if e.jobs == 0 {
		e.jobs = max(1, runtime.GOMAXPROCS(0)/2) // commands may use several processors, and their times count
	}
	return e.run(ctx, a)
}

// check completes the options and returns an error for those that make no sense together.
func (c *evalBisectCmd) check() error {
	if len(c.Algorithm) == 0 {
		c.Algorithm = []string{bisecteval.Bayes, bisecteval.Git}
	}
	own := func(name string) bool { return slices.Contains(bisecteval.Algorithms, name) }
	others, err := c.answerFlags.add(&c.Algorithm, own)
	if err != nil {
		return err
	}
	for _, name := range slices.Concat(c.Algorithm, c.Reuse) {
		if !own(name) && !slices.Contains(others, name) {
			return app.Usagef("unknown algorithm %q; there are %s", name, strings.Join(bisecteval.Algorithms, ", "))
		}
	}
	slices.Sort(c.Reuse)
	switch {
	case c.Flaky < 0 || c.Flaky >= 1:
		return app.Usagef("--flaky takes a rate from 0 to 1, such as 0.1")
	case c.Flaky > 0 && !c.Simulate:
		return app.Usagef("--flaky makes simulated outcomes wrong; add --simulate")
	}
	if err := c.evalFlags.check(c.Repos, c.Jobs); err != nil || c.Compare {
		return err
	}
	return c.CommandFlags.Check()
}

// staff adds the searches to a plan.
func (c *evalBisectCmd) staff(ctx context.Context, a *app.App, plan *eval.Plan) error {
	how, err := c.Confined(ctx, a)
	if err != nil {
		return err
	}
	if c.Simulate {
		plan.Setting = "simulate"
	}
	if c.Flaky > 0 {
		plan.Setting += fmt.Sprintf(" flaky=%g", c.Flaky)
	}
	plan.Open = bisecteval.Open(bisecteval.Options{
		Locate: a.Data.Locate(ctx), Trial: how, Simulate: c.Simulate, Flaky: c.Flaky, Foreign: plan.Foreign,
	})
	return nil
}
