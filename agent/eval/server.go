package eval

import (
	"errors"
	"sync/atomic"

	"git-agent/agent/model"
)

// serverFailures is the number of consecutive failures, each after many attempts, after which the
// server counts as gone.
const serverFailures = 3

// Server decides when an evaluation stops because of the model's server. It is safe
// for concurrent use.
type Server struct{ failures atomic.Int32 } // in a row

// Refused marks an error that would also end every other case, so that the evaluation stops. It
// returns all other errors unchanged.
func (s *Server) Refused(err error) error {
	var failed *model.Error
	if errors.As(err, &failed) && failed.EndsAll() {
		return &StopError{Err: err}
	}
	return err
}

// Failed counts a case without an answer because the server failed, and returns the error of the
// case. A resumed evaluation tries the case again.
func (s *Server) Failed(err error) error {
	if s.failures.Add(1) >= serverFailures {
		return &StopError{Err: err}
	}
	return err
}

// Worked records that the server did not prevent an answer.
func (s *Server) Worked() { s.failures.Store(0) }
