package model

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"git-agent/gitext/pattern"
)

// messagesVersion is the version of the API that is asked for: the only one since 2023.
const messagesVersion = "2023-06-01"

// Unlike the other APIs, messages has no default for the length of an answer. A request
// without a bound sends defaultMaxTokens, which leaves room for thoughts and is below the
// bounds of all models since 2025; nextForm lowers it for older ones.
const defaultMaxTokens = 32_000

// These are the parts of a conversation that this program writes itself.
type (
	turn struct {
		Content []any  `json:"content"`
		Role    string `json:"role"`
	}
	textBlock struct {
		Cache json.RawMessage `json:"cache_control,omitempty"`
		Text  string          `json:"text"`
		Type  string          `json:"type"`
	}
	toolUse struct {
		ID    string          `json:"id"`
		Input json.RawMessage `json:"input"`
		Name  string          `json:"name"`
		Type  string          `json:"type"`
	}
	toolResult struct {
		Cache   json.RawMessage `json:"cache_control,omitempty"`
		Content string          `json:"content"`
		CallID  string          `json:"tool_use_id"`
		Type    string          `json:"type"`
	}
	messagesTool struct {
		Cache       json.RawMessage `json:"cache_control,omitempty"`
		Description string          `json:"description"`
		Parameters  map[string]any  `json:"input_schema"`
		Name        string          `json:"name"`
	}
)

// messagesBody encodes a request for Anthropic's messages API.
func (c *Client) messagesBody(form requestForm, req Request) ([]byte, error) {
	body := c.sharedFields(form, req)
	if req.Choice != ChoiceAuto && len(req.Tools) > 0 {
		body["tool_choice"] = map[string]string{"type": string(req.Choice)}
	}
	system, turns, err := messagesTurns(req.Messages, form)
	if err != nil {
		return nil, err
	}
	tools, err := messagesTools(req.Tools)
	if err != nil {
		return nil, err
	}
	if !form.drops("cache_control") {
		markPrefixes(system, tools, turns)
	}
	body["messages"] = turns
	if system != nil {
		body["system"] = system
	}
	if tools != nil {
		body["tools"] = tools
	}
	body["max_tokens"] = form.bounded(req.MaxOutput)
	c.addThinking(form, body)
	return c.finish(form, body)
}

// bounded returns the bound on the tokens of an answer that the server accepts.
func (l requestForm) bounded(wanted int) int {
	if wanted <= 0 {
		wanted = defaultMaxTokens
	}
	if l.MostOutput > 0 {
		return min(wanted, l.MostOutput)
	}
	return wanted
}

// addThinking translates the reasoning effort. A word is the API's own effort, and the model
// thinks as much as it finds necessary; a number is a budget of tokens for thoughts, which
// models before 2026 need; none switches thoughts off.
func (c *Client) addThinking(form requestForm, body map[string]any) {
	budget, err := strconv.Atoi(c.cfg.Effort)
	switch {
	case c.cfg.Effort == "":
	case c.cfg.Effort == "none":
		body["thinking"] = map[string]string{"type": "disabled"}
	case err == nil && budget > 0:
		body["thinking"] = map[string]any{"type": "enabled", "budget_tokens": budget}
		if bound := body["max_tokens"].(int); bound <= budget && !form.drops("thinking") { // the budget is part of the bound
			body["max_tokens"] = form.bounded(bound + budget)
		}
	default:
		body["thinking"] = map[string]string{"type": "adaptive"}
		body["output_config"] = map[string]string{"effort": c.cfg.Effort}
	}
}

func messagesTools(list []Tool) (tools []*messagesTool, err error) {
	for _, t := range list {
		schema, err := parametersOf(t)
		if err != nil {
			return nil, err
		}
		tools = append(tools, &messagesTool{Description: t.Description, Parameters: schema, Name: t.Name})
	}
	return tools, nil
}

