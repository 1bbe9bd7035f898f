package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"git-agent/agent"
	"git-agent/agent/model"
	"git-agent/agent/szz"
	"git-agent/agent/szz/detect"
	"git-agent/gitext"
	"git-agent/gitext/visible"
)

// modelJobs is how many investigations go on at once: they wait for a server
// most of the time, and servers limit the rate of requests.
const modelJobs = 8

// detective prepares the model that shall answer; nil when the offline engine
// does.
func (c *szzCmd) detective(ctx context.Context, a *app, repo *gitext.Repo) (*detective, error) {
	settings, err := c.modelSettings(ctx, a)
	if err != nil {
		return nil, err
	}
	why := ""
	if c.Algorithm != "" {
		why = "--algorithm=" + c.Algorithm
	}
	asked, err := a.chooseEngine(c.Engine, &c.modelFlags, settings, why)
	if err != nil || !asked {
		return nil, err
	}
	if c.ShowRequest {
		return a.newDetective(ctx, settings, c.modelFlags, nil)
	}
	k := a.keptOf(ctx, repo.CommonDir())
	traces, err := a.openTraces(ctx, k.state, k.noState)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		a.warnOnce(unrecorded(err))
		traces = nil
	}
	d, err := a.newDetective(ctx, settings, c.modelFlags, traces)
	if err != nil {
		return nil, errors.Join(err, traces.Close())
	}
	d.own, d.insisted = true, c.Engine == "agent" || settings.Engine == "agent"
	return d, nil
}

// modelSettings reads the settings unless no model is to be asked whatever
// they say.
func (c *szzCmd) modelSettings(ctx context.Context, a *app) (modelSettings, error) {
	if c.Engine == "offline" {
		return modelSettings{}, nil
	}
	s, err := a.modelSettings(ctx)
	if err == nil {
		c.modelFlags.apply(&s)
	}
	return s, err
}

// errShown ends an investigation whose first request was to be seen only.
var errShown = errors.New("the request is shown and not sent")

// shownRequest keeps the first request and answers none.
type shownRequest struct{ first *model.Request }

// Ask keeps the request.
func (s *shownRequest) Ask(_ context.Context, req model.Request) (*model.Reply, error) {
	if s.first == nil {
		s.first = &req
	}
	return nil, errShown
}

// showRequests prints the first request for each fix, with what is hidden in
// it escaped. Nothing is sent and nothing is recorded.
func (t *szzTracer) showRequests(ctx context.Context, a *app, fixes iter.Seq2[szzFix, error]) error {
	if t.who == nil {
		return withHint(errNoModel, noModelHint)
	}
	end := "\n"
	if t.cmd.Null {
		end = "\x00"
	}
	for fix, err := range fixes {
		if err != nil {
			return err
		}
		body, err := t.firstRequest(ctx, fix)
		if err != nil {
			return err
		}
		if _, err := a.raw.Write(append(visible.JSON(body), end...)); err != nil {
			return err
		}
	}
	return nil
}

func (t *szzTracer) firstRequest(ctx context.Context, fix szzFix) ([]byte, error) {
	fc, err := szz.NewContext(ctx, t.repo, fix.oid, szz.ContextOptions{NoAnnotations: !t.cmd.Annotations, Paths: t.paths, Source: fix.source})
	if err != nil {
		return nil, err
	}
	shown := &shownRequest{}
	opt := t.who.options(inquiry{}, shown)
	opt.Unpriced = true // it costs nothing
	verdict, err := detect.Trace(ctx, t.repo, fc, opt)
	switch {
	case shown.first != nil:
		return t.who.body(*shown.first)
	case err != nil:
		return nil, err
	case verdict.Algorithm == "annotation":
		return nil, withHint(fmt.Errorf("no model would be asked about %s: its message names its culprit", fix.oid.Short()), "--no-annotations asks the model nevertheless")
	}
	return nil, fmt.Errorf("no model would be asked about %s; see its answer without --show-request", fix.oid.Short())
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
func (l *szzLive) tell(fix szzFix, e agent.Event) {
	if !l.on {
		return
	}
	for _, line := range liveLines(e, l.long) {
		if !l.single {
			line = fix.oid.Short() + " " + line
		}
		fmt.Fprintln(l.a.stderr, oneLine(line))
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
		return []string{fmt.Sprintf("turn %d: %s", e.Turn, usageText(modelUsage(e)))}
	}
	return nil
}

// usageText is "12345 tokens sent (1000 cached), 320 received, $0.0012". What
// costs nothing, or nobody knows how much, has no price.
func usageText(u model.Usage) string {
	s := fmt.Sprintf("%d tokens sent", u.Prompt())
	if u.CacheRead > 0 {
		s += fmt.Sprintf(" (%d cached)", u.CacheRead)
	}
	s += fmt.Sprintf(", %d received", u.Output)
	if u.Estimated {
		s += " (estimated)"
	}
	if u.CostUSD != nil && *u.CostUSD > 0 {
		s += fmt.Sprintf(", $%.4f", *u.CostUSD)
	}
	return s
}

// clip cuts a line that is only to be glanced at.
func clip(s string) string {
	if runes := []rune(s); len(runes) > liveWidth {
		return string(runes[:liveWidth-3]) + "..."
	}
	return s
}
