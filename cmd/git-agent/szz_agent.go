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

// modelJobs is how many investigations go on at once: they wait for a server
// most of the time, and servers limit the rate of requests.
const modelJobs = 8

// openAgent prepares the model that shall answer; nil when the offline engine
// does. The traces in which its runs are recorded are the caller's to close; they
// may be nil.
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
	k := a.foldersOf(ctx, repo.CommonDir())
	traces, err := a.openTraces(ctx, k.state, k.stateErr)
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

// modelSettings reads the settings unless no model is to be asked whatever
// they say.
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

// showRequests prints the first request for each fix, with what is hidden in
// it escaped. Nothing is sent and nothing is recorded.
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
