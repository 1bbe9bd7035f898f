package model

import (
	"encoding/json"
	"strings"
	"testing"

	"git-agent/agent/model/modeltest"
)

// A field that a server refuses, in any of many wordings, is left out of the
// repeated request and of later ones.
func TestLearns(t *testing.T) {
	half, tried := 0.5, 0
	for _, c := range []struct {
		name, without string
		status        int
		body          string
	}{
		{"OpenAI", `"temperature"`, 400, `{"error":{"message":"Unsupported value: 'temperature' does not support 0.5 with this model.","type":"invalid_request_error","param":"temperature","code":"unsupported_value"}}`},
		{"vLLM", `"reasoning_effort"`, 400, `{"object":"error","message":"[{'type': 'extra_forbidden', 'loc': ('body', 'reasoning_effort'), 'msg': 'Extra inputs are not permitted'}]","code":400}`},
		{"Mistral", `"reasoning_effort"`, 422, `{"detail":[{"type":"extra_forbidden","loc":["body","reasoning_effort"],"msg":"Extra inputs are not permitted"}]}`},
		{"Gemini", `"reasoning_effort"`, 400, `[{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"reasoning_effort\": Cannot find field.","status":"INVALID_ARGUMENT"}}]`},
		{"Groq", `"temperature"`, 400, `{"error":{"message":"property 'temperature' is unsupported","type":"invalid_request_error"}}`},
		{"Anthropic", `"temperature"`, 400, `{"error":{"message":"temperature is deprecated for this model.","type":"invalid_request_error"}}`},
		{"top_p", `"top_p"`, 400, `{"error":{"message":"Unsupported parameter: 'top_p' is not supported with this model.","type":"invalid_request_error","param":"top_p","code":"unsupported_parameter"}}`},
		{"no tool_choice", `"tool_choice"`, 400, `{"error":{"message":"This model does not support the tool_choice parameter"}}`},
		{"no effort", `"effort"`, 400, `{"type":"error","error":{"type":"invalid_request_error","message":"This model does not support the effort parameter."}}`},
		{"no thoughts", `"thinking"`, 400, `{"type":"error","error":{"type":"invalid_request_error","message":"adaptive thinking is not supported on this model"}}`},
		{"thoughts of another wire", `"thinking"`, 400, "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.\"}}"},
		{"one of two", `"temperature"`, 400, "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"`temperature` and `top_p` cannot both be specified for this model. Please use only one.\"}}"},
		{"hot thoughts", `"temperature"`, 400, "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"`temperature` may only be set to 1 when thinking is enabled.\"}}"},
		{"no marks", `"cache_control"`, 422, `{"detail":[{"type":"extra_forbidden","loc":["body","messages",0,"content",0,"cache_control"],"msg":"Extra inputs are not permitted"}]}`},
		{"no marks, in words", `"cache_control"`, 400, `{"error":{"message":"messages.0.content.0.text.cache_control: Extra inputs are not permitted"}}`},
		{"swap", `"max_tokens"`, 400, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","code":"unsupported_parameter","param":"max_tokens"}}`},
	} {
		wires(t, func(t *testing.T, set func(*Config)) {
			srv := modeltest.Serve(t, func(r modeltest.Request) modeltest.Reply {
				if strings.Contains(string(r.Raw), c.without) {
					return modeltest.Status(c.status, c.body)
				}
				return modeltest.Say("ok")
			})
			client, _ := newClient(t, srv.URL, func(cfg *Config) {
				set(cfg)
				cfg.Temperature, cfg.TopP, cfg.Effort = &half, &half, "low"
			})
			req := question("who?")
			req.MaxOutput, req.Choice = 100, ChoiceNone
			if body, err := client.Body(req); err != nil || !strings.Contains(string(body), c.without) || c.name == "swap" && client.cfg.Wire != WireChat {
				return // this wire does not send it
			}
			tried++
			if reply, err := client.Ask(t.Context(), req); err != nil || reply.Attempts != 2 {
				t.Fatalf("%s: got %+v, %v", c.name, reply, err)
			}
			if reply, err := client.Ask(t.Context(), req); err != nil || reply.Attempts != 1 {
				t.Errorf("%s: the second request got %+v, %v", c.name, reply, err)
			}
			if last := string(srv.Requests()[2].Raw); c.name == "swap" && !strings.Contains(last, `"max_completion_tokens":100`) {
				t.Errorf("no limit in %s", last)
			}
		})
	}
	if tried < 24 {
		t.Errorf("only %d combinations of a refusal and a wire", tried)
	}
}

// A required field is not left out, and requests to a server that refuses
// everything end.
func TestLearningEnds(t *testing.T) {
	wires(t, func(t *testing.T, set func(*Config)) {
		for _, param := range []string{"messages", "tools", "temperature"} {
			srv := modeltest.Serve(t, func(modeltest.Request) modeltest.Reply {
				return modeltest.Status(400, `{"error":{"message":"Unsupported parameter","code":"unsupported_parameter","param":"`+param+`"}}`)
			})
			c, _ := newClient(t, srv.URL, set)
			if e := askFails(t, c); e.Class != ClassRequest || len(srv.Requests()) > 3 {
				t.Errorf("%s: got %+v after %d requests", param, e, len(srv.Requests()))
			}
		}
	})
}

// A model that needs the responses API gets it permanently, and its conversation
// continues there.
func TestWireSwitch(t *testing.T) {
	const refusal = `{"error":{"message":"Function tools with reasoning_effort are not supported for gpt-5.6 in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.","type":"invalid_request_error","param":"reasoning_effort"}}`
	srv := modeltest.Serve(t, func(r modeltest.Request) modeltest.Reply {
		if r.Wire == "chat" && len(r.Messages) > 2 {
			return modeltest.Status(400, refusal)
		}
		if r.Turn() == 0 {
			return modeltest.Call("blame", `{"path":"a.c"}`)
		}
		return modeltest.Say("done")
	})
	c, _ := newClient(t, srv.URL, nil)
	req := question("who?")
	reply, err := c.Ask(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	req.Messages = append(req.Messages, reply.Message, Message{Role: ToolReply, CallID: reply.Message.Calls[0].ID, Text: "1234"})
	reply, err = c.Ask(t.Context(), req)
	if err != nil || reply.Message.Text != "done" || reply.Message.Wire != WireResponses {
		t.Fatalf("got %+v, %v", reply, err)
	}
	last := srv.Requests()[2]
	if last.Wire != "responses" || len(last.Messages) != 4 || last.Messages[2].Calls[0].Args != `{"path":"a.c"}` {
		t.Errorf("the conversation went on as %+v", last.Messages)
	}

	// A configured wire is kept.
	srv = modeltest.Serve(t, func(modeltest.Request) modeltest.Reply { return modeltest.Status(400, refusal) })
	c, _ = newClient(t, srv.URL, func(cfg *Config) { cfg.Wire = WireChat })
	if e := askFails(t, c); e.Class != ClassRequest {
		t.Errorf("got %+v", e)
	}
}

// A server that does not know the guessed API is asked for chat.
func TestNoResponses(t *testing.T) {
	for _, guess := range []Wire{WireResponses, WireMessages} {
		srv := modeltest.Serve(t, func(r modeltest.Request) modeltest.Reply {
			if r.Wire == string(guess) {
				return modeltest.Status(404, "404 page not found")
			}
			return modeltest.Say("ok")
		})
		c, _ := newClient(t, srv.URL, nil)
		c.current.Wire = guess
		if reply, err := c.Ask(t.Context(), question("who?")); err != nil || reply.Message.Text != "ok" {
			t.Errorf("got %+v, %v", reply, err)
		}
	}
}

func TestGuessedWire(t *testing.T) {
	for _, c := range []struct {
		url, model string
		want       Wire
	}{
		{"", "gpt-5.5", WireResponses}, {"", "o3", WireResponses}, {"", "gpt-5.6-codex", WireResponses},
		{"", "gpt-4.1-mini", WireChat}, {"", "gpt-5.1-chat-latest", WireChat},
		{"https://x.openai.azure.com/openai/v1", "gpt-5", WireResponses},
		{"https://openrouter.ai/api/v1", "openai/gpt-5", WireChat},
		{"https://openrouter.ai/api/v1", "anthropic/claude-opus-5-5", WireChat},
		{"https://api.anthropic.com/v1", "claude-opus-5-5", WireMessages},
		{"https://x.services.ai.azure.com/anthropic", "my-deployment", WireMessages},
		{"https://bedrock-mantle.eu-west-1.api.aws/anthropic/v1", "anthropic.claude-opus-5-5", WireMessages},
		{"https://anthropic.example.org/v1", "claude-opus-5-5", WireChat},
		{"http://localhost:8000/v1", "gpt-5", WireChat},
	} {
		client, err := New(Config{BaseURL: c.url, Model: c.model})
		if err != nil {
			t.Fatal(err)
		}
		if got := client.form().Wire; got != c.want {
			t.Errorf("%s at %q: got %s", c.model, c.url, got)
		}
	}
}

// Unknown fields of a server's own messages are left out only if the server
// refuses them: other servers insist on them.
func TestOwnFields(t *testing.T) {
	const said = `{"choices":[{"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"reasoning_content":"","tool_calls":[{"id":"a","type":"function","extra_content":{"google":{"thought_signature":"s1g<>"}},"function":{"name":"blame","arguments":"{}"}}]}}]}`
	for name, picky := range map[string]bool{"DeepSeek and Gemini": false, "Groq": true} {
		t.Run(name, func(t *testing.T) {
			srv := modeltest.Serve(t, func(r modeltest.Request) modeltest.Reply {
				back := strings.Contains(string(r.Raw), `"reasoning_content":""`) && strings.Contains(string(r.Raw), `"thought_signature":"s1g`)
				switch {
				case r.Turn() == 0:
					return modeltest.Status(200, said)
				case back == picky:
					return modeltest.Status(400, `{"error":{"message":"'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning_content' is unsupported)]"}}`)
				}
				return modeltest.Say("ok")
			})
			c, _ := newClient(t, srv.URL, nil)
			req := question("who?")
			reply, err := c.Ask(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			req.Messages = append(req.Messages, reply.Message, Message{Role: ToolReply, CallID: "a", Text: "x"})
			if reply, err = c.Ask(t.Context(), req); err != nil || reply.Message.Text != "ok" {
				t.Errorf("got %+v, %v", reply, err)
			}
		})
	}
}

// A message read from a journal gives the same bytes.
func TestRawSurvivesJournal(t *testing.T) {
	wires(t, func(t *testing.T, set func(*Config)) {
		srv := modeltest.Script(t, modeltest.Call("blame", `{"path":"<&>\u2028"}`).Saying("a < b\u2028"))
		c, _ := newClient(t, srv.URL, set)
		req := question("who?")
		reply, err := c.Ask(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.MarshalIndent(reply.Message, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		var back Message
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		live, later := req, req
		live.Messages = append(live.Messages[:2:2], reply.Message)
		later.Messages = append(later.Messages[:2:2], back)
		one, err := c.Body(live)
		two, err2 := c.Body(later)
		if err != nil || err2 != nil || string(one) != string(two) {
			t.Errorf("%v %v\n%s\n%s", err, err2, one, two)
		}
	})
}

// An earlier request in flight does not undo a change of the form by a later one.
func TestLessonsAddUp(t *testing.T) {
	c, err := New(Config{Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	old := c.form()
	for _, field := range []string{"temperature", "seed", "seed"} {
		if !c.adapt(old, &Error{Class: ClassRequest, Code: "unsupported_parameter", Param: field}) {
			t.Errorf("%s: it does not ask again", field)
		}
	}
	if now := c.form(); !now.drops("temperature") || now.drops("seed") {
		t.Errorf("after the first lesson: %+v", now)
	}
	c.adapt(c.form(), &Error{Class: ClassRequest, Code: "unsupported_parameter", Param: "seed"})
	if now := c.form(); !now.drops("temperature") || !now.drops("seed") {
		t.Errorf("after both: %+v", now)
	}
}
