package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"git-agent/agent"
	"git-agent/cache"
)

func export(t *testing.T, write func(*bytes.Buffer) error) map[string]any {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(b.Bytes(), &v); err != nil {
		t.Fatalf("no JSON: %v\n%s", err, b.String())
	}
	return v
}

// atifFields lists the fields that Harbor's strict validator allows in each object.
// Those in agentOnly are allowed only in steps of the agent.
var atifFields = map[string]string{
	"root":        "schema_version session_id trajectory_id agent steps notes final_metrics continued_trajectory_ref subagent_trajectories extra",
	"agent":       "name version model_name tool_definitions extra",
	"step":        "step_id timestamp source model_name reasoning_effort message reasoning_content tool_calls observation metrics is_copied_context llm_call_count extra",
	"call":        "tool_call_id function_name arguments extra",
	"observation": "results",
	"result":      "source_call_id content subagent_trajectory_ref extra",
	"metrics":     "prompt_tokens completion_tokens cached_tokens cost_usd prompt_token_ids completion_token_ids logprobs extra",
	"final":       "total_prompt_tokens total_completion_tokens total_cached_tokens total_cost_usd total_steps extra",
}

const agentOnly = "model_name reasoning_content tool_calls metrics"

func knownFields(t *testing.T, kind string, v any) map[string]any {
	t.Helper()
	m, ok := v.(map[string]any)
	if !ok {
		t.Fatalf("%s is %T", kind, v)
	}
	for name := range m {
		if !slices.Contains(strings.Fields(atifFields[kind]), name) {
			t.Errorf("%s has the field %q, which ATIF does not know", kind, name)
		}
	}
	return m
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// checkATIF checks a document against the rules of ATIF v1.7.
func checkATIF(t *testing.T, doc map[string]any) {
	t.Helper()
	root := knownFields(t, "root", doc)
	who := knownFields(t, "agent", root["agent"])
	if root["schema_version"] != "ATIF-v1.7" || who["name"] == "" || who["version"] == "" || root["session_id"] == "" {
		t.Errorf("head: %v, agent %v", root["schema_version"], who)
	}
	steps := list(root["steps"])
	if len(steps) == 0 || knownFields(t, "final", root["final_metrics"])["total_steps"] != float64(len(steps)) {
		t.Errorf("%d steps, final %v", len(steps), root["final_metrics"])
	}
	for i, s := range steps {
		step := knownFields(t, "step", s)
		if step["step_id"] != float64(i+1) {
			t.Errorf("step %d has the id %v", i+1, step["step_id"])
		}
		if _, err := time.Parse(time.RFC3339, fmt.Sprint(step["timestamp"])); err != nil {
			t.Errorf("step %d: %v", i+1, err)
		}
		if _, ok := step["message"].(string); !ok {
			t.Errorf("step %d has no message", i+1)
		}
		checkATIFStep(t, step)
	}
}

func checkATIFStep(t *testing.T, step map[string]any) {
	t.Helper()
	if step["source"] != "agent" {
		for _, name := range strings.Fields(agentOnly) {
			if _, ok := step[name]; ok {
				t.Errorf("a step of %v has %s", step["source"], name)
			}
		}
		return
	}
	ids := map[any]bool{}
	for _, c := range list(step["tool_calls"]) {
		call := knownFields(t, "call", c)
		if _, ok := call["arguments"].(map[string]any); !ok || call["function_name"] == "" {
			t.Errorf("call %v", call)
		}
		ids[call["tool_call_id"]] = true
	}
	if step["observation"] != nil {
		for _, r := range list(knownFields(t, "observation", step["observation"])["results"]) {
			if res := knownFields(t, "result", r); !ids[res["source_call_id"]] {
				t.Errorf("a result of %v, which is no call of the step", res["source_call_id"])
			}
		}
	}
	for name, v := range knownFields(t, "metrics", step["metrics"]) {
		if n, ok := v.(float64); strings.HasSuffix(name, "_tokens") && (!ok || n != float64(int(n))) {
			t.Errorf("%s is %v", name, v)
		}
	}
}

func TestATIF(t *testing.T) {
	t.Parallel()
	run := traced().record(t)
	doc := export(t, func(b *bytes.Buffer) error { return run.WriteATIF(b) })
	checkATIF(t, doc)
	var sources []string
	for _, s := range list(doc["steps"]) {
		sources = append(sources, s.(map[string]any)["source"].(string))
	}
	// A failed request and the removal that follows it are steps of the system.
	if got := strings.Join(sources, " "); got != "system user agent system system agent agent agent" {
		t.Errorf("steps of %s", got)
	}
	last := list(doc["steps"])[7].(map[string]any)
	if args := list(last["tool_calls"])[0].(map[string]any)["arguments"]; !reflect.DeepEqual(args, jsonValue(t, answerArg)) {
		t.Errorf("the verdict's arguments: %v", args)
	}
	malformed := list(list(doc["steps"])[5].(map[string]any)["tool_calls"])[1].(map[string]any)["arguments"]
	if !reflect.DeepEqual(malformed, map[string]any{"raw": `{"x":`}) {
		t.Errorf("arguments that are no JSON: %v", malformed)
	}
	// The checker itself must reject bad documents.
	fake := &testing.T{}
	checkATIF(fake, map[string]any{"agent": map[string]any{"name": "x"}, "final_metrics": map[string]any{}, "surprise": 1.0})
	if !fake.Failed() {
		t.Error("the check of ATIF takes anything")
	}
}

func jsonValue(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// Spans nest, have valid OTLP ids, and contain no content unless it is requested.
func TestOTel(t *testing.T) {
	t.Parallel()
	run := traced().record(t)
	bare := exportSpans(t, run, false)
	full := exportSpans(t, run, true)
	if len(bare) != 1+5+6 || len(full) != len(bare) {
		t.Errorf("%d and %d spans", len(bare), len(full))
	}
	root := bare[0].(map[string]any)
	for i, v := range bare {
		s := v.(map[string]any)
		if len(s["traceId"].(string)) != 32 || len(s["spanId"].(string)) != 16 || s["traceId"] != root["traceId"] {
			t.Errorf("ids of %v", s["name"])
		}
		if i > 0 && s["parentSpanId"] != root["spanId"] {
			t.Errorf("%v has the parent %v", s["name"], s["parentSpanId"])
		}
		if s["startTimeUnixNano"].(string) > s["endTimeUnixNano"].(string) {
			t.Errorf("%v ends before it begins", s["name"])
		}
	}
	attrs := attributesOf(root)
	for key, want := range map[string]any{
		"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "git-agent.szz", "gen_ai.provider.name": "deepseek",
		"server.address": "api.deepseek.com", "server.port": "443", "gen_ai.usage.input_tokens": "8000", "gen_ai.usage.cache_read.input_tokens": "3200",
	} {
		if attrs[key] != want {
			t.Errorf("%s is %v, want %v", key, attrs[key], want)
		}
	}
	text, _ := json.Marshal(bare)
	for _, secret := range []string{"You trace bugs", "Who broke", "next[1]", "line of the commit", "I think", "left out"} {
		if bytes.Contains(text, []byte(secret)) {
			t.Errorf("without content there is %q", secret)
		}
	}
	text, _ = json.Marshal(full)
	for _, want := range []string{"You trace bugs", "Who broke", "next[1]", "line of the commit", "I think"} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("with content there is no %q", want)
		}
	}
	if failed := full[4].(map[string]any); attributesOf(failed)["error.type"] != "overflow" || failed["status"] == nil {
		t.Errorf("the failed request: %v", failed)
	}
}

