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

// maxAtOnce bounds how many runs go on at the same time, because servers limit the
// rate of requests.
const maxAtOnce = 8

// errSibling stops the other runs when one failed for good.
var errSibling = errors.New("another run of the vote failed for a reason that holds for all")

// An ensemble is the runs that vote on one fix.
type ensemble struct {
	d          *investigation
	prompt     string
	precedents map[gitext.OID]string // as the first prompt describes them, by commit
	stop       context.CancelCauseFunc
	answered   chan struct{} // closed when the other runs may begin

	mu     sync.Mutex
	opened bool           // answered is closed
	runs   []szz.AgentRun // those that began, by their number
	errs   []error        // of these runs
	done   int            // runs that ended
}

// investigate makes the runs and returns them in the order of their numbers,
// whichever ends first. The first run goes ahead until the model has answered once.
// The others then find the beginning that all prompts share in the server's cache,
// and are not started where nobody answers. Where the cost is limited, the first run
// goes on to its end, and only as many others go on at the same time as the rest of
// the money suffices for: five runs that stop half way are no answer.
func (d *investigation) investigate(ctx context.Context) ([]szz.AgentRun, error) {
	precedents := map[gitext.OID]string{}
	prompt, err := d.prompt(ctx, precedents)
	if err != nil {
		return nil, err
	}
	within, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	en := &ensemble{d: d, prompt: prompt, precedents: precedents, stop: stop, answered: make(chan struct{})}
	var work sync.WaitGroup
	work.Go(func() { en.do(within, en.begin()) })
	<-en.answered
	slots := make(chan struct{}, en.atOnce())
	for range en.others() {
		slots <- struct{}{}
		if within.Err() != nil {
			break
		}
		k := en.begin()
		work.Go(func() {
			en.do(within, k)
			<-slots
		})
	}
	work.Wait()
	if ctx.Err() != nil { // it may have ended between two runs, which gives neither an error
		return nil, ctx.Err()
	}
	for _, err := range en.errs {
		if err != nil {
			return nil, err
		}
	}
	return en.runs, nil
}

// begin adds a run and returns its number, from 0.
func (en *ensemble) begin() int {
	en.mu.Lock()
	defer en.mu.Unlock()
	en.runs, en.errs = append(en.runs, szz.AgentRun{}), append(en.errs, nil)
	return len(en.runs) - 1
}

// others returns how many runs follow the first: none when it ended without an
// answer of the model.
func (en *ensemble) others() int {
	en.mu.Lock()
	defer en.mu.Unlock()
	if en.done > 0 && (en.errs[0] != nil || en.runs[0].Turns == 0) {
		return 0
	}
	return en.d.opt.Runs - 1
}

// atOnce returns how many of the other runs may go on at the same time. Runs differ
// in cost, so it is half of what the cost of the first one allows.
func (en *ensemble) atOnce() int {
	left, limited := en.d.opt.Ledger.Left()
	en.mu.Lock()
	defer en.mu.Unlock()
	cost := en.runs[0].Usage.CostUSD
	if !limited || en.done == 0 || cost == nil || *cost <= 0 {
		return maxAtOnce
	}
	return int(min(max(left / *cost / 2, 1), maxAtOnce))
}

// do makes one run from beginning to end. It stops the other runs after an error,
// and after a failure that would end each of them too.
func (en *ensemble) do(ctx context.Context, k int) {
	run, err := en.run(ctx, k)
	en.mu.Lock()
	defer en.mu.Unlock()
	en.runs[k], en.errs[k] = run, err
	en.done++
	if err != nil || run.EndsAll {
		en.stop(errSibling)
	}
	en.open()
	if n := en.d.opt.Runs; n > 1 && en.d.opt.OnEvent != nil {
		en.d.opt.OnEvent(agent.Progress{Text: fmt.Sprintf("%d of %d investigations", en.done, n), Done: en.done, Total: n})
	}
}

// open lets the other runs begin. The caller holds mu.
func (en *ensemble) open() {
	if !en.opened {
		en.opened = true
		close(en.answered)
	}
}

// listener returns the receiver of the events of one run. It passes on one event at
// a time for all runs.
func (en *ensemble) listener(k int) func(agent.Event) {
	return func(e agent.Event) {
		en.mu.Lock()
		defer en.mu.Unlock()
		if _, ok := e.(agent.Usage); ok { // the model has answered
			if _, limited := en.d.opt.Ledger.Left(); !limited {
				en.open()
			}
		}
		switch report := en.d.opt.OnEvent; {
		case report == nil:
		case en.d.opt.Runs > 1:
			report(agent.OfRun{Run: k + 1, Event: e})
		default:
			report(e)
		}
	}
}

// run makes one conversation.
func (en *ensemble) run(ctx context.Context, k int) (szz.AgentRun, error) {
	d := en.d
	report, err := newReportTool(d, en.precedents)
	if err != nil {
		return szz.AgentRun{}, err
	}
	loop := agent.Loop{
		Model: d.opt.Model, Name: d.opt.ModelName, Prompt: en.prompt,
		Limits: d.opt.Limits, MaxOutput: d.opt.MaxOutput, Unpriced: d.opt.Unpriced, Ledger: d.opt.Ledger,
		Text: report.text, Mask: d.opt.Mask, OnEvent: en.listener(k),
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
	case out.Final.Final && context.Cause(ctx) == errSibling: // it ended before the other failed
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

// account makes the record of a conversation that ended. A verdict that met an
// objection stands when the conversation ended before the model answered it.
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
