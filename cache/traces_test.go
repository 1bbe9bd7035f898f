package cache

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// A run's steps are read back in order with their payloads, and Done finds a
// result by its key.
func TestStepsAreKeptInOrder(t *testing.T) {
	traces, err := OpenTraces(t.Context(), t.TempDir(), Options{Warn: fatalWarn(t), Version: "v1"})
	if err != nil {
		t.Fatal(err)
	}
	defer traces.Close()
	spec := map[string]string{"cases": "dev"}
	id, err := traces.StartRun(t.Context(), "eval", spec)
	if err != nil {
		t.Fatal(err)
	}
	want := []Step{
		{Kind: Intent, Key: "case 1"},
		{Kind: Result, Key: "case 1", Payload: []byte("one")},
		{Kind: Intent, Key: "case 2"},
	}
	for _, step := range want {
		if err := traces.Append(t.Context(), id, step); err != nil {
			t.Fatal(err)
		}
	}
	i := 0
	for got, err := range traces.Steps(t.Context(), id) {
		if err != nil {
			t.Fatal(err)
		}
		if got.Seq != int64(i+1) || got.Kind != want[i].Kind || got.Key != want[i].Key || string(got.Payload) != string(want[i].Payload) {
			t.Errorf("step %d is %+v, want %+v", i+1, got, want[i])
		}
		i++
	}
	if i != len(want) {
		t.Errorf("got %d steps, want %d", i, len(want))
	}
	payload, ok, err := traces.Done(t.Context(), id, "case 1")
	if string(payload) != "one" || !ok || err != nil {
		t.Errorf("result of case 1: %q, %t, %v", payload, ok, err)
	}
	if _, ok, err := traces.Done(t.Context(), id, "case 2"); ok || err != nil {
		t.Errorf("case 2 is done: %t, %v", ok, err)
	}
	open, err := traces.OpenIntents(t.Context(), id)
	if err != nil || len(open) != 1 || open[0].Key != "case 2" {
		t.Errorf("open intents are %+v, %v", open, err)
	}
	run, ok, err := traces.FindRun(t.Context(), "eval", spec)
	if err != nil || !ok || run.ID != id || run.Steps != 3 || run.State != Running || run.Version != "v1" {
		t.Errorf("found %+v, %t, %v", run, ok, err)
	}
}

// A row with an id in a foreign form is no run, because its id would become a
// file name and be printed on the terminal.
func TestStrangeIDsAreNoRuns(t *testing.T) {
	dir := t.TempDir()
	victim := filepath.Join(dir, "victim")
	mustNot(t, os.WriteFile(victim, []byte("precious"), 0o600))
	traces := openTraces(t, dir, Options{})
	id, err := traces.StartRun(t.Context(), "test", "spec")
	mustNot(t, errors.Join(err, traces.Close()))
	for i, strange := range []string{"", "..", "a b", "20261121-093000-abcd\x1b]0;x\a", "ÄÖÜ", victim, "../victim"} {
		execSQL(t, filepath.Join(dir, "traces.db"), fmt.Sprintf(`INSERT INTO run SELECT '%s', kind, spec, state, started + %d, ended, version FROM run WHERE id = '%s'`, strange, i+1, id))
	}
	traces = openTraces(t, dir, Options{})
	defer traces.Close()
	if runs, err := traces.List(t.Context(), ListOptions{Max: 1}); err != nil || len(runs) != 1 || runs[0].ID != id {
		t.Errorf("listed %+v, %v", runs, err)
	}
	if run, err := traces.Lookup(t.Context(), "victim"); !errors.Is(err, ErrNoRun) {
		t.Errorf("looked up %+v, %v", run, err)
	}
	run, ok, err := traces.FindRun(t.Context(), "test", "spec")
	if err != nil || !ok || run.ID != id {
		t.Errorf("found %+v, %t, %v", run, ok, err)
	}
	mustNot(t, errors.Join(traces.Resume(t.Context(), run.ID), traces.Finish(t.Context(), run.ID, Done)))
	if left, err := os.ReadFile(victim); err != nil || !bytes.Equal(left, []byte("precious")) {
		t.Errorf("the file outside holds %q, %v", left, err)
	}
}
