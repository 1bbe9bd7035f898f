package main

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
	"git-agent/cmd/git-agent/runstore"
	"git-agent/gitext"
)

// recordedVerb is a verb whose recorded runs can be replayed and resumed.
type recordedVerb struct {
	name string // of the verb
	kind string // of its runs in traces.db
	// read reads what a run of this kind was to answer. It fails if the run cannot be
	// replayed or resumed.
	read func(*trace.Trajectory) (recordedQuestion, error)
}

func (v recordedVerb) verbName() string { return v.name }

func (v recordedVerb) runKind() string { return v.kind }

// recordedQuestion is what a recorded run was to answer, as its spec says.
type recordedQuestion interface {
	// subject names what was investigated, for messages.
	subject() string
	// plain reports whether the answers of the tools were not compressed.
	plain() bool
	// replay works on the question again, with the recorded replies in place of the
	// model's. A strict replay ends at the first difference. In a plain replay, the
	// answers of the tools are not compressed.
	replay(ctx context.Context, a *app.App, repo *gitext.Repo, t *trace.Trajectory, strict, plain bool) (trace.Played, error)
	// resume goes on with the run where it was interrupted. After an error the run
	// stays open, so that it can be resumed again.
	resume(ctx context.Context, a *app.App, in resumption) (resumedAnswer, error)
}

// resumption is what a verb needs to resume a run.
type resumption struct {
	repo   *gitext.Repo
	opened *session.Session
	reopen func() (agent.Journal, error) // reopens the run and returns its journal
}

// resumedAnswer is the answer of a resumed run.
type resumedAnswer interface {
	// status says how the run ended, as in agent.RunReport; "" if no model was asked.
	status() string
	// print prints the answer, as the verb does or as it does with --json.
	print(ctx context.Context, json bool) error
	// exit returns the exit code of the verb as an error, or nil if it is 0.
	exit() error
}

// recordedVerbs lists the verbs whose recorded runs can be replayed and resumed.
var recordedVerbs = []recordedVerb{szzRuns, crashRuns, fixRuns}

// verbOf returns the verb that recorded runs of this kind.
func verbOf(kind string) (recordedVerb, bool) {
	i := slices.IndexFunc(recordedVerbs, func(v recordedVerb) bool { return v.kind == kind })
	if i < 0 {
		return recordedVerb{}, false
	}
	return recordedVerbs[i], true
}

// questionOf returns what a recorded run was to answer. It fails if the run cannot be
// replayed or resumed.
func questionOf(t *trace.Trajectory) (recordedQuestion, error) {
	v, ok := verbOf(t.Run.Kind)
	if !ok {
		return nil, fmt.Errorf("a run of kind %q cannot be replayed or resumed, only one of kind %s", t.Run.Kind, alternatives(recordedVerb.runKind))
	}
	return v.read(t)
}

// alternatives joins a word of each verb: "szz or crash".
func alternatives(word func(recordedVerb) string) string {
	var words []string
	for _, v := range recordedVerbs {
		words = append(words, word(v))
	}
	return strings.Join(words, " or ")
}

// newestOf returns the newest runs of these verbs in one file. There are no more than most.
func newestOf(ctx context.Context, traces *cache.Traces, most int) ([]cache.Run, error) {
	var runs []cache.Run
	for _, v := range recordedVerbs {
		list, err := traces.List(ctx, cache.ListOptions{Kind: v.kind, Max: most})
		if err != nil {
			return nil, err
		}
		runs = append(runs, list...)
	}
	slices.SortStableFunc(runs, func(a, b cache.Run) int { return b.Started.Compare(a.Started) })
	return runs[:min(len(runs), most)], nil
}

// listResumable returns the runs that can be replayed, and resumed if they were
// interrupted, newest first.
func listResumable(ctx context.Context, stores *runstore.Stores) ([]runstore.Run, error) {
	all, err := stores.List(ctx, cache.ListOptions{})
	return slices.DeleteFunc(all, func(r runstore.Run) bool { _, ok := verbOf(r.Kind); return !ok }), err
}
