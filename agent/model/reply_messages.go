package model

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
)

// messagesReply is the used part of an answer of the messages API.
type messagesReply struct {
	ID      json.RawMessage   `json:"id"`
	Model   json.RawMessage   `json:"model"`
	Content []json.RawMessage `json:"content"`
	Stop    json.RawMessage   `json:"stop_reason"`
	Usage   json.RawMessage   `json:"usage"`
}

// contentBlock is the used part of a block.
type contentBlock struct {
	Type     json.RawMessage `json:"type"`
	Text     json.RawMessage `json:"text"`
	Thinking json.RawMessage `json:"thinking"`
	ID       json.RawMessage `json:"id"`
	Name     json.RawMessage `json:"name"`
	Input    json.RawMessage `json:"input"`
}

func readMessages(body []byte, number int) (*Reply, *Error) {
	var in messagesReply
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, malformed("the answer is not a message: %v", err)
	}
	if in.Content == nil {
		return nil, malformed("the answer has no content")
	}
	finish, e := messagesFinish(text(in.Stop))
	if e != nil {
		return nil, e
	}
	m := Message{Role: Assistant, Wire: WireMessages}
	if _, e := m.addParts("content", in.Content, func(raw json.RawMessage) (json.RawMessage, *Error) { return m.addBlock(raw, number) }); e != nil {
		return nil, e
	}
	return &Reply{Message: m, Finish: finish, Usage: messagesUsage(in.Usage), Model: text(in.Model), ID: text(in.ID)}, nil
}

// messagesFinish interprets a stop reason. An answer without one was cut.
func messagesFinish(reason string) (Finish, *Error) {
	switch reason {
	case "":
		return "", malformed("the answer has no stop_reason: it may be cut")
	case "max_tokens":
		return FinishLength, nil
	case "refusal":
		return FinishRefused, nil
	case "model_context_window_exceeded":
		// A longer answer is of no help: the conversation has to become shorter.
		return "", &Error{Class: ClassOverflow, Status: http.StatusOK, charged: true,
			Message: "the conversation and the answer fill the model's context window"}
	}
	// end_turn, tool_use and stop_sequence; and pause_turn, after which the server wants its
	// message back. Only tools that run on the server cause it, and none is sent.
	return FinishStop, nil
}

// addBlock reads one block of the content and returns the block to send back, or nil if the
// server would refuse it.
func (m *Message) addBlock(raw json.RawMessage, number int) (json.RawMessage, *Error) {
	var in contentBlock
	if !isObject(raw) || json.Unmarshal(raw, &in) != nil {
		return nil, malformed("a block of the content is not an object")
	}
	switch text(in.Type) {
	case "text":
		said := text(in.Text)
		if m.Text += said; strings.TrimSpace(said) == "" {
			return nil, nil
		}
	case "thinking":
		m.Thought += text(in.Thinking)
	case "tool_use":
		call, e := m.addCall(Call{ID: text(in.ID), Name: text(in.Name), Args: argsOf(in.Input)}, number)
		if e != nil {
			return nil, e
		}
		if call.ID != text(in.ID) || !isObject(in.Input) {
			_, args := sendable(call)
			return mended(raw, map[string]json.RawMessage{"id": quoted(call.ID), "input": json.RawMessage(args)})
		}
	case "":
		return nil, malformed("a block of the content has no type")
	}
	return bytes.Clone(raw), nil
}
