package engine

import (
	"context"
	"iter"

	"git-agent/agent"
	"git-agent/agent/session"
	"git-agent/agent/szz"
)

// Batch says how to answer several questions.
type Batch struct {
	Workers   int  // number of questions worked on at once, from 1
	KeepGoing bool // an unreadable fix gets an answer that says so, and does not end the batch
	// OnEvent gets the events of each question in order. Several goroutines call
	// it.
	OnEvent func(szz.Question, agent.Event)
}

// All yields the answers in the order of the questions, each one when all answers before
// it are ready too. An error ends the batch.
func (e *Engine) All(ctx context.Context, questions iter.Seq2[szz.Question, error], b Batch) iter.Seq2[*Result, error] {
	return session.InOrder(ctx, questions, b.Workers, func(ctx context.Context, q szz.Question) (*Result, error) {
		ans, err := e.Answer(ctx, q, func(event agent.Event) { b.OnEvent(q, event) })
		if b.KeepGoing && isReadFailure(ctx, err) {
			return e.failedAnswer(q, err), nil
		}
		return ans, err
	})
}
