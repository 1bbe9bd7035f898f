package evalcmd

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"git-agent/agent/eval"
	fixeval "git-agent/agent/eval/fix"
	"git-agent/agent/fix"
	"git-agent/agent/fix/engine"
	"git-agent/agent/trace"
	"git-agent/cache"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/verbs"
)

type evalFixCmd struct {
	Repos         string   `placeholder:"<directory>" kind:"path" help:"directory that holds the repositories named by the cases"`
	Algorithm     []string `placeholder:"<names>" help:"algorithms to measure, such as agent,offline,locate; each is compared with the first; with -given at the end, an engine is told the lines to repair; default: offline, or agent with --engine=agent"`
	Report        bool     `help:"tell the engines what a user says about the bug, and the report of a crash"`
	HideTests     bool     `help:"show the engines what a user says about the bug, and neither the tests of the fix nor the command that fails; the tests judge all the same"`
	Patches       int      `default:"1" placeholder:"<n>" help:"let the offline engine look for <n> plausible patches; default: 1"`
	Ablation      bool     `help:"also measure the agent engine without history, and with each kind of it"`
	Jobs          int      `placeholder:"<n>" help:"work on <n> cases in parallel; default: half the number of processors"`
	evalFlags     `embed:""`
	verbs.FixWork `embed:""`
}

// Run measures the algorithms, or reports an earlier run, or compares two runs.
func (c *evalFixCmd) Run(ctx context.Context, a *app.App) error {
	if err := c.check(); err != nil {
		return err
	}
	e := evaluation{
		evalFlags: &c.evalFlags, task: c.task(c.measured()), repos: c.Repos, jobs: c.Jobs, algorithms: c.Algorithm,
		asksModel: c.asksModel(), isAgent: fixeval.IsAgent,
		staff: func(ctx context.Context, plan *eval.Plan, traces *cache.Traces) error {
			return c.staff(ctx, a, plan, traces)
		},
		recalled:    c.recalled,
		foreignLine: fixeval.CheckForeign,
		doubt:       doubt{fixeval.Contradicted, "repositories", "category or blameable"},
		report: func(task eval.Task, about eval.About, res *eval.Results, _ bool) error {
			return c.show(a, eval.NewReport(task, about, res))
		},
	}
	if e.jobs == 0 {
		e.jobs = max(1, runtime.GOMAXPROCS(0)/2) // each case runs several commands at once
	}
	return e.run(ctx, a)
}

// measured returns the algorithms of a report.
func (c *evalFixCmd) measured() []string {
	if !c.Compare {
		return c.Algorithm
	}
	var names []string
	for _, side := range c.Cases {
		names = append(names, eval.ParseContender(side).Algorithm)
	}
	return names
}

// task returns the task of measuring these algorithms.
func (c *evalFixCmd) task(algorithms []string) fixeval.Task {
	task := fixeval.TaskFor(algorithms)
	task.Fallback = c.Fallback
	return task
}

// recalled returns the task and the results of a stored run.
func (c *evalFixCmd) recalled(ctx context.Context, journal *eval.RunJournal, res *eval.Results) (eval.Task, *eval.Results, error) {
	task := c.task(res.Algorithms)
	if !task.Localization {
		return task, res, nil
	}
	res, err := eval.Recall(ctx, task, journal)
	return task, res, err
}

// check completes the options and returns an error for those that make no sense
// together.
func (c *evalFixCmd) check() error {
	c.choose()
	others, err := c.answerFlags.add(&c.Algorithm, func(name string) bool {
		_, err := fixeval.ParseAlgorithm(name)
		return err == nil
	})
	if err != nil {
		return err
	}
	for _, name := range slices.Concat(c.Algorithm, c.Reuse) {
		if _, n := eval.RepetitionOf(name); n > 1 {
			return app.Usagef("%s is a repetition; ask for it with --repeat=%d", name, n)
		}
		if _, err := fixeval.ParseAlgorithm(name); err != nil && !slices.Contains(others, name) {
			return app.Usagef("%v", err)
		}
	}
	slices.Sort(c.Reuse)
	switch {
	case c.asksModel() && c.Engine == "offline":
		return app.Usagef("--engine=offline asks no model, but the algorithm agent needs one")
	case len(c.Cases) > 0 && !c.asksModel() && c.Used():
		return app.Usagef("no algorithm asks a model, but there are options for one; add --engine=agent")
	case c.HideTests && slices.ContainsFunc(c.Algorithm, needsCommand):
		return app.Usagef(
			"--hide-tests leaves no command that fails, and the offline engine cannot repair without one; choose algorithms with a model, locate or developers",
		)
	case c.Patches < 1:
		return app.Usagef("--patches takes a number from 1")
	}
	if err := c.evalFlags.check(c.Repos, c.Jobs); err != nil || c.Compare {
		return err
	}
	return c.FixWork.Check()
}

// needsCommand reports whether an algorithm needs a failing command.
func needsCommand(name string) bool {
	a, err := fixeval.ParseAlgorithm(name)
	return err == nil && (a.Engine == fixeval.Offline || a.Engine == fixeval.Revert)
}

// choose completes the list of algorithms.
func (c *evalFixCmd) choose() {
	switch {
	case c.Ablation:
		for _, name := range fixeval.Histories {
			if !slices.Contains(c.Algorithm, name) {
				c.Algorithm = append(c.Algorithm, name)
			}
		}
	case c.Engine == "agent" && !c.asksModel():
		c.Algorithm = append([]string{string(fixeval.Agent)}, c.Algorithm...)
	case len(c.Algorithm) == 0:
		c.Algorithm = []string{string(fixeval.Offline)}
	}
}

