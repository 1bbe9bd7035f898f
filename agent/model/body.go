package model

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// finish encodes the body of a request from the SDK's form of it, without the
// fields that the server does not accept. Fields are sorted by name, so that
// equal requests give equal bytes.
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
		// Claude caches prompts only on request. This caches all but the last
		// message.
		fields["cache_control"] = json.RawMessage(`{"type":"ephemeral"}`)
	}
	for _, name := range form.Drop {
		delete(fields, name)
	}
	return json.Marshal(fields)
}

// cacheKey returns the same key for requests that begin alike. OpenAI's servers
// send requests with equal keys to the same machine, which may still have the
// beginning in its cache. Other servers do not use such a key.
func (c *Client) cacheKey(req Request) string {
	if !isOpenAI(c.base) && !isAzure(c.base) || len(req.Messages) == 0 || req.Messages[0].Role != System {
		return ""
	}
	start, err := json.Marshal([]any{c.cfg.Model, req.Messages[0].Text, req.Tools})
	if err != nil {
		return "" // then encoding the body fails, too
	}
	sum := sha256.Sum256(start)
	return hex.EncodeToString(sum[:16])
}
