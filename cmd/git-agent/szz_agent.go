package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"git-agent/agent"
	"git-agent/agent/session"
	"git-agent/agent/szz"
	"git-agent/agent/szz/engine"
	"git-agent/cache"
	"git-agent/cmd/git-agent/layout"
	"git-agent/cmd/git-agent/render"
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
	c.insisted = c.Engine == "agent" || settings.Engine == "agent"
	if c.ShowRequest {
		agent, err := a.newAgent(ctx, settings, c.runs(), c.switches(), nil, true)
		return agent, nil, err
	}
	k := a.keptOf(ctx, repo.CommonDir())
	traces, err := a.openTraces(ctx, k.state, k.noState)
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
	end := "\n"
	if c.Null {
		end = "\x00"
	}
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

// szzLive shows on a terminal what a model does while it does it.
type szzLive struct {
	a      *app
	on     bool
	single bool // one fix: its lines need no name
	long   bool
}

func newSzzLive(a *app, show *szzOutput, model bool) *szzLive {
	on := model && !a.flags.Quiet && isTerminal(a.stderr)
	if a.flags.Progress != nil {
		on = model && !a.flags.Quiet && *a.flags.Progress
	}
	return &szzLive{a: a, on: on, single: show.total == 1, long: a.flags.Verbose > 0}
}

// tell shows one event on one line, or none.
func (l *szzLive) tell(q szz.Question, e agent.Event) {
	if !l.on {
		return
	}
	for _, line := range liveLines(e, l.long) {
		if !l.single {
			line = q.Fix.Short() + " " + line
		}
		fmt.Fprintln(l.a.stderr, layout.OneLine(line))
	}
}

// liveWidth is where a line about an event is cut.
const liveWidth = 110

func liveLines(e agent.Event, long bool) []string {
	if of, ok := e.(agent.OfRun); ok {
		lines := liveLines(of.Event, long)
		for i, line := range lines {
			lines[i] = fmt.Sprintf("run %d, %s", of.Run, line)
		}
		return lines
	}
	switch e := e.(type) {
	case agent.Thought:
		text, _, more := strings.Cut(strings.TrimSpace(e.Text), "\n")
		if more && !long {
			text += " ..."
		}
		if long {
			return strings.Split(fmt.Sprintf("turn %d: %s", e.Turn, strings.TrimSpace(e.Text)), "\n")
		}
		return []string{clip(fmt.Sprintf("turn %d: %s", e.Turn, text))}
	case agent.ToolCall:
		return []string{clip(fmt.Sprintf("turn %d: %s %s", e.Turn, e.Name, e.Args))}
	case agent.ToolResult:
		first, _, _ := strings.Cut(strings.TrimSpace(e.Text), "\n")
		if e.Failed || long {
			return []string{clip("        " + first)}
		}
	case agent.Progress: // of one of several runs; the others are on the line of progress
		return []string{clip(e.Text)}
	case agent.Usage:
		return []string{fmt.Sprintf("turn %d: %s", e.Turn, render.UsageText(modelUsage(e)))}
	}
	return nil
}

// clip cuts a line that is only to be glanced at.
func clip(s string) string {
	if runes := []rune(s); len(runes) > liveWidth {
		return string(runes[:liveWidth-3]) + "..."
	}
	return s
}
