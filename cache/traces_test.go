package cache

import (
	"testing"
)

// A run's steps come back in order with their payloads, and a result answers for its key.
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
