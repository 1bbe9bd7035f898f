package session

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"git-agent/agent"
)

// The results come in the order of the runs, and every event names its run.
func TestEnsembleKeepsTheOrder(t *testing.T) {
	t.Parallel()
	var runs []int
	e := Ensemble[int]{Size: 4, Noun: "attempts", OnEvent: func(event agent.Event) {
		if of, ok := event.(agent.OfRun); ok {
			runs = append(runs, of.Run) // one at a time
		}
	}}
	e.Do = func(_ context.Context, k int, listen func(agent.Event)) (int, Ending, error) {
		listen(agent.Thought{Text: "x"})
		return 10 * k, Ending{Answered: true}, nil
	}
	got, err := e.Run(t.Context())
	slices.Sort(runs)
	if err != nil || !slices.Equal(got, []int{0, 10, 20, 30}) || !slices.Equal(runs, []int{1, 2, 3, 4}) {
		t.Errorf("%v, %v, events of the runs %v", got, err, runs)
	}
}

// If the first run got no answer of the model, no other run begins.
func TestEnsembleEndsWhereNobodyAnswers(t *testing.T) {
	t.Parallel()
	var began atomic.Int32
	e := Ensemble[string]{Size: 5, Do: func(context.Context, int, func(agent.Event)) (string, Ending, error) {
		began.Add(1)
		return "nothing", Ending{}, nil
	}}
	if got, err := e.Run(t.Context()); err != nil || len(got) != 1 || began.Load() != 1 {
		t.Errorf("%q, %v, %d runs", got, err, began.Load())
	}
}

// A failure that holds for all stops the other runs; their findings stay.
func TestEnsembleStopsTheOthers(t *testing.T) {
	t.Parallel()
	e := Ensemble[string]{Size: 3, Do: func(ctx context.Context, k int, listen func(agent.Event)) (string, Ending, error) {
		listen(agent.Usage{})
		if k == 1 {
			return "refused", Ending{Answered: true, EndsAll: true}, nil
		}
		<-ctx.Done()
		if context.Cause(ctx) != errSibling {
			return "", Ending{}, ctx.Err()
		}
		return "stopped", Ending{Answered: true}, nil
	}}
	got, err := e.Run(t.Context())
	if err != nil || len(got) < 2 || got[0] != "stopped" || got[1] != "refused" {
		t.Errorf("%q, %v", got, err)
	}
	failed := errors.New("the disk is full")
	e.Do = func(context.Context, int, func(agent.Event)) (string, Ending, error) { return "", Ending{}, failed }
	if _, err := e.Run(t.Context()); !errors.Is(err, failed) {
		t.Errorf("an error of a run: %v", err)
	}
}
