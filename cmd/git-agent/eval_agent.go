package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"git-agent/agent/eval"
	szzeval "git-agent/agent/eval/szz"
	"git-agent/agent/model"
	"git-agent/agent/szz"
	"git-agent/agent/szz/detect"
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
	d, err := a.newDetective(ctx, settings, c.modelFlags, traces)
	if err != nil {
		return err
	}
	d.say = func(string) {} // a resumed case is nothing that the user must see
	// Raw answers are kept, and calibrated when they are held against the truth.
	plan.Task, d.calibration = szzeval.Task{Calibration: d.calibration}, nil
	plan.Settings = map[string]string{}
	for _, name := range c.Algorithm {
		if szzeval.IsAgent(name) {
			plan.Settings[name] = d.evalSetting(name)
		}
	}
	opt.Ask = d.answerCase(c.Annotations)
	plan.Open = szzeval.Open(opt)
	return nil
}

// evalSetting is what determines the answers of an algorithm beside the build,
// which holds the prompts.
func (d *detective) evalSetting(algorithm string) string {
	opt := d.options(inquiry{adjust: func(o *detect.Options) { szzeval.Ablate(algorithm, o) }}, nil)
	return fmt.Sprintf("model=%s url=%s runs=%d %s", d.settings.Model, d.settings.place(), d.flags.runs(), d.setting(opt))
}

// serverFailures in a row, each after many attempts, are a server that is gone.
const serverFailures = 3

// answerCase lets the model look at one case of an evaluation.
func (d *detective) answerCase(annotations bool) szzeval.Investigator {
	var failures atomic.Int32 // in a row
	return func(ctx context.Context, q szzeval.Inquiry) (*szz.Verdict, []string, error) {
		found, err := d.investigate(ctx, inquiry{
			repo: q.Repo, fix: q.Fix, memory: q.Memory, onEvent: q.OnEvent,
			about:  detectiveSpec{Repo: q.Case.Repo, Case: q.Case.ID, Annotations: annotations},
			adjust: func(o *detect.Options) { szzeval.Ablate(q.Algorithm, o) },
		})
		if err != nil {
			return nil, nil, stopping(err)
		}
		found.end(ctx)
		if found.failed != nil && found.verdict.Agent != nil && found.verdict.Agent.Fallback != "" {
			// No answer of the method: asked again in the next life of the run.
			if failures.Add(1) >= serverFailures {
				return nil, nil, &eval.StopError{Err: found.failed}
			}
			return nil, nil, found.failed
		}
		failures.Store(0)
		if d.broke(found.verdict) {
			return nil, nil, &eval.StopError{Err: d.spent()}
		}
		var runs []string
		for _, id := range found.runs {
			runs = append(runs, string(id))
		}
		return found.verdict, runs, nil
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
