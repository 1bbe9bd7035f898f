package engine

import (
	"context"
	"iter"
	"sync"

	"git-agent/agent"
	"git-agent/agent/szz"
)

// Batch says how several questions are answered.
type Batch struct {
	Workers   int  // questions that are worked on at once, from 1
	KeepGoing bool // a fix that cannot be read gets an answer that says so, and does not end the batch
	// OnEvent gets the events of each question in order. Several goroutines call
	// it.
	OnEvent func(szz.Question, agent.Event)
}

// All yields the answers in the order of the questions, each as soon as it and
// all answers before it are ready. An error ends the batch.
func (e *Engine) All(ctx context.Context, questions iter.Seq2[szz.Question, error], b Batch) iter.Seq2[*Answer, error] {
	type result struct {
		ans *Answer
		err error
	}
	return func(yield func(*Answer, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var work sync.WaitGroup
		defer work.Wait()
		defer cancel()
		queue := make(chan chan result, b.Workers-1)
		work.Go(func() {
			defer close(queue)
			for q, err := range questions {
				slot := make(chan result, 1)
				select {
				case queue <- slot:
				case <-ctx.Done():
					return
				}
				if err != nil {
					slot <- result{err: err}
					return
				}
				work.Go(func() {
					ans, err := e.Answer(ctx, q, func(event agent.Event) { b.OnEvent(q, event) })
					if b.KeepGoing && isReadFailure(ctx, err) {
						ans, err = failedAnswer(q, err), nil
					}
					slot <- result{ans, err}
				})
			}
		})
		for slot := range queue {
			r := <-slot
			if !yield(r.ans, r.err) || r.err != nil {
				return
			}
		}
		if err := context.Cause(ctx); err != nil {
			yield(nil, err)
		}
	}
}
