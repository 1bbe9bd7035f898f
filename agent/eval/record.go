package eval

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"git-agent/gitext"
)

// Record is one entry of the journal. It holds a case, an algorithm, and the
// answer or the reason why there is none.
type Record struct {
	Key       string   `json:"key"`
	Case      Case     `json:"case"`
	Algorithm string   `json:"algorithm"`
	Version   string   `json:"version"`
	Setting   string   `json:"setting,omitempty"`
	Answer    Answer   `json:"answer,omitempty"`
	Absent    []string `json:"absent,omitempty"` // commits of the truth that the repository lacks
	Error     string   `json:"error,omitempty"`  // the engine's error
	Skip      string   `json:"skip,omitempty"`   // reason for not asking an engine
	Seconds   float64  `json:"seconds,omitempty"`
}

// key returns a hash of everything that determines a prediction. The truth is not included, so
// corrected labels need no new answers.
func (r Record) key() string {
	h := r.Case.Head()
	sum := sha256.Sum256([]byte(strings.Join([]string{h.ID, h.Repo, h.Question, r.Algorithm, r.Version, r.Setting}, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// Answerer answers one case with the given algorithm.
type Answerer func(ctx context.Context, algorithm string) (Answer, error)

// Session is one open repository. Begin prepares a case once for all algorithms. It also returns
// the commits of the truth that the repository lacks. Begin is safe for concurrent use.
type Session interface {
	Begin(ctx context.Context, c Case) (answer Answerer, absent []gitext.OID, err error)
	Close() error
}

// Ender is a Session whose End is called after the last question about a case, to free the
// resources from Begin. Close frees the remaining resources.
type Ender interface {
	End(c Case)
}

// Opener opens the repository in dir. cases is the number of cases about this repository.
type Opener func(ctx context.Context, dir string, cases int) (Session, error)

// AbsentError is the error for a case that cannot be evaluated because commits are
// not in the repository.
type AbsentError struct{ Commits []gitext.OID }

func (e *AbsentError) Error() string {
	names := make([]string, len(e.Commits))
	for i, oid := range e.Commits {
		names[i] = oid.Short()
	}
	return fmt.Sprintf("%s not in the repository", strings.Join(names, ", "))
}

// UnfitError is returned by Session.Begin for a case that cannot be measured: its commands do
// not behave on this machine as it says, or its fields contradict the repository. It is skipped.
type UnfitError struct{ Reason string }

func (e *UnfitError) Error() string { return e.Reason }

// StopError is an error that ends an evaluation because every further case would fail in the same
// way. Its own case counts as not done.
type StopError struct{ Err error }

func (e *StopError) Error() string { return e.Err.Error() }
func (e *StopError) Unwrap() error { return e.Err }

// stops returns the StopError in err, or nil if there is none.
func stops(err error) *StopError {
	var stop *StopError
	errors.As(err, &stop)
	return stop
}

// Outcome is the score of one algorithm on one case.
type Outcome struct {
	Case      int     // index into the cases
	Evaluated bool    // false for a case that was skipped or not reached
	Failed    bool    // the engine failed, which counts as an empty answer
	Seconds   float64 // of the engine; NaN if not known
	Score
	Unanswered Tally // the tally of the case with an empty answer
}

// outcome scores a record against the truth of its case.
func outcome(t Task, index int, c Case, r Record) Outcome {
	o := Outcome{
		Case: index, Evaluated: r.Skip == "", Failed: r.Error != "",
		Score: t.Score(c, r.Answer), Unanswered: t.Score(c, nil).Tally,
	}
	o.Seconds = max(0, r.Seconds-o.Judging)
	return o
}
