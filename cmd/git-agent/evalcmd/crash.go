package evalcmd

import (
	"context"
	"slices"

	"git-agent/agent/crash"
	"git-agent/agent/crash/engine"
	"git-agent/agent/crash/rank"
	"git-agent/agent/eval"
	crasheval "git-agent/agent/eval/crash"
	"git-agent/agent/symbol"
	"git-agent/cache"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/verbs"
)

type evalCrashCmd struct {
	Repos                 string   `placeholder:"<directory>" kind:"path" help:"directory that holds the repositories named by the cases"`
	Algorithm             []string `placeholder:"<names>" help:"algorithms to measure, such as agent,rank,baseline1; each is compared with the first; default: rank, or agent with --engine=agent"`
	Engine                string   `enum:"auto,offline,agent" default:"auto" placeholder:"<name>" help:"which engine to use: offline, agent (a language model), or auto (the default), which follows from the algorithms"`
	Core                  bool     `help:"report only the core cases: neither leaks nor reports that hold no more than the names of three functions"`
	Suspects              bool     `negatable:"" default:"true" help:"also ask for suspect commits, and measure them on cases whose crash-introducing commits are known (the default)"`
	Ablation              bool     `help:"also measure the agent engine without its tools, without each part of its first message, and without the parts that papers leave out"`
	Jobs                  int      `placeholder:"<n>" help:"work on <n> cases in parallel; default: the number of processors, or 8 with a model (fewer with --runs)"`
	Index                 bool     `help:"build an index of the changed lines of each repository in the background, and bring it up to date"`
	evalFlags             `embed:""`
	Calibrate             string `placeholder:"<file>" kind:"path" help:"calibrate the model's probabilities on these answers, and write the calibration to <file>"`
	verbs.CrashModelFlags `embed:""`
}

// Run measures the algorithms, or reports an earlier run, or compares two runs.
func (c *evalCrashCmd) Run(ctx context.Context, a *app.App) error {
	if err := c.check(); err != nil {
		return err
	}
	e := evaluation{
		evalFlags: &c.evalFlags, task: crasheval.Task{Fallback: c.Fallback}, repos: c.Repos, jobs: c.Jobs,
		algorithms: c.Algorithm, asksModel: c.asksModel(), isAgent: crasheval.IsAgent,
		trained:     func() (map[string]int, error) { return rank.TrainedOn(), nil },
		doubt:       doubt{func(res *eval.Results) int { return crasheval.Contradicted(res.Cases) }, "reports", "signal or null_dereference"},
		foreignLine: crasheval.CheckForeign,
		staff: func(ctx context.Context, plan *eval.Plan, traces *cache.Traces) error {
			return c.staff(ctx, a, plan, traces)
		},
		recalled: func(ctx context.Context, journal *eval.RunJournal, res *eval.Results) (eval.Task, *eval.Results, error) {
			return c.recalled(ctx, a, journal, res)
		},
		report: func(task eval.Task, about eval.About, res *eval.Results, whole bool) error {
			return c.reportFit(a, eval.NewReport(task, about, res), res, whole, crashCalibrator, c.Calibrate)
		},
	}
	if c.Core {
		e.only, e.onlyName = crasheval.Core, "core cases"
	}
	if e.jobs == 0 && c.asksModel() {
		e.jobs = max(1, app.ModelJobs/c.RunCount())
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
	c.Algorithm = choose(c.Algorithm, known[0], c.Engine, c.Ablation, crasheval.Ablation, crasheval.IsAgent)
	others, err := c.answerFlags.add(&c.Algorithm, func(name string) bool { return slices.Contains(known, name) })
	if err != nil {
		return err
	}
	if err := c.checkNames(c.Algorithm, slices.Concat(known, others), crasheval.Arms); err != nil {
		return err
	}
	if err := c.checkModel("crash", c.Engine, c.Calibrate, c.Calibration, c.asksModel(), c.Used()); err != nil {
		return err
	}
	if err := c.evalFlags.check(c.Repos, c.Jobs); err != nil || c.Compare {
		return err
	}
	return c.CrashModelFlags.Check()
}

// asksModel reports whether one of the algorithms needs a model.
func (c *evalCrashCmd) asksModel() bool { return slices.ContainsFunc(c.Algorithm, crasheval.IsAgent) }

// recalled returns the task and the results of a stored run. It reads a calibration only if
// the run asked a model.
func (c *evalCrashCmd) recalled(ctx context.Context, a *app.App, journal *eval.RunJournal, res *eval.Results) (eval.Task, *eval.Results, error) {
	task := crasheval.Task{Fallback: c.Fallback}
	if !slices.ContainsFunc(res.Algorithms, crasheval.IsAgent) {
		return task, res, nil
	}
	var err error
	if task.Calibration, err = crashCalibrator.toApply(ctx, a, c.Calibrate, c.Override); err != nil || task.Calibration == nil {
		return task, res, err
	}
	again, err := eval.Recall(ctx, task, journal)
	if err == nil && c.Core {
		again = again.Only(crasheval.Core)
	}
	return task, again, err
}

// staff adds the engines to a plan.
func (c *evalCrashCmd) staff(ctx context.Context, a *app.App, plan *eval.Plan, traces *cache.Traces) error {
	opt := crasheval.Options{Opening: openingOf(ctx, a, c.Index), Cache: a.Data.OpenCache, Foreign: plan.Foreign}
	if c.Suspects {
		opt.Suspects = crasheval.MostSuspects
	} else {
		plan.Setting = "no-suspects"
	}
	if !c.asksModel() {
		plan.Open = crasheval.Open(opt)
		return nil
	}
	settings, err := a.ModelSettings(ctx)
	if err != nil {
		return err
	}
	c.Override(&settings)
	task := crasheval.Task{Fallback: c.Fallback}
	if task.Calibration, err = crashCalibrator.toApply(ctx, a, c.Calibrate, c.Override); err != nil {
		return err
	}
	plan.Task = task // raw answers are stored, and calibrated for scoring
	opened, err := openEvalModel(ctx, a, settings, traces)
	if err != nil {
		return err
	}
	agent, err := engine.NewAgent(opened, c.RunCount())
	if err != nil {
		return err
	}
	confinement, err := a.SandboxSettings(ctx, "")
	if err != nil {
		return err
	}
	agent.Definitions = symbol.Options{Sandbox: confinement.Level, Readable: confinement.Readable}
	plan.Settings = map[string]string{}
	for _, name := range c.Algorithm {
		if crasheval.IsAgent(name) {
			plan.Settings[name] = agent.Setting(c.Switches().And(crasheval.SwitchesOf(name)))
		}
	}
	opt.Ask = c.answerCase(agent)
	plan.Open = crasheval.Open(opt)
	return nil
}

// answerCase returns a function that lets the model investigate one case.
func (c *evalCrashCmd) answerCase(agent *engine.Agent) crasheval.Investigator {
	var server eval.Server
	return func(ctx context.Context, in crasheval.Inquiry) (*crash.Answer, []string, error) {
		in.Question.Switches = in.Question.Switches.And(c.Switches())
		found, err := agent.Investigate(ctx, engine.Inquiry{
			Repo: in.Repo, Question: in.Question, Offline: in.Offline, Memory: in.Memory, OnEvent: in.OnEvent,
			Of: caseOf(in.Case.Repo, in.Case.ID, in.Algorithm),
		})
		if err != nil {
			return nil, nil, server.Refused(err)
		}
		return judgeInvestigation(ctx, &server, agent.Session, found, found.Answer.Unanswered())
	}
}