// asksModel reports whether one of the algorithms needs a model.
func (c *evalFixCmd) asksModel() bool { return slices.ContainsFunc(c.Algorithm, fixeval.IsAgent) }

// staff adds the engines to a plan.
func (c *evalFixCmd) staff(ctx context.Context, a *app.App, plan *eval.Plan, traces *cache.Traces) error {
	how, err := c.Confined(ctx, a)
	if err != nil {
		return err
	}
	plan.Setting = c.setting()
	plan.Settings = map[string]string{string(fixeval.Offline): c.searchSetting(), string(fixeval.Revert): c.searchSetting()}
	var agent *engine.Agent
	if c.asksModel() {
		settings, err := a.ModelSettings(ctx)
		if err != nil {
			return err
		}
		c.Override(&settings)
		opened, err := openEvalModel(ctx, a, settings, traces)
		if err != nil {
			return err
		}
		if agent, err = c.NewFixAgent(opened, how); err != nil {
			return err
		}
	}
	for _, name := range c.Algorithm {
		switch algorithm, err := fixeval.ParseAlgorithm(name); {
		case plan.Foreign[name] != nil:
		case err != nil:
			return err
		case algorithm.Engine == fixeval.Agent:
			plan.Settings[name] = agent.Setting(c.methodOf(algorithm))
			if c.Fallback {
				plan.Settings[name] += " fallback" // without it, these answers are computed again
			}
		case algorithm.Given:
			plan.Settings[name] = c.searchSetting()
		}
	}
	plan.Open = fixeval.Open(
		fixeval.Options{
			Locate:    a.Data.Locate(ctx),
			Repair:    c.answerCase(agent),
			Trial:     how,
			Report:    c.Report,
			HideTests: c.HideTests,
			Foreign:   plan.Foreign,
			Samples:   c.Samples,
			Smells:    smellsOf(traces),
		},
	)
	return nil
}

// smellsOf returns a function that lists the smells of recorded runs. Unreadable runs have none.
func smellsOf(traces *cache.Traces) func(context.Context, []string) []string {
	return func(ctx context.Context, runs []string) []string {
		var names []string
		for _, id := range runs {
			run, err := traces.Lookup(ctx, id)
			if err != nil {
				continue
			}
			t, err := trace.Read(run, traces.Steps(ctx, run.ID))
			if err != nil {
				continue
			}
			for _, f := range t.Smells() {
				if !slices.Contains(names, f.Smell.Name) {
					names = append(names, f.Smell.Name)
				}
			}
		}
		return names
	}
}

// setting describes the options that change the answers of all algorithms.
func (c *evalFixCmd) setting() string {
	var words []string
	for word, is := range map[string]bool{"report": c.Report, "hide-tests": c.HideTests, "no-coverage": !c.Coverage, "no-abstain": !c.Abstain, "edit-tests": c.EditTests, "network": c.Network} {
		if is {
			words = append(words, word)
		}
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

// searchSetting describes the options that change the answers of the offline engine.
func (c *evalFixCmd) searchSetting() string {
	return fmt.Sprintf("time=%s tries=%d patches=%d", c.Time, c.Tries, c.Patches)
}

// methodOf returns the method of the model for an algorithm: that of the options, with the
// algorithm's history.
func (c *evalFixCmd) methodOf(of fixeval.Algorithm) fix.Method {
	return fix.Method{
		Heuristics: of.Method.Heuristics, Auto: of.Method.Auto, NoCommitSearch: of.Method.NoCommitSearch,
		Samples: c.Samples, Strategy: c.Strategy, Tools: c.Tools, Edits: c.EditFormat, Review: c.Review,
	}
}

// answerCase returns a function that lets an engine work on one case. agent is nil if no
// algorithm asks a model. The git tools of a model have no memory, because it would contain their
// answers about the whole repository.
func (c *evalFixCmd) answerCase(agent *engine.Agent) fixeval.Repairer {
	var server eval.Server
	return func(ctx context.Context, in fixeval.Inquiry) (*fix.Answer, error) {
		e := &engine.Engine{Repo: in.Repo, Trial: in.Trial, Effort: c.Effort()}
		e.Effort.Want, e.Effort.Given = c.Patches, in.Algorithm.Given
		e.Effort.Locate, e.Effort.RevertOnly = in.Algorithm.Engine == fixeval.Locate, in.Algorithm.Engine == fixeval.Revert
		if in.Algorithm.Engine == fixeval.Agent {
			own := *agent
			own.Of = caseOf(in.Case.Repo, in.Case.ID, in.Algorithm.Name)
			e.Agent = &own
		}
		in.Problem.EditTests = c.EditTests
		ans, err := e.Answer(ctx, fix.Question{Problem: in.Problem, Method: c.methodOf(in.Algorithm)}, in.OnEvent)
		if err != nil {
			return nil, server.Refused(err)
		}
		ans.End(ctx)
		return ans.Answer, c.judge(&server, e.Agent, ans.Answer)
	}
}

// judge returns an error if an answer does not count, because the model's server failed or the
// budget is spent. With --fallback, the offline engine's answer then counts, unless the server
// seems to be gone.
func (c *evalFixCmd) judge(server *eval.Server, agent *engine.Agent, ans *fix.Answer) error {
	if ans.Agent == nil {
		return nil
	}
	if ans.Agent.Fallback != "" {
		err := server.Failed(errors.New(ans.Agent.Fallback))
		if c.Fallback && !errors.As(err, new(*eval.StopError)) {
			return nil
		}
		return err
	}
	server.Worked()
	if len(ans.Offered()) == 0 && agent.Session.Ledger.Refused() {
		return &eval.StopError{Err: agent.Session.Spent()}
	}
	return nil
}
