package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"git-agent/agent/eval"
	szzeval "git-agent/agent/eval/szz"
	"git-agent/agent/szz"
	"git-agent/agent/szz/rank"
	"git-agent/cache"
	"git-agent/cmd/git-agent/layout"
)

// evalCmd is `git agent eval`: it measures how good the answers are.
type evalCmd struct {
	Szz evalSzzCmd `cmd:"" help:"measure szz on fixes whose bug-introducing commits are known"`
}

type evalSzzCmd struct {
	Repos       string        `placeholder:"<directory>" kind:"path" help:"directory that holds the repositories named by the cases"`
	Algorithm   []string      `placeholder:"<names>" help:"algorithms to measure, such as agent,rank,r; each is compared with the first; default: rank, or agent with --engine=agent"`
	Engine      string        `enum:"auto,offline,agent" default:"auto" placeholder:"<name>" help:"which engine to use: offline, agent (a language model), or auto (the default), which follows from the algorithms"`
	Annotations bool          `negatable:"" help:"let engines see messages that name the culprit; by default, such hints are removed"`
	Ablation    bool          `help:"also measure the agent engine without its tools, its method and its compression"`
	Jobs        int           `placeholder:"<n>" help:"work on <n> cases in parallel; default: the number of processors, or 8 with a model (fewer with --runs)"`
	Limit       int           `placeholder:"<n>" help:"evaluate only a fixed sample of <n> cases"`
	Timeout     time.Duration `placeholder:"<duration>" help:"give up on a prediction after <duration>, such as 90s"`
	RunName     string        `name:"run" placeholder:"<name>" help:"store predictions under <name>, or report those stored there; default: a run of this build"`
	Reuse       []string      `placeholder:"<names>" help:"reuse the predictions of other builds for these algorithms"`
	Compare     bool          `help:"compare two runs, each given as <run> or <run>:<algorithm>"`
	JSON        bool          `name:"json" help:"print the report as one JSON object"`
	HTML        string        `name:"html" placeholder:"<file>" kind:"path" help:"also write the report to <file> as an HTML page with plots"`
	Rows        string        `placeholder:"<file>" kind:"path" help:"also write each prediction and its score to <file>, as one JSON object per line"`
	Calibrate   string        `placeholder:"<file>" kind:"path" help:"calibrate the model's probabilities on these answers, and write the calibration to <file>"`
	modelFlags  `embed:""`
	Cases       []string `arg:"" optional:"" name:"file" help:"a file of cases, one JSON object on each line"`
}

// Run measures the algorithms, or reports an earlier run, or compares two runs.
func (c *evalSzzCmd) Run(ctx context.Context, a *app) (err error) {
	if err := c.check(); err != nil {
		return err
	}
	traces, err := a.openOwnTraces(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, traces.Close()) }()
	switch {
	case c.Compare:
		return c.compare(ctx, a, traces)
	case len(c.Cases) == 0:
		return c.recall(ctx, a, traces)
	}
	return c.measure(ctx, a, traces)
}

// check completes the options and returns an error for those that make no sense
// together.
func (c *evalSzzCmd) check() error {
	c.choose()
	known := slices.Concat(szz.Algorithms, szzeval.AgentAlgorithms)
	for _, name := range slices.Concat(c.Algorithm, c.Reuse) {
		if !slices.Contains(known, name) {
			return usagef("unknown algorithm %q; there are %s", name, strings.Join(known, ", "))
		}
	}
	slices.Sort(c.Reuse)
	switch {
	case c.asksModel() && c.Engine == "offline":
		return usagef("--engine=offline asks no model, but the algorithm agent needs one")
	case c.Calibrate != "" && (c.Calibration != "" || c.Compare):
		return usagef("--calibrate goes with neither --calibration nor --compare")
	case c.Calibrate != "" && len(c.Cases) > 0 && !c.asksModel():
		return usagef("no algorithm asks a model, and --calibrate is for a model's probabilities; add --engine=agent")
	case len(c.Cases) > 0 && !c.asksModel() && c.modelFlags.used():
		return usagef("no algorithm asks a model, but there are options for one; add --engine=agent")
	case c.Compare && len(c.Cases) != 2:
		return usagef("--compare takes two runs, not %d", len(c.Cases))
	case c.Compare:
		return nil
	case len(c.Cases) == 0 && c.RunName == "":
		return usagef("no file of cases, and no --run to report")
	case len(c.Cases) > 0 && c.Repos == "":
		return usagef("--repos=<directory> is missing: where are the repositories?")
	case c.Jobs < 0 || c.Limit < 0 || c.Timeout < 0:
		return usagef("--jobs, --limit and --timeout take no negative numbers")
	}
	return c.modelFlags.check()
}

// choose completes the list of algorithms.
func (c *evalSzzCmd) choose() {
	if len(c.Algorithm) == 0 {
		c.Algorithm = []string{szz.Algorithms[0]}
		if c.Engine == "agent" || c.Ablation {
			c.Algorithm = []string{szzeval.AgentAlgorithms[0]}
		}
	}
	if c.Engine == "agent" && !c.asksModel() {
		c.Algorithm = append([]string{szzeval.AgentAlgorithms[0]}, c.Algorithm...)
	}
	if !c.Ablation {
		return
	}
	for _, name := range szzeval.AgentAlgorithms[:4] {
		if !slices.Contains(c.Algorithm, name) {
			c.Algorithm = append(c.Algorithm, name)
		}
	}
}

// asksModel reports whether one of the algorithms needs a model.
func (c *evalSzzCmd) asksModel() bool { return slices.ContainsFunc(c.Algorithm, szzeval.IsAgent) }

