package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"git-agent/agent/model"
	"git-agent/agent/model/modeltest"
)

// bulky is a model whose answers carry bulk in additional fields, which every later
// request returns. It counts the bytes sent to it.
func bulky(sent *int64, bulk int, count func(model.Request) model.Usage) turn {
	n := 0
	return func(_ context.Context, req model.Request) (*model.Reply, error) {
		n++
		for _, m := range req.Messages {
			*sent += int64(max(len(m.Raw), len(m.Text))) + int64(len(m.CallID))
		}
		args := fmt.Sprintf(`{"at":%d}`, n)
		raw, err := json.Marshal(map[string]any{"role": "assistant", "own": strings.Repeat("x", bulk), "tool_calls": []any{
			map[string]any{"id": "c", "type": "function", "function": map[string]string{"name": "look", "arguments": args}}}})
		return &model.Reply{Finish: model.FinishStop, Attempts: 1, Usage: count(req),
			Message: model.Message{Role: model.Assistant, Wire: model.WireChat, Raw: raw, Calls: []model.Call{{ID: "c", Name: "look", Args: args}}}}, err
	}
}

// Requests that a server makes a run repeat count, before they are sent and by this
// program's estimate, for any report of the server.
func TestLimitsCountWhatIsSent(t *testing.T) {
	t.Parallel()
	const limit = 400_000
	for _, tt := range []struct {
		name  string
		count func(model.Request) model.Usage
		most  int64 // tokens that may have been sent, by the bytes
	}{
		{"honest", func(req model.Request) model.Usage { return model.Usage{Uncached: model.Estimate(req), Output: 20} }, limit},
		{"counts nothing", func(req model.Request) model.Usage {
			return model.Usage{Uncached: model.Estimate(req), Output: 20, Estimated: true}
		}, limit},
		{"says little", func(model.Request) model.Usage { return model.Usage{Uncached: 1, Output: 1} }, 8 * limit},
	} {
		var sent int64
		s := &script{price: 1}
		answer := bulky(&sent, 500_000, tt.count)
		for range 50 {
			s.turns = append(s.turns, answer)
		}
		l := newTestLoop(s)
		l.Limits, l.MaxOutput = Limits{Tokens: limit}, 1000
		out, err := l.Run(t.Context())
		if err != nil || out.Status != StatusLimit || sent*10/36 > tt.most || len(s.asked) < 2 {
			t.Errorf("%s: %+v, %v, %d requests of %d tokens", tt.name, out.Reason, err, len(s.asked), sent*10/36)
		}
		sent, s.asked = 0, nil
		l = newTestLoop(s)
		l.Limits, l.MaxOutput = Limits{USD: 0.1}, 1000
		out, err = l.Run(t.Context())
		if usd := float64(sent) * 10 / 36 / 1e6; err != nil || out.Status != StatusLimit || usd > 0.1*float64(tt.most)/limit {
			t.Errorf("%s: %+v, %v, %d requests for $%.3g", tt.name, out.Reason, err, len(s.asked), usd)
		}
	}
}

// Failed requests are repeated only as far as the limits allow, because the
// server received them and may charge for them.
func TestLimitsCountLostAnswers(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	srv := modeltest.Serve(t, func(modeltest.Request) modeltest.Reply {
		asked.Add(1)
		return modeltest.Status(200, `{"choices":[`)
	})
	client, err := model.New(model.Config{BaseURL: srv.URL, Model: "m", Wire: model.WireChat, Sleep: func(context.Context, time.Duration) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	for _, withLedger := range []bool{false, true} {
		asked.Store(0)
		l := newTestLoop(&script{})
		l.Model, l.MaxOutput, l.LastWord, l.Unpriced = client, 1000, "", true
		if withLedger {
			l.Ledger = NewLedger(Budget{Tokens: 4000})
		} else {
			l.Limits.Tokens = 4000
		}
		out, err := l.Run(t.Context())
		if n := asked.Load(); err != nil || out.Status != StatusLimit || n < 2 || n > 4 {
			t.Errorf("%+v, %v after %d requests", out, err, n)
		}
		if withLedger && (l.Ledger.Spent().Tokens > 4000 || l.Ledger.Spent().Tokens < 2000 || l.Ledger.holds != 0) {
			t.Errorf("the ledger has %+v, %d holds", l.Ledger.Spent(), l.Ledger.holds)
		}
	}
}

// The check of an answer ends with the time of the run, and so do all checks
// after the last answer together.
func TestWallHoldsForAnswers(t *testing.T) {
	forever := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	for name, turns := range map[string][]turn{
		"a call": {call("report", `{"commit":"abc"}`), call("report", `{"commit":"abc"}`)},
		"a text": {say("verdict abc"), say("verdict abc")},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newTestLoop(&script{turns: turns})
				l.Now, l.Limits.Wall = nil, 10*time.Second
				l.Tools = []Tool{judge{fake{"report", func(ctx context.Context, _ json.RawMessage) (Result, error) {
					return Result{}, forever(ctx)
				}}}}
				l.Text = func(ctx context.Context, _ string) (Result, error) { return Result{}, forever(ctx) }
				begun := time.Now()
				out, err := l.Run(t.Context())
				if took := time.Since(begun); err != nil || took > 10*time.Second+lastWordTime {
					t.Errorf("%+v, %v after %s", out, err, took)
				}
			})
		})
	}
}

// No figure from a server makes a ledger negative or NaN.
func TestLedgerStaysSane(t *testing.T) {
	t.Parallel()
	for _, usd := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -5, math.MaxFloat64, 1e308} {
		for _, tokens := range []int64{math.MinInt64, -1, math.MaxInt64} {
			l := NewLedger(Budget{})
			for range 5 {
				hold, err := l.reserve(t.Context(), Spending{USD: usd, Tokens: tokens}, Spending{})
				if err != nil {
					t.Fatal(err)
				}
				l.charge(Spending{USD: usd, Tokens: tokens})
				hold.settle(Spending{USD: usd, Tokens: tokens})
			}
			for _, s := range []Spending{l.spent, l.held} {
				if _, err := json.Marshal(s); err != nil || s.USD < 0 || s.Tokens < 0 {
					t.Errorf("%g and %d: %+v, %v", usd, tokens, s, err)
				}
			}
		}
	}
}
