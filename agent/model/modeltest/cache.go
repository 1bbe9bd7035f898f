package modeltest

import (
	"crypto/sha256"
	"encoding/json"
	"sync"
)

// PromptCache counts the tokens of requests like a provider that caches prompts, by the rules
// that OpenAI and Anthropic document: a prefix of at least 1,024 tokens that an earlier request
// had is read from the cache. OpenAI stores every prefix, and reads in steps of 128 tokens.
// Anthropic stores the prefixes that a request marks, and looks for one at each mark and at the
// 20 blocks before it. It has one model and forgets nothing.
type PromptCache struct {
	mu     sync.Mutex
	stored map[[sha256.Size]byte]bool
}

const (
	leastCached = 1024
	cacheStep   = 128
	lookBack    = 20
)

// piece is a part of a prompt, and the prompt up to its end.
type piece struct {
	marked bool
	tokens int64 // up to the end of the piece
	sum    [sha256.Size]byte
}

// Count returns the tokens of a request's prompt, and how many of them were read from the cache
// and stored in it.
func (c *PromptCache) Count(req Request) (prompt, read, write int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stored == nil {
		c.stored = map[[sha256.Size]byte]bool{}
	}
	list := piecesOf(req)
	if len(list) == 0 {
		return 0, 0, 0
	}
	prompt = list[len(list)-1].tokens
	for i, p := range list {
		for k := i; req.Wire == "messages" && p.marked && k >= max(0, i-lookBack); k-- {
			if c.stored[list[k].sum] {
				read = max(read, list[k].tokens)
				break
			}
		}
		if req.Wire != "messages" && c.stored[p.sum] {
			read = p.tokens / cacheStep * cacheStep
		}
	}
	if read < leastCached {
		read = 0
	}
	end := int64(0)
	for _, p := range list {
		if p.tokens >= leastCached && (p.marked || req.Wire != "messages") {
			c.stored[p.sum] = true
			end = p.tokens
		}
	}
	if req.Wire == "messages" {
		write = max(0, end-read)
	}
	return prompt, read, write
}

// piecesOf returns the parts of a prompt in the order of a model: tools, system, messages. Marks
// are no part of the text.
func piecesOf(req Request) []piece {
	var body struct {
		Tools        []map[string]any `json:"tools"`
		System       []map[string]any `json:"system"`
		Instructions string           `json:"instructions"`
		Input        []map[string]any `json:"input"`
		Messages     []map[string]any `json:"messages"`
	}
	if json.Unmarshal(req.Raw, &body) != nil {
		return nil
	}
	parts := append(body.Tools, body.System...)
	parts = append(parts, map[string]any{"instructions": body.Instructions})
	parts = append(parts, body.Input...)
	for _, m := range body.Messages {
		blocks, ok := m["content"].([]any)
		if !ok || req.Wire != "messages" {
			parts = append(parts, m)
			continue
		}
		for _, b := range blocks {
			block, _ := b.(map[string]any)
			block["of"] = m["role"]
			parts = append(parts, block)
		}
	}
	var list []piece
	hash, size := sha256.New(), 0
	for _, part := range parts {
		_, marked := part["cache_control"]
		delete(part, "cache_control")
		text, _ := json.Marshal(part) // it was JSON
		hash.Write(text)
		size += len(text)
		p := piece{marked: marked, tokens: int64(size) * 10 / 36}
		hash.Sum(p.sum[:0])
		list = append(list, p)
	}
	return list
}
