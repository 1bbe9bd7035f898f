package agent

import (
	"context"
	"fmt"
	"math"
	"sync"

	"git-agent/agent/model"
)

// Budget is what runs may spend together. Zero means no limit.
type Budget struct {
	USD    float64
	Tokens int64 // sent and received, cached ones too
}

// Ledger holds what a number of runs may spend together. A call reserves what
// it may cost before it is made, and settles what it did cost after, so that
// any number of workers stay inside the budget as long as no call costs more
// than it reserved. It is safe for concurrent use.
type Ledger struct {
	budget Budget

	mu      sync.Mutex
	spent   Spending
	held    Spending
	holds   int
	eased   chan struct{} // closed when a hold ends
	refused bool
}

// Spending is a sum of money and tokens.
type Spending struct {
	USD    float64
	Tokens int64
}

// plus never ends below zero nor beyond what JSON can say, whatever the parts
// are: some of them are what a server says.
func (s Spending) plus(o Spending) Spending {
	const most = math.MaxInt64 / 4
	return Spending{model.AddUSD(s.USD, o.USD), min(max(s.Tokens, 0), most) + min(max(o.Tokens, 0), most)}
}

func (s Spending) minus(o Spending) Spending {
	o = o.plus(Spending{})
	return Spending{max(s.USD-o.USD, 0), max(s.Tokens-o.Tokens, 0)}
}

// times is so many of them.
func (s Spending) times(n int) Spending {
	var sum Spending
	for range n {
		sum = sum.plus(s)
	}
	return sum
}

// atLeast is the larger of two in each unit.
func (s Spending) atLeast(o Spending) Spending {
	return Spending{max(s.USD, o.USD), max(s.Tokens, o.Tokens)}
}

// NewLedger returns a ledger of which nothing is spent.
func NewLedger(b Budget) *Ledger { return &Ledger{budget: b, eased: make(chan struct{})} }

// SpentError is a reservation that the budget has no room for.
type SpentError struct {
	Budget Budget
	Spent  Spending
	Need   Spending
}

func (e *SpentError) Error() string {
	if e.Budget.USD > 0 && e.Spent.USD+e.Need.USD > e.Budget.USD {
		return fmt.Sprintf("the budget of $%.4g does not hold the next call: $%.4g are spent and it may cost $%.4g", e.Budget.USD, e.Spent.USD, e.Need.USD)
	}
	return fmt.Sprintf("the budget of %d tokens does not hold the next call: %d are used and it may take %d", e.Budget.Tokens, e.Spent.Tokens, e.Need.Tokens)
}

// Hold is a reservation. The first of Settle, Release and Forfeit ends it;
// what comes after does nothing.
type Hold struct {
	ledger *Ledger
	held   Spending
	ended  bool
}

// Reserve holds need, where spare must be free beside it. While calls of
// others are under way that may turn out cheaper than they reserved it waits
// for them; a *SpentError says that it will not fit.
func (l *Ledger) Reserve(ctx context.Context, need, spare Spending) (*Hold, error) {
	for {
		l.mu.Lock()
		if l.fits(l.spent.plus(l.held).plus(need).plus(spare)) {
			l.held = l.held.plus(need)
			l.holds++
			l.mu.Unlock()
			return &Hold{ledger: l, held: need}, nil
		}
		spent, holds, eased := l.spent, l.holds, l.eased
		l.mu.Unlock()
		if holds == 0 || !l.fits(spent.plus(need).plus(spare)) {
			l.refuse()
			return nil, &SpentError{Budget: l.budget, Spent: spent, Need: need.plus(spare)}
		}
		select {
		case <-eased:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// fits forgives what sums of fractions are off by: 0.1 + 0.2 > 0.3.
func (l *Ledger) fits(s Spending) bool {
	const rounding = 1e-9 // USD
	return (l.budget.USD <= 0 || s.USD <= l.budget.USD+rounding) && (l.budget.Tokens <= 0 || s.Tokens <= l.budget.Tokens)
}

// Settle ends the hold with what the call did cost.
func (h *Hold) Settle(cost Spending) { h.end(cost) }

// Release ends the hold of a call that cost nothing.
func (h *Hold) Release() { h.end(Spending{}) }

// Forfeit ends the hold of a call that may have been paid for in full.
func (h *Hold) Forfeit() { h.end(h.held) }

func (h *Hold) end(cost Spending) {
	l := h.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	if h.ended {
		return
	}
	h.ended = true
	l.held, l.spent = l.held.minus(h.held), l.spent.plus(cost)
	l.holds--
	close(l.eased)
	l.eased = make(chan struct{})
}

// Charge adds what an earlier life of a run has spent.
func (l *Ledger) Charge(cost Spending) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.spent = l.spent.plus(cost)
}

// Spent returns what calls did cost so far, without what is held.
func (l *Ledger) Spent() Spending {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.spent
}

// Left returns the money that is neither spent nor held; limited is false when
// the budget has no limit in USD.
func (l *Ledger) Left() (usd float64, limited bool) {
	if l == nil || l.budget.USD <= 0 {
		return 0, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.budget.USD - l.spent.USD - l.held.USD, true
}

func (l *Ledger) refuse() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refused = true
}

// Refused is true once a reservation did not fit: what is left is too little
// for a run that is under way, and for others like it.
func (l *Ledger) Refused() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refused
}
