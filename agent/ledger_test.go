package agent

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

// Sixteen workers that reserve, and settle for less, spend up to the budget and never
// more.
func TestLedgerIsNeverOvershot(t *testing.T) {
	t.Parallel()
	const workers, need = 16, 0.03
	l := NewLedger(Budget{USD: 1, Tokens: 1e6})
	var calls, over atomic.Int64
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(w), 1))
			for {
				hold, err := l.reserve(t.Context(), Spending{USD: need, Tokens: 1000}, Spending{})
				if err != nil {
					return
				}
				calls.Add(1)
				switch cost := (Spending{USD: need * random.Float64(), Tokens: 900}); random.IntN(4) {
				case 0:
					hold.release()
				case 1:
					hold.forfeit()
				default:
					hold.settle(cost)
				}
				hold.settle(Spending{USD: 100}) // the hold has ended already
				if l.Spent().USD > 1 {
					over.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if spent := l.Spent(); over.Load() > 0 || spent.USD > 1 || spent.USD < 1-need {
		t.Errorf("%+v spent in %d calls, %d times over", spent, calls.Load(), over.Load())
	}
}

// A reservation waits if it would fit without the reservations of others.
func TestLedgerWaitsForHolds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		cost float64
		want bool
	}{{"cheaper than held", 0.1, true}, {"as dear as held", 0.9, false}} {
		l := NewLedger(Budget{USD: 1})
		first, err := l.reserve(t.Context(), Spending{USD: 0.9}, Spending{})
		if err != nil {
			t.Fatal(err)
		}
		got := make(chan error)
		go func() {
			_, err := l.reserve(t.Context(), Spending{USD: 0.5}, Spending{USD: 0.3})
			got <- err
		}()
		first.settle(Spending{USD: tt.cost})
		var spent *spentError
		if err := <-got; (err == nil) != tt.want || err != nil && !errors.As(err, &spent) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// Waiting for holds stops at the end of the context.
func TestLedgerWaitEnds(t *testing.T) {
	t.Parallel()
	l := NewLedger(Budget{Tokens: 100})
	if _, err := l.reserve(t.Context(), Spending{Tokens: 90}, Spending{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.reserve(ctx, Spending{Tokens: 90}, Spending{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// The spending of an earlier process counts, and no amount is lost to rounding.
func TestLedgerCharge(t *testing.T) {
	t.Parallel()
	l := NewLedger(Budget{USD: 0.3})
	l.charge(Spending{USD: 0.1})
	hold, err := l.reserve(t.Context(), Spending{USD: 0.1}, Spending{USD: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	hold.release()
	if _, err = l.reserve(t.Context(), Spending{USD: 0.2}, Spending{}); err != nil {
		t.Error(err)
	}
	if got := l.Spent(); got.USD != 0.1 {
		t.Errorf("spent %+v", got)
	}
}

// Runs with a common ledger stay within it, and each still gets its last answer or an end
// with a reason.
func TestRunsShareALedger(t *testing.T) {
	t.Parallel()
	const budget = 0.05
	l := NewLedger(Budget{USD: budget})
	var wg sync.WaitGroup
	var asked atomic.Int64
	for range 16 {
		wg.Go(func() {
			s := &script{turns: busy(500), price: 1}
			loop := newTestLoop(s)
			loop.Ledger, loop.MaxOutput = l, 500
			out, err := loop.Run(t.Context())
			if err != nil || out.Status != StatusLimit {
				t.Errorf("got %+v, %v", out, err)
			}
			asked.Add(int64(len(s.asked)))
		})
	}
	wg.Wait()
	// The script counts more tokens for a short request than were reserved for it, so the
	// last answer may cost more than the remaining money.
	const answer = 0.00102
	if spent := l.Spent().USD; spent > budget+answer || spent < budget*0.8 {
		t.Errorf("$%.4f of $%.4f spent in %d requests", spent, budget, asked.Load())
	}
}
