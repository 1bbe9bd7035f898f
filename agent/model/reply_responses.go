package model

import (
	"bytes"
	"cmp"
	"encoding/json"
)

// responsesReply is the used part of a response.
type responsesReply struct {
	ID         json.RawMessage   `json:"id"`
	Model      json.RawMessage   `json:"model"`
	Status     json.RawMessage   `json:"status"`
	Output     []json.RawMessage `json:"output"`
	Incomplete struct {
		Reason json.RawMessage `json:"reason"`
	} `json:"incomplete_details"`
	Usage json.RawMessage `json:"usage"`
}

// outputItem is the used part of an output item.
type outputItem struct {
	Type    json.RawMessage `json:"type"`
	ID      json.RawMessage `json:"id"`
	CallID  json.RawMessage `json:"call_id"`
	Name    json.RawMessage `json:"name"`
	Args    json.RawMessage `json:"arguments"`
	Content json.RawMessage `json:"content"`
	Summary json.RawMessage `json:"summary"`
}

func readResponses(body []byte, number int) (*Reply, *Error) {
	var in responsesReply
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, malformed("the answer is not a response: %v", err)
	}
	finish, e := responsesFinish(text(in.Status), text(in.Incomplete.Reason))
	if e != nil {
		return nil, e
	}
	if len(in.Output) == 0 && finish == FinishStop {
		return nil, malformed("the answer has no output")
	}
	m := Message{Role: Assistant, Wire: WireResponses}
	seen := map[string]bool{}
	for i, raw := range in.Output {
		kept, e := m.addItem(raw, number, seen)
		if e != nil {
			return nil, e
		}
		in.Output[i] = kept
		if len(m.Calls) > maxCalls {
			return nil, malformed("the answer has more than %d calls", maxCalls)
		}
	}
	raw, err := json.Marshal(in.Output)
	if err != nil {
		return nil, malformed("the answer's output cannot be given back")
	}
	m.Raw = raw
	if finish == FinishStop && len(m.Calls) == 0 && onlyRefusals(in.Output) {
		finish = FinishRefused
	}
	return &Reply{Message: m, Finish: finish, Usage: responsesUsage(in.Usage), Model: text(in.Model), ID: text(in.ID)}, nil
}

func responsesFinish(status, reason string) (Finish, *Error) {
	switch {
	case status == "completed":
		return FinishStop, nil
	case status == "incomplete" && reason == "content_filter":
		return FinishRefused, nil
	case status == "incomplete":
		return FinishLength, nil
	case status == "failed", status == "cancelled":
		return "", &Error{Class: ClassServer, Message: "the response " + status}
	case status == "":
		return "", malformed("the answer has no status: it may be cut")
	}
	return "", malformed("the answer is not ready: its status is %q", status)
}

// addItem reads one item of the output and returns the item to send back.
func (m *Message) addItem(raw json.RawMessage, number int, seen map[string]bool) (json.RawMessage, *Error) {
	var in outputItem
	if !isObject(raw) || json.Unmarshal(raw, &in) != nil {
		return nil, malformed("an item of the output is not an object")
	}
	switch text(in.Type) {
	case "message":
		said, _ := contentOf(in.Content)
		m.Text += said
	case "reasoning":
		summary, _ := contentOf(in.Summary)
		shown, _ := contentOf(in.Content)
		m.Thought += cmp.Or(summary, shown)
	case "function_call":
		call := Call{ID: cmp.Or(text(in.CallID), text(in.ID)), Name: text(in.Name), Args: argsOf(in.Args)}
		if call.Name == "" {
			return nil, malformed("call %d has no name", len(m.Calls)+1)
		}
		if call.ID == "" || seen[call.ID] {
			call.ID = madeUpID(number, len(m.Calls))
		}
		seen[call.ID] = true
		m.Calls = append(m.Calls, call)
		if call.ID != text(in.CallID) || isNull(in.Args) || in.Args[0] != '"' {
			return mendItem(raw, call)
		}
	case "":
		return nil, malformed("an item of the output has no type")
	}
	return bytes.Clone(raw), nil
}

// mendItem sets the id and the arguments of a call before it is sent back.
func mendItem(raw json.RawMessage, call Call) (json.RawMessage, *Error) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return nil, malformed("a call is not an object")
	}
	fields["call_id"], fields["arguments"] = quoted(call.ID), quoted(call.Args)
	out, err := json.Marshal(fields)
	if err != nil {
		return nil, malformed("a call cannot be given back")
	}
	return out, nil
}

// onlyRefusals reports whether the output has no text except refusals.
func onlyRefusals(output []json.RawMessage) bool {
	refused := false
	for _, raw := range output {
		var item struct {
			Type    json.RawMessage `json:"type"`
			Content []struct {
				Type json.RawMessage `json:"type"`
			} `json:"content"`
		}
		if json.Unmarshal(raw, &item) != nil || text(item.Type) != "message" {
			continue
		}
		for _, part := range item.Content {
			if text(part.Type) != "refusal" {
				return false
			}
			refused = true
		}
	}
	return refused
}
