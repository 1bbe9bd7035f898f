package app

import (
	"context"

	"git-agent/agent"
	"git-agent/agent/session"
	"git-agent/agent/trace"
	"git-agent/gitext"
)

// RecordedVerb is a verb whose recorded runs can be replayed and resumed.
type RecordedVerb struct {
	Name string // of the verb
	Kind string // of its runs in traces.db
	// Read returns the question of a run of this kind. It fails if the run cannot be replayed or
	// resumed.
	Read func(*trace.Trajectory) (RecordedQuestion, error)
}

// VerbName returns the name of the verb.
func (v RecordedVerb) VerbName() string { return v.Name }

// RunKind returns the kind of its runs.
func (v RecordedVerb) RunKind() string { return v.Kind }

// RecordedQuestion is the question of a recorded run, from its spec.
type RecordedQuestion interface {
	// Subject names the subject of the investigation, for messages.
	Subject() string
	// Plain reports whether the answers of the tools were not compressed.
	Plain() bool
	// Replay works on the question again, with the recorded replies instead of the model's. A
	// strict replay ends at the first difference. In a plain replay, the answers of the tools are
	// not compressed.
	Replay(ctx context.Context, a *App, repo *gitext.Repo, t *trace.Trajectory, strict, plain bool) (trace.Played, error)
	// Resume continues an interrupted run. After an error the run stays open, so that it can be
	// resumed again.
	Resume(ctx context.Context, a *App, in Resumption) (ResumedAnswer, error)
}

// Resumption has the data that a verb needs to resume a run.
type Resumption struct {
	Repo   *gitext.Repo
	Opened *session.Session
	Reopen func() (agent.Journal, error) // reopens the run and returns its journal
}

// ResumedAnswer is the answer of a resumed run.
type ResumedAnswer interface {
	// Status returns the status of the ended run, as in agent.RunReport; "" without a model.
	Status() string
	// Print prints the answer in the form of the verb, or of the verb with --json.
	Print(ctx context.Context, json bool) error
	// Exit returns the exit code of the verb as an error, or nil if it is 0.
	Exit() error
}
