package main

import (
	"context"

	"git-agent/agent/crash/rank"
	"git-agent/agent/eval"
	crasheval "git-agent/agent/eval/crash"
	"git-agent/cache"
)

type evalCrashCmd struct {
	Repos     string   `placeholder:"<directory>" kind:"path" help:"directory that holds the repositories named by the cases"`
	Algorithm []string `placeholder:"<names>" help:"algorithms to measure, such as rank,baseline1; each is compared with the first; default: rank"`
	Core      bool     `help:"report only the core cases: neither leaks nor reports that hold no more than the names of three functions"`
	Suspects  bool     `negatable:"" default:"true" help:"also ask for suspect commits, and measure them on cases that name those that introduced the crash (the default)"`
	Jobs      int      `placeholder:"<n>" help:"work on <n> cases in parallel; default: the number of processors"`
	evalFlags `embed:""`
}

// Run measures the algorithms, or reports an earlier run, or compares two runs.
func (c *evalCrashCmd) Run(ctx context.Context, a *app) error {
	if err := c.check(); err != nil {
		return err
	}
	e := evaluation{
		evalFlags: &c.evalFlags, task: crasheval.Task{}, repos: c.Repos, jobs: c.Jobs, algorithms: c.Algorithm,
		trained: func() (map[string]int, error) { return rank.TrainedOn(), nil },
		staff: func(ctx context.Context, plan *eval.Plan, _ *cache.Traces) error {
			c.staff(ctx, a, plan)
			return nil
		},
		report: func(task eval.Task, about eval.About, res *eval.Results, _ bool) error {
			return c.show(a, eval.NewReport(task, about, res))
		},
	}
	if c.Core {
		e.only, e.onlyName = crasheval.Core, "core cases"
	}
	return e.run(ctx, a)
}

// check completes the options and returns an error for those that make no sense
// together.
func (c *evalCrashCmd) check() error {
	var known []string
	for _, name := range rank.Algorithms {
		known = append(known, string(name))
	}
	if len(c.Algorithm) == 0 {
		c.Algorithm = known[:1]
	}
	if err := c.checkNames(c.Algorithm, known); err != nil {
		return err
	}
	return c.evalFlags.check(c.Repos, c.Jobs)
}

// staff adds the engine to a plan.
func (c *evalCrashCmd) staff(ctx context.Context, a *app, plan *eval.Plan) {
	opt := crasheval.Options{Locate: a.data.Locate(ctx)}
	if c.Suspects {
		opt.Suspects = crasheval.MostSuspects
	} else {
		plan.Setting = "no-suspects"
	}
	plan.Open = crasheval.Open(opt)
}
