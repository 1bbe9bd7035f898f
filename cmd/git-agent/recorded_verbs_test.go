package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"git-agent/agent/trace"
	"git-agent/cache"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/store"
	"git-agent/cmd/git-agent/verbs"
	"git-agent/gitext"
)

// recordedToy is a question of a verb that is not szz.
type recordedToy struct{}

func (recordedToy) Subject() string { return "toy" }
func (recordedToy) Plain() bool     { return true }
func (recordedToy) Replay(context.Context, *app.App, *gitext.Repo, *trace.Trajectory, bool, bool) (trace.Played, error) {
	return trace.Played{}, errors.New("replayed")
}
func (recordedToy) Resume(context.Context, *app.App, app.Resumption) (app.ResumedAnswer, error) {
	return nil, errors.New("resumed")
}

// Runs of each registered verb are found, newest first; runs of other kinds are not, and their
// error names the usable kinds.
func TestRecordedVerbs(t *testing.T) {
	before := verbs.RecordedVerbs
	t.Cleanup(func() { verbs.RecordedVerbs = before })
	verbs.RecordedVerbs = append(before[:1:1], app.RecordedVerb{Name: "toy", Kind: "toy/agent", Read: func(*trace.Trajectory) (app.RecordedQuestion, error) {
		return recordedToy{}, nil
	}})
	traces, err := cache.OpenTraces(t.Context(), t.TempDir(), cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer traces.Close()
	for _, kind := range []string{"szz/agent", "toy/agent", "eval/toy", "szz/agent"} {
		if _, err := traces.StartRun(t.Context(), kind, nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Millisecond) // so that no two begin at the same time
	}
	var kinds []string
	runs, err := verbs.NewestOf(t.Context(), traces, 2)
	for _, r := range runs {
		kinds = append(kinds, r.Kind)
	}
	if got := strings.Join(kinds, " "); got != "szz/agent toy/agent" || err != nil {
		t.Errorf("the newest are %s, %v", got, err)
	}
	var stores store.Stores
	stores.Add(traces)
	if list, err := verbs.ListResumable(t.Context(), &stores); len(list) != 3 || err != nil {
		t.Errorf("%d runs can be resumed, %v", len(list), err)
	}
	if q, err := verbs.QuestionOf(&trace.Trajectory{Run: cache.Run{Kind: "toy/agent"}}); err != nil || q.Subject() != "toy" {
		t.Errorf("%v, %v", q, err)
	}
	want := `a run of kind "eval/toy" cannot be replayed or resumed, only one of kind szz/agent or toy/agent`
	if _, err := verbs.QuestionOf(&trace.Trajectory{Run: cache.Run{Kind: "eval/toy"}}); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
