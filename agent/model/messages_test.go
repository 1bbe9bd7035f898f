package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/model/modeltest"
)

// onMessages makes a client of the messages wire.
func onMessages(t testing.TB, url string, change func(*Config)) *Client {
	t.Helper()
	c, _ := newClient(t, url, func(cfg *Config) {
		cfg.Wire = WireMessages
		if change != nil {
			change(cfg)
		}
	})
	return c
}

// A conversation has Anthropic's form: the answers to parallel calls and the user's text behind
// them are one turn, and what the API refuses is not sent.
func TestMessagesBody(t *testing.T) {
	c := onMessages(t, "http://127.0.0.1:1/v1", nil)
	req := question("who?")
	req.MaxOutput = 100
	req.Messages = append(req.Messages,
		Message{Role: Assistant, Text: "I look.", Calls: []Call{{ID: "a", Name: "blame", Args: `{"path":"a.c"}`}, {ID: "b:2/x", Name: "blame", Args: `{path`}}},
		Message{Role: ToolReply, CallID: "a", Name: "blame", Text: "x"}, Message{Role: ToolReply, CallID: "b:2/x", Name: "blame", Text: ""},
		Message{Role: User, Text: "Go on."}, Message{Role: Assistant, Text: " "}, Message{Role: User, Text: ""})
	body, err := c.Body(req)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"max_tokens":100,"messages":[` +
		`{"content":[{"text":"who?","type":"text"}],"role":"user"},` +
		`{"content":[{"text":"I look.","type":"text"},{"id":"a","input":{"path":"a.c"},"name":"blame","type":"tool_use"},` +
		`{"id":"call_94048a9c17a2f7dfd825aa1c","input":{"malformed":"{path"},"name":"blame","type":"tool_use"}],"role":"assistant"},` +
		`{"content":[{"content":"x","tool_use_id":"a","type":"tool_result"},{"content":"(empty)","tool_use_id":"call_94048a9c17a2f7dfd825aa1c","type":"tool_result"},` +
		`{"cache_control":{"type":"ephemeral"},"text":"Go on.","type":"text"}],"role":"user"},` +
		`{"content":[{"text":"(empty)","type":"text"}],"role":"assistant"},` +
		`{"content":[{"cache_control":{"type":"ephemeral"},"text":"(empty)","type":"text"}],"role":"user"}],` +
		`"model":"test-model","system":[{"cache_control":{"type":"ephemeral"},"text":"be exact","type":"text"}],` +
		`"tools":[{"description":"who wrote a line","input_schema":{"properties":{"path":{"type":"string"}},"type":"object"},"name":"blame"}]}`
	if string(body) != want {
		t.Errorf("got\n%s\nwant\n%s", body, want)
	}
	if body, err = c.Body(Request{Messages: []Message{{Role: User, Text: "x"}}, Tools: []Tool{blameTool}}); err != nil || !strings.Contains(string(body), `"tools":[{"cache_control":`) || !strings.Contains(string(body), `"max_tokens":32000`) {
		t.Errorf("without a system's text: %s, %v", body, err)
	}
}

// Thoughts go back as they came, with their signatures and in their places, even beside a call
// that has to be written again, and from a journal.
func TestThoughtsComeBack(t *testing.T) {
	const said = `{"type":"message","role":"assistant","model":"m","content":[` +
		`{"type":"thinking","thinking":"Who \u00fc<&>?","signature":"EqQB/+=="},{"type":"redacted_thinking","data":"c2VhbGVk"},{"type":"text","text":""},` +
		`{"type":"text","text":"I look."},{"type":"tool_use","id":"toolu_1","name":"functions.blame","input":{"path":"a.c"}},` +
		`{"type":"thinking","thinking":"","signature":"EqQC"},{"type":"tool_use","id":"toolu_2","name":"blame","input":{ "n":1.50e+2 },"caller":{"type":"direct"}}],` +
		`"stop_reason":"tool_use","usage":{"input_tokens":9,"output_tokens":9}}`
	srv := modeltest.Serve(t, func(r modeltest.Request) modeltest.Reply { return modeltest.Status(200, said) })
	c := onMessages(t, srv.URL, nil)
	req := question("who?")
	reply, err := c.Ask(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if m := reply.Message; m.Thought != "Who ü<&>?" || m.Text != "I look." || len(m.Calls) != 2 {
		t.Fatalf("got %+v", m)
	}
	kept, err := json.MarshalIndent(reply.Message, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	var back Message
	if err := json.Unmarshal(kept, &back); err != nil {
		t.Fatal(err)
	}
	req.Messages = append(req.Messages, back, Message{Role: ToolReply, CallID: "toolu_1", Text: "x"}, Message{Role: ToolReply, CallID: "toolu_2", Text: "y"})
	body, err := c.Body(req)
	const want = `{"content":[{"type":"thinking","thinking":"Who \u00fc\u003c\u0026\u003e?","signature":"EqQB/+=="},{"type":"redacted_thinking","data":"c2VhbGVk"},` +
		`{"type":"text","text":"I look."},{"id":"toolu_1","input":{"path":"a.c"},"name":"blame","type":"tool_use"},` +
		`{"type":"thinking","thinking":"","signature":"EqQC"},{"type":"tool_use","id":"toolu_2","name":"blame","input":{"n":1.50e+2},"caller":{"type":"direct"}}],"role":"assistant"}`
	if err != nil || !strings.Contains(string(body), want) {
		t.Errorf("%v\ngot  %s\nwant %s", err, body, want)
	}
}

// A server that refuses the signatures of another one's thoughts gets the conversation without
// them.
func TestForeignThoughts(t *testing.T) {
	srv := modeltest.Serve(t, func(r modeltest.Request) modeltest.Reply {
		if strings.Contains(string(r.Raw), "signature") {
			return modeltest.Status(400, "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"messages.1.content.0: Invalid `signature` in `thinking` block\"}}")
		}
		return modeltest.Say("ok")
	})
	srv.Lenient = true
	c := onMessages(t, srv.URL, nil)
	req := question("who?")
	req.Messages = append(req.Messages, Message{Role: Assistant, Text: "Well.", Wire: WireMessages,
		Raw: json.RawMessage(`[{"type":"thinking","thinking":"hm","signature":"theirs"},{"type":"text","text":"Well."}]`)}, Message{Role: User, Text: "So?"})
	if reply, err := c.Ask(t.Context(), req); err != nil || reply.Message.Text != "ok" || reply.Attempts != 2 {
		t.Errorf("got %+v, %v", reply, err)
	}
}

// Each request marks the ends of three prefixes. The mark before the last one is where the last
// one of the request before was, so that the server finds what it stored.
func TestCacheMarks(t *testing.T) {
	c := onMessages(t, "http://127.0.0.1:1/v1", nil)
	marks := func(req Request) (list []string) {
		body, err := c.Body(req)
		if err != nil {
			t.Fatal(err)
		}
		rest := string(body)
		for {
			at := strings.Index(rest, `"cache_control":{"type":"ephemeral"},`)
			if at < 0 {
				return list
			}
			rest = rest[at+len(`"cache_control":{"type":"ephemeral"},`):]
			list = append(list, rest[:strings.Index(rest, "}")])
		}
	}
	req := question("who?")
	before := marks(req)
	if len(before) != 2 {
		t.Fatalf("the first request has the marks %q", before)
	}
	for n := range 4 {
		m := Message{Role: Assistant}
		for k := range 25 {
			m.Calls = append(m.Calls, Call{ID: fmt.Sprintf("c%d_%d", n, k), Name: "blame", Args: "{}"})
		}
		req.Messages = append(req.Messages, m)
		for _, call := range m.Calls {
			req.Messages = append(req.Messages, Message{Role: ToolReply, CallID: call.ID, Text: "answer to " + call.ID})
		}
		now := marks(req)
		if len(now) != 3 || now[2] != before[len(before)-1] && now[1] != before[len(before)-2] {
			t.Errorf("request %d has the marks %q after %q", n+2, now, before)
		}
		if !slices.ContainsFunc(now, func(s string) bool { return strings.Contains(s, fmt.Sprintf("answer to c%d_24", n)) }) {
			t.Errorf("no mark at the end: %q", now)
		}
		before = now
	}
}

// The reasoning effort has Anthropic's forms.
func TestMessagesEffort(t *testing.T) {
	for effort, want := range map[string]string{
		"":      `"max_tokens":500,`,
		"high":  `"output_config":{"effort":"high"},"thinking":{"type":"adaptive"}`,
		"4000":  `"thinking":{"budget_tokens":4000,"type":"enabled"}`,
		"none":  `"thinking":{"type":"disabled"}`,
		"xhigh": `"effort":"xhigh"`,
	} {
		c := onMessages(t, "http://127.0.0.1:1/v1", func(cfg *Config) { cfg.Effort = effort })
		body, err := c.Body(Request{Messages: []Message{{Role: User, Text: "x"}}, MaxOutput: 500})
		if err != nil || !strings.Contains(string(body), want) {
			t.Errorf("%q: %s, %v", effort, body, err)
		}
		if bound := `"max_tokens":4500,`; effort == "4000" && !strings.Contains(string(body), bound) {
			t.Errorf("the budget is not part of the bound: %s", body)
		}
	}
}

// A bound on the answer that the server does not take is lowered, if there is room for an answer;
// else the conversation is too long.
func TestMostOutput(t *testing.T) {
	for _, tt := range []struct {
		name, message string
		bound         int // of the second request, 0 for none
	}{
		{"an old model", "max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-sonnet-20241022", 8192},
		{"little room", "input length and `max_tokens` exceed context limit: 180000 + 32000 > 200000, decrease input length or `max_tokens` and try again", 10000},
		{"no room", "input length and `max_tokens` exceed context limit: 199000 + 32000 > 200000, decrease input length or `max_tokens` and try again", 0},
		{"vLLM", "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 16384 tokens and your request has 6384 input tokens (32000 > 16384 - 6384).", 5000},
		{"something else", "prompt is too long: 208310 tokens > 200000 maximum", 0},
	} {
		srv := modeltest.Serve(t, func(r modeltest.Request) modeltest.Reply {
			if strings.Contains(string(r.Raw), `"max_tokens":32000`) {
				body, _ := json.Marshal(map[string]any{"type": "error", "error": map[string]string{"type": "invalid_request_error", "message": tt.message}})
				return modeltest.Status(400, string(body))
			}
			return modeltest.Say("ok")
		})
		c := onMessages(t, srv.URL, nil)
		if tt.bound == 0 {
			if e := askFails(t, c); e.Class != ClassOverflow || e.Attempts != 1 {
				t.Errorf("%s: got %+v", tt.name, e)
			}
			continue
		}
		if reply, err := c.Ask(t.Context(), question("who?")); err != nil || reply.Attempts != 2 {
			t.Errorf("%s: got %+v, %v", tt.name, reply, err)
		} else if last := string(srv.Requests()[1].Raw); !strings.Contains(last, fmt.Sprintf(`"max_tokens":%d,`, tt.bound)) {
			t.Errorf("%s: the second request was %s", tt.name, last)
		}
	}
}

// A wrong name of a model is said as such, and not as a wrong address.
func TestNoSuchClaude(t *testing.T) {
	srv := modeltest.Serve(t, func(modeltest.Request) modeltest.Reply {
		return modeltest.Status(404, `{"type":"error","error":{"type":"not_found_error","message":"model: claude-9"},"request_id":"req_1"}`)
	})
	if e := askFails(t, onMessages(t, srv.URL, nil)); e.Class != ClassModel || e.Message != "there is no model claude-9" {
		t.Errorf("got %+v", e)
	}
}

// An answer that filled the window is no answer, but was paid for.
func TestFullWindowIsCharged(t *testing.T) {
	srv := modeltest.Serve(t, func(modeltest.Request) modeltest.Reply {
		return modeltest.Say("so").Ending("model_context_window_exceeded")
	})
	if e := askFails(t, onMessages(t, srv.URL, nil)); e.Class != ClassOverflow || !e.Charged() || e.Attempts != 1 {
		t.Errorf("got %+v", e)
	}
}
