package evalcmd

import (
	"context"
	"slices"

	"git-agent/agent/eval"
	szzeval "git-agent/agent/eval/szz"
	"git-agent/agent/szz"
	"git-agent/agent/szz/rank"
	"git-agent/cache"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/szzcmd"
)

type evalSzzCmd struct {
	Repos             string   `placeholder:"<directory>" kind:"path" help:"directory that holds the repositories named by the cases"`
	Algorithm         []string `placeholder:"<names>" help:"algorithms to measure, such as agent,rank,r; each is compared with the first; default: rank, or agent with --engine=agent"`
	Engine            string   `enum:"auto,offline,agent" default:"auto" placeholder:"<name>" help:"which engine to use: offline, agent (a language model), or auto (the default), which follows from the algorithms"`
	Annotations       bool     `negatable:"" help:"let engines see messages that name the culprit; by default, such hints are removed"`
	Ablation          bool     `help:"also measure the agent engine without its tools, its method and its compression"`
	Jobs              int      `placeholder:"<n>" help:"work on <n> cases in parallel; default: the number of processors, or 8 with a model (fewer with --runs)"`
	Index             bool     `help:"build an index of the changed lines of each repository, or bring it up to date, and let the ranking ask it"`
	evalFlags         `embed:""`
	Calibrate         string `placeholder:"<file>" kind:"path" help:"calibrate the model's probabilities on these answers, and write the calibration to <file>"`
	szzcmd.ModelFlags `embed:""`
}

// Run measures the algorithms, or reports an earlier run, or compares two runs.
func (c *evalSzzCmd) Run(ctx context.Context, a *app.App) error {
	if err := c.check(); err != nil {
		return err
	}
	e := evaluation{
		evalFlags: &c.evalFlags, task: szzeval.Task{Fallback: c.Fallback}, repos: c.Repos, jobs: c.Jobs,
		algorithms: c.Algorithm, asksModel: c.asksModel(), isAgent: szzeval.IsAgent, trained: rank.TrainedOn,
		annotations: c.Annotations, index: c.Index,
		foreignLine: szzeval.CheckForeign,
		doubt:       doubt{szzeval.Contradicted, "repositories", "ghost or cross_file"},
		staff: func(ctx context.Context, plan *eval.Plan, traces *cache.Traces) error {
			return c.staff(ctx, a, plan, traces)
		},
		recalled: func(ctx context.Context, journal *eval.RunJournal, res *eval.Results) (eval.Task, *eval.Results, error) {
			return c.recalled(ctx, a, journal, res)
		},
		report: func(task eval.Task, about eval.About, res *eval.Results, whole bool) error {
			return c.reportFit(a, eval.NewReport(task, about, res), res, whole, szzCalibrator, c.Calibrate)
		},
	}
	if e.jobs == 0 && c.asksModel() {
		e.jobs = c.ModelFlags.Jobs()
	}
	return e.run(ctx, a)
}

// check completes the options and returns an error for those that make no sense
// together.
func (c *evalSzzCmd) check() error {
	c.Algorithm = choose(c.Algorithm, szz.Algorithms[0], c.Engine, c.Ablation, szzeval.Arms.Names()[:4], szzeval.IsAgent)
	others, err := c.answerFlags.add(&c.Algorithm, func(name string) bool { return slices.Contains(szz.Algorithms, name) })
	if err != nil {
		return err
	}
	if err := c.checkNames(c.Algorithm, slices.Concat(szz.Algorithms, others), szzeval.Arms); err != nil {
		return err
	}
	if err := c.checkModel("szz", c.Engine, c.Calibrate, c.Calibration, c.asksModel(), c.Used()); err != nil {
		return err
	}
	if err := c.evalFlags.check(c.Repos, c.Jobs); err != nil || c.Compare {
		return err
	}
	return c.ModelFlags.Check()
}

// asksModel reports whether one of the algorithms needs a model.
func (c *evalSzzCmd) asksModel() bool { return slices.ContainsFunc(c.Algorithm, szzeval.IsAgent) }

// recalled returns the task and the results of a stored run. It reads a calibration
// only if the run asked a model, because calibrations are for a model's answers.
func (c *evalSzzCmd) recalled(ctx context.Context, a *app.App, journal *eval.RunJournal, res *eval.Results) (eval.Task, *eval.Results, error) {
	task := szzeval.Task{Fallback: c.Fallback}
	if !slices.ContainsFunc(res.Algorithms, szzeval.IsAgent) {
		return task, res, nil
	}
	var err error
	if task.Calibration, err = szzCalibrator.toApply(ctx, a, c.Calibrate, c.Override); err != nil || task.Calibration == nil {
		return task, res, err
	}
	res, err = eval.Recall(ctx, task, journal)
	return task, res, err
}
