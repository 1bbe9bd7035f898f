package model

import (
	"bytes"
	"encoding/json"
	"fmt"

	"git-agent/agent/source"
)

// These constants bound a reply, because it is recorded and mostly sent back with
// each later request. Real answers stay far below: a signature in an id has a few
// thousand bytes, and the thoughts of one answer a hundred thousand.
const (
	maxKept   = 1 << 20   // bytes of one message
	maxArgs   = 256 << 10 // bytes of one call's arguments
	maxID     = 32 << 10  // bytes of one call's id
	maxName   = 256       // bytes of the name of a function
	maxLabel  = 256       // bytes of the answer's id and of the model's name from the server
	shownArgs = 2 << 10   // bytes kept of too long arguments
)

// boundReply prepares a reply for recording and sending back: it checks the
// bounds and masks the keys. number is the number of messages in the request.
func (c *Client) boundReply(reply *Reply, number int) error {
	m := &reply.Message
	k := bounder{keys: c.keys}
	reply.Model, reply.ID = k.short(reply.Model, maxLabel), k.short(reply.ID, maxLabel)
	k.changed = false // these two are not sent back
	m.Text, m.Thought = k.text(m.Text), k.text(m.Thought)
	for i := range m.Calls {
		k.call(&m.Calls[i], madeUpID(number, i))
	}
	// A changed message is encoded again from its fields instead of being sent
	// back unchanged.
	if k.changed || c.keys.mask(string(m.Raw)) != string(m.Raw) {
		m.Raw = nil
	}
	if len(m.Raw) > maxKept && m.Wire == WireChat {
		m.Raw = slim(m.Raw)
	}
	if size := max(len(m.Raw), m.size()); size > maxKept {
		return &Error{Class: ClassMalformed, Status: 200, once: true,
			Message: fmt.Sprintf("the answer has %d bytes that every later request would hold; at most %d are taken", size, maxKept)}
	}
	return nil
}

// size returns the size in bytes of the fields of a message.
func (m Message) size() int {
	n := len(m.Text) + len(m.Thought)
	for _, call := range m.Calls {
		n += len(call.ID) + len(call.Name) + len(call.Args)
	}
	return n
}

// bounder shortens and masks parts of a message and records changes.
type bounder struct {
	keys
	changed bool
}

func (k *bounder) text(s string) string {
	masked := k.mask(s)
	k.changed = k.changed || masked != s
	return masked
}

func (k *bounder) short(s string, most int) string {
	s = k.text(s)
	k.changed = k.changed || len(s) > most
	return source.Cut(s, most)
}

// call bounds a call. Too long arguments become a text that is not an object, so
// that the tool rejects them.
func (k *bounder) call(call *Call, madeUp string) {
	if call.Name = k.short(call.Name, maxName); call.Name == "" {
		call.Name = "unknown"
	}
	if len(call.ID) > maxID || k.mask(call.ID) != call.ID {
		call.ID, k.changed = madeUp, true
	}
	if n := len(call.Args); n > maxArgs {
		call.Args = fmt.Sprintf("%s... (%d bytes; at most %d are taken)", source.Cut(call.Args, shownArgs), n, maxArgs)
		k.changed = true
	}
	call.Args = k.text(call.Args)
}

// needed lists the fields of a message that servers need back. Other fields are
// sent back only if they fit.
var needed = []string{"role", "content", "tool_calls", "reasoning_content", "reasoning", "reasoning_details", "extra_content", "refusal"}

// slim returns a message with only the needed fields.
func slim(raw json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return raw
	}
	some := map[string]json.RawMessage{}
	for _, name := range needed {
		if v, ok := fields[name]; ok {
			some[name] = v
		}
	}
	out, err := json.Marshal(some)
	if err != nil {
		return raw
	}
	return out
}

// maxValues bounds the number of values in one answer, because values take more
// memory than their text.
const maxValues = 200_000

// tooManyValues reports whether a JSON text has more than maxValues values.
func tooManyValues(body []byte) bool {
	if len(body) < maxValues {
		return false
	}
	return bytes.Count(body, []byte(",")) > maxValues && values(body) > maxValues
}

// values estimates the number of values in a JSON text by its commas outside
// strings.
func values(body []byte) int {
	n, quoted := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c == ',' && !quoted:
			n++
		}
	}
	return n
}
