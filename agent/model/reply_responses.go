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
	kept, e := m.addParts("output", in.Output, func(raw json.RawMessage) (json.RawMessage, *Error) { return m.addItem(raw, number) })
	if e != nil {
		return nil, e
	}
	if finish == FinishStop && len(m.Calls) == 0 && onlyRefusals(kept) {
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
func (m *Message) addItem(raw json.RawMessage, number int) (json.RawMessage, *Error) {
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
		call, e := m.addCall(Call{ID: cmp.Or(text(in.CallID), text(in.ID)), Name: text(in.Name), Args: argsOf(in.Args)}, number)
		if e != nil {
			return nil, e
		}
		if call.ID != text(in.CallID) || isNull(in.Args) || in.Args[0] != '"' {
			return mended(raw, map[string]json.RawMessage{"call_id": quoted(call.ID), "arguments": quoted(call.Args)})
		}
	case "":
		return nil, malformed("an item of the output has no type")
	}
	return bytes.Clone(raw), nil
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
