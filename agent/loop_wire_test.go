package agent

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"git-agent/agent/model"
	"git-agent/agent/model/modeltest"
)

// oddAnswer is an unusual chat completion: it has fields that no client knows, and
// blanks, escapes and numbers that a decoder would change.
const oddAnswer = `{"id":"x","object":"chat.completion","model":"m","choices":[{"index":0,"finish_reason":"tool_calls",
 "message": {"role":"assistant", "content": null, "reasoning_content":"", "extra_content":{"google":{"thought_signature":"a\/b<&>\u00e9"}},
  "n": 1.50e+2,  "tool_calls":[{"id":"odd","type":"function","function":{"name":"look","arguments":"{ \"at\" : 1 }"},"index":0}]}}],
 "usage":{"prompt_tokens":50,"completion_tokens":5}}`

// speak answers by the request alone, on any wire.
func speak(req modeltest.Request) modeltest.Reply {
	call := func(name, args string) modeltest.Reply {
		r := modeltest.Call(name, args)
		r.Calls[0].ID = fmt.Sprintf("id%d", req.Turn())
		return r
	}
	switch n := req.Turn(); {
	case n == 0 && req.Wire == "chat":
		return modeltest.Status(http.StatusOK, oddAnswer)
	case n == 0:
		return call("look", `{ "at" : 1 }`).Thinking("Where <&>?")
	case n == 1:
		r := call("read", `{"at":"<&>"}`).And("nope", `{}`).Saying("a <b> & c")
		r.Calls[1].ID = "second"
		return r
	case n == 2:
		return modeltest.Say("let me think")
	default:
		return call("report", `{"commit":"abc"}`)
	}
}

// With the real client on each wire, a run interrupted anywhere and resumed sends the
// same bytes as an uninterrupted one, and no request changes earlier messages.
func TestResumedRunSendsTheSameBytes(t *testing.T) {
	t.Parallel()
	for _, wire := range model.Wires {
		t.Run(string(wire), func(t *testing.T) {
			t.Parallel()
			run := func(srv *modeltest.Server, ctx context.Context, j Journal) (Outcome, error) {
				client, err := model.New(model.Config{BaseURL: srv.URL, Model: "m", Key: "k", Wire: wire})
				if err != nil {
					t.Fatal(err)
				}
				l := newTestLoop(nil)
				l.Model, l.Journal = client, j
				return l.Run(ctx)
			}
			straight := modeltest.Serve(t, func(req modeltest.Request) modeltest.Reply { return speak(req) })
			want, err := run(straight, t.Context(), nil)
			if err != nil || want.Status != StatusFound || want.Turns != 4 {
				t.Fatalf("%+v, %v", want, err)
			}
			if raw := string(straight.Requests()[1].Raw); wire == model.WireChat && !strings.Contains(raw, `"reasoning_content":"","extra_content":{"google":{"thought_signature":"a\/b`) {
				t.Errorf("the answer was not resent as it came: %s", raw)
			}
			thought := `{"signature":"` + modeltest.Signature("Where <&>?") + `","thinking":"Where \u003c\u0026\u003e?","type":"thinking"}`
			if raw := string(straight.Requests()[3].Raw); wire == model.WireMessages && !strings.Contains(raw, thought) {
				t.Errorf("the thought was not resent as it came: %s", raw)
			}
			for at := range want.Turns {
				ctx, cancel := context.WithCancel(t.Context())
				srv := modeltest.Serve(t, func(req modeltest.Request) modeltest.Reply {
					if req.Turn() == at {
						cancel()
					}
					return speak(req)
				})
				journal, _ := journalIn(t, t.TempDir())
				if out, err := run(srv, ctx, journal); err == nil && out.Status != StatusFound {
					t.Errorf("interrupted at %d: %+v", at, out)
				}
				got, err := run(srv, t.Context(), journal)
				if err != nil || got.Status != want.Status || fmt.Sprint(got.Final) != fmt.Sprint(want.Final) || got.Turns != want.Turns {
					t.Errorf("resumed at %d: %+v, %v", at, got, err)
				}
				sameBytes(t, srv.Requests(), straight.Requests())
			}
		})
	}
}

