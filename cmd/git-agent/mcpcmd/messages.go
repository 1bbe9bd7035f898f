package mcpcmd

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// maxMessage bounds one line of input. The largest legitimate one is a call with a log of
// hundreds of kilobytes, which JSON writes in up to six times as many.
const maxMessage = 4 << 20

// keptEnds is how much is kept of both ends of a longer line, to find the id of its request.
const keptEnds = 1 << 10

// maxDepth bounds the nesting of a message. The SDK ends the session at 1,000
// levels; a legitimate message has about ten.
const maxDepth = 100

// These are the codes of JSON-RPC for a line that is not JSON, for an invalid
// request, for an unknown method, and for an internal error.
const (
	codeParse    = -32700
	codeRequest  = -32600
	codeMethod   = -32601
	codeInternal = -32603
)

// messageReader passes valid messages to the SDK. The SDK ends the session at
// the first invalid line; messageReader answers such a line with an error, as
// JSON-RPC requires.
type messageReader struct {
	ctx     context.Context // of the session
	in      *bufio.Reader
	out     io.Writer
	pending *pending
	rest    []byte // of the current message
	greeted bool   // the client has ended the handshake
	ending  atomic.Bool
	ended   func() // called at the end of the input
}

func newMessageReader(ctx context.Context, in io.Reader, out io.Writer, p *pending, ended func()) *messageReader {
	return &messageReader{ctx: ctx, in: bufio.NewReaderSize(in, 64<<10), out: out, pending: p, ended: ended}
}

// Read gives the SDK bytes of checked messages.
func (m *messageReader) Read(p []byte) (int, error) {
	for len(m.rest) == 0 {
		if err := m.ctx.Err(); err != nil {
			return 0, err
		}
		line, err := m.line()
		if err != nil {
			m.ending.Store(true)
			m.ended()
			m.pending.wait(m.ctx)
			return 0, err
		}
		m.rest = line
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

// Close leaves the stream to its owner.
func (m *messageReader) Close() error { return nil }

// atEnd reports whether the input came to its end.
func (m *messageReader) atEnd() bool { return m.ending.Load() }

// line returns the next message with its newline, or nothing if it answered the
// line itself.
func (m *messageReader) line() ([]byte, error) {
	text, whole, err := readLine(m.in)
	if len(text) == 0 && err != nil {
		return nil, err
	}
	text = bytes.TrimSpace(text)
	switch {
	case !whole:
		id := idOfLong(text)
		if id != nil && m.pending.taken(canonicalID(id)) {
			id = nil
		}
		return nil, m.answer(id, codeRequest, fmt.Sprintf("the message is longer than %d MiB; of a long text, send the part that matters", maxMessage>>20))
	case len(text) == 0:
		return nil, nil
	case !utf8.Valid(text) || !json.Valid(text):
		return nil, m.refuse(codeParse, "the line is not JSON in UTF-8")
	case depth(text) > maxDepth:
		return nil, m.refuse(codeRequest, "the message is nested deeper than 100 levels")
	}
	msg, problem := parseMessage(text)
	if problem == "" && m.pending.taken(msg.id) {
		problem = "its id is that of a request that has no answer yet"
	}
	switch {
	case problem != "":
		return nil, m.refuse(codeRequest, problem)
	case msg.method == listenMethod:
		return nil, m.answer(json.RawMessage(msg.id), codeMethod, "there is nothing to subscribe to")
	}
	return m.admit(msg), nil
}

// listenMethod is a request that the SDK answers only when the client cancels it.
// messageReader refuses it, because there are no changes to listen for and a
// session must end.
const listenMethod = "subscriptions/listen"

// admit returns a message that the SDK needs, after waiting for room for its
// answer: a request, the end of the handshake, or the cancellation of an open
// request. It drops all other messages, because the SDK would queue them without
// a bound and never use them.
func (m *messageReader) admit(msg message) (line []byte) {
	switch {
	case msg.id != "":
		if !m.pending.asked(m.ctx, msg) {
			return nil // the session has ended
		}
	case msg.method == "notifications/cancelled" && m.pending.cancel(msg.cancels):
	case msg.method == "notifications/initialized" && !m.greeted:
		m.greeted = true
	default:
		return nil
	}
	return append(msg.text, '\n')
}

// readLine reads a line. If the line was too long, whole is false and only its ends are returned.
func readLine(in *bufio.Reader) (text []byte, whole bool, err error) {
	whole = true
	var tail []byte
	for {
		piece, err := in.ReadSlice('\n')
		if whole && len(text)+len(piece) > maxMessage {
			whole = false
			tail = append(tail, text[max(0, len(text)-keptEnds):]...)
			text = bytes.Clone(text[:min(len(text), keptEnds)])
		}
		if whole {
			text = append(text, piece...)
		} else {
			tail = append(tail, piece...)
			tail = append(tail[:0], tail[max(0, len(tail)-keptEnds):]...)
		}
		if err != bufio.ErrBufferFull {
			return append(text, tail...), whole, err
		}
	}
}

// idAtEnds match a message whose id stands before or behind the long parts, as clients write it.
var idAtEnds = sync.OnceValue(func() []*regexp.Regexp {
	const id, short = `"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?[0-9]+)\s*`, `"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*`
	return []*regexp.Regexp{
		regexp.MustCompile(`^\s*\{\s*(?:` + short + `,\s*)*` + id + `,`),
		regexp.MustCompile(`[^\\],\s*` + id + `(?:,\s*` + short + `)*\}\s*$`),
	}
})

// idOfLong returns the id of a request of which only the ends are known, or nil.
func idOfLong(ends []byte) json.RawMessage {
	for _, form := range idAtEnds() {
		if m := form.FindSubmatch(ends); m != nil && len(m[1]) <= maxID && idForm().Match(m[1]) && json.Valid(m[1]) {
			return bytes.Clone(m[1])
		}
	}
	return nil
}

// depth returns the nesting depth of JSON.
func depth(text []byte) int {
	deepest, now, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && quoted:
			i++
		case quoted:
		case c == '[' || c == '{':
			now++
			deepest = max(deepest, now)
		case c == ']' || c == '}':
			now--
		}
	}
	return deepest
}

