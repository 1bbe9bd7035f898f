package model

import (
	"encoding/json"
	"fmt"

	"git-agent/gitext/pattern"
)

// A chatMessage is a message of chat completions that this program writes itself.
type chatMessage struct {
	Content *string    `json:"content,omitempty"`
	CallID  *string    `json:"tool_call_id,omitempty"` // of the call that a tool's message answers
	Calls   []chatCall `json:"tool_calls,omitempty"`
	Role    string     `json:"role"`
}

type chatCall struct {
	ID       string       `json:"id"`
	Function functionCall `json:"function"`
	Type     string       `json:"type"`
}

type functionCall struct {
	Args string `json:"arguments"`
	Name string `json:"name"`
}

type chatTool struct {
	Function chatFunction `json:"function"`
	Type     string       `json:"type"`
}

type chatFunction struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Parameters  map[string]any `json:"parameters"`
}

// chatBody encodes a request for chat completions.
func (c *Client) chatBody(form requestForm, req Request) ([]byte, error) {
	body := c.sharedFields(form, req)
	var messages []any
	for i, m := range req.Messages {
		message, err := encodeMessage(m, form)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		messages = append(messages, message)
	}
	if messages != nil {
		body["messages"] = messages
	}
	var tools []chatTool
	for _, t := range req.Tools {
		schema, err := parametersOf(t)
		if err != nil {
			return nil, err
		}
		tools = append(tools, chatTool{chatFunction{t.Name, t.Description, schema}, "function"})
	}
	if tools != nil {
		body["tools"] = tools
	}
	// OpenAI's reasoning models accept only max_completion_tokens, most others
	// only max_tokens.
	if req.MaxOutput > 0 && (isOpenAI(c.base) || isAzure(c.base)) != form.Swap {
		body["max_completion_tokens"] = req.MaxOutput
	} else if req.MaxOutput > 0 {
		body["max_tokens"] = req.MaxOutput
	}
	if c.cfg.Effort != "" {
		body["reasoning_effort"] = c.cfg.Effort
	}
	return c.finish(form, body)
}

// encodeMessage returns one message for chat completions. A message that the
// server sent on this wire is returned to it unchanged.
func encodeMessage(m Message, form requestForm) (any, error) {
	switch m.Role {
	case System, User:
		return chatMessage{Content: &m.Text, Role: string(m.Role)}, nil
	case ToolReply:
		return chatMessage{Content: &m.Text, CallID: &m.CallID, Role: "tool"}, nil
	case Assistant:
	default:
		return nil, fmt.Errorf("unknown role %q", m.Role)
	}
	if m.Wire == WireChat && len(m.Raw) > 0 && !form.Plain && resendable(m) {
		return m.Raw, nil
	}
	said := chatMessage{Role: "assistant"}
	if m.Text != "" || len(m.Calls) == 0 {
		said.Content = &m.Text
	}
	for _, call := range m.Calls {
		name, args := sendable(call)
		said.Calls = append(said.Calls, chatCall{call.ID, functionCall{args, name}, "function"})
	}
	return said, nil
}

// toolName matches the function names that servers accept. Servers parse the
// arguments of earlier calls again for their template, and OpenAI checks function
// names: a malformed call by the model would make every later request fail.
var toolName = pattern.Lazy(`^[a-zA-Z0-9_-]{1,64}$`)

func resendable(m Message) bool {
	for _, call := range m.Calls {
		if name, args := sendable(call); name != call.Name || args != call.Args {
			return false
		}
	}
	return true
}

// sendable returns a call's tool and arguments in a form that servers accept.
func sendable(call Call) (name, args string) {
	name, args = call.Means()
	return sendableName(name), sendableArgs(args)
}

func sendableName(name string) string {
	if toolName().MatchString(name) {
		return name
	}
	return "unknown"
}

// sendableArgs returns args if they are a JSON object, else an object that
// contains them, so that the model sees its own text.
func sendableArgs(args string) string {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(args), &object) == nil && object != nil {
		return args
	}
	text, _ := json.Marshal(map[string]string{"malformed": args}) // encoding a string cannot fail
	return string(text)
}

// parametersOf returns a tool's schema, or an empty one if it has no
// parameters.
func parametersOf(t Tool) (schema map[string]any, err error) {
	if len(t.Parameters) == 0 {
		return map[string]any{"type": "object", "properties": map[string]any{}}, nil
	}
	if err := json.Unmarshal(t.Parameters, &schema); err != nil {
		return nil, fmt.Errorf("tool %s: %w", t.Name, err)
	}
	return schema, nil
}
