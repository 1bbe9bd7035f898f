// Package modeltest is a scripted model server for tests. It listens on a
// loopback port, speaks chat completions, stateless responses and messages, and gives
// the test's answers.
//
// It rejects frequent mistakes of clients: a call without an answer, an answer
// without a call, what the messages API refuses and a request that is not JSON get a
// 400 and fail the test, unless [Server.Lenient] is set.
package modeltest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Request is a client's request, in one form for all wires.
type Request struct {
	Wire     string // "chat", "responses" or "messages"
	Model    string
	Messages []Message // the system's first
	Tools    []string  // names, in the order sent
	Choice   string    // tool_choice; "" if not sent
	Header   http.Header
	Raw      []byte // the body
}

// Message is one entry of a conversation.
type Message struct {
	Role   string // "system" (also for instructions), "user", "assistant" or "tool"
	Text   string
	Calls  []Function
	CallID string // tool: the call that Text answers
}

// Function is a call of a function.
type Function struct{ ID, Name, Args string }

// Last is the newest message.
func (r Request) Last() Message {
	if len(r.Messages) == 0 {
		return Message{}
	}
	return r.Messages[len(r.Messages)-1]
}

// Turn returns the number of answers in the conversation so far.
func (r Request) Turn() int {
	n := 0
	for _, m := range r.Messages {
		if m.Role == "assistant" {
			n++
		}
	}
	return n
}

// Reply is an answer of the server. Build it with Say, Call, Status or Body.
type Reply struct {
	Text    string
	Thought string
	Calls   []Function // an empty ID gets one that is unique in the server
	Finish  string     // in chat's words; "" for the fitting one
	Usage   Usage
	NoUsage bool // sends no counts

	Status int // not 200: Body is sent unchanged
	Body   string
	Header http.Header
}

// Usage has the token counts of a reply. Zero values are replaced by estimates of
// four bytes a token, except for the parts of Prompt that a cache had or stored.
type Usage struct {
	Prompt, Output        int64
	CacheRead, CacheWrite int64
}

// Say answers with text.
func Say(text string) Reply { return Reply{Text: text} }

// Call answers with a call; args is JSON, or a bad model's text.
func Call(name, args string) Reply { return Reply{}.And(name, args) }

// Status answers with an HTTP status, a body and headers given as pairs.
func Status(code int, body string, headers ...string) Reply {
	r := Reply{Status: code, Body: body, Header: http.Header{}}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

// And adds a call.
func (r Reply) And(name, args string) Reply {
	r.Calls = append(slices.Clone(r.Calls), Function{Name: name, Args: args})
	return r
}

// Saying adds text beside calls.
func (r Reply) Saying(text string) Reply { r.Text = text; return r }

// Ending sets the finish reason, as chat completions name it.
func (r Reply) Ending(finish string) Reply { r.Finish = finish; return r }

// Counting sets the tokens.
func (r Reply) Counting(prompt, output int64) Reply {
	r.Usage.Prompt, r.Usage.Output = prompt, output
	return r
}

// Caching sets how many tokens of the prompt a cache had, and stored.
func (r Reply) Caching(read, write int64) Reply {
	r.Usage.CacheRead, r.Usage.CacheWrite = read, write
	return r
}

// Thinking adds a thought.
func (r Reply) Thinking(text string) Reply { r.Thought = text; return r }

// Server is a running model server.
type Server struct {
	URL     string // the base URL, to be configured in a client
	Lenient bool   // accept ill-formed conversations; set before the first request
	Models  string // the answer to a question for the models; "" for no such path

	t      testing.TB
	answer func(Request) Reply
	mu     sync.Mutex
	seen   []Request
	calls  int
}

// Serve starts a server that answers with f, which may be called from several
// goroutines at once. It ends with the test.
func Serve(t testing.TB, f func(Request) Reply) *Server {
	t.Helper()
	s := &Server{t: t, answer: f}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	s.URL = srv.URL + "/v1"
	return s
}

// Script starts a server that gives the replies one after the other. A further
// request fails the test.
func Script(t testing.TB, replies ...Reply) *Server {
	t.Helper()
	var mu sync.Mutex
	n := 0
	return Serve(t, func(Request) Reply {
		mu.Lock()
		defer mu.Unlock()
		n++
		if n > len(replies) {
			t.Errorf("request %d, but the script has %d replies", n, len(replies))
			return Status(http.StatusBadRequest, `{"error":{"message":"the script is over"}}`)
		}
		return replies[n-1]
	})
}

// Answer sets the answers of a Server that was not made by Serve, for use
// behind another handler.
func (s *Server) Answer(f func(Request) Reply) { s.answer = f }

// Requests returns the requests so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away
	}
	if r.Method == http.MethodGet {
		s.list(w, r)
		return
	}
	req, err := read(r.URL.Path, body)
	req.Header = r.Header.Clone()
	if err == nil {
		err = req.check()
	}
	if err != nil && !s.Lenient {
		s.t.Errorf("bad request: %v\n%s", err, body)
		writeError(w, err)
		return
	}
	s.mu.Lock()
	s.seen = append(s.seen, req)
	s.mu.Unlock()
	reply := s.answer(req)
	if reply.Status != 0 {
		for k, v := range reply.Header {
			w.Header()[k] = v
		}
		if w.Header().Get("Content-Type") == "" {
			w.Header().Set("Content-Type", "application/json")
		}
		w.WriteHeader(reply.Status)
		io.WriteString(w, reply.Body)
		return
	}
	write(w, req, s.complete(req, reply))
}

// list answers a question for the models.
func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	if s.Models == "" || !strings.HasSuffix(r.URL.Path, "/models") {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, s.Models)
}

// complete fills in the missing fields of a reply.
func (s *Server) complete(req Request, r Reply) Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.Calls = slices.Clone(r.Calls)
	size := int64(len(r.Text))
	for i := range r.Calls {
		if s.calls++; r.Calls[i].ID == "" {
			r.Calls[i].ID = fmt.Sprintf("call_%d", s.calls)
		}
		size += int64(len(r.Calls[i].Name) + len(r.Calls[i].Args))
	}
	if r.Finish == "" {
		r.Finish = "stop"
		if len(r.Calls) > 0 {
			r.Finish = "tool_calls"
		}
	}
	if r.Usage.Prompt == 0 {
		r.Usage.Prompt = int64(len(req.Raw))/4 + 1
	}
	if r.Usage.Output == 0 {
		r.Usage.Output = size/4 + 1
	}
	return r
}

func writeError(w http.ResponseWriter, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{"message": err.Error(), "type": "invalid_request_error"}})
}

// check checks a conversation by the rules that real servers enforce.
func (r Request) check() error {
	var open []string
	for i, m := range r.Messages {
		if m.Role == "tool" {
			if n := slices.Index(open, m.CallID); n >= 0 {
				open = slices.Delete(open, n, n+1)
				continue
			}
			return fmt.Errorf("message %d answers call %q, which is not open", i, m.CallID)
		}
		if len(open) > 0 && (m.Role != "assistant" || r.Wire != "responses") {
			return fmt.Errorf("message %d (%s) comes before the answers to %s", i, m.Role, strings.Join(open, ", "))
		}
		for _, c := range m.Calls {
			if c.ID == "" || c.Name == "" || slices.Contains(open, c.ID) {
				return fmt.Errorf("message %d has a call without name or with a bad id %q", i, c.ID)
			}
			open = append(open, c.ID)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("no answers to %s", strings.Join(open, ", "))
	}
	return nil
}
