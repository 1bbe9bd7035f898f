package session

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"git-agent/agent"
	"git-agent/agent/model"
)

// maxParallel is the largest number of runs of an ensemble at the same time. Servers
// limit the rate of requests.
const maxParallel = 8

// errSibling is the cause that cancels the other runs of an ensemble when one run fails
// in a way that no run can recover from.
var errSibling = errors.New("another run of the vote failed for a reason that holds for all")

// Ensemble does the same work several times with one model.
//
// The first run starts alone, and the others start after the first answer of the model.
// By then the server's cache holds the beginning of the prompt, which all runs share; and
// if the server does not answer, the others are not tried.
//
// If there is a limit on cost, the first run ends before the others start, and the
// remaining money decides how many start together: five runs that stop half way give no
// answer.
type Ensemble[R any] struct {
	Size    int               // number of runs, from 1
	Ledger  *agent.Ledger     // pays for the runs; may be nil
	Noun    string            // the plural noun for the runs in progress reports
	OnEvent func(agent.Event) // gets the events of all runs, one at a time, as agent.OfRun if Size is above 1; may be nil
	// Do does the k-th run, counted from 0, and passes its events to listen. An error
	// ends the ensemble. If the context ends with the cause errSibling, Do returns its
	// findings so far.
	Do func(ctx context.Context, k int, listen func(agent.Event)) (R, Ending, error)
}

// Ending says how a run ended. It holds the facts that the other runs of the ensemble
// need.
type Ending struct {
	Answered bool     // the model has answered at least once
	CostUSD  *float64 // nil if unknown
	EndsAll  bool     // the run failed for a reason that would end every other run too
}

// Converse has one conversation of an ensemble. A failure of the model or its server is
// in the outcome. endsAll says that the failure would end every other run too. If another
// run has ended the ensemble, the outcome holds the findings so far. An error is for a
// context that ended otherwise, and for trouble with the journal.
func Converse(ctx context.Context, loop *agent.Loop) (out agent.Outcome, endsAll bool, err error) {
	out, err = loop.Run(ctx)
	var failed *model.Error
	switch {
	case out.Final.Final && context.Cause(ctx) == errSibling: // this run ended before the other one failed
	case context.Cause(ctx) == errSibling:
		out.Status, out.Reason = agent.StatusInterrupted, errSibling.Error()
	case ctx.Err() != nil:
		return out, false, ctx.Err()
	case err != nil && !errors.As(err, &failed):
		return out, false, err
	}
	return out, failed != nil && failed.EndsAll(), nil
}

// activeEnsemble is a running ensemble.
type activeEnsemble[R any] struct {
	Ensemble[R]
	stop  context.CancelCauseFunc
	ready chan struct{} // closed when the other runs may begin

	mu      sync.Mutex
	begun   bool // ready is closed
	results []R  // of the started runs, by number; likewise endings and errs
	endings []Ending
	errs    []error
	done    int
}

// Run does the runs and returns their results in the order of their numbers.
// There are fewer than Size if the model never answered the first run, or if a
// run ended the ensemble.
func (e Ensemble[R]) Run(ctx context.Context) ([]R, error) {
	within, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	g := &activeEnsemble[R]{Ensemble: e, stop: stop, ready: make(chan struct{})}
	var work sync.WaitGroup
	work.Go(func() { g.do(within, g.begin()) })
	<-g.ready
	slots := make(chan struct{}, g.parallel())
	for range g.remaining() {
		slots <- struct{}{}
		if within.Err() != nil {
			break
		}
		k := g.begin()
		work.Go(func() {
			g.do(within, k)
			<-slots
		})
	}
	work.Wait()
	if ctx.Err() != nil { // perhaps between two runs, so that no run reports it
		return nil, ctx.Err()
	}
	for _, err := range g.errs {
		if err != nil {
			return nil, err
		}
	}
	return g.results, nil
}

// begin reserves the slots of the next run and returns its number.
func (g *activeEnsemble[R]) begin() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	var none R
	g.results, g.endings, g.errs = append(g.results, none), append(g.endings, Ending{}), append(g.errs, nil)
	return len(g.results) - 1
}

// remaining returns the number of runs after the first: none if the first ended
// without an answer of the model.
func (g *activeEnsemble[R]) remaining() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.done > 0 && (g.errs[0] != nil || !g.endings[0].Answered) {
		return 0
	}
	return g.Size - 1
}

// parallel returns how many of the remaining runs may go on at once. If money is limited,
// it returns half of the number that the cost of the first run suggests, because runs
// differ in cost.
func (g *activeEnsemble[R]) parallel() int {
	left, limited := g.Ledger.Left()
	g.mu.Lock()
	defer g.mu.Unlock()
	cost := g.endings[0].CostUSD
	if !limited || g.done == 0 || cost == nil || *cost <= 0 {
		return maxParallel
	}
	return int(min(max(left / *cost / 2, 1), maxParallel))
}

// do does one run from beginning to end. An error, or an ending that would end
// every other run too, stops the other runs.
func (g *activeEnsemble[R]) do(ctx context.Context, k int) {
	result, ending, err := g.Do(ctx, k, g.listener(k))
	g.mu.Lock()
	defer g.mu.Unlock()
	g.results[k], g.endings[k], g.errs[k] = result, ending, err
	g.done++
	if err != nil || ending.EndsAll {
		g.stop(errSibling)
	}
	g.open()
	if g.Size > 1 && g.OnEvent != nil {
		g.OnEvent(agent.Progress{Text: fmt.Sprintf("%d of %d %s", g.done, g.Size, g.Noun), Done: g.done, Total: g.Size})
	}
}

// open lets the other runs begin. The caller holds g.mu.
func (g *activeEnsemble[R]) open() {
	if !g.begun {
		g.begun = true
		close(g.ready)
	}
}

// listener returns a function that passes on the events of run k. Events of
// different runs are passed on one at a time.
func (g *activeEnsemble[R]) listener(k int) func(agent.Event) {
	return func(e agent.Event) {
		g.mu.Lock()
		defer g.mu.Unlock()
		if _, ok := e.(agent.Usage); ok { // the model has answered
			if _, limited := g.Ledger.Left(); !limited {
				g.open()
			}
		}
		switch {
		case g.OnEvent == nil:
		case g.Size > 1:
			g.OnEvent(agent.OfRun{Run: k + 1, Event: e})
		default:
			g.OnEvent(e)
		}
	}
}
