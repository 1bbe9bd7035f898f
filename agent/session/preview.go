package session

import (
	"context"
	"errors"

	"git-agent/agent/model"
)

// errNotSent ends work whose first request is only shown.
var errNotSent = errors.New("the request is shown and not sent")

// requestKeeper keeps its first request, and answers no request.
type requestKeeper struct{ first *model.Request }

// Ask keeps the first request and returns errNotSent.
func (s *requestKeeper) Ask(_ context.Context, req model.Request) (*model.Reply, error) {
	if s.first == nil {
		s.first = &req
	}
	return nil, errNotSent
}

// FirstRequest returns the body of the first request of ask, or nil if there is none.
// Nothing is sent. ask must not wait for a price, because an unsent request costs
// nothing.
func (s *Session) FirstRequest(ask func(model.Asker) error) ([]byte, error) {
	keeper := &requestKeeper{}
	if err := ask(keeper); keeper.first == nil {
		return nil, err
	}
	return s.Client.Body(*keeper.first)
}
