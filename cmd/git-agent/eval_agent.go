package main

import (
	"context"
	"errors"
	"sync/atomic"

	"git-agent/agent/eval"
	szzeval "git-agent/agent/eval/szz"
	"git-agent/agent/model"
	"git-agent/agent/szz"
	"git-agent/agent/szz/engine"
	"git-agent/cache"
)

// staff adds the engines to a plan.
func (c *evalSzzCmd) staff(ctx context.Context, a *app, plan *eval.Plan, traces *cache.Traces) error {
	if c.Annotations {
		plan.Setting = "annotations"
	}
	opt := szzeval.Options{Context: szz.ContextOptions{NoAnnotations: !c.Annotations}, Locate: a.data.Locate(ctx), Cache: a.data.OpenCache}
	if !c.asksModel() {
		plan.Open = szzeval.Open(opt)
		return nil
	}
	settings, err := a.modelSettings(ctx)
	if err != nil {
		return err
	}
	c.modelFlags.apply(&settings)
	if c.Calibrate != "" {
		settings.Calibration = "" // a calibration is fitted to raw probabilities
	}
	if _, err := a.chooseEngine("agent", &c.modelFlags, settings, ""); err != nil {
		return err
	}
	agent, err := a.newAgent(ctx, settings, c.runs(), c.switches(), traces, false)
	if err != nil {
		return err
	}
	agent.Session.Say = func(string) {} // the user need not know that a case is resumed
	// Raw answers are stored. They are calibrated when they are scored.
	plan.Task, agent.Calibration = szzeval.Task{Calibration: agent.Calibration}, nil
	plan.Settings = map[string]string{}
	for _, name := range c.Algorithm {
		if szzeval.IsAgent(name) {
			plan.Settings[name] = agent.Setting(c.switches().And(szzeval.SwitchesOf(name)))
		}
	}
	opt.Ask = c.answerCase(agent)
	plan.Open = szzeval.Open(opt)
	return nil
}

// serverFailures is how many failures in a row, each after many attempts, mean
// that the server is gone.
const serverFailures = 3

// answerCase returns a function that lets the model investigate one case.
func (c *evalSzzCmd) answerCase(agent *engine.Agent) szzeval.Investigator {
	var failures atomic.Int32 // in a row
	return func(ctx context.Context, in szzeval.Inquiry) (*szz.Verdict, []string, error) {
		found, err := agent.Investigate(ctx, engine.Inquiry{
			Repo: in.Repo, Fix: in.Fix, Memory: in.Memory, OnEvent: in.OnEvent, Of: engine.Case{Repo: in.Case.Repo, Name: in.Case.ID},
			Question: szz.Question{Fix: in.Case.Fix, Annotations: c.Annotations, Switches: c.switches().And(szzeval.SwitchesOf(in.Algorithm))},
		})
		if err != nil {
			return nil, nil, stopping(err)
		}
		found.End(ctx)
		if found.Failed != nil && found.Verdict.Agent != nil && found.Verdict.Agent.Fallback != "" {
			// The model has not answered. The case is tried again when the evaluation is resumed.
			if failures.Add(1) >= serverFailures {
				return nil, nil, &eval.StopError{Err: found.Failed}
			}
			return nil, nil, found.Failed
		}
		failures.Store(0)
		if agent.Broke(found.Verdict) {
			return nil, nil, &eval.StopError{Err: agent.Session.Spent()}
		}
		var runs []string
		for _, id := range found.Runs {
			runs = append(runs, string(id))
		}
		return found.Verdict, runs, nil
	}
}

// stopping marks an error that every other case would meet as well, so that the
// evaluation stops.
func stopping(err error) error {
	var failed *model.Error
	if errors.As(err, &failed) && failed.EndsAll() {
		return &eval.StopError{Err: err}
	}
	return err
}
