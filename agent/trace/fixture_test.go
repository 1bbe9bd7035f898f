package trace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"git-agent/agent"
	"git-agent/agent/model"
	"git-agent/cache"
)

// memory is a journal in memory with its own clock.
type memory struct {
	steps []cache.Step

	mu    sync.Mutex // tools that run in parallel read the clock
	clock time.Time
}

var start = time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)

func newMemory() *memory { return &memory{clock: start} }

func (m *memory) now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.clock = m.clock.Add(250 * time.Millisecond)
	return m.clock
}

func (m *memory) add(kind cache.StepKind, key string, payload []byte) error {
	m.steps = append(m.steps, cache.Step{Seq: int64(len(m.steps) + 1), Kind: kind, Key: key, Payload: payload, At: m.now()})
	return nil
}

func (m *memory) Recall(context.Context, string) ([]byte, bool, error) { return nil, false, nil }
func (m *memory) Intend(_ context.Context, key string, p []byte) error {
	return m.add(cache.Intent, key, p)
}
func (m *memory) Record(_ context.Context, key string, p []byte) error {
	return m.add(cache.Result, key, p)
}
func (m *memory) Note(_ context.Context, key string, p []byte) error {
	return m.add(cache.Note, key, p)
}

// replies is a model with fixed replies.
type replies struct {
	list []any // *model.Reply or error
	at   int
}

func (r *replies) Ask(context.Context, model.Request) (*model.Reply, error) {
	if r.at == len(r.list) {
		return nil, errors.New("the script is over")
	}
	next := r.list[r.at]
	r.at++
	if err, ok := next.(error); ok {
		return nil, err
	}
	return next.(*model.Reply), nil
}

// says returns a reply that calls tools, given as pairs of name and arguments.
func says(text string, calls ...string) *model.Reply {
	cost := 0.0015
	r := &model.Reply{Finish: model.FinishStop, Model: "test-1", ID: "resp", Attempts: 1,
		Usage: model.Usage{Uncached: 1200, CacheRead: 800, Output: 90, Reasoning: 30, CostUSD: &cost}}
	r.Message = model.Message{Role: model.Assistant, Text: text, Thought: "I think: " + text}
	for i := 0; i < len(calls); i += 2 {
		r.Message.Calls = append(r.Message.Calls, model.Call{ID: fmt.Sprintf("c%d", i/2+1), Name: calls[i], Args: calls[i+1]})
	}
	return r
}

// tool answers from a table that is keyed by its arguments.
type tool struct {
	name    string
	answers map[string]agent.Result
}

func (t tool) Spec() agent.Spec {
	return agent.Spec{Name: t.name, Description: "about " + t.name, Parameters: json.RawMessage(`{"type":"object"}`), Deed: oldDeed(t.name)}
}

func (t tool) Call(_ context.Context, args json.RawMessage) (agent.Result, error) {
	if a, ok := t.answers[string(args)]; ok {
		return a, nil
	}
	return agent.Result{}, &agent.CallError{Tool: t.name, Text: "there is no answer to " + string(args)}
}

// reporter is an answer tool that accepts only answers that name a commit.
type reporter struct{ tool }

func (reporter) Decides() {}

func (r reporter) Call(_ context.Context, args json.RawMessage) (agent.Result, error) {
	if len(claimsIn(args, 2)) == 0 {
		return agent.Result{Text: "rejected: no commit is named\n"}, nil
	}
	return agent.Result{Text: "accepted\n", Final: true, Value: args}, nil
}

const (
	fixOID    = "6bd1c5a3f0e26bd1c5a3f0e26bd1c5a3f0e26bd1"
	culprit   = "1f0c7d2b9a441f0c7d2b9a441f0c7d2b9a441f0c"
	answerArg = `{"commits":[{"commit":"` + culprit + `","confidence":0.9,"type":"omission","reasoning":"It left out the <b>check</b>."}]}`
)

// script defines a run: the replies of the model, the answers of the tools, and the
// limits.
type script struct {
	model  []any
	tools  map[string]map[string]agent.Result
	limits agent.Limits
	kind   string
}

// traced returns the script of a run with a long answer, a failing call, a failing
// request and a rejected answer.
func traced() script {
	long := ""
	for i := range 40 {
		long += fmt.Sprintf("L%d: line of the commit\n", i+1)
	}
	return script{
		model: []any{
			says("Look at the line first.", "git_blame", `{"path":"src/a.c","start":10}`, "git_show", `{"commit":"1f0c7d2b9a44"}`),
			&model.Error{Class: model.ClassOverflow, Status: 400, Message: "too long"},
			says("Search.", "git_log_search", `{"pattern":"next[1]"}`, "nope", `{"x":`),
			says("Report.", "report", `{"commits":[]}`),
			says("", "report", answerArg),
		},
		tools: map[string]map[string]agent.Result{
			"git_blame":        {`{"path":"src/a.c","start":10}`: {Text: "L10: 1f0c7d2b9a44 | tok = next[1];\n"}},
			"git_show":         {`{"commit":"1f0c7d2b9a44"}`: {Text: "L1: line of the commit\n[condensed]\n" + long[:700], Full: long, Truncated: true}},
			"git_log_search":   {`{"pattern":"next[1]"}`: {Text: "-S \"next[1]\", history of 0b4e: no commits found\ntry: less\n", Nothing: true}},
			"git_grep":         {},
			"git_log_function": {},
		},
		limits: agent.Limits{Turns: 15},
	}
}

func (s script) loop(asker model.Asker, journal agent.Journal, limits agent.Limits) *agent.Loop {
	l := &agent.Loop{
		Model: asker, Name: "test-1", System: "You trace bugs.\nBe careful.", Prompt: "Who broke <script>alert(1)</script>?\nSecond line.",
		Limits: limits, LastWord: "Answer now.", Journal: journal,
	}
	if m, ok := journal.(*memory); ok {
		l.Now = m.now
	}
	for _, name := range []string{"git_blame", "git_show", "git_log_search", "git_grep", "git_log_function", "edit_file", "run_tests"} {
		if answers, ok := s.tools[name]; ok {
			l.Tools = append(l.Tools, tool{name, answers})
		}
	}
	l.Tools = append(l.Tools, reporter{tool{name: "report"}})
	return l
}

// record runs a script and reads the recorded run.
func (s script) record(t *testing.T) *Trajectory {
	t.Helper()
	m := newMemory()
	_, err := s.loop(&replies{list: s.model}, m, s.limits).Run(t.Context())
	state := cache.Done
	if err != nil {
		state = cache.Interrupted
	}
	return s.read(t, m.steps, state)
}

func (s script) read(t *testing.T, steps []cache.Step, state cache.State) *Trajectory {
	t.Helper()
	kind := s.kind
	if kind == "" {
		kind = "szz/agent"
	}
	run := cache.Run{ID: "20261121-093000-abcd", Kind: kind, State: state, Started: start, Version: "v0.3.0", Steps: len(steps),
		Spec: json.RawMessage(`{"fix":"` + fixOID + `","parent":"0b4e","model":"test-1","base_url":"https://api.deepseek.com/v1","settings":"wire=chat turns=15","version":"v0.3.0","sample":0}`)}
	got, err := Read(run, Sequence(steps))
	if err != nil {
		t.Fatal(err)
	}
	return got
}
