package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"git-agent/agent/model"
	"git-agent/cache"
)

// script is a model with prepared answers, and keeps its requests. After its end it calls
// no tool and says "the end".
type script struct {
	mu    sync.Mutex
	turns []turn
	asked []model.Request
	price float64 // in USD of a million tokens; 0 is an unknown price
}

// turn is one answer: a reply, an error, or a function of the request.
type turn func(ctx context.Context, req model.Request) (*model.Reply, error)

func (s *script) Ask(ctx context.Context, req model.Request) (*model.Reply, error) {
	s.mu.Lock()
	s.asked = append(s.asked, req)
	next := say("the end")
	if len(s.asked) <= len(s.turns) {
		next = s.turns[len(s.asked)-1]
	}
	s.mu.Unlock()
	return next(ctx, req)
}

func (s *script) Price() (model.Price, bool) {
	return model.Price{Input: s.price, Output: s.price, CacheRead: s.price, CacheWrite: s.price}, s.price > 0
}

// last is the newest message of the newest request.
func (s *script) last() model.Message {
	m := s.asked[len(s.asked)-1].Messages
	return m[len(m)-1]
}

func replies(m model.Message, finish model.Finish) turn {
	m.Role = model.Assistant
	return func(context.Context, model.Request) (*model.Reply, error) {
		return &model.Reply{Message: m, Finish: finish, Attempts: 1, Usage: model.Usage{Uncached: 1000, Output: 20}}, nil
	}
}

func say(text string) turn { return replies(model.Message{Text: text}, model.FinishStop) }

// call is an answer with calls, given as name and arguments in turn.
func call(calls ...string) turn {
	var m model.Message
	for i := 0; i < len(calls); i += 2 {
		m.Calls = append(m.Calls, model.Call{ID: fmt.Sprintf("c%d", i/2), Name: calls[i], Args: calls[i+1]})
	}
	return replies(m, model.FinishStop)
}

func fails(class model.Class) turn {
	return func(context.Context, model.Request) (*model.Reply, error) {
		return nil, &model.Error{Class: class, Message: "no"}
	}
}

// fake is a tool that is a function.
type fake struct {
	name string
	f    func(ctx context.Context, args json.RawMessage) (Result, error)
}

func (t fake) Spec() Spec {
	return Spec{Name: t.name, Description: "does " + t.name, Parameters: json.RawMessage(`{"type":"object"}`)}
}

func (t fake) Call(ctx context.Context, args json.RawMessage) (Result, error) { return t.f(ctx, args) }

// judge is a fake that may end the conversation.
type judge struct{ fake }

func (judge) Decides() {}

// newTestLoop is a loop with tools: look and read answer with their arguments, report
// takes an answer that is not empty, and the others fail.
func newTestLoop(s *script) *Loop {
	tool := func(name string, f func(ctx context.Context, args json.RawMessage) (Result, error)) fake {
		return fake{name, f}
	}
	return &Loop{
		Model: s, Name: "scripted", System: "you look", Prompt: "find it",
		LastWord: "say it now", Now: func() time.Time { return time.Unix(0, 0) },
		Text: func(_ context.Context, text string) (Result, error) {
			if answer, ok := strings.CutPrefix(text, "verdict "); ok {
				return Result{Text: "taken", Value: answer, Final: true}, nil
			}
			return Result{Text: "call report"}, nil
		},
		Tools: []Tool{
			tool("look", func(_ context.Context, args json.RawMessage) (Result, error) {
				return Result{Text: "seen " + string(args)}, nil
			}),
			tool("read", func(_ context.Context, args json.RawMessage) (Result, error) {
				return Result{Text: "read " + string(args) + strings.Repeat(" line", 100)}, nil
			}),
			tool("refuse", func(context.Context, json.RawMessage) (Result, error) {
				return Result{}, &CallError{Tool: "refuse", Text: "not there"}
			}),
			tool("misread", func(context.Context, json.RawMessage) (Result, error) {
				return Result{}, &CallError{Tool: "misread", Text: "what", Malformed: true}
			}),
			tool("break", func(context.Context, json.RawMessage) (Result, error) {
				return Result{}, errors.New("disk on fire\x1b[31m")
			}),
			tool("panic", func(context.Context, json.RawMessage) (Result, error) { panic("oh") }),
			tool("silent", func(context.Context, json.RawMessage) (Result, error) { return Result{}, nil }),
			judge{tool("report", func(_ context.Context, args json.RawMessage) (Result, error) {
				if string(args) == "{}" {
					return Result{Text: "rejected"}, nil
				}
				return Result{Text: "accepted", Value: args, Final: true}, nil
			})},
		},
	}
}

