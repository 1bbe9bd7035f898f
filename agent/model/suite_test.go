package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"git-agent/agent/model/modeltest"
)

var allWires = Wires

// badServer is a kind of bad answer with the expected result: an error's class,
// or a reply in the form of outcome.
type badServer struct {
	name   string
	answer func(on Wire) http.HandlerFunc
	want   string
	slow   bool // never comes to an end: the client is told to wait for less
}

// Each bad server is tried on all wires. None may cause an unintended call, a
// hang or a panic.
func TestBadServers(t *testing.T) {
	tried := 0
	for _, bad := range badServers() {
		for _, wire := range allWires {
			handler := bad.answer(wire)
			if handler == nil {
				continue
			}
			tried++
			t.Run(fmt.Sprintf("%s/%s", bad.name, wire), func(t *testing.T) {
				t.Parallel()
				if got := askBad(t, wire, handler, bad.slow); got != bad.want {
					t.Errorf("got %q, want %q", got, bad.want)
				}
			})
		}
	}
	t.Logf("%d behaviours of servers, %d combinations", len(badServers()), tried)
	if tried < 320 {
		t.Errorf("only %d combinations", tried)
	}
}

func askBad(t *testing.T, wire Wire, handler http.HandlerFunc, slow bool) string {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // else the server does not see the client go
		handler(w, r)
	}))
	t.Cleanup(srv.Close)
	t.Cleanup(srv.CloseClientConnections)
	c, _ := newClient(t, srv.URL, func(cfg *Config) {
		cfg.Wire, cfg.Attempts = wire, 2
		cfg.MaxBody = 256 << 10
		if slow {
			cfg.IdleTimeout, cfg.Timeout = 50*time.Millisecond, 100*time.Millisecond
		}
		cfg.HTTP = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	})
	req := question("who?")
	req.MaxOutput = 4000
	reply, err := c.Ask(context.Background(), req)
	if err != nil {
		var e *Error
		if !errors.As(err, &e) {
			return "a strange error: " + err.Error()
		}
		if strings.Contains(err.Error(), "sk-secret") {
			return "an error with the key: " + err.Error()
		}
		if retried := e.Attempts == 2; retried != e.retryable() {
			return fmt.Sprintf("%s after %d attempts", e.Class, e.Attempts)
		}
		return string(e.Class)
	}
	// Every accepted reply must be valid when sent back.
	req.Messages = append(req.Messages, reply.Message)
	if body, err := c.Body(req); err != nil || !json.Valid(body) {
		t.Errorf("the reply cannot be given back: %v", err)
	}
	return outcome(reply)
}

// outcome describes a reply in words.
func outcome(r *Reply) string {
	var b strings.Builder
	if r.Finish != FinishStop {
		fmt.Fprintf(&b, "%s ", r.Finish)
	}
	fmt.Fprintf(&b, "%q", r.Message.Text)
	seen := map[string]bool{}
	for _, call := range r.Message.Calls {
		fmt.Fprintf(&b, " %s(%s)", call.Name, call.Args)
		if call.ID == "" || seen[call.ID] {
			b.WriteString(" with a bad id")
		}
		seen[call.ID] = true
	}
	if u := r.Usage; u.Uncached < 0 || u.CacheRead < 0 || u.CacheWrite < 0 || u.Output < 0 || u.Prompt() == 0 || u.Prompt() > 1e12 {
		fmt.Fprintf(&b, " with bad counts %+v", u)
	}
	return b.String()
}

// called is the outcome of the good answer.
const called = `"I lööк." blame({"path":"a.c"})`

// good is the body of a good answer, with a call.
func good(on Wire) string {
	return bodyOf(on, modeltest.Call("blame", `{"path":"a.c"}`).Saying("I lööк.").Counting(120, 30))
}

// bodyOf is the body from a well-behaved server.
func bodyOf(on Wire, r modeltest.Reply) string {
	srv := modeltest.Server{Lenient: true}
	srv.Answer(func(modeltest.Request) modeltest.Reply { return r })
	path := map[Wire]string{WireChat: "/v1/chat/completions", WireResponses: "/v1/responses", WireMessages: "/v1/messages"}[on]
	rec := httptest.NewRecorder()
	srv.ServeHTTP(rec, httptest.NewRequest("POST", path, strings.NewReader(`{"model":"m"}`)))
	return rec.Body.String()
}

