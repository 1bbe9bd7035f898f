package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"git-agent/agent/model"
	"git-agent/agent/model/modeltest"
	"git-agent/cmd/git-agent/app"
)

// shop is a model server that has only some paths, behind a prefix.
type shop struct {
	wires  []model.Wire
	prefix string // of the paths, before the version
	key    string // "" for none
	models string // the answer to a question for the models; "" for no such path
	other  map[string]string
	answer func(modeltest.Request) modeltest.Reply
}

// open starts the server and returns its address, without a path.
func (s shop) open(t *testing.T) string {
	t.Helper()
	inner := modeltest.Serve(t, s.answer)
	paths := map[string]model.Wire{
		s.prefix + "/v1/chat/completions": model.WireChat, s.prefix + "/v1/responses": model.WireResponses, s.prefix + "/v1/messages": model.WireMessages,
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		wire, known := paths[r.URL.Path]
		body, more := s.other[r.URL.Path]
		switch {
		case s.key != "" && r.Header.Get("Authorization") != "Bearer "+s.key:
			w.WriteHeader(http.StatusUnauthorized)
			io.WriteString(w, `{"error":{"message":"Incorrect API key provided"}}`)
		case r.URL.Path == s.prefix+"/v1/models" && s.models != "":
			io.WriteString(w, s.models)
		case more:
			io.WriteString(w, body)
		case known && strings.Contains(strings.Join(wireNames(s.wires), " "), string(wire)):
			text, _ := io.ReadAll(r.Body)
			if string(text) == "{}" {
				w.WriteHeader(http.StatusBadRequest)
				io.WriteString(w, `{"error":{"message":"messages: Field required"}}`)
				return
			}
			r.Body = io.NopCloser(strings.NewReader(string(text)))
			inner.ServeHTTP(w, r)
		default:
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, "404 page not found")
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

func wireNames(list []model.Wire) (names []string) {
	for _, w := range list {
		names = append(names, string(w))
	}
	return names
}

// calls calls the tool that is offered.
func calls(modeltest.Request) modeltest.Reply { return modeltest.Call("ready", `{"ok":true}`) }

// refuses answers with a status and a text.
func refuses(status int, message string) func(modeltest.Request) modeltest.Reply {
	return always(modeltest.Status(status, `{"error":{"message":"`+message+`"}}`))
}

// The usual mistakes are recognized, each with its cure. ADDRESS stands for the server's.
func TestDoctorKnowsTheUsualMistakes(t *testing.T) {
	t.Parallel()
	every, openAI, anthropic := model.Wires, []model.Wire{model.WireChat, model.WireResponses}, []model.Wire{model.WireMessages}
	const models = `{"data":[{"id":"gpt-5-mini"},{"id":"gpt-5-nano"},{"id":"text-embedding-4"}]}`
	for _, tt := range []struct {
		name     string
		shop     shop
		path     string // of the configured address
		settings []string
		key      string
		code     int
		want     []string
	}{
		{"nothing", shop{wires: every, answer: calls}, "/v1", nil, "", app.ExitFound, []string{"ok   server", "m1 answered in", "on the wire chat and calls tools"}},
		{"no version", shop{wires: openAI, answer: calls}, "", nil, "", app.ExitNothing,
			[]string{"fail server", "127.0.0.1:PORT has nothing at ADDRESS: its chat API is at ADDRESS/v1", "export GIT_AGENT_BASE_URL=ADDRESS/v1"}},
		{"Anthropic's API, asked for chat", shop{wires: anthropic, answer: calls}, "/v1", []string{"agent.wire=chat"}, "", app.ExitNothing,
			[]string{"127.0.0.1:PORT does not have the chat API at ADDRESS/v1, but the messages API", "git config --global agent.wire messages"}},
		{"Anthropic's API, not recognized", shop{wires: anthropic, answer: calls}, "", nil, "", app.ExitNothing, []string{"does not have the chat API at ADDRESS, but the messages API", "agent.wire messages"}},
		{"Anthropic's API below a path, asked for chat", shop{wires: anthropic, prefix: "/anthropic", answer: calls}, "/anthropic", []string{"agent.wire=chat"}, "", app.ExitNothing, []string{"agent.wire messages"}},
		{"Anthropic's API below a path", shop{wires: anthropic, prefix: "/anthropic", answer: calls}, "/anthropic", nil, "", app.ExitFound, []string{"ok   server", "on the wire messages"}},
		{"OpenAI's API, asked for messages", shop{wires: openAI, answer: calls}, "/v1", []string{"agent.wire=messages"}, "", app.ExitNothing,
			[]string{"does not have the messages API at ADDRESS/v1, but the chat API", "git config --global agent.wire chat"}},
		{"OpenAI's API, asked for messages without a version", shop{wires: openAI, answer: calls}, "", []string{"agent.wire=messages"}, "", app.ExitNothing,
			[]string{"does not have the messages API at ADDRESS, but the chat API at ADDRESS/v1", "export GIT_AGENT_BASE_URL=ADDRESS/v1 && git config --global agent.wire chat"}},
		{"no responses", shop{wires: []model.Wire{model.WireChat}, answer: calls}, "/v1", []string{"agent.wire=responses"}, "", app.ExitNothing, []string{"agent.wire chat"}},
		{"a wrong name", shop{wires: every, models: models, answer: refuses(404, "The model m1 does not exist")}, "/v1", []string{"agent.model=gpt5-mini"}, "", app.ExitNothing,
			[]string{"127.0.0.1:PORT has no model gpt5-mini: it has gpt-5-mini, gpt-5-nano, text-embedding-4", "git config --global agent.model gpt-5-mini"}},
		{"a wrong name, on messages", shop{wires: anthropic, models: `{"data":[{"id":"claude-opus-5-5"},{"id":"claude-sonnet-5-5"}],"has_more":false}`,
			answer: always(modeltest.Status(404, `{"type":"error","error":{"type":"not_found_error","message":"model: claude-opus-55"}}`))}, "", []string{"agent.wire=messages", "agent.model=claude-opus-55"}, "", app.ExitNothing,
			[]string{"has no model claude-opus-55: it has claude-opus-5-5, claude-sonnet-5-5"}},
		{"a wrong name, without a list", shop{wires: every, answer: refuses(404, "The model m1 does not exist")}, "/v1", nil, "", app.ExitNothing, []string{"fail server", "The model m1 does not exist"}},
		{"no tools, vLLM", shop{wires: every, answer: refuses(400, `\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`)}, "/v1", nil, "", app.ExitNothing,
			[]string{"fail server", "it cannot call tools", "start vLLM with --enable-auto-tool-choice --tool-call-parser=<name>"}},
		{"no tools, Ollama", shop{wires: every, answer: refuses(400, `registry.ollama.ai/library/gemma:2b does not support tools`)}, "/v1", nil, "", app.ExitNothing, []string{"it cannot call tools", "agent.model <one that calls tools>"}},
		{"no tools, llama.cpp", shop{wires: every, answer: refuses(500, `tools param requires --jinja flag`)}, "/v1", nil, "", app.ExitNothing, []string{"start llama.cpp with --jinja"}},
		{"no tools, OpenRouter", shop{wires: every, answer: refuses(404, `No endpoints found that support tool use.`)}, "/v1", nil, "", app.ExitNothing, []string{"it cannot call tools"}},
		{"no call", shop{wires: every, answer: always(modeltest.Say("Ready!"))}, "/v1", nil, "", app.ExitFound, []string{"warn server", "called no tool: the model cannot investigate", "agent.model <one that calls tools>"}},
		{"a call as text", shop{wires: every, answer: always(modeltest.Say("<tool_call>\n{\"name\": \"ready\", \"arguments\": {\"ok\": true}}\n</tool_call>"))}, "/v1", nil, "", app.ExitFound,
			[]string{"warn server", "the model wrote its call as text", "start llama.cpp with --jinja, or vLLM"}},
		{"no end", shop{wires: every, answer: always(modeltest.Say("la la la").Ending("length"))}, "/v1", nil, "", app.ExitFound, []string{"warn server", "its answer was cut at"}},
		{"a small context, vLLM", shop{wires: every, models: `{"data":[{"id":"m1","max_model_len":4096}]}`, answer: calls}, "/v1", nil, "", app.ExitFound,
			[]string{"warn context", "it has 4096 tokens, and an investigation needs 16384 or more", "vLLM with --max-model-len=32768"}},
		{"a small context, llama.cpp", shop{wires: every, models: `{"data":[{"id":"/x/m.gguf","meta":{"n_ctx_train":131072}}]}`, other: map[string]string{"/props": `{"default_generation_settings":{"n_ctx":8192}}`}, answer: calls},
			"/v1", nil, "", app.ExitFound, []string{"it has 8192 tokens", "llama.cpp with -c 32768"}},
		{"a small context, Ollama", shop{wires: every, models: `{"data":[{"id":"m1:latest"},{"id":"n"}]}`, other: map[string]string{"/api/ps": `{"models":[{"name":"m1:latest","context_length":4096}]}`}, answer: calls},
			"/v1", nil, "", app.ExitFound, []string{"it has 4096 tokens", "OLLAMA_CONTEXT_LENGTH=32768"}},
		{"no context at all", shop{wires: every, answer: refuses(400, `the request exceeds the available context size`)}, "/v1", nil, "", app.ExitNothing, []string{"fail server", "even a test request is too long", "-c 32768"}},
		{"enough context", shop{wires: every, models: `{"data":[{"id":"m1","max_model_len":32768}]}`, answer: calls}, "/v1", nil, "", app.ExitFound, []string{"ok   server"}},
		{"no key", shop{wires: every, key: "right", answer: calls}, "/v1", nil, "", app.ExitNothing, []string{"fail server", "127.0.0.1:PORT wants a key, and none is configured", "export GIT_AGENT_API_KEY=<key>"}},
		{"a wrong key", shop{wires: every, key: "right", answer: calls}, "/v1", nil, "wrong-0123456789", app.ExitNothing, []string{"fail server", "127.0.0.1:PORT refuses the key from GIT_AGENT_API_KEY", "export GIT_AGENT_API_KEY=<key>"}},
		{"the right key", shop{wires: every, key: "right", answer: calls}, "/v1", nil, "right", app.ExitFound, []string{"ok   server"}},
		{"a web page", shop{wires: nil, other: map[string]string{"/v1/chat/completions": "<html><title>Sign in</title></html>"}}, "/v1", nil, "", app.ExitNothing, []string{"fail server", "a web page: Sign in"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newAgentBench(t)
			url := tt.shop.open(t)
			b.setenv("GIT_AGENT_MODEL", "m1")
			b.setenv("GIT_AGENT_BASE_URL", url+tt.path)
			b.setenv("GIT_AGENT_API_KEY", tt.key)
			for _, s := range tt.settings {
				name, value, _ := strings.Cut(s, "=")
				if name == "agent.model" {
					b.setenv("GIT_AGENT_MODEL", value)
				}
				b.git("config", "--global", name, value)
			}
			out, _ := b.run(tt.code, "doctor", "--online")
			_, port, _ := strings.Cut(strings.TrimPrefix(url, "http://"), ":")
			for _, want := range tt.want {
				if want = strings.NewReplacer("ADDRESS", url, "PORT", port).Replace(want); !strings.Contains(out, want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
			if small := strings.Contains(out, "warn context"); small != strings.HasPrefix(tt.name, "a small context") {
				t.Errorf("a warning about the context: %t\n%s", small, out)
			}
			if tt.key != "" && tt.key != "right" && strings.Contains(out, tt.key) {
				t.Errorf("the key is in\n%s", out)
			}
		})
	}
}
