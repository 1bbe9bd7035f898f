package model

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"git-agent/agent/model/modeltest"
)

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		cfg  Config
		says string
	}{
		{Config{}, "agent.model"},
		{Config{Model: "m", BaseURL: "api.openai.com/v1"}, "agent.baseUrl"},
		{Config{Model: "m", BaseURL: "ftp://x"}, "agent.baseUrl"},
		{Config{Model: "m", BaseURL: "http://[::1"}, "agent.baseUrl"},
		{Config{Model: "m", BaseURL: "https://me:sk-secret@x/v1"}, "agent.apiKeyCommand"},
		{Config{Model: "m", BaseURL: "http://example.org/v1", Key: "sk-secret"}, "plain http"},
		{Config{Model: "m", BaseURL: "http://10.0.0.7/v1", Key: "sk-secret"}, "plain http"},
		{Config{Model: "m", Wire: "telex"}, "agent.wire to chat, responses, messages or auto"},
	} {
		_, err := New(c.cfg)
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "sk-secret") {
			t.Errorf("%v: got %v, want something about %s", c.cfg, err, c.says)
		}
	}
	for _, cfg := range []Config{
		{Model: "m", BaseURL: "http://localhost:11434/v1", Key: "k"}, {Model: "m", BaseURL: "http://127.0.0.1/v1/", Key: "k"},
		{Model: "m", BaseURL: "http://10.0.0.7/v1"},
	} {
		if _, err := New(cfg); err != nil {
			t.Errorf("%v: %v", cfg, err)
		}
	}
}

// The key is sent to the configured server only, in the headers of the wire. It follows
// no redirect and appears in no text.
func TestKeyStays(t *testing.T) {
	wires(t, keyStays)
}

func keyStays(t *testing.T, set func(*Config)) {
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	t.Cleanup(other.Close)
	for _, status := range []int{301, 302, 303, 307, 308} {
		srv := modeltest.Script(t, modeltest.Status(status, "", "Location", other.URL+"/?k=sk-secret-0123"))
		c, _ := newClient(t, srv.URL, set)
		e := askFails(t, c)
		if e.Class != ClassRequest || !strings.Contains(e.Message, other.URL) || strings.Contains(e.Error(), "sk-secret") {
			t.Errorf("%d: got %v", status, e)
		}
		if got := srv.Requests()[0].Header.Values("Authorization"); len(got) != 1 || got[0] != "Bearer sk-secret-0123" {
			t.Errorf("the key went as %q", got)
		}
		if got := srv.Requests()[0].Header.Values("X-Api-Key"); (len(got) == 1 && got[0] == "sk-secret-0123") != (c.cfg.Wire == WireMessages) {
			t.Errorf("the key went as %q on %s", got, c.cfg.Wire)
		}
	}
	if n := elsewhere.Load(); n != 0 {
		t.Errorf("%d redirects were followed", n)
	}

	c, _ := newClient(t, other.URL, set)
	body, _ := c.Body(question("who?"))
	for _, text := range []string{fmt.Sprintf("%v %+v %#v %s", c, c, c, c), fmt.Sprintf("%v %+v %#v", c.cfg, c.cfg, c.cfg), string(body)} {
		if strings.Contains(text, "sk-secret") {
			t.Errorf("the key is in %s", text)
		}
	}
}

// Nothing of the environment reaches the server: neither keys nor headers that
// a client library would send.
func TestEnvironmentStays(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"} {
		t.Setenv(name, "from-the-environment")
	}
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/")
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-Mine: from-the-environment")
	srv := modeltest.Script(t, modeltest.Say("ok"))
	c, _ := newClient(t, srv.URL+"/?api-version=7", func(cfg *Config) {
		cfg.Key, cfg.Version = "", "1.2"
	})
	if _, err := c.Ask(t.Context(), question("who?")); err != nil {
		t.Fatal(err)
	}
	got := srv.Requests()[0].Header
	for name, values := range got {
		if strings.Contains(strings.Join(values, " "), "environment") || strings.HasPrefix(name, "X-Stainless") {
			t.Errorf("header %s: %q", name, values)
		}
	}
	if got.Get("User-Agent") != "git-agent/1.2" || got.Get("Authorization") != "" {
		t.Errorf("headers %v", got)
	}
}

// A base URL may include the path of a wire, as people copy it.
func TestBaseURL(t *testing.T) {
	wires(t, func(t *testing.T, set func(*Config)) {
		for _, tail := range []string{"", "/", "/chat/completions", "/chat/completions/", "/responses", "/messages", "/messages/"} {
			srv := modeltest.Script(t, modeltest.Say("ok"))
			c, _ := newClient(t, srv.URL+tail, set)
			if _, err := c.Ask(t.Context(), question("who?")); err != nil {
				t.Errorf("%q: %v", tail, err)
			}
		}
	})
}

// For messages, a base URL needs no version, as in the documentation of most servers.
func TestMessagesURL(t *testing.T) {
	for base, want := range map[string]string{
		"https://api.anthropic.com":                                "/v1/messages",
		"https://api.anthropic.com/v1/":                            "/v1/messages",
		"https://api.anthropic.com/v1/messages":                    "/v1/messages",
		"https://x.services.ai.azure.com/anthropic":                "/anthropic/v1/messages",
		"https://bedrock-mantle.eu-west-1.api.aws/anthropic/v1":    "/anthropic/v1/messages",
		"https://openrouter.ai/api":                                "/api/v1/messages",
		"http://localhost:11434":                                   "/v1/messages",
		"https://gateway.example/v1/account/gateway/anthropic?x=1": "/v1/account/gateway/anthropic/v1/messages",
	} {
		c, _ := newClient(t, base, func(cfg *Config) { cfg.Wire = WireMessages })
		req, err := c.request(t.Context(), WireMessages, c.pathOf(WireMessages), nil)
		if err != nil || req.URL.Path != want {
			t.Errorf("%s: %v, %v", base, req.URL, err)
		}
		if h := req.Header; h.Get("Anthropic-Version") != "2023-06-01" || h.Get("X-Api-Key") == "" || (h.Get("Authorization") == "") != strings.Contains(base, "api.anthropic.com") {
			t.Errorf("%s: headers %v", base, h)
		}
	}
}

func TestIsLocal(t *testing.T) {
	// A name that only looks local is a public server.
	for base, want := range map[string]bool{
		"http://localhost:11434/v1": true, "http://m.localhost/v1": true, "http://box.local/v1": true, "http://127.0.0.1/v1": true,
		"http://[::1]:8080/v1": true, "http://10.0.0.7/v1": true, "http://[fe80::1]/v1": true,
		"https://localhost.example.org/v1": false, "https://8.8.8.8/v1": false, "https://api.openai.com/v1": false,
	} {
		u, err := url.Parse(base)
		if err != nil {
			t.Fatal(err)
		}
		if got := IsLocal(u); got != want {
			t.Errorf("%s: %t", base, got)
		}
	}
}
