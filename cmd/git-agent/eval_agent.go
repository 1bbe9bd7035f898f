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

// staff adds to a plan who answers.
func (c *evalSzzCmd) staff(ctx context.Context, a *app, plan *eval.Plan, traces *cache.Traces) error {
	opt := szzeval.Options{Context: szz.ContextOptions{NoAnnotations: !c.Annotations}, Locate: a.locate(ctx), Cache: a.openCache}
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
		settings.Calibration = "" // what is fitted is raw
	}
	if _, err := a.chooseEngine("agent", &c.modelFlags, settings, ""); err != nil {
		return err
	}
	agent, err := a.newAgent(ctx, settings, c.runs(), c.switches(), traces, false)
	if err != nil {
		return err
	}
	agent.Session.Say = func(string) {} // a resumed case is nothing that the user must see
	// Raw answers are kept, and calibrated when they are held against the truth.
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

// serverFailures in a row, each after many attempts, are a server that is gone.
const serverFailures = 3

// answerCase lets the model look at one case of an evaluation.
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
			// No answer of the method: asked again in the next life of the run.
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

// stopping marks the errors that every other case would meet as well.
func stopping(err error) error {
	var failed *model.Error
	if errors.As(err, &failed) && failed.EndsAll() {
		return &eval.StopError{Err: err}
	}
	return err
}
