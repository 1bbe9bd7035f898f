package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"git-agent/agent/source"
)

// maxQuote bounds the quoted part of a body, in bytes.
const maxQuote = 8 << 10

// maxCalls bounds the calls of one reply. Models that are stuck write the same
// call hundreds of times.
const maxCalls = 128

// reply parses an answer. number is the number of messages in the request; made-up ids of calls
// contain it, so that they are unique in the conversation.
func (a *answer) reply(wire Wire, number int) (*Reply, error) {
	body := bytes.TrimSpace(bytes.TrimLeft(a.body, " \t\r\n\ufeff")) // servers send white space to keep a connection open
	switch {
	case len(body) == 0:
		return nil, malformed("the answer is empty")
	case body[0] == '<':
		return nil, &Error{
			Class:   ClassModel,
			Status:  http.StatusOK,
			Message: oneLine("the server does not speak the API: it answers with "+plainText(body), a.keys),
		}
	case isStream(body):
		return nil, &Error{
			Class:   ClassMalformed,
			Status:  http.StatusOK,
			Message: "the server answers with a stream of events, which no request asks for",
			once:    true,
		}
	case tooManyValues(body):
		return nil, &Error{
			Class:   ClassMalformed,
			Status:  http.StatusOK,
			Message: fmt.Sprintf("the answer has more than %d values", maxValues),
			once:    true,
		}
	case !json.Valid(body):
		return nil, malformed("the answer is not JSON: %s", a.quote(body))
	}
	if e := a.serverError(body); e != nil {
		return nil, e
	}
	read := readChat
	switch wire {
	case WireResponses:
		read = readResponses
	case WireMessages:
		read = readMessages
	}
	reply, e := read(body, number)
	if e != nil {
		e.Message = oneLine(e.Message, a.keys)
		return nil, e
	}
	return reply, nil
}

// isStream reports whether a body consists of server-sent events. No JSON text begins like a
// field of an event or like a comment.
func isStream(body []byte) bool {
	field, _, found := bytes.Cut(body[:min(len(body), len("event:"))], []byte(":"))
	return found && slices.Contains([]string{"", "data", "event", "id", "retry"}, string(field))
}

func (a *answer) quote(body []byte) string {
	return oneLine(source.Cut(string(body), maxQuote), a.keys)
}

func malformed(format string, args ...any) *Error {
	return &Error{Class: ClassMalformed, Message: fmt.Sprintf(format, args...)}
}

// chatReply is the used part of a chat completion. Fields whose form differs among servers stay
// raw.
type chatReply struct {
	ID      json.RawMessage `json:"id"`
	Model   json.RawMessage `json:"model"`
	Choices []struct {
		Finish  json.RawMessage `json:"finish_reason"`
		Message json.RawMessage `json:"message"`
	} `json:"choices"`
	Usage json.RawMessage `json:"usage"`
}

// chatAnswer is the used part of its message.
type chatAnswer struct {
	Content   json.RawMessage `json:"content"`
	Refusal   json.RawMessage `json:"refusal"`
	Reasoning json.RawMessage `json:"reasoning_content"` // DeepSeek, vLLM, llama.cpp
	Thinking  json.RawMessage `json:"reasoning"`         // OpenRouter, Ollama, Groq
	ToolCalls json.RawMessage `json:"tool_calls"`
}

func readChat(body []byte, number int) (*Reply, *Error) {
	var in chatReply
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, malformed("the answer is not a chat completion: %v", err)
	}
	if len(in.Choices) == 0 {
		return nil, malformed("the answer has no choices")
	}
	choice := in.Choices[0]
	var said chatAnswer
	if err := json.Unmarshal(choice.Message, &said); err != nil || !isObject(choice.Message) {
		return nil, malformed("the answer has no message")
	}
	finish, e := chatFinish(text(choice.Finish))
	if e != nil {
		return nil, e
	}
	m := Message{Role: Assistant, Wire: WireChat}
	m.Text, m.Thought = contentOf(said.Content)
	m.Thought = cmp.Or(text(said.Reasoning), text(said.Thinking), m.Thought)
	calls, mended, e := chatCalls(said.ToolCalls, number)
	if e != nil {
		return nil, e
	}
	m.Calls = calls
	if m.Raw = rawMessage(choice.Message, mended); m.Raw == nil {
		return nil, malformed("the answer's message cannot be given back")
	}
	if refusal := text(said.Refusal); refusal != "" && len(calls) == 0 && m.Text == "" {
		m.Text, finish = refusal, FinishRefused
	}
	return &Reply{Message: m, Finish: finish, Usage: chatUsage(in.Usage), Model: text(in.Model), ID: text(in.ID)}, nil
}

