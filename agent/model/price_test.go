package model

import (
	"strconv"
	"strings"
	"testing"
)

// The table has six columns and sensible numbers.
func TestPriceTable(t *testing.T) {
	if len(prices()) < 300 {
		t.Errorf("the table has %d rows", len(prices()))
	}
	for line := range strings.Lines(priceText + morePrices) {
		f := strings.Fields(line)
		if f[0] == "#" || len(f) == 1 {
			continue
		}
		if len(f) != 6 {
			t.Fatalf("%q has %d columns", line, len(f))
		}
		for _, n := range f[1:] {
			if _, err := strconv.ParseFloat(n, 64); err != nil && n != "-" {
				t.Errorf("%q: %v", line, err)
			}
		}
	}
}

func TestPrice(t *testing.T) {
	for _, c := range []struct {
		url, model string
		input      float64
		source     string // a part of it; "" for unknown
	}{
		{"", "gpt-5-mini", 0.25, "openai"},
		{"", "gpt-5-mini-2025-08-07", 0.25, "openai"},
		{"https://us.api.openai.com/v1", "GPT-5-mini", 0.25, "openai"},
		{"", "gpt-99", 0, ""},
		{"https://openrouter.ai/api/v1", "openai/gpt-5-mini", 0.25, "openrouter"},
		{"https://openrouter.ai/api/v1", "gpt-5-mini", 0, ""},
		{"https://proxy.example.org/v1", "gpt-5-mini", 0.25, "openai's own"},
		{"https://proxy.example.org/v1", "anthropic/claude-sonnet-4-5", 3, "anthropic's own"},
		{"https://proxy.example.org/v1", "house-model", 0, ""},
		{"https://api.anthropic.com/v1", "claude-sonnet-4-5-20250929", 3, "models.dev, anthropic"},
		{"https://api.anthropic.com", "claude-opus-5-5", 4, "price list of 2026-11-26, anthropic"},
		{"https://bedrock-mantle.eu-west-1.api.aws/anthropic/v1", "anthropic.claude-opus-5-5", 0, ""},
		{"http://localhost:11434/v1", "gpt-5-mini", 0, "a local server"},
		{"http://192.168.1.9:8000/v1", "anything", 0, "a local server"},
		{"http://[::1]:8000/v1", "anything", 0, "a local server"},
	} {
		client, err := New(Config{BaseURL: c.url, Model: c.model})
		if err != nil {
			t.Fatal(err)
		}
		p, ok := client.Price()
		if ok != (c.source != "") || p.Input != c.input || !strings.Contains(p.Source, c.source) {
			t.Errorf("%s at %q: got %+v, %v", c.model, c.url, p, ok)
		}
	}
}

// A configured price overrides the table, and the server's cost overrides both.
func TestCost(t *testing.T) {
	client, err := New(Config{Model: "gpt-5-mini", Price: &Price{Input: 1, Output: 10, CacheRead: 0.1, CacheWrite: 2}})
	if err != nil {
		t.Fatal(err)
	}
	u := Usage{Uncached: 1e6, CacheRead: 1e6, CacheWrite: 1e6, Output: 1e6, Reasoning: 5e5}
	client.priceUsage(&u)
	if u.CostUSD == nil || *u.CostUSD < 13.0999 || *u.CostUSD > 13.1001 {
		t.Errorf("the cost is %v", u.CostUSD)
	}
	said := 0.5
	u.CostUSD = &said
	if client.priceUsage(&u); *u.CostUSD != 0.5 {
		t.Errorf("the server's cost became %v", *u.CostUSD)
	}
}
