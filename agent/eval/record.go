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

// Record is what the journal keeps: one case, one algorithm, and the answer or
// the reason why there is none.
type Record struct {
	Key       string   `json:"key"`
	Case      Case     `json:"case"`
	Algorithm string   `json:"algorithm"`
	Version   string   `json:"version"`
	Setting   string   `json:"setting,omitempty"`
	Answer    Answer   `json:"answer,omitempty"`
	Absent    []string `json:"absent,omitempty"` // parts of the truth that the repository lacks
	Error     string   `json:"error,omitempty"`  // the engine failed
	Skip      string   `json:"skip,omitempty"`   // nobody was asked, and why
	Seconds   float64  `json:"seconds,omitempty"`
}

// key covers everything that determines a prediction. The truth is no part of
// it: corrected labels need no new answers.
func (r Record) key() string {
	h := r.Case.Head()
	sum := sha256.Sum256([]byte(strings.Join([]string{h.ID, h.Repo, h.Question, r.Algorithm, r.Version, r.Setting}, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// Answerer answers one case by one algorithm.
type Answerer func(ctx context.Context, algorithm string) (Answer, error)

// Session is one open repository. Begin prepares a case once for all
// algorithms; it is called by several goroutines at once.
type Session interface {
	Begin(ctx context.Context, c Case) (Answerer, []gitext.OID, error) // also the commits of the truth that the repository lacks
	Close() error
}

// Opener opens the repository in dir, to be asked about so many cases.
type Opener func(ctx context.Context, dir string, cases int) (Session, error)

// AbsentError says that a case cannot be evaluated because commits are not in
// the repository.
type AbsentError struct{ Commits []gitext.OID }

func (e *AbsentError) Error() string {
	names := make([]string, len(e.Commits))
	for i, oid := range e.Commits {
		names[i] = oid.Short()
	}
	return fmt.Sprintf("%s not in the repository", strings.Join(names, ", "))
}

// StopError ends a run of an evaluation, because every other case would meet
// it as well. The case that met it counts as not done.
type StopError struct{ Err error }

func (e *StopError) Error() string { return e.Err.Error() }
func (e *StopError) Unwrap() error { return e.Err }

// stops returns the StopError in err, nil if there is none.
func stops(err error) *StopError {
	var stop *StopError
	errors.As(err, &stop)
	return stop
}

// Outcome is the score of one case and algorithm, and how it came about. The
// results of a run hold one for each pair of these.
type Outcome struct {
	Case      int  // index into the cases
	Evaluated bool // false: skipped
	Failed    bool // counts as an answer that names nothing
	Seconds   float64
	Score
	Unanswered Tally // the tally of the case when nobody answers it
}

// outcome holds a record against the truth of a case.
func outcome(t Task, index int, c Case, r Record) Outcome {
	return Outcome{
		Case: index, Evaluated: r.Skip == "", Failed: r.Error != "", Seconds: r.Seconds,
		Score: t.Score(c, r.Answer), Unanswered: t.Score(c, nil).Tally,
	}
}
