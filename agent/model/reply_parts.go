package model

import (
	"encoding/json"
	"maps"
	"slices"
)

// addParts reads an answer that is a list of parts, and keeps in m.Raw what is sent back of them.
// add reads one part and returns its form to send back, or nil if the server would refuse it.
func (m *Message) addParts(name string, parts []json.RawMessage, add func(json.RawMessage) (json.RawMessage, *Error)) ([]json.RawMessage, *Error) {
	kept := parts[:0]
	for _, raw := range parts {
		part, e := add(raw)
		if e != nil {
			return nil, e
		}
		if part != nil {
			kept = append(kept, part)
		}
		if len(m.Calls) > maxCalls {
			return nil, malformed("the answer has more than %d calls", maxCalls)
		}
	}
	raw, err := json.Marshal(kept)
	if err != nil {
		return nil, malformed("the answer's %s cannot be given back", name)
	}
	m.Raw = raw
	return kept, nil
}

// addCall adds a call, and gives it an id if it has none or that of another one. number counts the
// messages of the request.
func (m *Message) addCall(call Call, number int) (Call, *Error) {
	if call.Name == "" {
		return call, malformed("call %d has no name", len(m.Calls)+1)
	}
	if call.ID == "" || slices.ContainsFunc(m.Calls, func(c Call) bool { return c.ID == call.ID }) {
		call.ID = madeUpID(number, len(m.Calls))
	}
	m.Calls = append(m.Calls, call)
	return call, nil
}

// mended sets fields of a call before it is sent back.
func mended(raw json.RawMessage, set map[string]json.RawMessage) (json.RawMessage, *Error) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return nil, malformed("a call is not an object")
	}
	maps.Copy(fields, set)
	out, err := json.Marshal(fields)
	if err != nil {
		return nil, malformed("a call cannot be given back")
	}
	return out, nil
}
