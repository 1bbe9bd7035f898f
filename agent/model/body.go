package model

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// finish makes the bytes of a body: the SDK's form of it, the user's fields on
// top, without what the server does not take. Fields are sorted by name, so
// that equal requests give equal bytes.
func (c *Client) finish(form requestForm, body any) ([]byte, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	if c.base.Hostname() == "openrouter.ai" && strings.Contains(c.cfg.Model, "anthropic/") {
		// Claude remembers nothing unasked; with this all but the last message.
		fields["cache_control"] = json.RawMessage(`{"type":"ephemeral"}`)
	}
	for _, name := range form.Drop {
		delete(fields, name)
	}
	return json.Marshal(fields)
}

// cacheKey sends requests that begin alike to the same place, where the
// provider may still know the beginning. Only OpenAI's servers ask for it.
func (c *Client) cacheKey(req Request) string {
	if !isOpenAI(c.base) && !isAzure(c.base) || len(req.Messages) == 0 || req.Messages[0].Role != System {
		return ""
	}
	start, err := json.Marshal([]any{c.cfg.Model, req.Messages[0].Text, req.Tools})
	if err != nil {
		return "" // the body will not encode either
	}
	sum := sha256.Sum256(start)
	return hex.EncodeToString(sum[:16])
}
