package agent

import (
	"context"
	"fmt"
	"math"
	"sync"

	"git-agent/agent/model"
)

// Budget bounds the common spending of several runs. Zero is no limit.
type Budget struct {
	USD    float64
	Tokens int64 // sent and received, cached ones too
}

// Ledger tracks the common spending of several runs. Each call first reserves its highest
// possible cost and settles its real cost afterwards, so that any number of workers stay
// within the budget if no call costs more than its reservation. It is safe for concurrent
// use.
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

// plus adds two sums. The result is never negative and always fits JSON, because some
// amounts come from a server.
func (s Spending) plus(o Spending) Spending {
	const most = math.MaxInt64 / 4
	return Spending{model.AddUSD(s.USD, o.USD), min(max(s.Tokens, 0), most) + min(max(o.Tokens, 0), most)}
}

func (s Spending) minus(o Spending) Spending {
	o = o.plus(Spending{})
	return Spending{max(s.USD-o.USD, 0), max(s.Tokens-o.Tokens, 0)}
}

// times returns n times s.
func (s Spending) times(n int) Spending {
	var sum Spending
	for range n {
		sum = sum.plus(s)
	}
	return sum
}

// atLeast returns the larger amount in each unit.
func (s Spending) atLeast(o Spending) Spending {
	return Spending{max(s.USD, o.USD), max(s.Tokens, o.Tokens)}
}

// NewLedger returns a ledger with nothing spent.
func NewLedger(b Budget) *Ledger { return &Ledger{budget: b, eased: make(chan struct{})} }

// spentError says that the budget has no room for a reservation.
type spentError struct {
	Budget Budget
	Spent  Spending
	Need   Spending
}

func (e *spentError) Error() string {
	if e.Budget.USD > 0 && e.Spent.USD+e.Need.USD > e.Budget.USD {
		return fmt.Sprintf(
			"the budget of $%.4g does not hold the next call: $%.4g are spent and it may cost $%.4g",
			e.Budget.USD,
			e.Spent.USD,
			e.Need.USD,
		)
	}
	return fmt.Sprintf(
		"the budget of %d tokens does not hold the next call: %d are used and it may take %d",
		e.Budget.Tokens,
		e.Spent.Tokens,
		e.Need.Tokens,
	)
}

// hold is a reservation. The first call of settle, release or forfeit ends it;
// later calls do nothing.
type hold struct {
	ledger *Ledger
	held   Spending
	ended  bool
}

// reserve holds need if spare is also still free. It waits while other calls are open
// that may cost less than they reserved. If need cannot fit, the error is a *spentError.
func (l *Ledger) reserve(ctx context.Context, need, spare Spending) (*hold, error) {
	for {
		l.mu.Lock()
		if l.fits(l.spent.plus(l.held).plus(need).plus(spare)) {
			l.held = l.held.plus(need)
			l.holds++
			l.mu.Unlock()
			return &hold{ledger: l, held: need}, nil
		}
		spent, holds, eased := l.spent, l.holds, l.eased
		l.mu.Unlock()
		if holds == 0 || !l.fits(spent.plus(need).plus(spare)) {
			l.refuse()
			return nil, &spentError{Budget: l.budget, Spent: spent, Need: need.plus(spare)}
		}
		select {
		case <-eased:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// fits compares a sum with the budget and ignores rounding errors: 0.1 + 0.2 >
// 0.3.
func (l *Ledger) fits(s Spending) bool {
	const rounding = 1e-9 // USD
	return (l.budget.USD <= 0 || s.USD <= l.budget.USD+rounding) && (l.budget.Tokens <= 0 || s.Tokens <= l.budget.Tokens)
}

// settle ends the hold with the real cost of the call.
func (h *hold) settle(cost Spending) { h.end(cost) }

// release ends the hold of a call that cost nothing.
func (h *hold) release() { h.end(Spending{}) }

// forfeit ends the hold as if the call had cost the whole reservation.
func (h *hold) forfeit() { h.end(h.held) }

func (h *hold) end(cost Spending) {
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

// charge adds the spending of an earlier process of a run.
func (l *Ledger) charge(cost Spending) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.spent = l.spent.plus(cost)
}

// Spent returns the cost of calls so far, without open reservations.
func (l *Ledger) Spent() Spending {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.spent
}

// Left returns the money that is neither spent nor reserved. limited is false
// if the budget has no limit in USD.
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

// Refused reports whether any reservation did not fit: the remaining budget is too small
// for a running run, and for similar ones.
func (l *Ledger) Refused() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refused
}