func TestServerPort(t *testing.T) {
	// The port is the one that the address names or implies. That of a local server
	// is not recorded.
	for base, want := range map[string]int64{
		"https://api.deepseek.com/v1": 443, "http://models.example": 80, "https://models.example:8443/v1": 8443, "http://10.0.0.7:8000/v1": 8000,
		"http://127.0.0.1/v1": 0, "http://[::1]/v1": 0, "https://192.168.1.4/v1": 0, "http://localhost/v1": 0, "unix:///socket": 0,
	} {
		u, err := url.Parse(base)
		if err != nil {
			t.Fatal(err)
		}
		if got := portOf(u); got != want {
			t.Errorf("%s: port %d, want %d", base, got, want)
		}
	}
}

func exportSpans(t *testing.T, run *Trajectory, content bool) []any {
	t.Helper()
	doc := export(t, func(b *bytes.Buffer) error { return run.WriteOTel(b, content) })
	res := list(doc["resourceSpans"])[0].(map[string]any)
	return list(list(res["scopeSpans"])[0].(map[string]any)["spans"])
}

func attributesOf(span map[string]any) map[string]any {
	out := map[string]any{}
	for _, v := range list(span["attributes"]) {
		a := v.(map[string]any)
		for _, value := range a["value"].(map[string]any) {
			out[a["key"].(string)] = value
		}
	}
	return out
}

// The exported conversation is the one that the model saw. After an overflow the
// removed answers are stubs.
func TestTalk(t *testing.T) {
	t.Parallel()
	talk := traced().record(t).requests()
	var sizes []int
	for _, m := range talk {
		sizes = append(sizes, len(m))
	}
	if fmt.Sprint(sizes) != "[2 5 5 8 10]" {
		t.Errorf("messages per request: %v", sizes)
	}
	before, after := talk[1][4].Text, talk[2][4].Text
	if !strings.Contains(before, "line of the commit") || strings.Contains(after, "line of the commit") {
		t.Errorf("before %q, after %q", before, after)
	}
}

