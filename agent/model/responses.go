package model

import (
	"encoding/json"
	"fmt"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
)

// responsesBody encodes a request for the responses API. The server stores
// nothing: the whole conversation is sent each time, and the model's reasoning
// comes back encrypted and is returned with it.
func (c *Client) responsesBody(form requestForm, req Request) ([]byte, error) {
	body := responses.ResponseNewParams{
		Model:   c.cfg.Model,
		Store:   openai.Bool(false),
		Include: []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent},
	}
	items := responses.ResponseInputParam{}
	for i, m := range req.Messages {
		if m.Role == System && i == 0 {
			body.Instructions = openai.String(m.Text)
			continue
		}
		more, err := responsesItems(m, form)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		items = append(items, more...)
	}
	body.Input.OfInputItemList = items
	for _, t := range req.Tools {
		// Strict is the API's default and accepts only some schemas.
		tool := responses.FunctionToolParam{Name: t.Name, Description: openai.String(t.Description), Strict: openai.Bool(false)}
		if err := json.Unmarshal(parametersOf(t), &tool.Parameters); err != nil {
			return nil, fmt.Errorf("tool %s: %w", t.Name, err)
		}
		body.Tools = append(body.Tools, responses.ToolUnionParam{OfFunction: &tool})
	}
	if req.Choice != ChoiceAuto && len(req.Tools) > 0 {
		body.ToolChoice.OfToolChoiceMode = openai.Opt(responses.ToolChoiceOptions(req.Choice))
	}
	if req.MaxOutput > 0 {
		body.MaxOutputTokens = openai.Int(int64(req.MaxOutput))
	}
	if c.cfg.Temperature != nil {
		body.Temperature = openai.Float(*c.cfg.Temperature)
	}
	if c.cfg.TopP != nil {
		body.TopP = openai.Float(*c.cfg.TopP)
	}
	body.Reasoning.Effort = openai.ReasoningEffort(c.cfg.Effort)
	if key := c.cacheKey(req); key != "" {
		body.PromptCacheKey = openai.String(key)
	}
	return c.finish(form, body)
}

// responsesItems returns the input items for one message.
func responsesItems(m Message, form requestForm) (responses.ResponseInputParam, error) {
	switch m.Role {
	case System:
		return plainItem(m.Text, responses.EasyInputMessageRoleSystem), nil
	case User:
		return plainItem(m.Text, responses.EasyInputMessageRoleUser), nil
	case ToolReply:
		item := responses.ResponseInputItemParamOfFunctionCallOutput(m.Text)
		item.OfFunctionCallOutput.CallID = openai.String(m.CallID)
		return responses.ResponseInputParam{item}, nil
	case Assistant:
	default:
		return nil, fmt.Errorf("unknown role %q", m.Role)
	}
	if m.Wire == WireResponses && len(m.Raw) > 0 && !form.Plain && resendable(m) {
		return rawItems(m.Raw)
	}
	var items responses.ResponseInputParam
	if m.Text != "" || len(m.Calls) == 0 {
		items = plainItem(m.Text, responses.EasyInputMessageRoleAssistant)
	}
	for _, call := range m.Calls {
		name, args := sendable(call)
		items = append(items, responses.ResponseInputItemParamOfFunctionCall(args, call.ID, name))
	}
	return items, nil
}

func plainItem(text string, role responses.EasyInputMessageRole) responses.ResponseInputParam {
	return responses.ResponseInputParam{responses.ResponseInputItemParamOfMessage(text, role)}
}

// rawItems returns output items as they came, except reasoning without
// encrypted content: it could only be sent by its id, and a server that stores
// nothing does not know the id.
func rawItems(raw json.RawMessage) (responses.ResponseInputParam, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	var items responses.ResponseInputParam
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
		items = append(items, param.Override[responses.ResponseInputItemUnionParam](one))
	}
	return items, nil
}