// messagesTurns returns the system's text and the turns of a conversation. Roles alternate: the
// answers to parallel calls, and a text of the user behind them, are one turn.
func messagesTurns(messages []Message, form requestForm) (system []*textBlock, turns []turn, err error) {
	for i, m := range messages {
		if m.Role == System && i == 0 {
			if m.Text != "" { // the API refuses blocks without text
				system = []*textBlock{{Text: m.Text, Type: "text"}}
			}
			continue
		}
		blocks, err := messagesBlocks(m, form)
		if err != nil {
			return nil, nil, fmt.Errorf("message %d: %w", i, err)
		}
		role := "user"
		if m.Role == Assistant {
			role = "assistant"
		}
		if last := len(turns) - 1; last >= 0 && turns[last].Role == role {
			turns[last].Content = append(turns[last].Content, blocks...)
			continue
		}
		turns = append(turns, turn{blocks, role})
	}
	return system, turns, nil
}

// messagesBlocks returns the content of one message.
func messagesBlocks(m Message, form requestForm) ([]any, error) {
	switch m.Role {
	case System, User:
		return []any{&textBlock{Text: wordsOf(m.Text), Type: "text"}}, nil
	case ToolReply:
		return []any{&toolResult{Content: wordsOf(m.Text), CallID: blockID(m.CallID), Type: "tool_result"}}, nil
	case Assistant:
	default:
		return nil, fmt.Errorf("unknown role %q", m.Role)
	}
	if m.Wire == WireMessages && len(m.Raw) > 0 && !form.Plain {
		return rawBlocks(m)
	}
	var blocks []any
	if strings.TrimSpace(m.Text) != "" || len(m.Calls) == 0 {
		blocks = append(blocks, &textBlock{Text: wordsOf(m.Text), Type: "text"})
	}
	for _, call := range m.Calls {
		blocks = append(blocks, useOf(call))
	}
	return blocks, nil
}

// wordsOf returns a text that the API accepts in a block: it refuses empty and blank ones, and
// marks on them.
func wordsOf(text string) string {
	if strings.TrimSpace(text) == "" {
		return "(empty)"
	}
	return text
}

func useOf(call Call) *toolUse {
	name, args := sendable(call)
	return &toolUse{ID: blockID(call.ID), Input: json.RawMessage(args), Name: name, Type: "tool_use"}
}

// rawBlocks returns the blocks of an answer as they came, thoughts and their signatures
// included: the server checks them. Only calls that the API would refuse are encoded again.
func rawBlocks(m Message) ([]any, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(m.Raw, &list); err != nil {
		return nil, err
	}
	var blocks []any
	calls := m.Calls
	for _, one := range list {
		var head struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal(one, &head); err != nil {
			return nil, err
		}
		if head.Type == "tool_use" && len(calls) > 0 {
			call := calls[0]
			calls = calls[1:]
			if !resendable(Message{Calls: []Call{call}}) || blockID(call.ID) != call.ID {
				blocks = append(blocks, useOf(call))
				continue
			}
		}
		blocks = append(blocks, one)
	}
	if len(blocks) == 0 {
		blocks = []any{&textBlock{Text: wordsOf(""), Type: "text"}}
	}
	return blocks, nil
}

// callID matches the ids of calls that the API accepts.
var callID = pattern.Lazy(`^[a-zA-Z0-9_-]{1,256}$`)

// blockID returns the id of a call in a form that the API accepts. Ids of other wires, from the
// earlier part of a conversation, may have another form.
func blockID(id string) string {
	if callID().MatchString(id) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "call_" + hex.EncodeToString(sum[:12])
}

// cacheMark asks the server to keep the prompt up to here, for five minutes after its last use.
var cacheMark = json.RawMessage(`{"type":"ephemeral"}`)

// markPrefixes marks up to three ends of prefixes that the server should cache: the tools and
// the system's text, which all requests of a run share; the user's last turn; and the one before,
// to which the server wrote for the previous request. The server looks for an earlier entry only
// among the 20 blocks before a mark, and a turn with parallel calls can have more.
func markPrefixes(system []*textBlock, tools []*messagesTool, turns []turn) {
	switch {
	case len(system) > 0:
		system[len(system)-1].Cache = cacheMark
	case len(tools) > 0:
		tools[len(tools)-1].Cache = cacheMark
	}
	marked := 0
	for _, t := range slices.Backward(turns) {
		if t.Role != "user" {
			continue
		}
		switch last := t.Content[len(t.Content)-1].(type) {
		case *textBlock:
			last.Cache = cacheMark
		case *toolResult:
			last.Cache = cacheMark
		}
		if marked++; marked == 2 {
			return
		}
	}
}
