package model

import (
	"encoding/json"
	"fmt"

	"git-agent/gitext/pattern"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
)

// chatBody encodes a request for chat completions.
func (c *Client) chatBody(form requestForm, req Request) ([]byte, error) {
	body := openai.ChatCompletionNewParams{Model: c.cfg.Model}
	for i, m := range req.Messages {
		union, err := chatMessage(m, form)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		body.Messages = append(body.Messages, union)
	}
	for _, t := range req.Tools {
		function := openai.FunctionDefinitionParam{Name: t.Name, Description: openai.String(t.Description)}
		if err := json.Unmarshal(parametersOf(t), &function.Parameters); err != nil {
			return nil, fmt.Errorf("tool %s: %w", t.Name, err)
		}
		body.Tools = append(body.Tools, openai.ChatCompletionFunctionTool(function))
	}
	if req.Choice != ChoiceAuto && len(req.Tools) > 0 {
		body.ToolChoice.OfAuto = openai.String(string(req.Choice))
	}
	// OpenAI's reasoning models accept only max_completion_tokens, most others
	// only max_tokens.
	if req.MaxOutput > 0 && (isOpenAI(c.base) || isAzure(c.base)) != form.Swap {
		body.MaxCompletionTokens = openai.Int(int64(req.MaxOutput))
	} else if req.MaxOutput > 0 {
		body.MaxTokens = openai.Int(int64(req.MaxOutput))
	}
	if c.cfg.Temperature != nil {
		body.Temperature = openai.Float(*c.cfg.Temperature)
	}
	if c.cfg.TopP != nil {
		body.TopP = openai.Float(*c.cfg.TopP)
	}
	body.ReasoningEffort = openai.ReasoningEffort(c.cfg.Effort)
	if key := c.cacheKey(req); key != "" {
		body.PromptCacheKey = openai.String(key)
	}
	return c.finish(form, body)
}

// chatMessage encodes one message for chat completions. A message that the
// server sent on this wire is returned to it unchanged.
func chatMessage(m Message, form requestForm) (openai.ChatCompletionMessageParamUnion, error) {
	switch m.Role {
	case System:
		return openai.SystemMessage(m.Text), nil
	case User:
		return openai.UserMessage(m.Text), nil
	case ToolReply:
		return openai.ToolMessage(m.Text, m.CallID), nil
	case Assistant:
	default:
		return openai.ChatCompletionMessageParamUnion{}, fmt.Errorf("unknown role %q", m.Role)
	}
	if m.Wire == WireChat && len(m.Raw) > 0 && !form.Plain && resendable(m) {
		return param.Override[openai.ChatCompletionMessageParamUnion](m.Raw), nil
	}
	var said openai.ChatCompletionAssistantMessageParam
	if m.Text != "" || len(m.Calls) == 0 {
		said.Content.OfString = openai.String(m.Text)
	}
	for _, call := range m.Calls {
		name, args := sendable(call)
		said.ToolCalls = append(said.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
				ID:       call.ID,
				Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: name, Arguments: args},
			}})
	}
	return openai.ChatCompletionMessageParamUnion{OfAssistant: &said}, nil
}

// toolName matches the names that servers accept. Servers parse the arguments
// of earlier calls again for their template, and OpenAI's check the names of
// functions: a call that the model wrote wrongly would make every later request
// fail.
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
// contains them, so that the model sees what it wrote.
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
func parametersOf(t Tool) json.RawMessage {
	if len(t.Parameters) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return t.Parameters
}
