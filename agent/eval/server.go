package eval

import (
	"errors"
	"sync/atomic"

	"git-agent/agent/model"
)

// serverFailures is how many failures in a row, each after many attempts, mean
// that the server is gone.
const serverFailures = 3

// Server decides when an evaluation stops because of the model's server. It is safe
// for concurrent use.
type Server struct{ failures atomic.Int32 } // in a row

// Refused marks an error of one case that every other case would meet as well, so
// that the evaluation stops. It returns all other errors as they are.
func (s *Server) Refused(err error) error {
	var failed *model.Error
	if errors.As(err, &failed) && failed.EndsAll() {
		return &StopError{Err: err}
	}
	return err
}

// Failed counts a case that the model has not answered because the server failed, and
// returns the error of the case. The case is tried again when the evaluation is
// resumed.
func (s *Server) Failed(err error) error {
	if s.failures.Add(1) >= serverFailures {
		return &StopError{Err: err}
	}
	return err
}

// Worked notes that the server did not keep a case from an answer.
func (s *Server) Worked() { s.failures.Store(0) }
