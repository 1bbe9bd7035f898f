package modeltest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// read decodes a body of one of the wires.
func read(path string, body []byte) (Request, error) {
	req := Request{Raw: body}
	var head struct {
		Model      string          `json:"model"`
		ToolChoice json.RawMessage `json:"tool_choice"`
		Tools      []struct {
			Name     string `json:"name"`
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tools"`
	}
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		req.Wire = "chat"
	case strings.HasSuffix(path, "/responses"):
		req.Wire = "responses"
	case strings.HasSuffix(path, "/v1/messages"):
		req.Wire = "messages"
	default:
		return req, fmt.Errorf("no such path: %s", path)
	}
	if err := json.Unmarshal(body, &head); err != nil {
		return req, err
	}
	req.Model = head.Model
	if json.Unmarshal(head.ToolChoice, &req.Choice) != nil {
		req.Choice = string(head.ToolChoice)
	}
	for _, t := range head.Tools {
		req.Tools = append(req.Tools, t.Name+t.Function.Name)
	}
	switch req.Wire {
	case "chat":
		return req, req.readChat()
	case "messages":
		return req, req.readMessages()
	}
	return req, req.readResponses()
}

func (r *Request) readChat() error {
	var body struct {
		Messages []struct {
			Role       string          `json:"role"`
			Content    json.RawMessage `json:"content"`
			ToolCallID string          `json:"tool_call_id"`
			ToolCalls  []struct {
				ID       string `json:"id"`
				Function struct {
					Name      string `json:"name"`
					Arguments string `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(r.Raw, &body); err != nil {
		return err
	}
	for _, in := range body.Messages {
		m := Message{Role: in.Role, Text: textOf(in.Content), CallID: in.ToolCallID}
		if m.Role == "developer" {
			m.Role = "system"
		}
		for _, c := range in.ToolCalls {
			m.Calls = append(m.Calls, Function{ID: c.ID, Name: c.Function.Name, Args: c.Function.Arguments})
		}
		r.Messages = append(r.Messages, m)
	}
	return nil
}

// item is an input item of the responses wire.
type item struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Output    json.RawMessage `json:"output"`
}

func (r *Request) readResponses() error {
	var body struct {
		Instructions string `json:"instructions"`
		Input        []item `json:"input"`
	}
	if err := json.Unmarshal(r.Raw, &body); err != nil {
		return err
	}
	if body.Instructions != "" {
		r.Messages = append(r.Messages, Message{Role: "system", Text: body.Instructions})
	}
	for i, in := range body.Input {
		if in.Type == "" && in.Role == "assistant" {
			return fmt.Errorf("input.%d: cannot determine the type of the item", i) // as llama.cpp says
		}
		r.add(in)
	}
	return nil
}

// add converts items to messages: adjacent texts, thoughts and calls of the
// assistant become one message.
func (r *Request) add(in item) {
	m := Message{Role: "assistant"}
	switch in.Type {
	case "function_call_output":
		m = Message{Role: "tool", CallID: in.CallID, Text: textOf(in.Output)}
	case "function_call":
		m.Calls = []Function{{ID: in.CallID, Name: in.Name, Args: in.Arguments}}
	case "reasoning":
	default:
		m.Role, m.Text = strings.Replace(in.Role, "developer", "system", 1), textOf(in.Content)
	}
	if last := len(r.Messages) - 1; last >= 0 && m.Role == "assistant" && r.Messages[last].Role == "assistant" {
		r.Messages[last].Text += m.Text
		r.Messages[last].Calls = append(r.Messages[last].Calls, m.Calls...)
		return
	}
	r.Messages = append(r.Messages, m)
}

// textOf reads a content, which is a string or a list of parts.
func textOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return ""
	}
	for _, p := range parts {
		s += p.Text
	}
	return s
}