// idForm matches ids that the SDK returns unchanged.
var idForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(".*"|0|-?[1-9][0-9]{0,14})$`)
})

// misspelled reports whether a name differs from a name of the protocol only in
// case; some readers ignore case.
func misspelled(m map[string]json.RawMessage) bool {
	for name := range m {
		switch lower := strings.ToLower(name); lower {
		case "jsonrpc", "id", "method", "params", "result", "error":
			if name != lower {
				return true
			}
		}
	}
	return false
}

// message is a checked message from the client.
type message struct {
	text    []byte
	id      string // the id of a request, as the SDK returns it; else ""
	method  string // "" for an answer
	cancels string // the id of the request that it cancels
}

// maxID bounds an id, which stays in memory until its answer is sent.
const maxID = 256

// parseMessage parses a message, or returns the problem. A list of messages (a
// batch in versions of the protocol before 2025-06-18) is no message.
func parseMessage(text []byte) (msg message, problem string) {
	if text[0] != '{' {
		return msg, "a message is one object; batches are not supported: send one message on each line"
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(text, &m); err != nil {
		return msg, "the object cannot be read"
	}
	id := bytes.TrimSpace(m["id"])
	switch {
	case string(m["jsonrpc"]) != `"2.0"`:
		return msg, `"jsonrpc" must be "2.0"`
	case len(id) > maxID:
		return msg, `"id" is longer than 256 bytes`
	case len(id) > 0 && !idForm().Match(id):
		return msg, `"id" must be a string or a whole number`
	case misspelled(m):
		return msg, "the names of a message are written in small letters"
	case m["method"] != nil && (json.Unmarshal(m["method"], &msg.method) != nil || msg.method == ""):
		return msg, `"method" must be a string`
	case m["method"] == nil && (len(id) == 0 || (m["result"] == nil) == (m["error"] == nil)):
		return msg, `there is no "method", and it is no answer either`
	}
	msg.text = bytes.Clone(text)
	if m["method"] != nil && len(id) > 0 {
		msg.id = canonicalID(id)
	}
	var params map[string]json.RawMessage
	if msg.method == "notifications/cancelled" && json.Unmarshal(m["params"], &params) == nil {
		msg.cancels = canonicalID(params["requestId"])
	}
	return msg, ""
}

// refuse answers a line that is not a message.
func (m *messageReader) refuse(code int, problem string) error { return m.answer(nil, code, problem) }

func (m *messageReader) answer(id json.RawMessage, code int, problem string) error {
	answer, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": problem}})
	if err != nil {
		return err
	}
	_, err = m.out.Write(append(answer, '\n'))
	return err
}
