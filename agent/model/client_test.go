package model

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"git-agent/agent/model/modeltest"
)

// clock is a time that passes only during calls of Sleep.
type clock struct {
	mu    sync.Mutex
	time  time.Time
	slept []time.Duration
}

func (k *clock) now() time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.time
}

func (k *clock) sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.time, k.slept = k.time.Add(d), append(k.slept, d)
	return nil
}

// newClient makes a client of srv, and returns the client's clock.
func newClient(t testing.TB, url string, change func(*Config)) (*Client, *clock) {
	t.Helper()
	k := &clock{time: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
	cfg := Config{BaseURL: url, Model: "test-model", Key: "sk-secret-0123", Sleep: k.sleep, Now: k.now, Jitter: func() float64 { return 0.5 }}
	if change != nil {
		change(&cfg)
	}
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c, k
}

// wires runs f for all wires.
func wires(t *testing.T, f func(t *testing.T, set func(*Config))) {
	for _, wire := range allWires {
		t.Run(string(wire), func(t *testing.T) {
			f(t, func(cfg *Config) { cfg.Wire = wire })
		})
	}
}

var blameTool = Tool{Name: "blame", Description: "who wrote a line", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)}

func question(text string) Request {
	return Request{Messages: []Message{{Role: System, Text: "be exact"}, {Role: User, Text: text}}, Tools: []Tool{blameTool}}
}

// A conversation with calls works on all wires, and the server's messages are
// sent back.
func TestConversation(t *testing.T) {
	wires(t, func(t *testing.T, set func(*Config)) {
		first := modeltest.Call("blame", `{"path":"a<b>.c"}`).And("blame", `{"path":"ü"}`).Saying("I look.")
		first.Thought = "hm"
		srv := modeltest.Script(t, first, modeltest.Say("It is 1234."))
		c, _ := newClient(t, srv.URL, set)
		req := question("who?")
		reply, err := c.Ask(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		m := reply.Message
		if m.Text != "I look." || m.Thought != "hm" || len(m.Calls) != 2 || m.Calls[0].Args != `{"path":"a<b>.c"}` || m.Calls[1].Args != `{"path":"ü"}` {
			t.Fatalf("got %+v", m)
		}
		req.Messages = append(req.Messages, m, Message{Role: ToolReply, CallID: m.Calls[0].ID, Text: "x"}, Message{Role: ToolReply, CallID: m.Calls[1].ID, Text: "y"})
		reply, err = c.Ask(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if reply.Message.Text != "It is 1234." || reply.Finish != FinishStop || reply.Usage.Estimated || reply.Usage.Prompt() == 0 || reply.Attempts != 1 {
			t.Errorf("got %+v", reply)
		}
		seen := srv.Requests()[1]
		if got := seen.Messages[0]; got.Role != "system" || got.Text != "be exact" {
			t.Errorf("the first message is %+v", got)
		}
		if got := seen.Messages[2]; len(got.Calls) != 2 || got.Calls[0].Args != `{"path":"a<b>.c"}` || got.Text != "I look." {
			t.Errorf("the assistant's message came back as %+v", got)
		}
		if !strings.Contains(string(seen.Raw), "hm") {
			t.Errorf("the thought did not come back in %s", seen.Raw)
		}
	})
}

// A conversation that began on another wire, or with another server, goes on.
func TestConversationOfAnotherWire(t *testing.T) {
	wires(t, func(t *testing.T, set func(*Config)) {
		for _, before := range Wires {
			srv := modeltest.Script(t, modeltest.Say("It is 1234."))
			c, _ := newClient(t, srv.URL, set)
			if before == c.cfg.Wire {
				before = "an older one"
			}
			req := question("who?")
			req.Messages = append(req.Messages,
				Message{Role: Assistant, Text: "I look.", Wire: before, Raw: json.RawMessage(`[]`), Calls: []Call{{ID: "a|b", Name: "blame", Args: "{}"}}},
				Message{Role: ToolReply, CallID: "a|b", Text: "x"}, Message{Role: Assistant, Text: "Hm.", Wire: before, Raw: json.RawMessage(`[]`)}, Message{Role: User, Text: "So?"})
			if reply, err := c.Ask(t.Context(), req); err != nil || reply.Message.Text != "It is 1234." {
				t.Fatalf("after %s: got %+v, %v", before, reply, err)
			}
			seen := srv.Requests()[0].Messages
			if len(seen) != 6 || seen[2].Text != "I look." || len(seen[2].Calls) != 1 || seen[3].CallID != seen[2].Calls[0].ID || seen[4].Text != "Hm." {
				t.Errorf("after %s, it goes on as %+v", before, seen)
			}
		}
	})
}

// Body returns the sent bytes, which are equal for equal requests.
func TestBodyIsWhatIsSent(t *testing.T) {
	wires(t, func(t *testing.T, set func(*Config)) {
		srv := modeltest.Script(t, modeltest.Say("yes"))
		c, _ := newClient(t, srv.URL, func(cfg *Config) {
			set(cfg)
			cfg.Effort = "low"
		})
		req := question("well?")
		req.MaxOutput, req.Choice = 100, ChoiceNone
		body, err := c.Body(req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Ask(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		if again, _ := c.Body(req); string(again) != string(body) || string(srv.Requests()[0].Raw) != string(body) {
			t.Errorf("the bodies differ:\n%s\n%s\n%s", body, again, srv.Requests()[0].Raw)
		}
		choice := `"tool_choice":"none"`
		if c.cfg.Wire == WireMessages {
			choice = `"tool_choice":{"type":"none"}`
		}
		for _, part := range []string{`"low"`, choice, `:100`} {
			if !strings.Contains(string(body), part) {
				t.Errorf("no %s in %s", part, body)
			}
		}
	})
}

// Providers with a prompt cache get equal keys for equal beginnings, and
// cache_control if required.
func TestCaching(t *testing.T) {
	body := func(url, model, text string) string {
		c, err := New(Config{BaseURL: url, Model: model})
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.Body(question(text))
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	key := func(body string) string {
		var fields struct {
			Key string `json:"prompt_cache_key"`
		}
		if err := json.Unmarshal([]byte(body), &fields); err != nil {
			t.Fatal(err)
		}
		return fields.Key
	}
	if a, b := key(body("", "gpt-5", "one")), key(body("", "gpt-5", "two")); a == "" || a != b || a == key(body("", "gpt-4.1", "one")) {
		t.Errorf("keys %q and %q", a, b)
	}
	if got := body("https://openrouter.ai/api/v1", "anthropic/claude-sonnet-5", "x"); !strings.Contains(got, `"cache_control":{"type":"ephemeral"}`) {
		t.Error(got)
	}
	if got := body("https://api.deepseek.com/v1", "deepseek-chat", "x"); strings.Contains(got, "cache") {
		t.Error(got)
	}
}
