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

// shape is one of the four forms in which a server may answer: on either wire,
// as a whole or as a stream.
type shape struct {
	wire   Wire
	stream bool
}

var shapes = []shape{{WireChat, false}, {WireChat, true}, {WireResponses, false}, {WireResponses, true}}

// badServer is a way to answer badly, and what must come of it: an error's
// class, or a reply in the words of outcome.
type badServer struct {
	name   string
	answer func(s shape) http.HandlerFunc
	want   string
	also   map[shape]string // where a shape differs
	slow   bool             // never comes to an end: the client is told to wait for less
}

// Each bad server is tried in each shape. None may cause an unintended call, a
// hang or a panic.
func TestBadServers(t *testing.T) {
	tried := 0
	for _, bad := range badServers() {
		for _, s := range shapes {
			handler := bad.answer(s)
			if handler == nil {
				continue
			}
			tried++
			t.Run(fmt.Sprintf("%s/%s/stream=%v", bad.name, s.wire, s.stream), func(t *testing.T) {
				t.Parallel()
				want, ok := bad.also[s]
				if !ok {
					want = bad.want
				}
				if got := askBad(t, s, handler, bad.slow); got != want {
					t.Errorf("got %q, want %q", got, want)
				}
			})
		}
	}
	t.Logf("%d behaviours of servers, %d combinations", len(badServers()), tried)
	if tried < 120 {
		t.Errorf("only %d combinations", tried)
	}
}

func askBad(t *testing.T, s shape, handler http.HandlerFunc, slow bool) string {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // else the server does not see the client go
		handler(w, r)
	}))
	t.Cleanup(srv.Close)
	t.Cleanup(srv.CloseClientConnections)
	c, _ := newClient(t, srv.URL, func(cfg *Config) {
		cfg.Wire, cfg.Attempts = s.wire, 2
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
	// Whatever came must be fit to be given back.
	req.Messages = append(req.Messages, reply.Message)
	if body, err := c.Body(req); err != nil || !json.Valid(body) {
		t.Errorf("the reply cannot be given back: %v", err)
	}
	return outcome(reply)
}

// outcome is a reply in words.
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

// called is what comes of the good answer.
const called = `"I lööк." blame({"path":"a.c"})`

// good is the body of a good answer, with a call.
func good(s shape) string {
	return bodyOf(s, modeltest.Call("blame", `{"path":"a.c"}`).Saying("I lööк.").Counting(120, 30))
}

// bodyOf is what the well-behaved server sends.
func bodyOf(s shape, r modeltest.Reply) string {
	srv := modeltest.Server{Lenient: true, Stream: s.stream}
	srv.Answer(func(modeltest.Request) modeltest.Reply { return r })
	path := "/v1/chat/completions"
	if s.wire == WireResponses {
		path = "/v1/responses"
	}
	rec := httptest.NewRecorder()
	srv.ServeHTTP(rec, httptest.NewRequest("POST", path, strings.NewReader(`{"model":"m"}`)))
	return rec.Body.String()
}

// send answers with a status and a body, of the fitting type.
func send(s shape, status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if s.stream && status == 200 {
			w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		}
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		w.Write([]byte(body))
	}
}

// same answers all shapes with the same body, as one event where a stream is
// asked for.
func same(body string) func(shape) http.HandlerFunc {
	return func(s shape) http.HandlerFunc {
		if s.stream {
			return send(s, 200, "data: "+body+"\n\n")
		}
		return send(s, 200, body)
	}
}

// status answers with a status.
func status(code int, body string, headers ...string) func(shape) http.HandlerFunc {
	return func(s shape) http.HandlerFunc { return send(s, code, body, headers...) }
}

// bent answers with the good body after a change.
func bent(change func(body string) string) func(shape) http.HandlerFunc {
	return func(s shape) http.HandlerFunc { return send(s, 200, change(good(s))) }
}

// replaced answers with the good body in which pairs of texts are replaced. It
// skips the shapes in which nothing would be.
func replaced(pairs ...string) func(shape) http.HandlerFunc {
	return func(s shape) http.HandlerFunc {
		body := good(s)
		changed := strings.NewReplacer(pairs...).Replace(body)
		if changed == body {
			return nil
		}
		return send(s, 200, changed)
	}
}

// chatMessageOf answers with a chat message, in a stream as one delta.
func chatMessageOf(message, finish string) func(shape) http.HandlerFunc {
	return func(s shape) http.HandlerFunc {
		if s.wire != WireChat {
			return nil
		}
		body := fmt.Sprintf(`{"id":"1","choices":[{"index":0,"message":%s,"finish_reason":%s}],"usage":{"prompt_tokens":100,"completion_tokens":5}}`, message, finish)
		if s.stream {
			body = strings.Replace(body, `"message":`, `"delta":`, 1)
		}
		return same(body)(s)
	}
}

// output answers with a response's output.
func output(items, rest string) func(shape) http.HandlerFunc {
	return func(s shape) http.HandlerFunc {
		if s.wire != WireResponses {
			return nil
		}
		body := fmt.Sprintf(`{"id":"1","output":%s,"usage":{"input_tokens":100,"output_tokens":5},%s}`, items, rest)
		if s.stream {
			body = `{"type":"response.completed","response":` + body + `}`
		}
		return same(body)(s)
	}
}

// either takes the first of makers that answers in a shape.
func either(makers ...func(shape) http.HandlerFunc) func(shape) http.HandlerFunc {
	return func(s shape) http.HandlerFunc {
		for _, make := range makers {
			if h := make(s); h != nil {
				return h
			}
		}
		return nil
	}
}

// raw answers with bytes that are no HTTP, or not all of it.
func raw(f func(s shape) string) func(shape) http.HandlerFunc {
	return func(s shape) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				panic(err)
			}
			conn.Write([]byte(f(s)))
			conn.Close()
		}
	}
}

// hang sends the start of an answer and then only what drip gives, until the
// client goes away.
func hang(start func(s shape) string, drip string) func(shape) http.HandlerFunc {
	return func(s shape) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if text := start(s); text != "" {
				w.Header().Set("Content-Type", "text/event-stream")
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
func trickled(s shape) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for _, b := range []byte(good(s)) {
			w.Write([]byte{b})
			w.(http.Flusher).Flush()
		}
	}
}

func zipped(s shape, cut int) string {
	body := pack(good(s))
	return string(body[:len(body)-cut])
}

func pack(text string) []byte {
	var b bytes.Buffer
	z := newGzip(&b)
	z.Write([]byte(text))
	z.Close()
	return b.Bytes()
}
