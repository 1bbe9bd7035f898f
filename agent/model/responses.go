package model

import (
	"encoding/json"
	"fmt"
)

// These are items of the responses API that this program writes itself.
type (
	itemMessage struct {
		Content string `json:"content"`
		Role    string `json:"role"`
		Type    string `json:"type,omitempty"` // llama.cpp needs it in a message of the assistant
	}
	itemCall struct {
		Args   string `json:"arguments"`
		CallID string `json:"call_id"`
		Name   string `json:"name"`
		Type   string `json:"type"`
	}
	itemOutput struct {
		Output string `json:"output"`
		CallID string `json:"call_id"`
		Type   string `json:"type"`
	}
	responsesTool struct {
		Strict      bool           `json:"strict"`
		Parameters  map[string]any `json:"parameters"`
		Name        string         `json:"name"`
		Description string         `json:"description"`
		Type        string         `json:"type"`
	}
)

// responsesBody encodes a request for the responses API. The server stores
// nothing: each request has the whole conversation, including the model's earlier
// reasoning in encrypted form.
func (c *Client) responsesBody(form requestForm, req Request) ([]byte, error) {
	body := c.sharedFields(form, req)
	body["store"], body["include"] = false, []string{"reasoning.encrypted_content"}
	items := []any{}
	for i, m := range req.Messages {
		if m.Role == System && i == 0 {
			body["instructions"] = m.Text
			continue
		}
		more, err := responsesItems(m, form)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		items = append(items, more...)
	}
	body["input"] = items
	var tools []responsesTool
	for _, t := range req.Tools {
		schema, err := parametersOf(t)
		if err != nil {
			return nil, err
		}
		// Strict is the API's default and accepts only some schemas.
		tools = append(tools, responsesTool{Strict: false, Parameters: schema, Name: t.Name, Description: t.Description, Type: "function"})
	}
	if tools != nil {
		body["tools"] = tools
	}
	if req.MaxOutput > 0 {
		body["max_output_tokens"] = req.MaxOutput
	}
	if c.cfg.Effort != "" {
		body["reasoning"] = map[string]string{"effort": c.cfg.Effort}
	}
	return c.finish(form, body)
}

// responsesItems returns the input items for one message.
func responsesItems(m Message, form requestForm) ([]any, error) {
	switch m.Role {
	case System, User:
		return []any{itemMessage{Content: m.Text, Role: string(m.Role)}}, nil
	case ToolReply:
		return []any{itemOutput{m.Text, m.CallID, "function_call_output"}}, nil
	case Assistant:
	default:
		return nil, fmt.Errorf("unknown role %q", m.Role)
	}
	if m.Wire == WireResponses && len(m.Raw) > 0 && !form.Plain && resendable(m) {
		return rawItems(m.Raw)
	}
	var items []any
	if m.Text != "" || len(m.Calls) == 0 {
		items = append(items, itemMessage{m.Text, "assistant", "message"})
	}
	for _, call := range m.Calls {
		name, args := sendable(call)
		items = append(items, itemCall{args, call.ID, name, "function_call"})
	}
	return items, nil
}

// rawItems returns output items as they came, except reasoning without
// encrypted content: it could only be sent by its id, and a server that stores
// nothing does not know the id.
func rawItems(raw json.RawMessage) ([]any, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	var items []any
	for _, one := range list {
		var head struct {
			Type   string `json:"type"`
			Sealed string `json:"encrypted_content"`
		}
		if err := json.Unmarshal(one, &head); err != nil {
			return nil, err
		}
		if head.Type == "reasoning" && head.Sealed == "" {
			continue
		}
		items = append(items, one)
	}
	return items, nil
}
