package verbs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/session"
	"git-agent/agent/trace"
	"git-agent/cache"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/store"
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

func (v RecordedVerb) VerbName() string { return v.Name }

func (v RecordedVerb) runKind() string { return v.Kind }

// RecordedQuestion is the question of a recorded run, from its spec.
type RecordedQuestion interface {
	// Subject names the subject of the investigation, for messages.
	Subject() string
	// Plain reports whether the answers of the tools were not compressed.
	Plain() bool
	// Replay works on the question again, with the recorded replies instead of the model's. A
	// strict replay ends at the first difference. In a plain replay, the answers of the tools are
	// not compressed.
	Replay(ctx context.Context, a *app.App, repo *gitext.Repo, t *trace.Trajectory, strict, plain bool) (trace.Played, error)
	// Resume continues an interrupted run. After an error the run stays open, so that it can be
	// resumed again.
	Resume(ctx context.Context, a *app.App, in Resumption) (ResumedAnswer, error)
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

// RecordedVerbs lists the verbs whose recorded runs can be replayed and resumed.
var RecordedVerbs = []RecordedVerb{szzRuns, crashRuns, fixRuns}

// verbOf returns the verb that recorded runs of this kind.
func verbOf(kind string) (RecordedVerb, bool) {
	i := slices.IndexFunc(RecordedVerbs, func(v RecordedVerb) bool { return v.Kind == kind })
	if i < 0 {
		return RecordedVerb{}, false
	}
	return RecordedVerbs[i], true
}

// QuestionOf returns the question of a recorded run. It fails if the run cannot be replayed or
// resumed.
func QuestionOf(t *trace.Trajectory) (RecordedQuestion, error) {
	v, ok := verbOf(t.Run.Kind)
	if !ok {
		return nil, fmt.Errorf("a run of kind %q cannot be replayed or resumed, only one of kind %s", t.Run.Kind, Alternatives(RecordedVerb.runKind))
	}
	return v.Read(t)
}

// Alternatives joins a word of each verb: "szz or crash".
func Alternatives(word func(RecordedVerb) string) string {
	var words []string
	for _, v := range RecordedVerbs {
		words = append(words, word(v))
	}
	return strings.Join(words, " or ")
}

// NewestOf returns the newest runs of these verbs in one file, at most most.
func NewestOf(ctx context.Context, traces *cache.Traces, most int) ([]cache.Run, error) {
	var runs []cache.Run
	for _, v := range RecordedVerbs {
		list, err := traces.List(ctx, cache.ListOptions{Kind: v.Kind, Max: most})
		if err != nil {
			return nil, err
		}
		runs = append(runs, list...)
	}
	slices.SortStableFunc(runs, func(a, b cache.Run) int { return b.Started.Compare(a.Started) })
	return runs[:min(len(runs), most)], nil
}

// ListResumable returns the runs that can be replayed, and resumed if they were
// interrupted, newest first.
func ListResumable(ctx context.Context, stores *store.Stores) ([]store.Run, error) {
	all, err := stores.List(ctx, cache.ListOptions{})
	return slices.DeleteFunc(all, func(r store.Run) bool { _, ok := verbOf(r.Kind); return !ok }), err
}
