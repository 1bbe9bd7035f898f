package session

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"git-agent/agent"
)

// maxAtOnce bounds the runs of an ensemble that are under way together, because
// servers limit the rate of requests.
const maxAtOnce = 8

// ErrSibling is the cause that ends the runs of an ensemble beside one that
// failed for good.
var ErrSibling = errors.New("another run of the vote failed for a reason that holds for all")

// Ensemble does the same work several times with one model. The first run goes
// ahead until the model has answered once: the others then find the words that
// all of them begin with in the server's cache, and are not tried where nobody
// answers. Where money is limited the first run goes on to its end, and only as
// many follow together as the rest will last for: five runs that stop half way
// are no answer.
type Ensemble[R any] struct {
	Size    int               // runs, from 1
	Ledger  *agent.Ledger     // what they spend from; may be nil
	Noun    string            // what a run is called in progress, in the plural
	OnEvent func(agent.Event) // gets each run's events as agent.OfRun where there are several, one at a time; may be nil
	// Do does the k-th run, from 0, and hands its events to listen. An error ends
	// the ensemble. When the context's cause is ErrSibling, Do returns what it
	// has.
	Do func(ctx context.Context, k int, listen func(agent.Event)) (R, Ending, error)
}

// Ending is what the other runs of an ensemble need to know of one that has
// ended.
type Ending struct {
	Answered bool     // the model has answered at least once
	CostUSD  *float64 // nil when it is not known
	EndsAll  bool     // it failed for a reason that would end every other run too
}

// gathering is an ensemble under way.
type gathering[R any] struct {
	Ensemble[R]
	stop  context.CancelCauseFunc
	ready chan struct{} // closed when the others may begin

	mu      sync.Mutex
	opened  bool // ready is closed
	results []R  // of those that began, by their number
	endings []Ending
	errs    []error
	done    int
}

// Run does the runs and returns their results in the order of their numbers,
// whichever ends first. There are fewer than Size when the first run ended
// without an answer of the model.
func (e Ensemble[R]) Run(ctx context.Context) ([]R, error) {
	within, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	g := &gathering[R]{Ensemble: e, stop: stop, ready: make(chan struct{})}
	var work sync.WaitGroup
	work.Go(func() { g.do(within, g.begin()) })
	<-g.ready
	slots := make(chan struct{}, g.atOnce())
	for range g.others() {
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
	if ctx.Err() != nil { // perhaps between two runs, of which none knows
		return nil, ctx.Err()
	}
	for _, err := range g.errs {
		if err != nil {
			return nil, err
		}
	}
	return g.results, nil
}

// begin makes room for the next run and returns its number.
func (g *gathering[R]) begin() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	var none R
	g.results, g.endings, g.errs = append(g.results, none), append(g.endings, Ending{}), append(g.errs, nil)
	return len(g.results) - 1
}

// others is how many runs follow the first: none when that one ended without
// an answer of the model.
func (g *gathering[R]) others() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.done > 0 && (g.errs[0] != nil || !g.endings[0].Answered) {
		return 0
	}
	return g.Size - 1
}

// atOnce is how many runs may follow the first together. Runs differ in what
// they cost, hence half of what the first one suggests.
func (g *gathering[R]) atOnce() int {
	left, limited := g.Ledger.Left()
	g.mu.Lock()
	defer g.mu.Unlock()
	cost := g.endings[0].CostUSD
	if !limited || g.done == 0 || cost == nil || *cost <= 0 {
		return maxAtOnce
	}
	return int(min(max(left / *cost / 2, 1), maxAtOnce))
}

// do is one run from beginning to end. What would end every other run too, or
// is trouble of ours, stops those beside it.
func (g *gathering[R]) do(ctx context.Context, k int) {
	result, ending, err := g.Do(ctx, k, g.listener(k))
	g.mu.Lock()
	defer g.mu.Unlock()
	g.results[k], g.endings[k], g.errs[k] = result, ending, err
	g.done++
	if err != nil || ending.EndsAll {
		g.stop(ErrSibling)
	}
	g.open()
	if g.Size > 1 && g.OnEvent != nil {
		g.OnEvent(agent.Progress{Text: fmt.Sprintf("%d of %d %s", g.done, g.Size, g.Noun), Done: g.done, Total: g.Size})
	}
}

// open lets the other runs begin. The caller holds mu.
func (g *gathering[R]) open() {
	if !g.opened {
		g.opened = true
		close(g.ready)
	}
}

// listener hands on the events of one run, one at a time for all runs.
func (g *gathering[R]) listener(k int) func(agent.Event) {
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
