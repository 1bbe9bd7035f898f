package session

import (
	"context"
	"errors"
	"sync"

	"git-agent/agent/model"
)

// Watch is a session's client that remembers whether the server failed. An error caused
// by the model or the request is no failure of the server: the engine handles such
// errors. It is safe for concurrent use.
type Watch struct {
	client *model.Client

	mu     sync.Mutex
	failed *model.Error
}

// watch returns a client for one question.
func (s *Session) watch() *Watch { return &Watch{client: s.Client} }

// Ask passes the request on and remembers a failure of the server.
func (w *Watch) Ask(ctx context.Context, req model.Request) (*model.Reply, error) {
	reply, err := w.client.Ask(ctx, req)
	var failed *model.Error
	if errors.As(err, &failed) && ctx.Err() == nil {
		switch failed.Class {
		case model.ClassOverflow, model.ClassRefused, model.ClassMalformed, model.ClassRequest:
		default:
			w.mu.Lock()
			w.failed = failed
			w.mu.Unlock()
		}
	}
	return reply, err
}

// Price returns the price that the client knows. Limits in USD need it.
func (w *Watch) Price() (model.Price, bool) { return w.client.Price() }

// Failed returns the error of the last request that the server did not answer,
// or nil if it answered all of them.
func (w *Watch) Failed() *model.Error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failed
}

// fatal reports whether every other question would fail as well.
func (w *Watch) fatal() bool {
	failed := w.Failed()
	return failed != nil && failed.EndsAll()
}
