package mcpcmd

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"git-agent/gitext/quote"
)

// These constants bound the open requests. If a client sends more, the server
// stops reading until some requests are answered; a client that reads no answers
// is not read at all. So the memory for answers stays bounded.
const (
	maxOpen      = 256
	maxOpenBytes = 4 * maxMessage
)

// pending records the requests without an answer. The SDK cancels open requests
// at the end of the input, but a script that writes its questions and closes the
// pipe expects the answers.
type pending struct {
	mu        sync.Mutex
	ids       map[string]int // the size of each open request, by id
	cancelled map[string]int // the same for cancelled requests, whose answers are unwanted
	bytes     int            // the total size of both
	changed   chan struct{}  // closed and replaced when an id goes
}

func newPending() *pending {
	return &pending{ids: map[string]int{}, cancelled: map[string]int{}, changed: make(chan struct{})}
}

// asked waits for room and records a request. It returns false if ctx ended
// first.
func (p *pending) asked(ctx context.Context, request message) bool {
	size := len(request.text)
	for {
		p.mu.Lock()
		open, changed := len(p.ids)+len(p.cancelled), p.changed
		if open == 0 || open < maxOpen && p.bytes+size <= maxOpenBytes {
			p.ids[request.id] = size
			p.bytes += size
			p.mu.Unlock()
			return true
		}
		p.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// taken reports whether a request without an answer has the id.
func (p *pending) taken(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, open := p.ids[id]
	_, cancelled := p.cancelled[id]
	return open || cancelled
}

// canonicalID returns an id in the SDK's form: 1.0 is 1, and "\u0061" is "a".
func canonicalID(id json.RawMessage) string {
	var v any
	if json.Unmarshal(id, &v) != nil {
		return string(id)
	}
	out, err := json.Marshal(v)
	if err != nil {
		return string(id)
	}
	return string(out)
}

// done removes an answered request.
func (p *pending) done(id json.RawMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := canonicalID(id)
	if size, open := p.ids[key]; open {
		delete(p.ids, key)
		p.bytes -= size
		p.wake()
	}
}

// cancel removes a cancelled request, which occupies room until the SDK has
// answered it.
func (p *pending) cancel(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	size, open := p.ids[id]
	if open {
		delete(p.ids, id)
		p.cancelled[id] = size
		p.wake()
	}
	return open
}

// unwanted reports, once, that an answer belongs to a cancelled request. The
// protocol allows no such answer, but the SDK sends one.
func (p *pending) unwanted(id json.RawMessage) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := canonicalID(id)
	size, was := p.cancelled[key]
	if was {
		delete(p.cancelled, key)
		p.bytes -= size
		p.wake()
	}
	return was
}

// wake wakes all waiting goroutines. The caller holds the lock.
func (p *pending) wake() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// wait returns when every request is answered, or ctx ends.
func (p *pending) wait(ctx context.Context) {
	for {
		p.mu.Lock()
		open, changed := len(p.ids), p.changed
		p.mu.Unlock()
		if open == 0 {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// output is the stream to which the SDK and messageReader write, one message at
// a time.
type output struct {
	mu       sync.Mutex
	w        io.Writer
	pending  *pending
	leave    context.CancelFunc    // ends the session
	patience time.Duration         // bound on a write's wait for the client
	failed   atomic.Pointer[error] // the first write that failed
	unread   atomic.Bool           // the client exists, but did not read for too long
}

// Write writes the messages of p in one piece, without answers to cancelled
// requests and with hidden characters escaped.
func (o *output) Write(p []byte) (int, error) {
	var wanted []byte
	var answered []json.RawMessage
	for line := range bytes.Lines(p) {
		text, id := o.edit(line)
		if wanted = append(wanted, text...); id != nil {
			answered = append(answered, id)
		}
	}
	var err error
	if len(wanted) > 0 {
		err = o.send(quote.JSON(wanted))
	}
	for _, id := range answered {
		o.pending.done(id)
	}
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

func (o *output) send(text []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	waiting := time.AfterFunc(o.patience, func() {
		o.unread.Store(true)
		o.leave()
	})
	defer waiting.Stop()
	_, err := o.w.Write(text)
	if err != nil && o.failed.CompareAndSwap(nil, &err) {
		o.leave()
	}
	return err
}

// edit returns the text to write for a line, and the id of the answered request,
// if any.
func (o *output) edit(line []byte) (text []byte, answered json.RawMessage) {
	var m map[string]json.RawMessage
	if json.Unmarshal(line, &m) != nil || m["method"] != nil {
		return line, nil
	}
	if o.pending.unwanted(m["id"]) {
		return nil, nil
	}
	return withErrorCode(line, m), m["id"]
}

// withErrorCode adds the code required by JSON-RPC to an error of the SDK without
// one. The SDK omits the code for requests in a wrong state of the session, such
// as a second initialize.
func withErrorCode(line []byte, m map[string]json.RawMessage) []byte {
	var e struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data,omitempty"`
	}
	if m["error"] == nil || json.Unmarshal(m["error"], &e) != nil || e.Code != 0 {
		return line
	}
	e.Code = codeRequest
	var err error
	if m["error"], err = json.Marshal(e); err != nil {
		return line
	}
	out, err := json.Marshal(m)
	if err != nil {
		return line
	}
	return append(out, '\n')
}

// Close leaves the stream open, because the caller owns it.
func (o *output) Close() error { return nil }
