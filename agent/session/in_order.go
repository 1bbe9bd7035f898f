package session

import (
	"context"
	"iter"
	"sync"
)

// InOrder answers several questions with at least one worker. It yields the answers in
// the order of the questions, each one when all answers before it are ready too. An error
// of a question, or of its answer, ends the sequence.
func InOrder[Q, A any](
	ctx context.Context,
	questions iter.Seq2[Q, error],
	workers int,
	answer func(context.Context, Q) (A, error),
) iter.Seq2[A, error] {
	type result struct {
		ans A
		err error
	}
	return func(yield func(A, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var work sync.WaitGroup
		defer work.Wait()
		defer cancel()
		queue := make(chan chan result, workers-1)
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
					ans, err := answer(ctx, q)
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
			var none A
			yield(none, err)
		}
	}
}
