package model

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// answering starts a server that answers each path of the table, and 404 to others.
func answering(t *testing.T, table map[string]string) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := table[r.Method+" "+r.URL.RequestURI()]
		status := http.StatusOK
		if !ok {
			status, body = http.StatusNotFound, "404 page not found"
		}
		if n, err := fmt.Sscanf(body, "%d ", &status); n == 1 && err == nil {
			_, body, _ = strings.Cut(body, " ")
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// The lists of all servers are read, with the size of the context where they have it: as it is,
// and not as it could be.
func TestModels(t *testing.T) {
	for name, tt := range map[string]struct {
		wire        Wire
		path, list  string
		first       Listed
		other, more string // another path and its answer
		window      int64  // of the model m
	}{
		"OpenAI":     {WireChat, "/v1/models", `{"object":"list","data":[{"id":"m","object":"model","owned_by":"openai"},{"id":"n"}]}`, Listed{ID: "m"}, "", "", 0},
		"Gemini":     {WireChat, "/v1/models", `{"data":[{"id":"models/m"}]}`, Listed{ID: "m"}, "", "", 0},
		"vLLM":       {WireChat, "/v1/models", `{"data":[{"id":"m","max_model_len":8192}]}`, Listed{"m", 8192}, "", "", 8192},
		"OpenRouter": {WireChat, "/v1/models", `{"data":[{"id":"n","context_length":4096},{"id":"m","context_length":200000,"pricing":{"prompt":"0.1"}}]}`, Listed{"n", 4096}, "", "", 200000},
		"llama.cpp":  {WireResponses, "/v1/models", `{"data":[{"id":"/x/m.gguf","meta":{"n_ctx":16384,"n_ctx_train":131072}}]}`, Listed{"/x/m.gguf", 16384}, "", "", 16384},
		"an old one": {WireChat, "/v1/models", `{"data":[{"id":"/x/m.gguf","meta":{"n_ctx_train":131072}}]}`, Listed{ID: "/x/m.gguf"}, "/props", `{"default_generation_settings":{"n_ctx":2048}}`, 2048},
		"Ollama":     {WireMessages, "/v1/models?limit=1000", `{"data":[{"id":"m:latest"},{"id":"n"}]}`, Listed{ID: "m:latest"}, "/api/ps", `{"models":[{"name":"n","context_length":9},{"name":"m:latest","context_length":4096}]}`, 4096},
		"Anthropic":  {WireMessages, "/v1/models?limit=1000", `{"data":[{"type":"model","id":"m","max_input_tokens":1000000}],"has_more":false}`, Listed{"m", 1000000}, "", "", 1000000},
	} {
		url := answering(t, map[string]string{"GET " + tt.path: tt.list, "GET " + tt.other: tt.more})
		c, _ := newClient(t, url+"/v1", func(cfg *Config) { cfg.Wire, cfg.Model = tt.wire, "m" })
		list, err := c.Models(t.Context())
		if err != nil || len(list) == 0 || list[0] != tt.first {
			t.Errorf("%s: %+v, %v", name, list, err)
		}
		if n := c.RunningWindow(t.Context(), list); n != tt.window {
			t.Errorf("%s: the context has %d tokens, want %d", name, n, tt.window)
		}
	}
}

// A server without a list, and one that says something else, give an error, which has no key.
func TestNoModels(t *testing.T) {
	for list, want := range map[string]Class{
		``: ClassMalformed, `{}`: ClassMalformed, `{"data":7}`: ClassMalformed, "<html>": ClassMalformed, "404 no such path": ClassModel,
		`401 {"error":{"message":"not sk-secret-0123"}}`: ClassAuth, `200 {"data":[{"id":7},{}]}`: "",
	} {
		c, _ := newClient(t, answering(t, map[string]string{"GET /v1/models": list})+"/v1", nil)
		got, err := c.Models(t.Context())
		if e, _ := err.(*Error); (want == "") != (err == nil) || e != nil && (e.Class != want || strings.Contains(e.Error(), "sk-secret")) || len(got) > 0 {
			t.Errorf("%q: %+v, %v", list, got, err)
		}
	}
}

// An empty request shows which APIs a server has.
func TestServes(t *testing.T) {
	url := answering(t, map[string]string{
		"POST /v1/chat/completions": `400 {"error":{"message":"messages: Field required"}}`, "POST /v1/responses": "405 {}", "POST /v1/messages": "<html>",
		"POST /a/v1/messages": `422 {"detail":[]}`, "POST /b/v1/chat/completions": `401 {"error":"who are you?"}`, "POST /c/v1/chat/completions": `302 {}`,
	})
	for base, want := range map[string]string{"/v1": "chat", "": "", "/a": "messages", "/a/v1": "messages", "/b/v1": "", "/c/v1": ""} {
		var got []string
		for _, wire := range Wires {
			c, _ := newClient(t, url+base, func(cfg *Config) { cfg.Wire = wire })
			if c.Serves(t.Context(), c.Wire()) {
				got = append(got, string(wire))
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", base, got, want)
		}
	}
}
