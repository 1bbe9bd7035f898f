package session

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"testing"

	"git-agent/agent"
	"git-agent/agent/model"
	"git-agent/cache"
)

// recording returns a session that records its runs and reaches no server.
func recording(t *testing.T) *Session {
	t.Helper()
	traces, err := cache.OpenTraces(t.Context(), t.TempDir(), cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { traces.Close() })
	return &Session{
		Settings: Settings{Model: "m", BaseURL: "http://h.example/v1", Wire: model.WireChat},
		Version:  "1", Say: func(string) {}, Warn: func(text string) { t.Error(text) }, traces: traces,
	}
}

// Runs are closed when the investigation ends. They stay open if the server would
// refuse every other question too, and if it failed before a run had an answer.
func TestInvestigateClosesRuns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		class  model.Class // of the server's failure
		status string
		fails  bool
		want   []cache.State
	}{
		{"found", "", agent.StatusFound, false, []cache.State{cache.Done, cache.Done}},
		{"at a limit", "", agent.StatusLimit, false, []cache.State{cache.Stopped, cache.Stopped}},
		{"the server failed", model.ClassServer, agent.StatusFailed, false, []cache.State{cache.Running, cache.Running}},
		{"a wrong key", model.ClassAuth, agent.StatusFailed, true, []cache.State{cache.Running, cache.Running}},
	} {
		s := recording(t)
		record := s.NewRecord("test/agent", func(sample int) any { return s.RunSpec(Method{Runs: 2}, sample) })
		found, err := Investigate(t.Context(), s, record, func(asker *Watch, journal func(int) (agent.Journal, error)) (string, []agent.RunReport, error) {
			for k := range 2 {
				if _, err := journal(k); err != nil {
					return "", nil, err
				}
			}
			if tt.class != "" {
				asker.failed = &model.Error{Class: tt.class}
			}
			return "the answer", []agent.RunReport{{Status: tt.status}, {Status: tt.status}}, nil
		})
		if tt.fails != (err != nil) || !tt.fails && (found.Answer != "the answer" || len(found.Runs) != 2 || (found.Failed == nil) != (tt.class == "")) {
			t.Errorf("%s: %+v, %v", tt.name, found, err)
		}
		if err == nil {
			found.End(t.Context())
		}
		runs, err := s.traces.List(t.Context(), cache.ListOptions{})
		var states []cache.State
		for _, r := range runs {
			states = append(states, r.State)
		}
		if err != nil || !slices.Equal(states, tt.want) {
			t.Errorf("%s: runs are %v, %v, want %v", tt.name, states, err, tt.want)
		}
	}
}

// A resumed run continues in its own journal, and does not start if it cannot be
// reopened.
func TestResume(t *testing.T) {
	t.Parallel()
	s := recording(t)
	var own agent.Journal = &optionalJournal{}
	ask := func(_ *Watch, journal func(int) (agent.Journal, error)) (bool, []agent.RunReport, error) {
		got, err := journal(0)
		return got == own, nil, err
	}
	if found, err := Resume(s, func() (agent.Journal, error) { return own, nil }, ask); err != nil || !found.Answer {
		t.Errorf("%+v, %v", found, err)
	}
	held := errors.New("held")
	if _, err := Resume(s, func() (agent.Journal, error) { return nil, held }, ask); err != held {
		t.Errorf("%v", err)
	}
}

// The first request is returned and not sent; work without requests has none.
func TestFirstRequest(t *testing.T) {
	t.Parallel()
	client, err := model.New(Settings{Model: "m", BaseURL: "http://127.0.0.1:1/v1", Wire: model.WireChat}.ClientConfig("", "1"))
	if err != nil {
		t.Fatal(err)
	}
	s := &Session{Client: client}
	body, err := s.FirstRequest(func(asker model.Asker) error {
		for _, text := range []string{"first", "second"} {
			if _, err := asker.Ask(t.Context(), model.Request{Messages: []model.Message{{Role: model.User, Text: text}}}); err == nil {
				t.Error("the request was answered")
			}
		}
		return errNotSent
	})
	var sent struct {
		Messages []struct{ Content any }
	}
	if err != nil || json.Unmarshal(body, &sent) != nil || len(sent.Messages) != 1 || sent.Messages[0].Content != "first" {
		t.Errorf("%s, %v", body, err)
	}
	if body, err := s.FirstRequest(func(model.Asker) error { return nil }); body != nil || err != nil {
		t.Errorf("%s, %v", body, err)
	}
}

// The identity of runs has the settings that change an answer, and no limit that may
// change when an interrupted run is resumed.
func TestMethodIdentifiesRuns(t *testing.T) {
	t.Parallel()
	s := recording(t)
	s.Settings.Effort = "high"
	m := Method{Runs: 3, Limits: agent.Limits{Turns: 15, Tokens: 1000, Wall: 1}, Switches: []string{"no-tools"}, Prompts: "p"}
	text, err := json.Marshal(struct {
		Case
		Report string `json:"report"`
		RunSpec
	}{Case{Repo: "a/b", Name: "c"}, "r", s.RunSpec(m, 2)})
	want := `{"repo":"a/b","case":"c","report":"r","model":"m","base_url":"http://h.example/v1","settings":"wire=chat turns=15 tokens=1000 effort=high no-tools","prompts":"p","version":"1","sample":2}`
	if string(text) != want || err != nil {
		t.Errorf("%s, %v, want %s", text, err, want)
	}
	if got, want := s.Describe(m), "model=m url=http://h.example/v1 runs=3 wire=chat turns=15 tokens=1000 effort=high no-tools"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	other := m
	other.Prompts = "q"
	if slices.Equal(s.Identity(m), s.Identity(other)) {
		t.Error("other prompts have the same identity")
	}
}

// Answers come in the order of the questions, and an error ends them.
func TestInOrder(t *testing.T) {
	t.Parallel()
	bad := errors.New("bad")
	questions := func(end error) iter.Seq2[int, error] {
		return func(yield func(int, error) bool) {
			for q := range 20 {
				if !yield(q, nil) {
					return
				}
			}
			if end != nil {
				yield(0, end)
			}
		}
	}
	for _, tt := range []struct {
		name    string
		end     error // of the questions
		failing int   // question with a failing answer
		want    int
		err     error
	}{{"all", nil, -1, 20, nil}, {"a bad question", bad, -1, 20, bad}, {"a bad answer", nil, 7, 7, bad}} {
		var got []int
		var failed error
		for ans, err := range InOrder(t.Context(), questions(tt.end), 4, func(_ context.Context, q int) (int, error) {
			if q == tt.failing {
				return 0, bad
			}
			return 10 * q, nil
		}) {
			if err != nil {
				failed = err
				continue
			}
			got = append(got, ans)
		}
		if len(got) != tt.want || !slices.IsSorted(got) || failed != tt.err {
			t.Errorf("%s: %v, %v", tt.name, got, failed)
		}
	}
}
