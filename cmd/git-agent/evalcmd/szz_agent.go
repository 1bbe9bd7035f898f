package evalcmd

import (
	"context"
	"strings"

	"git-agent/agent/eval"
	szzeval "git-agent/agent/eval/szz"
	"git-agent/agent/szz"
	"git-agent/agent/szz/engine"
	"git-agent/cache"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/szzcmd"
)

// staff adds the engines to a plan.
func (c *evalSzzCmd) staff(ctx context.Context, a *app.App, plan *eval.Plan, traces *cache.Traces) error {
	plan.Setting = c.setting()
	opt := szzeval.Options{
		Context: szz.ContextOptions{NoAnnotations: !c.Annotations, Index: c.Index},
		Opening: openingOf(ctx, a, c.Index),
		Cache:   a.Data.OpenCache,
		Foreign: plan.Foreign,
	}
	if !c.asksModel() {
		plan.Open = szzeval.Open(opt)
		return nil
	}
	settings, err := a.ModelSettings(ctx)
	if err != nil {
		return err
	}
	c.Override(&settings)
	if c.Calibrate != "" {
		settings.Calibration = "" // a calibration is fitted to raw probabilities
	}
	opened, err := openEvalModel(ctx, a, settings, traces)
	if err != nil {
		return err
	}
	agent, err := szzcmd.NewAgent(a, opened, c.RunCount(), c.Switches())
	if err != nil {
		return err
	}
	// Raw answers are stored, and calibrated for scoring.
	plan.Task, agent.Calibration = szzeval.Task{Calibration: agent.Calibration, Fallback: c.Fallback}, nil
	plan.Settings = map[string]string{}
	for _, name := range c.Algorithm {
		if szzeval.IsAgent(name) {
			plan.Settings[name] = agent.Setting(c.Switches().And(szzeval.SwitchesOf(name)))
		}
	}
	opt.Ask = c.answerCase(agent)
	plan.Open = szzeval.Open(opt)
	return nil
}

// setting describes the options that change the answers of all algorithms.
func (c *evalSzzCmd) setting() string {
	var words []string
	if c.Annotations {
		words = append(words, "annotations")
	}
	if c.Index {
		words = append(words, "index")
	}
	return strings.Join(words, " ")
}

// answerCase returns a function that lets the model investigate one case.
func (c *evalSzzCmd) answerCase(agent *engine.Agent) szzeval.Investigator {
	var server eval.Server
	return func(ctx context.Context, in szzeval.Inquiry) (*szz.Answer, []string, error) {
		found, err := agent.Investigate(ctx, engine.Inquiry{
			Repo: in.Repo, Fix: in.Fix, Memory: in.Memory, OnEvent: in.OnEvent, Of: caseOf(in.Case.Repo, in.Case.ID, in.Algorithm),
			Question: szz.Question{
				Fix:         in.Case.Fix,
				Annotations: c.Annotations,
				Index:       c.Index,
				Switches:    c.Switches().And(szzeval.SwitchesOf(in.Algorithm)),
			},
		})
		if err != nil {
			return nil, nil, server.Refused(err)
		}
		return judgeInvestigation(ctx, &server, agent.Session, found, found.Answer.Unanswered())
	}
}
