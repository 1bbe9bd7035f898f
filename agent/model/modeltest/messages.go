package modeltest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"git-agent/gitext/pattern"
)

// block is a part of a message's content on the messages wire.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	Cache     json.RawMessage `json:"cache_control"`
}

// Signature is the signature of each thought that the messages wire sends. A conversation
// whose thoughts have another one, or another text, is refused.
func Signature(thought string) string { return fmt.Sprintf("EqQB%x", thought) }

// plain takes back the escapes that Go's encoder of JSON adds.
var plain = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&")

// refusal is an error in Anthropic's own words.
type refusal string

func (r refusal) Error() string { return string(r) }

// useID matches the ids of calls that the API accepts.
var useID = pattern.Lazy(`^[a-zA-Z0-9_-]+$`)

// readMessages reads a body of the messages wire, by the rules of Anthropic's server.
func (r *Request) readMessages() error {
	var body struct {
		System    json.RawMessage `json:"system"`
		MaxTokens int             `json:"max_tokens"`
		Choice    struct {
			Type string `json:"type"`
		} `json:"tool_choice"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(r.Raw, &body); err != nil {
		return err
	}
	r.Choice = body.Choice.Type
	if text := textOf(body.System); text != "" {
		r.Messages = append(r.Messages, Message{Role: "system", Text: text})
	}
	if len(body.Messages) == 0 && body.MaxTokens == 0 {
		return nil // for tests that need only an answer
	}
	if body.MaxTokens <= 0 {
		return errors.New("max_tokens: Field required")
	}
	if marks := bytes.Count(r.Raw, []byte(`"cache_control":{"type":"ephemeral"}`)); marks > 4 {
		return refusal(fmt.Sprintf("A maximum of 4 blocks with cache_control may be provided. Found %d.", marks))
	}
	last := "assistant"
	for i, in := range body.Messages {
		if in.Role == last || in.Role != "user" && in.Role != "assistant" {
			return fmt.Errorf("messages.%d: role %q after %q", i, in.Role, last)
		}
		last = in.Role
		if err := r.addTurn(in.Role, in.Content); err != nil {
			return fmt.Errorf("messages.%d.content: %w", i, err)
		}
	}
	if last != "user" {
		return errors.New("the conversation does not end with a user message")
	}
	return nil
}

// addTurn converts a turn to messages: each answer to a call is one, and so are all texts and
// calls together.
func (r *Request) addTurn(role string, content json.RawMessage) error {
	var blocks []block
	if err := json.Unmarshal(content, &blocks); err != nil || len(blocks) == 0 {
		return fmt.Errorf("no list of blocks: %s", content)
	}
	rest := Message{Role: role}
	told := false
	for _, b := range blocks {
		switch b.Type {
		case "tool_result":
			if told {
				return errors.New("tool_result blocks must come first")
			}
			r.Messages = append(r.Messages, Message{Role: "tool", CallID: b.ToolUseID, Text: textOf(b.Content)})
			continue
		case "text":
			if strings.TrimSpace(b.Text) == "" {
				return errors.New("text content blocks must contain non-whitespace text")
			}
			rest.Text += b.Text
		case "thinking":
			if b.Signature != Signature(b.Thinking) {
				return refusal("Invalid `signature` in `thinking` block")
			}
		case "tool_use":
			var input map[string]any
			if json.Unmarshal(b.Input, &input) != nil || input == nil {
				return errors.New("tool_use.input: Input should be a valid dictionary")
			}
			if !useID().MatchString(b.ID) {
				return errors.New("tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'")
			}
			rest.Calls = append(rest.Calls, Function{ID: b.ID, Name: b.Name, Args: plain.Replace(string(b.Input))})
		}
		told = true
	}
	if told {
		r.Messages = append(r.Messages, rest)
	}
	return nil
}

// messagesBody writes an answer of the messages wire. Its prompt tokens are in three buckets.
func messagesBody(req Request, r Reply) object {
	content := []object{}
	if r.Thought != "" {
		content = append(content, object{"type": "thinking", "thinking": r.Thought, "signature": Signature(r.Thought)})
	}
	if r.Text != "" {
		content = append(content, object{"type": "text", "text": r.Text})
	}
	for _, c := range r.Calls {
		input := json.RawMessage(c.Args)
		if !json.Valid(input) {
			input, _ = json.Marshal(c.Args) // encoding a string cannot fail
		}
		content = append(content, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": input})
	}
	reasons := map[string]string{"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "content_filter": "refusal"}
	reason, ok := reasons[r.Finish]
	if !ok {
		reason = r.Finish
	}
	body := object{"id": "msg_1", "type": "message", "role": "assistant", "model": req.Model, "content": content, "stop_reason": reason, "stop_sequence": nil}
	if !r.NoUsage {
		u := r.Usage
		body["usage"] = object{"input_tokens": max(0, u.Prompt-u.CacheRead-u.CacheWrite), "cache_read_input_tokens": u.CacheRead,
			"cache_creation_input_tokens": u.CacheWrite, "output_tokens": u.Output}
	}
	return body
}
