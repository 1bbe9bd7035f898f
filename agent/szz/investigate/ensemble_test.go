package investigate

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"git-agent/agent"
	"git-agent/agent/model"
	"git-agent/agent/szz"
	"git-agent/gitext"
)

// An asker answers a request. turn is the number of earlier answers in its conversation,
// and nth the number of conversations that asked for that turn before.
type asker func(ctx context.Context, turn, nth int) (model.Message, error)

// An ensembleModel is a model that several runs ask at the same time.
type ensembleModel struct {
	answer asker
	usd    float64 // cost of each answer

	mu    sync.Mutex
	asked map[int]int // by turn, from 0
}

func (m *ensembleModel) Ask(ctx context.Context, req model.Request) (*model.Reply, error) {
	turn := 0
	for _, said := range req.Messages {
		if said.Role == model.Assistant {
			turn++
		}
	}
	m.mu.Lock()
	if m.asked == nil {
		m.asked = map[int]int{}
	}
	nth := m.asked[turn]
	m.asked[turn]++
	m.mu.Unlock()
	reply, err := m.answer(ctx, turn, nth)
	if err != nil {
		return nil, err
	}
	reply.Role, reply.Calls = model.Assistant, slices.Clone(reply.Calls)
	for i := range reply.Calls {
		reply.Calls[i].ID = "call"
	}
	return &model.Reply{Message: reply, Finish: model.FinishStop, Usage: model.Usage{Uncached: 100, Output: 10, CostUSD: &m.usd}, Attempts: 1}, nil
}

// Price is the expected price of an answer, far below its cost.
func (m *ensembleModel) Price() (model.Price, bool) { return model.Price{Input: 1, Output: 1}, true }

// A barrier stops callers until a number of them have arrived.
type barrier struct {
	wanted int
	all    chan struct{}

	mu   sync.Mutex
	came int
}

func newBarrier(n int) *barrier { return &barrier{wanted: n, all: make(chan struct{})} }

