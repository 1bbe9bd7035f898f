package main

import (
	"context"
	"errors"
	"iter"

	"git-agent/agent/session"
	"git-agent/agent/szz"
	"git-agent/agent/szz/engine"
	"git-agent/cache"
	"git-agent/gitext"
	"git-agent/gitext/visible"
)

// modelJobs is how many investigations go on at once by default. It does not
// depend on the processors, because investigations mostly wait for the server,
// which limits the rate of requests.
const modelJobs = 8

// openAgent prepares the agent engine, or returns nil if the offline engine
// answers. It also opens the traces that record the runs, which the caller
// closes; they may be nil.
func (c *szzCmd) openAgent(ctx context.Context, a *app, repo *gitext.Repo) (*engine.Agent, *cache.Traces, error) {
	settings, err := c.modelSettings(ctx, a)
	if err != nil {
		return nil, nil, err
	}
	why := ""
	if c.Algorithm != "" {
		why = "--algorithm=" + c.Algorithm
	}
	asked, err := a.chooseEngine(c.Engine, &c.modelFlags, settings, why)
	if err != nil || !asked {
		return nil, nil, err
	}
	c.agentRequired = c.Engine == "agent" || settings.Engine == "agent"
	if c.ShowRequest {
		agent, err := a.newAgent(ctx, settings, c.runs(), c.switches(), nil, true)
		return agent, nil, err
	}
	k := a.data.Folders(ctx, repo.CommonDir())
	traces, err := a.data.OpenTraces(ctx, k.State, k.StateErr)
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, err
		}
		a.warnOnce(session.Unrecorded(err))
		traces = nil
	}
	agent, err := a.newAgent(ctx, settings, c.runs(), c.switches(), traces, false)
	if err != nil {
		return nil, nil, errors.Join(err, traces.Close())
	}
	return agent, traces, nil
}

// modelSettings returns the settings of the model, overridden by the options.
// With --engine=offline it reads none.
func (c *szzCmd) modelSettings(ctx context.Context, a *app) (session.Settings, error) {
	if c.Engine == "offline" {
		return session.Settings{}, nil
	}
	s, err := a.modelSettings(ctx)
	if err == nil {
		c.modelFlags.apply(&s)
	}
	return s, err
}

// showRequests prints the first request about each fix, with the characters
// escaped that a terminal would act on. It sends and records nothing.
func (c *szzCmd) showRequests(ctx context.Context, a *app, e *engine.Engine, questions iter.Seq2[szz.Question, error]) error {
	if e.Agent == nil {
		return withHint(errNoModel, noModelHint)
	}
	end := lineEnd(c.Null)
	for q, err := range questions {
		if err != nil {
			return err
		}
		body, err := e.Agent.FirstRequest(ctx, e.Repo, q)
		if err != nil {
			return err
		}
		if _, err := a.raw.Write(append(visible.JSON(body), end...)); err != nil {
			return err
		}
	}
	return nil
}