// chatFinish interprets a finish reason. An answer without one was cut.
func chatFinish(reason string) (Finish, *Error) {
	switch strings.ToLower(reason) {
	case "":
		return "", malformed("the answer has no finish_reason: it may be cut")
	case "length", "max_tokens", "model_length", "max_output_tokens":
		return FinishLength, nil
	case "content_filter", "safety", "refusal", "recitation", "blocklist", "prohibited_content", "sensitive":
		return FinishRefused, nil
	case "malformed_function_call":
		return "", malformed("the model wrote a call that its server cannot read")
	case "error", "abort", "network_error", "insufficient_system_resource", "cancelled":
		return "", &Error{Class: ClassServer, Message: "the answer ended with " + reason}
	}
	return FinishStop, nil // stop, tool_calls, eos, end_turn, ...: servers disagree
}

// chatCalls reads tool_calls. mended is nil if the server's own form can be sent back, else the
// form to send back.
func chatCalls(raw json.RawMessage, number int) (calls []Call, mended []json.RawMessage, e *Error) {
	if isNull(raw) {
		return nil, nil, nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, nil, malformed("tool_calls is not a list")
	}
	if len(list) > maxCalls {
		return nil, nil, malformed("the answer has %d calls", len(list))
	}
	change, seen := false, map[string]bool{}
	for i, one := range list {
		var in struct {
			ID       json.RawMessage `json:"id"`
			Function struct {
				Name json.RawMessage `json:"name"`
				Args json.RawMessage `json:"arguments"`
			} `json:"function"`
		}
		if err := json.Unmarshal(one, &in); err != nil || text(in.Function.Name) == "" {
			return nil, nil, malformed("call %d has no name", i+1)
		}
		call := Call{ID: text(in.ID), Name: text(in.Function.Name), Args: argsOf(in.Function.Args)}
		if call.ID == "" || seen[call.ID] {
			call.ID = madeUpID(number, i)
		}
		seen[call.ID] = true
		if call.ID != text(in.ID) || isNull(in.Function.Args) || in.Function.Args[0] != '"' {
			change = true
			if one = mendCall(one, call); one == nil {
				return nil, nil, malformed("call %d cannot be given back", i+1)
			}
		}
		calls, mended = append(calls, call), append(mended, one)
	}
	if !change {
		mended = nil
	}
	return calls, mended, nil
}

// madeUpID returns the id for the i-th call in the reply to a request with number messages. The
// id is reproducible.
func madeUpID(number, i int) string { return fmt.Sprintf("call_%d_%d", number, i) }

// argsOf reads arguments, which should be a string that contains JSON. Some servers send the
// object itself, or nothing for a function without parameters.
func argsOf(raw json.RawMessage) string {
	if isNull(raw) {
		return "{}"
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	if strings.TrimSpace(s) == "" {
		return "{}"
	}
	return s
}

// mendCall sets the id and the arguments of a call that is sent back, and keeps
// the rest.
func mendCall(raw json.RawMessage, call Call) json.RawMessage {
	var outer, function map[string]json.RawMessage
	if json.Unmarshal(raw, &outer) != nil || json.Unmarshal(outer["function"], &function) != nil {
		return nil
	}
	function["arguments"] = quoted(call.Args)
	inner, err := json.Marshal(function)
	if err != nil {
		return nil
	}
	outer["id"], outer["type"], outer["function"] = quoted(call.ID), quoted("function"), inner
	out, err := json.Marshal(outer)
	if err != nil {
		return nil
	}
	return out
}

// rawMessage returns the message to send back: compact, with its role, and with the mended calls,
// if any.
func rawMessage(raw json.RawMessage, mended []json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return nil
	}
	_, listed := fields["tool_calls"]
	var calls []json.RawMessage
	empty := listed && json.Unmarshal(fields["tool_calls"], &calls) == nil && len(calls) == 0
	if text(fields["role"]) == string(Assistant) && mended == nil && !empty {
		var out bytes.Buffer
		if json.Compact(&out, raw) != nil {
			return nil
		}
		return out.Bytes()
	}
	fields["role"] = quoted(string(Assistant))
	if empty { // servers refuse an empty list
		delete(fields, "tool_calls")
	}
	if mended != nil {
		list, err := json.Marshal(mended)
		if err != nil {
			return nil
		}
		fields["tool_calls"] = list
	}
	out, err := json.Marshal(fields)
	if err != nil {
		return nil
	}
	return out
}

// contentOf reads a content field: a string, a list of parts, or nothing.
func contentOf(raw json.RawMessage) (said, thought string) {
	if s := text(raw); s != "" {
		return s, ""
	}
	var parts []struct {
		Type     string          `json:"type"`
		Text     json.RawMessage `json:"text"`
		Refusal  json.RawMessage `json:"refusal"`
		Thinking json.RawMessage `json:"thinking"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return "", ""
	}
	for _, p := range parts {
		if p.Type == "thinking" {
			inner, _ := contentOf(p.Thinking)
			thought += inner
			continue
		}
		said += text(p.Text) + text(p.Refusal)
	}
	return said, thought
}

// text returns a JSON string's value, "" for anything else.
func text(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

func quoted(s string) json.RawMessage {
	out, _ := json.Marshal(s) // encoding a string cannot fail
	return out
}

func isNull(raw json.RawMessage) bool   { return len(raw) == 0 || string(raw) == "null" }
func isObject(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '{' }