// sameBytes reports an error unless the requests of two runs are equal, except that one
// run may have sent some of them twice.
func sameBytes(t *testing.T, got, want []modeltest.Request) {
	t.Helper()
	i := 0
	for _, req := range got {
		switch {
		case i < len(want) && string(req.Raw) == string(want[i].Raw):
			i++
		case i == 0 || string(req.Raw) != string(want[i-1].Raw):
			t.Fatalf("request %d is\n%s\nnot\n%s", i+1, req.Raw, want[min(i, len(want)-1)].Raw)
		}
	}
	if i < len(want) {
		t.Errorf("%d of %d requests were sent", i, len(want))
	}
}

// A server's mistake is retried by the client or ends the run with its reason, and the
// run's record is whole in both cases.
func TestBadServerInARun(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		bad    modeltest.Reply
		status string
		reason string
	}{
		{"Anthropic's error in a 200, then well", modeltest.Status(200, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), StatusFound, ""},
		{"529, then well", modeltest.Status(529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, "Retry-After", "0"), StatusFound, ""},
		{"Anthropic's overflow, then well", modeltest.Status(400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 208310 tokens > 200000 maximum"}}`), StatusFound, ""},
		{"413, then well", modeltest.Status(413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`), StatusFound, ""},
		{"error in a 200, then well", modeltest.Status(200, `{"error":{"message":"overloaded","code":503}}`), StatusFound, ""},
		{"no choices, then well", modeltest.Status(200, `{"choices":[]}`), StatusFound, ""},
		{"429, then well", modeltest.Status(429, `{"error":{"message":"slow down"}}`, "Retry-After", "0"), StatusFound, ""},
		{"overflow, then well", modeltest.Status(400, `{"error":{"message":"This model's maximum context length is 10 tokens","code":"context_length_exceeded"}}`), StatusFound, ""},
		{"filter, then well", modeltest.Status(400, `{"error":{"message":"filtered","code":"content_filter"}}`), StatusFound, ""},
		{"bad request", modeltest.Status(400, `{"error":{"message":"messages: no such role"}}`), StatusFailed, "request: "},
	} {
		for _, wire := range model.Wires {
			t.Run(tt.name+"/"+string(wire), func(t *testing.T) {
				t.Parallel()
				failed := false
				srv := modeltest.Serve(t, func(req modeltest.Request) modeltest.Reply {
					switch {
					case req.Turn() == 0:
						return modeltest.Call("read", `{"at":1}`)
					case !failed:
						failed = true
						return tt.bad
					}
					return modeltest.Call("report", `{"commit":"abc"}`)
				})
				client, err := model.New(model.Config{BaseURL: srv.URL, Model: "m", Wire: wire, Jitter: func() float64 { return 0 }})
				if err != nil {
					t.Fatal(err)
				}
				l := newTestLoop(nil)
				l.Model = client
				out, err := l.Run(t.Context())
				if err != nil || out.Status != tt.status || !strings.HasPrefix(out.Reason, tt.reason) {
					t.Errorf("%+v, %v", out, err)
				}
			})
		}
	}
}

// The user sees when a request waits for its server, and when the wait is over.
func TestWaitsAreProgress(t *testing.T) {
	t.Parallel()
	srv := modeltest.Script(t, modeltest.Status(503, "{}", "Retry-After", "8"), modeltest.Call("report", `{"commit":"abc"}`))
	now := time.Unix(0, 0)
	client, err := model.New(model.Config{BaseURL: srv.URL, Model: "m", Wire: model.WireChat, Jitter: func() float64 { return 0 },
		Now:   func() time.Time { return now },
		Sleep: func(_ context.Context, d time.Duration) error { now = now.Add(d); return nil }})
	if err != nil {
		t.Fatal(err)
	}
	l := newTestLoop(nil)
	l.Model = client
	var said []string
	l.OnEvent = func(e Event) {
		if p, ok := e.(Progress); ok {
			said = append(said, p.Text)
		}
	}
	out, err := l.Run(t.Context())
	if err != nil || out.Status != StatusFound {
		t.Fatalf("%+v, %v", out, err)
	}
	if got := strings.Join(said, "; "); got != "the model server is busy (status 503); asking again in 8 s; the model server has answered" {
		t.Errorf("told %q", got)
	}
}