// A conversation leads from the prompt through calls to the answer, and every request
// contains all earlier messages.
func TestLoopReachesAAnswer(t *testing.T) {
	t.Parallel()
	s := &script{turns: []turn{
		call("look", `{"at":1}`, "refuse", `{}`),
		say("hm"),
		call("report", `{}`),
		call("report", `{"commit":"abc"}`),
	}}
	l := newTestLoop(s)
	var events []string
	l.OnEvent = func(e Event) { events = append(events, strings.TrimPrefix(fmt.Sprintf("%T", e), "agent.")) }
	out, err := l.Run(t.Context())
	if err != nil || out.Status != StatusFound || out.Reason != "" || out.Turns != 4 || out.Calls != 4 {
		t.Errorf("got %+v, %v", out, err)
	}
	if value, _ := out.Final.Value.(json.RawMessage); string(value) != `{"commit":"abc"}` {
		t.Errorf("the verdict is %s", value)
	}
	if out.Usage.Uncached != 4000 || out.Usage.Output != 80 {
		t.Errorf("usage is %+v", out.Usage)
	}
	var talk []string
	for _, m := range s.asked[3].Messages {
		talk = append(talk, fmt.Sprintf("%s %s%d", m.Role, m.Text, len(m.Calls)))
	}
	want := []string{"system you look0", "user find it0", "assistant 2", `tool seen {"at":1}0`, "tool error: not there\n0",
		"assistant hm0", "user call report0", "assistant 1", "tool rejected0"}
	if !slices.Equal(talk, want) {
		t.Errorf("the last request is %q", talk)
	}
	for i, req := range s.asked[1:] {
		before := s.asked[i].Messages
		if fmt.Sprint(req.Messages[:len(before)]) != fmt.Sprint(before) {
			t.Errorf("request %d does not begin with the one before", i+2)
		}
	}
	if got, want := strings.Join(events, " "), "Usage ToolCall ToolCall ToolResult ToolResult Thought Usage Usage ToolCall ToolResult Usage ToolCall ToolResult"; got != want {
		t.Errorf("events are %s", got)
	}
}

// journalIn opens a run in a new traces.db.
func journalIn(t testing.TB, dir string) (*TraceJournal, *cache.Traces) {
	t.Helper()
	traces, err := cache.OpenTraces(t.Context(), dir, cache.Options{Warn: func(s string) { t.Error(s) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { traces.Close() })
	run, err := traces.StartRun(t.Context(), "test", "spec")
	if err != nil {
		t.Fatal(err)
	}
	return NewTraceJournal(traces, run), traces
}

// results are the recorded results by key.
func results(t testing.TB, traces *cache.Traces, run cache.RunID) map[string]string {
	t.Helper()
	out := map[string]string{}
	for step, err := range traces.Steps(t.Context(), run) {
		if err != nil {
			t.Fatal(err)
		}
		if step.Kind == cache.Result {
			out[step.Key] = string(step.Payload)
		}
	}
	return out
}

// intentOf is the record before the n-th request.
func intentOf(t testing.TB, traces *cache.Traces, run cache.RunID, n int) (intent AskIntent) {
	t.Helper()
	for step, err := range traces.Steps(t.Context(), run) {
		if err != nil {
			t.Fatal(err)
		}
		if step.Kind == cache.Intent && step.Key == modelStep(n) {
			err = json.Unmarshal(step.Payload, &intent)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return intent
}

// A run resumed with all its steps sends no request, and ends in the same way with the
// same events.
func TestLoopResumes(t *testing.T) {
	t.Parallel()
	turns := []turn{call("read", `{"a":"<&>"}`, "look", `{"a":2}`, "look", `{"a":2}`), say("  "), call("nope", `{}`), fails(model.ClassOverflow), call("report", `{"x":"<&>"}`)}
	journal, traces := journalIn(t, filepath.Join(t.TempDir(), "a"))
	var lives [2][]string
	var outcomes [2]Outcome
	var kept [2]map[string]string
	asked := [2]int{}
	for life := range 2 {
		s := &script{turns: turns}
		l := newTestLoop(s)
		l.Journal = journal
		l.OnEvent = func(e Event) {
			text, err := json.Marshal(e)
			if err != nil {
				t.Error(err)
			}
			lives[life] = append(lives[life], fmt.Sprintf("%T %s", e, text))
		}
		out, err := l.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		outcomes[life], asked[life], kept[life] = out, len(s.asked), results(t, traces, journal.Run())
	}
	if asked != [2]int{5, 0} || outcomes[1].Resumed != 10 {
		t.Errorf("asked %d times, resumed %d steps", asked, outcomes[1].Resumed)
	}
	outcomes[1].Resumed = 0
	if fmt.Sprint(outcomes[0]) != fmt.Sprint(outcomes[1]) || !slices.Equal(lives[0], lives[1]) || !maps.Equal(kept[0], kept[1]) {
		t.Errorf("the lives differ:\n%+v\n%+v\n%q\n%q", outcomes[0], outcomes[1], lives[0], lives[1])
	}
	if !strings.Contains(kept[0][StepOpening], `"deeds":{"report":"verdict"}`) {
		t.Errorf("the opening does not say what the tools do: %s", kept[0][StepOpening])
	}
	if outcomes[0].Status != StatusFound || kept[0]["removed/4"] == "" || !strings.Contains(kept[0]["tool/1/1"], "<&>") {
		t.Errorf("%+v, %q", outcomes[0], slices.Sorted(maps.Keys(kept[0])))
	}
}

// A run of a build that did not record the deeds of its tools can be resumed.
func TestOldOpeningResumes(t *testing.T) {
	t.Parallel()
	journal, _ := journalIn(t, filepath.Join(t.TempDir(), "a"))
	old := `{"model":"m","system":"s","prompt":"p","tools":[],"limits":{"turns":3}}`
	if err := journal.Record(t.Context(), StepOpening, []byte(old)); err != nil {
		t.Fatal(err)
	}
	b := stepLog{journal: journal}
	o := Opening{Model: "m", System: "s", Prompt: "p", Tools: []model.Tool{}, Deeds: map[string]Deed{"report": DeedAnswer}, Needs: []Deed{DeedBlame}}
	if err := b.begin(t.Context(), o); err != nil || !b.past {
		t.Errorf("%v, in the past: %t", err, b.past)
	}
	o.Prompt = "q"
	if err := (&stepLog{journal: journal}).begin(t.Context(), o); err == nil {
		t.Error("a run with another prompt is resumed")
	}
}
