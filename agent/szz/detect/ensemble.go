package detect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"git-agent/agent"
	"git-agent/agent/model"
	"git-agent/agent/szz"
	"git-agent/gitext"
	"git-agent/prompts"
)

// maxAtOnce bounds the runs that are under way together, because servers limit
// the rate of requests.
const maxAtOnce = 8

// errSibling ends the runs beside one that failed for good.
var errSibling = errors.New("another run of the vote failed for a reason that holds for all")

// A panel is the runs that vote on one fix.
type ensemble struct {
	d          *investigation
	prompt     string
	precedents map[gitext.OID]string // precedents that the prompt speaks of
	stop       context.CancelCauseFunc
	answered   chan struct{} // closed when the others may begin

	mu     sync.Mutex
	opened bool           // answered is closed
	runs   []szz.AgentRun // of those that began, by their number
	errs   []error
	done   int
}

// investigate does the runs. The first goes ahead until the model has answered
// once: the others then find the words that all of them begin with in the
// server's cache, and are not tried where nobody answers. Where money is
// limited it goes on to its end, and only as many follow together as it will
// last for: five runs that stop half way are no answer. They come back in the
// order of their numbers, whichever ends first.
func (d *investigation) investigate(ctx context.Context) ([]szz.AgentRun, error) {
	told := map[gitext.OID]string{}
	prompt, err := d.prompt(ctx, told)
	if err != nil {
		return nil, err
	}
	within, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	p := &ensemble{d: d, prompt: prompt, precedents: told, stop: stop, answered: make(chan struct{})}
	var work sync.WaitGroup
	work.Go(func() { p.do(within, p.begin()) })
	<-p.answered
	slots := make(chan struct{}, p.atOnce())
	for range p.others() {
		slots <- struct{}{}
		if within.Err() != nil {
			break
		}
		k := p.begin()
		work.Go(func() {
			p.do(within, k)
			<-slots
		})
	}
	work.Wait()
	if ctx.Err() != nil { // perhaps between two runs, of which none knows
		return nil, ctx.Err()
	}
	for _, err := range p.errs {
		if err != nil {
			return nil, err
		}
	}
	return p.runs, nil
}

// begin makes room for the next run and returns its number, from 0.
func (p *ensemble) begin() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.runs, p.errs = append(p.runs, szz.AgentRun{}), append(p.errs, nil)
	return len(p.runs) - 1
}

// others is how many runs follow the first: none when that one ended without
// an answer of the model.
func (p *ensemble) others() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done > 0 && (p.errs[0] != nil || p.runs[0].Turns == 0) {
		return 0
	}
	return p.d.opt.Runs - 1
}

// atOnce is how many runs may follow the first together. Runs differ in what
// they cost, hence half of what the first one suggests.
func (p *ensemble) atOnce() int {
	left, limited := p.d.opt.Ledger.Left()
	p.mu.Lock()
	defer p.mu.Unlock()
	cost := p.runs[0].Usage.CostUSD
	if !limited || p.done == 0 || cost == nil || *cost <= 0 {
		return maxAtOnce
	}
	return int(min(max(left / *cost / 2, 1), maxAtOnce))
}

// do is one run from beginning to end. What would end every other run too, or
// is trouble of ours, stops those beside it.
func (p *ensemble) do(ctx context.Context, k int) {
	run, err := p.run(ctx, k)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.runs[k], p.errs[k] = run, err
	p.done++
	if err != nil || run.EndsAll {
		p.stop(errSibling)
	}
	p.open()
	if n := p.d.opt.Runs; n > 1 && p.d.opt.OnEvent != nil {
		p.d.opt.OnEvent(agent.Progress{Text: fmt.Sprintf("%d of %d investigations", p.done, n), Done: p.done, Total: n})
	}
}

// open lets the other runs begin. The caller holds mu.
func (p *ensemble) open() {
	if !p.opened {
		p.opened = true
		close(p.answered)
	}
}

// listener hands on the events of one run, one at a time for all runs.
func (p *ensemble) listener(k int) func(agent.Event) {
	return func(e agent.Event) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if _, ok := e.(agent.Usage); ok { // the model has answered
			if _, limited := p.d.opt.Ledger.Left(); !limited {
				p.open()
			}
		}
		switch tell := p.d.opt.OnEvent; {
		case tell == nil:
		case p.d.opt.Runs > 1:
			tell(agent.OfRun{Run: k + 1, Event: e})
		default:
			tell(e)
		}
	}
}

// run is one conversation.
func (p *ensemble) run(ctx context.Context, k int) (szz.AgentRun, error) {
	d := p.d
	report, err := newReportTool(d, p.precedents)
	if err != nil {
		return szz.AgentRun{}, err
	}
	loop := agent.Loop{
		Model: d.opt.Model, Name: d.opt.ModelName, Prompt: p.prompt,
		Limits: d.opt.Limits, MaxOutput: d.opt.MaxOutput, Unpriced: d.opt.Unpriced, Ledger: d.opt.Ledger,
		Text: report.text, Mask: d.opt.Mask, OnEvent: p.listener(k),
	}
	if loop.System, err = d.system(); err != nil {
		return szz.AgentRun{}, err
	}
	last, err := prompts.Get("szz/lastword")
	if err != nil {
		return szz.AgentRun{}, err
	}
	loop.LastWord = last.Text
	if !d.opt.NoTools {
		loop.Tools = d.box.Tools()
	}
	loop.Tools = append(loop.Tools, report)
	if d.opt.Journal != nil {
		if loop.Journal, err = d.opt.Journal(k); err != nil {
			return szz.AgentRun{}, err
		}
	}
	out, err := loop.Run(ctx)
	var failed *model.Error
	switch {
	case out.Final.Final && context.Cause(ctx) == errSibling: // it was done before the other failed
	case context.Cause(ctx) == errSibling:
		out.Status, out.Reason = agent.StatusInterrupted, errSibling.Error()
	case ctx.Err() != nil:
		return szz.AgentRun{}, ctx.Err()
	case err != nil && !errors.As(err, &failed):
		return szz.AgentRun{}, err
	}
	run, err := report.account(out)
	run.EndsAll = failed != nil && failed.EndsAll()
	return run, err
}

// account is what a conversation came to. A verdict that only an objection
// held up stands when the conversation ended before the answer to it.
func (t *reportTool) account(out agent.Outcome) (szz.AgentRun, error) {
	run := szz.AgentRun{Status: out.Status, Reason: out.Reason, Class: out.Class, Turns: out.Turns, Calls: out.Calls,
		Resumed: out.Resumed, Repeated: out.Repeated, Objections: t.objections, Usage: out.Usage}
	if !out.Final.Final {
		run.Claims = t.pending
		return run, nil
	}
	data, ok := out.Final.Value.(json.RawMessage)
	if !ok {
		return run, fmt.Errorf("a verdict is recorded as %T", out.Final.Value)
	}
	if err := json.Unmarshal(data, &run.Claims); err != nil {
		return run, fmt.Errorf("read the recorded verdict: %w", err)
	}
	if len(run.Claims) == 0 {
		run.Status = agent.StatusNothing
	}
	return run, nil
}