// send answers with a status and a body.
func send(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		w.Write([]byte(body))
	}
}

// same answers all wires with the same body.
func same(body string) func(Wire) http.HandlerFunc { return status(200, body) }

// status answers with a status.
func status(code int, body string, headers ...string) func(Wire) http.HandlerFunc {
	return func(Wire) http.HandlerFunc { return send(code, body, headers...) }
}

// bent answers with the good body after a change.
func bent(change func(body string) string) func(Wire) http.HandlerFunc {
	return func(on Wire) http.HandlerFunc { return send(200, change(good(on))) }
}

// replaced answers with the good body after replacements of pairs of texts. It
// skips a wire without any replacement.
func replaced(pairs ...string) func(Wire) http.HandlerFunc {
	return func(on Wire) http.HandlerFunc {
		body := good(on)
		changed := strings.NewReplacer(pairs...).Replace(body)
		if changed == body {
			return nil
		}
		return send(200, changed)
	}
}

// chatMessageOf answers with a chat message.
func chatMessageOf(message, finish string) func(Wire) http.HandlerFunc {
	return func(on Wire) http.HandlerFunc {
		if on != WireChat {
			return nil
		}
		body := fmt.Sprintf(`{"id":"1","choices":[{"index":0,"message":%s,"finish_reason":%s}],"usage":{"prompt_tokens":100,"completion_tokens":5}}`, message, finish)
		return send(200, body)
	}
}

// output answers with a response's output.
func output(items, rest string) func(Wire) http.HandlerFunc {
	return func(on Wire) http.HandlerFunc {
		if on != WireResponses {
			return nil
		}
		body := fmt.Sprintf(`{"id":"1","output":%s,"usage":{"input_tokens":100,"output_tokens":5},%s}`, items, rest)
		return send(200, body)
	}
}

// content answers with the content of a message.
func content(blocks, reason string) func(Wire) http.HandlerFunc {
	return func(on Wire) http.HandlerFunc {
		if on != WireMessages {
			return nil
		}
		body := fmt.Sprintf(`{"id":"1","type":"message","role":"assistant","content":%s,"stop_reason":%s,"usage":{"input_tokens":100,"output_tokens":5}}`, blocks, reason)
		return send(200, body)
	}
}

// either takes the first of makers that answers on a wire.
func either(makers ...func(Wire) http.HandlerFunc) func(Wire) http.HandlerFunc {
	return func(on Wire) http.HandlerFunc {
		for _, make := range makers {
			if h := make(on); h != nil {
				return h
			}
		}
		return nil
	}
}

// raw answers with bytes that are no HTTP, or incomplete HTTP.
func raw(f func(on Wire) string) func(Wire) http.HandlerFunc {
	return func(on Wire) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				panic(err)
			}
			conn.Write([]byte(f(on)))
			conn.Close()
		}
	}
}

// hang sends the start of an answer and then only the bytes from drip, until the
// client leaves.
func hang(start func(on Wire) string, drip string) func(Wire) http.HandlerFunc {
	return func(on Wire) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if text := start(on); text != "" {
				w.Header().Set("Content-Type", "application/json")
				w.Write([]byte(text))
				w.(http.Flusher).Flush()
			}
			tick := time.NewTicker(20 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-r.Context().Done():
					return
				case <-tick.C:
					if drip == "" {
						continue
					}
					w.Write([]byte(drip))
					w.(http.Flusher).Flush()
				}
			}
		}
	}
}

// trickled sends the good body byte by byte.
func trickled(on Wire) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for _, b := range []byte(good(on)) {
			w.Write([]byte{b})
			w.(http.Flusher).Flush()
		}
	}
}

func zipped(on Wire, cut int) string {
	body := pack(good(on))
	return string(body[:len(body)-cut])
}

func pack(text string) []byte {
	var b bytes.Buffer
	z := newGzip(&b)
	z.Write([]byte(text))
	z.Close()
	return b.Bytes()
}