func (b *barrier) wait(ctx context.Context) error {
	b.mu.Lock()
	b.came++
	if b.came == b.wanted {
		close(b.all)
	}
	b.mu.Unlock()
	select {
	case <-b.all:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

var look = called("git_show", map[string]any{"commit": "HEAD"})

func TestEnsembleRunsTogether(t *testing.T) {
	// The first run is alone until its first answer. Then all runs continue at the same
	// time. Each keeps its number and its record, and events name their run.
	t.Parallel()
	h, origin, mover, fix := movedHistory(t)
	together := newBarrier(3)
	m := &ensembleModel{answer: func(ctx context.Context, turn, nth int) (model.Message, error) {
		if turn == 0 {
			return look, nil
		}
		if err := together.wait(ctx); err != nil {
			return model.Message{}, err
		}
		return accuse([]string{string(origin), string(mover), string(origin)}[nth]), nil
	}}
	journals := []memoryJournal{{}, {}, {}}
	spoke := map[int]int{}
	var progress []int
	v, err := Trace(t.Context(), h.Open(), h.Context(fix, szz.ContextOptions{NoAnnotations: true}), Options{
		Model: m, ModelName: "several", Runs: 3, Journal: func(k int) (agent.Journal, error) { return journals[k], nil },
		OnEvent: func(e agent.Event) {
			switch e := e.(type) {
			case agent.OfRun:
				spoke[e.Run]++
			case agent.Progress:
				progress = append(progress, e.Done)
			default:
				t.Errorf("whose is %+v?", e)
			}
		},
	})
	if err != nil || len(v.Suspects) != 1 || v.Suspects[0].Commit.OID != origin || len(v.Agent.Runs) != 3 {
		t.Fatalf("%v, %+v", err, v)
	}
	if a := v.Suspects[0].Vote.Agreement; a < 0.66 || a > 0.67 || v.Agent.Agreement != a {
		t.Errorf("agreement %v, %v", a, v.Agent.Agreement)
	}
	for k, run := range v.Agent.Runs {
		if recorded := answerIn(t, journals[k]); run.Turns != 2 || len(run.Claims) != 1 || run.Claims[0].Commit != recorded {
			t.Errorf("run %d reports %+v, its record has %s", k, run, recorded)
		}
	}
	if spoke[1] == 0 || spoke[1] != spoke[2] || spoke[1] != spoke[3] || len(spoke) != 3 || !slices.Equal(progress, []int{1, 2, 3}) {
		t.Errorf("events %v, progress %v", spoke, progress)
	}
}

// verdictIn returns the commit that a record has as reported.
func answerIn(t *testing.T, b memoryJournal) gitext.OID {
	t.Helper()
	for _, data := range b {
		var step struct{ Detail []szz.Claim }
		if json.Unmarshal(data, &step) == nil && len(step.Detail) == 1 {
			return step.Detail[0].Commit
		}
	}
	t.Fatalf("no verdict in %d steps", len(b))
	return ""
}

func TestEnsembleKeepsToItsBudget(t *testing.T) {
	// If little money is left, each run ends before the next begins. If there is enough,
	// the runs after the first continue at the same time.
	t.Parallel()
	h, origin, _, fix := movedHistory(t)
	for budget, together := range map[float64]bool{0.45: false, 100: true} {
		var mu sync.Mutex
		var turns []int
		both := newBarrier(2)
		m := &ensembleModel{usd: 0.1, answer: func(ctx context.Context, turn, nth int) (model.Message, error) {
			mu.Lock()
			turns = append(turns, turn)
			mu.Unlock()
			if turn > 0 {
				return accuse(string(origin)), nil
			}
			if together && nth > 0 {
				return look, both.wait(ctx)
			}
			return look, nil
		}}
		v, err := Trace(t.Context(), h.Open(), h.Context(fix, szz.ContextOptions{NoAnnotations: true}), Options{
			Model: m, ModelName: "several", Runs: 3, MaxOutput: 10, Ledger: agent.NewLedger(agent.Budget{USD: budget}),
		})
		if err != nil || v.Suspects[0].Commit.OID != origin || len(v.Agent.Runs) != 3 {
			t.Fatalf("$%g: %v, %+v", budget, err, v)
		}
		if first := []int{0, 1, 0, 1}; !together && (!slices.Equal(turns[:4], first) || v.Agent.Runs[1].Status != agent.StatusFound) {
			t.Errorf("$%g: turns %v, runs %+v", budget, turns, v.Agent.Runs)
		}
	}
}

func TestEnsembleStopsEarly(t *testing.T) {
	// A refusal that is valid for all runs stops the runs that wait for an answer. If the
	// first run gets no answer at all, no other is started.
	t.Parallel()
	h, _, _, fix := movedHistory(t)
	refused := &model.Error{Class: model.ClassAuth, Message: "no such key"}
	var wall time.Duration // 0 for the usual one
	detect := func(m *ensembleModel) *szz.AgentReport {
		t.Helper()
		v, err := Trace(t.Context(), h.Open(), h.Context(fix, szz.ContextOptions{NoAnnotations: true}), Options{Model: m, ModelName: "several", Runs: 3, Limits: agent.Limits{Wall: wall}})
		if err != nil || v.Agent.Fallback == "" {
			t.Fatalf("%v, %+v", err, v)
		}
		return v.Agent
	}
	m := &ensembleModel{answer: func(context.Context, int, int) (model.Message, error) { return model.Message{}, refused }}
	if r := detect(m); len(r.Runs) != 1 || m.asked[0] != 1 {
		t.Errorf("%v requests, %+v", m.asked, r)
	}
	wall = time.Millisecond
	m = &ensembleModel{answer: func(ctx context.Context, _, _ int) (model.Message, error) {
		<-ctx.Done()
		return model.Message{}, ctx.Err()
	}}
	if r := detect(m); len(r.Runs) != 1 || r.Runs[0].Status != agent.StatusLimit || m.asked[0] > 1 {
		t.Errorf("a server that hangs: %v requests, %+v", m.asked, r)
	}
	wall = 0

	waiting := newBarrier(2) // the first run with its second question, and another with its first
	m = &ensembleModel{answer: func(ctx context.Context, turn, nth int) (model.Message, error) {
		switch {
		case turn == 0 && nth == 0:
			return look, nil
		case turn == 0 && nth == 1:
			if err := waiting.wait(ctx); err != nil {
				return model.Message{}, err
			}
			return model.Message{}, refused
		case turn == 1:
			_ = waiting.wait(ctx) // it will be stopped in either case
		}
		<-ctx.Done()
		return model.Message{}, ctx.Err()
	}}
	r := detect(m)
	ended := map[string]int{}
	for _, run := range r.Runs {
		ended[run.Status]++
	}
	if ended[agent.StatusFailed] != 1 || ended[agent.StatusInterrupted]+1 != len(r.Runs) || !strings.Contains(r.Fallback, "no such key") {
		t.Errorf("ended %v: %+v", ended, r)
	}
}

// A stuckJournal records the end of a run only when the run is stopped.
type stuckJournal struct {
	memoryJournal
	closing chan struct{}   // closed when it is asked to record the end
	run     context.Context // of the last step
}

func (b *stuckJournal) Record(ctx context.Context, key string, payload []byte) error {
	b.run = ctx
	return b.memoryJournal.Record(ctx, key, payload)
}

func (b *stuckJournal) Note(ctx context.Context, key string, _ []byte) error {
	if key != agent.StepClosing {
		return nil
	}
	close(b.closing)
	<-b.run.Done()
	return ctx.Err()
}

func TestEnsembleKeepsWhatWasDone(t *testing.T) {
	// A run that had its answer when another failed for good does not count as
	// interrupted.
	t.Parallel()
	h, origin, _, fix := movedHistory(t)
	done := make(chan struct{})
	m := &ensembleModel{answer: func(ctx context.Context, turn, nth int) (model.Message, error) {
		switch {
		case turn > 0:
			return accuse(string(origin)), nil
		case nth == 0:
			return look, nil
		}
		<-done
		return model.Message{}, &model.Error{Class: model.ClassAuth, Message: "no such key"}
	}}
	v, err := Trace(t.Context(), h.Open(), h.Context(fix, szz.ContextOptions{NoAnnotations: true}), Options{
		Model: m, ModelName: "several", Runs: 2, Journal: func(k int) (agent.Journal, error) {
			if k == 0 {
				return &stuckJournal{memoryJournal: memoryJournal{}, closing: done}, nil
			}
			return memoryJournal{}, nil
		},
	})
	if err != nil || len(v.Suspects) != 1 || v.Suspects[0].Commit.OID != origin {
		t.Fatalf("%v, %+v", err, v)
	}
	if r := v.Agent.Runs; r[0].Status != agent.StatusFound || r[1].Status != agent.StatusFailed {
		t.Errorf("%+v", r)
	}
}

func TestEnsembleInterruptedBetweenRuns(t *testing.T) {
	// A vote that is cancelled after its first run is an error, not the answer of
	// that run.
	t.Parallel()
	h, _, _, fix := movedHistory(t)
	ctx, cancel := context.WithCancel(t.Context())
	m := &ensembleModel{answer: func(context.Context, int, int) (model.Message, error) { return accuse(), nil }} // names nobody
	v, err := Trace(ctx, h.Open(), h.Context(fix, szz.ContextOptions{NoAnnotations: true}), Options{
		Model: m, ModelName: "several", Runs: 3, MaxOutput: 10, Ledger: agent.NewLedger(agent.Budget{USD: 100}), // the first run goes ahead to its end
		OnEvent: func(e agent.Event) {
			if _, ok := e.(agent.Progress); ok {
				cancel()
			}
		},
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %+v", err, v)
	}
}

func TestEnsembleResumes(t *testing.T) {
	// An interrupted vote continues each run at its last step. No answered request is
	// sent again.
	t.Parallel()
	h, origin, _, fix := movedHistory(t)
	journals := []memoryJournal{{}, {}, {}}
	opt := Options{ModelName: "several", Runs: 3, Journal: func(k int) (agent.Journal, error) { return journals[k], nil }}
	ctx, cancel := context.WithCancel(t.Context())
	together := newBarrier(3)
	first := &ensembleModel{answer: func(ctx context.Context, turn, _ int) (model.Message, error) {
		if turn == 0 {
			return look, nil
		}
		if together.wait(ctx) == nil {
			cancel()
		}
		<-ctx.Done()
		return model.Message{}, ctx.Err()
	}}
	opt.Model = first
	fc := h.Context(fix, szz.ContextOptions{NoAnnotations: true})
	if v, err := Trace(ctx, h.Open(), fc, opt); err == nil {
		t.Fatalf("an interrupted vote gives %+v", v)
	}
	second := &ensembleModel{answer: func(context.Context, int, int) (model.Message, error) { return accuse(string(origin)), nil }}
	opt.Model = second
	v, err := Trace(t.Context(), h.Open(), fc, opt)
	if err != nil || v.Suspects[0].Commit.OID != origin || v.Agent.Agreement != 1 || second.asked[0] != 0 || second.asked[1] != 3 {
		t.Fatalf("%v, asked %v, %+v", err, second.asked, v)
	}
	for k, run := range v.Agent.Runs {
		if run.Resumed != 2 || run.Turns != 2 {
			t.Errorf("run %d: %+v", k, run)
		}
	}
}