// measure makes the predictions that are not stored yet, and reports all of them.
func (c *evalSzzCmd) measure(ctx context.Context, a *app, traces *cache.Traces) error {
	cases, files, err := eval.ReadCaseFiles(ctx, szzeval.Task{}, c.Cases)
	if err != nil {
		return err
	}
	if err := c.warnTrained(a, cases); err != nil {
		return err
	}
	if info, err := os.Stat(c.Repos); err != nil || !info.IsDir() {
		return fmt.Errorf("%q is no folder of repositories", c.Repos)
	}
	plan, err := c.plan(a, eval.Sample(cases, c.Limit))
	if err != nil {
		return err
	}
	if err := c.staff(ctx, a, &plan, traces); err != nil {
		return err
	}
	name := c.RunName
	if name == "" {
		name = "szz-" + plan.Version
	}
	journal, err := eval.OpenJournal(ctx, plan.Task, traces, name)
	if err != nil {
		return err
	}
	plan.Journal = journal
	meter := a.newProgress("measuring")
	plan.OnProgress = func(p eval.Progress) { meter.update(p.Done, p.Total, evalStatus(p)) }
	res, runErr := eval.Run(ctx, plan)
	meter.end()
	err = journal.Finish(ctx, runErr)
	var stop *eval.StopError
	if res == nil || runErr != nil && ctx.Err() == nil && !errors.As(runErr, &stop) {
		return errors.Join(runErr, err)
	}
	if err := c.writeRows(ctx, journal, res); err != nil {
		return err
	}
	about := eval.About{Run: name, Version: plan.Version, Annotations: c.Annotations, Files: files}
	if len(res.Cases) < len(cases) {
		about.SampledFrom = len(cases)
	}
	if err := errors.Join(err, c.report(a, plan.Task, about, res, runErr == nil)); err != nil {
		return err
	}
	if runErr != nil {
		fmt.Fprintf(a.stderr, "stopped: %d of %d cases are not done; what is done is kept\n", res.Unfinished, len(res.Cases))
		return withHint(runErr, "continue with the same command:\n%s", layout.ShellJoin(append([]string{"git", "agent"}, a.args...)))
	}
	return nil
}

// warnTrained warns if rank is to be measured on repositories that it was trained
// on.
func (c *evalSzzCmd) warnTrained(a *app, cases []eval.Case) error {
	if !slices.Contains(c.Algorithm, "rank") {
		return nil
	}
	trained, err := rank.TrainedOn()
	if err != nil {
		return err
	}
	n := 0
	for _, k := range cases {
		if trained[k.Head().Repo] > 0 {
			n++
		}
	}
	if n > 0 {
		fmt.Fprintf(a.stderr, "warning: rank was trained on the repositories of %d of the %d cases; its figures for them may flatter\n", n, len(cases))
	}
	return nil
}

func (c *evalSzzCmd) plan(a *app, cases []eval.Case) (eval.Plan, error) {
	version, err := engineVersion()
	if err != nil {
		return eval.Plan{}, err
	}
	jobs := c.Jobs
	switch {
	case jobs == 0 && c.asksModel():
		jobs = c.modelFlags.jobs()
	case jobs == 0:
		jobs = runtime.NumCPU()
	}
	p := eval.Plan{
		Task: szzeval.Task{}, Cases: cases, Algorithms: c.Algorithm, Version: version, Reuse: c.Reuse,
		Repos: eval.Finder{Dir: c.Repos}, Jobs: jobs, Timeout: c.Timeout, Now: a.now,
	}
	if c.Annotations {
		p.Setting = "annotations"
	}
	return p, nil
}

// recall reports a stored run and makes no predictions. It reads a calibration
// only if the run asked a model, because calibrations are for a model's answers.
func (c *evalSzzCmd) recall(ctx context.Context, a *app, traces *cache.Traces) error {
	journal, res, err := recallRun(ctx, traces, c.RunName)
	if err != nil {
		return err
	}
	var task szzeval.Task
	if slices.ContainsFunc(res.Algorithms, szzeval.IsAgent) {
		if task.Calibration, err = c.calibration(ctx, a); err != nil {
			return err
		}
	}
	if task.Calibration != nil {
		if res, err = eval.Recall(ctx, task, journal); err != nil {
			return err
		}
	}
	if err := c.writeRows(ctx, journal, res); err != nil {
		return err
	}
	return c.report(a, task, eval.About{Run: c.RunName, Annotations: c.Annotations}, res, true)
}

// recallRun reads the predictions of a stored run, without a calibration.
func recallRun(ctx context.Context, traces *cache.Traces, name string) (*eval.RunJournal, *eval.Results, error) {
	journal, err := eval.FindJournal(ctx, szzeval.Task{}, traces, name)
	if err != nil {
		return nil, nil, err
	}
	res, err := eval.Recall(ctx, szzeval.Task{}, journal)
	return journal, res, err
}

func (c *evalSzzCmd) compare(ctx context.Context, a *app, traces *cache.Traces) error {
	var sides [2]eval.Contender
	for i, name := range c.Cases {
		sides[i] = eval.ParseContender(name)
		_, res, err := recallRun(ctx, traces, sides[i].Name) // probabilities are not compared
		if err != nil {
			return err
		}
		sides[i].Results = res
	}
	list, err := eval.CompareRuns(szzeval.Task{}, sides[0], sides[1])
	if err != nil {
		return err
	}
	return c.show(a, eval.NewComparison(szzeval.Task{}, list))
}
