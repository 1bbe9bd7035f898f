package model

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// sharedFields returns the fields of a request's body that the APIs call alike.
func (c *Client) sharedFields(form requestForm, req Request) map[string]any {
	body := map[string]any{"model": c.cfg.Model}
	if req.Choice != ChoiceAuto && len(req.Tools) > 0 {
		body["tool_choice"] = req.Choice
	}
	if c.cfg.Temperature != nil {
		body["temperature"] = *c.cfg.Temperature
	}
	if c.cfg.TopP != nil {
		body["top_p"] = *c.cfg.TopP
	}
	if key := c.cacheKey(form, req); key != "" {
		body["prompt_cache_key"] = key
	}
	return body
}

// finish encodes the body of a request without the fields that the server does not
// accept. Fields are sorted by name, so that equal requests give equal bytes.
func (c *Client) finish(form requestForm, fields map[string]any) ([]byte, error) {
	if form.Wire != WireMessages && c.base.Hostname() == "openrouter.ai" && strings.Contains(c.cfg.Model, "anthropic/") {
		// Claude caches prompts only on request. This caches all but the last
		// message.
		fields["cache_control"] = json.RawMessage(`{"type":"ephemeral"}`)
	}
	for _, name := range form.Drop {
		delete(fields, name)
	}
	data, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	return data, nil
}

// cacheKey returns the same key for requests with the same beginning. OpenAI
// routes requests with equal keys to the same machine, whose cache may still have
// the beginning. Other servers ignore such a key.
func (c *Client) cacheKey(form requestForm, req Request) string {
	if form.Wire == WireMessages || !isOpenAI(c.base) && !isAzure(c.base) || len(req.Messages) == 0 || req.Messages[0].Role != System {
		return ""
	}
	start, err := json.Marshal([]any{c.cfg.Model, req.Messages[0].Text, req.Tools})
	if err != nil {
		return "" // then encoding the body fails, too
	}
	sum := sha256.Sum256(start)
	return hex.EncodeToString(sum[:16])
}