// Exporting a run without a conversation is an error. An interrupted run is exported
// as far as it went.
func TestExportOfPartialRuns(t *testing.T) {
	t.Parallel()
	empty, err := Read(cache.Run{ID: "r", Kind: "eval/szz"}, Sequence(nil))
	if err != nil {
		t.Fatal(err)
	}
	if err := empty.WriteATIF(&bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "no conversation") {
		t.Errorf("error %v", err)
	}
	m := newMemory()
	s := traced()
	if _, err := s.loop(&replies{list: s.model}, m, s.limits).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= len(m.steps); n++ {
		run := s.read(t, m.steps[:n], cache.Interrupted)
		checkATIF(t, export(t, func(b *bytes.Buffer) error { return run.WriteATIF(b) }))
		exportSpans(t, run, true)
	}
}

// Reading the lossless format returns the same steps.
func TestSteps(t *testing.T) {
	t.Parallel()
	m := newMemory()
	s := traced()
	if _, err := s.loop(&replies{list: s.model}, m, s.limits).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	m.steps = append(m.steps,
		cache.Step{Seq: int64(len(m.steps) + 1), Kind: cache.Note, Key: "odd", Payload: []byte("\xff no JSON"), At: start},
		cache.Step{Seq: int64(len(m.steps) + 2), Kind: cache.Note, Key: "spaced", Payload: []byte(`{"a": 1}`), At: start})
	was := cache.Run{ID: "20261121-093000-abcd", Kind: "szz/agent", Spec: json.RawMessage(`{"fix":"x"}`), State: cache.Done,
		Started: start, Ended: start.Add(time.Minute), Version: "v1", Steps: len(m.steps)}
	var b bytes.Buffer
	if err := WriteSteps(&b, was, Sequence(m.steps)); err != nil {
		t.Fatal(err)
	}
	run, steps, err := ReadSteps(&b)
	if err != nil || !reflect.DeepEqual(run, was) || !reflect.DeepEqual(steps, m.steps) {
		t.Errorf("error %v\n%+v\n%+v", err, run, was)
	}
	if _, _, err := ReadSteps(strings.NewReader(`{"schema":"other"}`)); err == nil {
		t.Error("another schema is read")
	}
}

// A replay of an unchanged run has no difference. If something changed, the first
// difference is named.
func TestPlayer(t *testing.T) {
	t.Parallel()
	s := traced()
	run := s.record(t)
	p := NewPlayer(run, true)
	if _, err := s.loop(p, p, p.Limits()).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := p.Played()
	if got.First != nil || got.Turns != 5 || got.Recorded != 5 || !got.Same || got.Sent == 0 || got.Equal < 12 {
		t.Errorf("played %+v", got)
	}

	other := traced()
	other.tools["git_blame"][`{"path":"src/a.c","start":10}`] = agent.Result{Text: "L10: other\n"}
	p = NewPlayer(run, true)
	if _, err := other.loop(p, p, p.Limits()).Run(t.Context()); err == nil {
		t.Error("a strict player goes on after a difference")
	}
	got = p.Played()
	if got.First == nil || got.First.Step != "tool/1/1" || !strings.Contains(got.First.What, "line 1 was") || got.Turns != 1 {
		t.Errorf("played %+v, first %v", got, got.First)
	}

	p = NewPlayer(run, false)
	if _, err := other.loop(p, p, p.Limits()).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got = p.Played(); got.First == nil || got.Turns != 5 || !got.Same {
		t.Errorf("played loosely: %+v", got)
	}
}

// A replay ends at the same turn as the recorded run, for any limit that ended the run.
func TestPlayerLimits(t *testing.T) {
	t.Parallel()
	s := traced()
	s.model = []any{says("", "git_blame", `{"path":"src/a.c","start":10}`), says("It is unclear.")}
	s.limits = agent.Limits{Tokens: 22_000}
	run := s.record(t)
	if len(run.Turns) != 2 || run.Turns[1].Limit == nil {
		t.Fatalf("%d turns, limit %+v", len(run.Turns), run.Turns)
	}
	p := NewPlayer(run, true)
	if _, err := s.loop(p, p, p.Limits()).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := p.Played(); got.First != nil || got.Turns != 2 {
		t.Errorf("played %+v, first %v", got, got.First)
	}
}

// Two texts are shown around their first difference.
func TestFirstLine(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("the same ", 10)
	for _, tt := range []struct{ was, is, want string }{
		{"a\nb", "a\nc", `line 2 was "b" and is "c"`},
		{long + "one", long + "two", `line 1 was "…e the same the same one" and is "…e the same the same two"`},
		{"a", "a\nb", "1 lines then, 2 now"},
	} {
		if got := describeDifference(tt.was, tt.is); got != tt.want {
			t.Errorf("firstLine(%q, %q) = %s", tt.was, tt.is, got)
		}
	}
}
