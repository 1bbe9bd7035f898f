// Package verbs has the command lines of crash, fix and bisect: each parses its options, asks its
// engine one question and prints the answer. It also has the functions with which trace replays
// and resumes recorded runs.
package verbs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent/trace"
	"git-agent/cache"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/store"
	"git-agent/cmd/git-agent/szzcmd"
)

// RecordedVerbs lists the verbs whose recorded runs can be replayed and resumed.
var RecordedVerbs = []app.RecordedVerb{szzcmd.Runs, crashRuns, fixRuns}

// verbOf returns the verb that recorded runs of this kind.
func verbOf(kind string) (app.RecordedVerb, bool) {
	i := slices.IndexFunc(RecordedVerbs, func(v app.RecordedVerb) bool { return v.Kind == kind })
	if i < 0 {
		return app.RecordedVerb{}, false
	}
	return RecordedVerbs[i], true
}

// QuestionOf returns the question of a recorded run. It fails if the run cannot be replayed or
// resumed.
func QuestionOf(t *trace.Trajectory) (app.RecordedQuestion, error) {
	v, ok := verbOf(t.Run.Kind)
	if !ok {
		return nil, fmt.Errorf("a run of kind %q cannot be replayed or resumed, only one of kind %s", t.Run.Kind, Alternatives(app.RecordedVerb.RunKind))
	}
	return v.Read(t)
}

// Alternatives joins a word of each verb: "szz or crash".
func Alternatives(word func(app.RecordedVerb) string) string {
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
