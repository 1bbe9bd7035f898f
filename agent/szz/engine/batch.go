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
	Workers   int  // questions that are in work at once, from 1
	KeepGoing bool // a fix that cannot be read costs its own answer only, not the batch
	// OnEvent gets the events of each question in order; several goroutines call
	// it.
	OnEvent func(szz.Question, agent.Event)
}

// All answers questions in their order. An answer is handed out as soon as those
// before it are. An error ends the batch.
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
