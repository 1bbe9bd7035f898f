package model

import (
	"cmp"
	_ "embed"
	"net/url"
	"strconv"
	"strings"
	"sync"
)

// Price is the price of a model, in USD for a million tokens.
type Price struct {
	Input, Output         float64
	CacheRead, CacheWrite float64 // equal to Input if the provider has no such price
	Window                int64   // tokens of its context, 0 if unknown
	Source                string  // a description of the price's origin
}

// Cost returns the price of a usage in USD.
func (p Price) Cost(u Usage) float64 {
	return (p.Input*float64(u.Uncached) + p.CacheRead*float64(u.CacheRead) + p.CacheWrite*float64(u.CacheWrite) + p.Output*float64(u.Output)) / 1e6
}

// Price returns the price of the model: the configured one, zero for a server
// on this machine or a private network, else the one in the table of
// models.dev. It returns false if the price is unknown.
func (c *Client) Price() (Price, bool) {
	if c.cfg.Price != nil {
		p := *c.cfg.Price
		p.Source = "configured"
		return p, true
	}
	if IsLocal(c.base) {
		return Price{Source: "a local server"}, true
	}
	return lookUp(c.base, c.cfg.Model)
}

// window returns the size of the model's context in tokens, 0 if unknown.
func (c *Client) window() int64 {
	if IsLocal(c.base) {
		return 0 // the server's configuration decides
	}
	p, _ := lookUp(c.base, c.cfg.Model)
	return p.Window
}

// priceUsage sets the cost if the server did not.
func (c *Client) priceUsage(u *Usage) {
	if u.CostUSD != nil {
		return
	}
	if p, ok := c.Price(); ok {
		cost := p.Cost(*u)
		u.CostUSD = &cost
	}
}

//go:embed prices.txt
var priceText string

//go:embed prices_more.txt
var morePrices string

// prices has the table by provider and model. See prices.txt.
var prices = sync.OnceValue(func() map[string]Price {
	table := map[string]Price{}
	readPrices(table, priceText, "models.dev, ")
	readPrices(table, morePrices, "its price list of 2026-11-26, ")
	return table
})

// readPrices adds the rows of a text to the table. from and the provider are their source.
func readPrices(table map[string]Price, text, from string) {
	provider := ""
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		switch {
		case len(f) == 0 || strings.HasPrefix(f[0], "#"):
		case len(f) == 1:
			provider = f[0]
		default:
			p := Price{
				Input:      number(f, 1),
				Output:     number(f, 2),
				CacheRead:  number(f, 3),
				CacheWrite: number(f, 4),
				Window:     int64(number(f, 5)),
				Source:     from + provider,
			}
			if f[3] == "-" {
				p.CacheRead = p.Input
			}
			if f[4] == "-" {
				p.CacheWrite = p.Input
			}
			table[provider+" "+f[0]] = p
		}
	}
}

// number returns the value of the i-th field. A test reads the whole table, so
// errors are ignored.
func number(f []string, i int) float64 {
	n, _ := strconv.ParseFloat(f[i], 64)
	return n
}

// hosts maps hosts to providers of the table.
var hosts = []struct{ suffix, provider string }{
	{"api.openai.com", "openai"}, {"openai.azure.com", "azure"}, {"services.ai.azure.com", "azure"},
	{"openrouter.ai", "openrouter"}, {"api.anthropic.com", "anthropic"}, {"generativelanguage.googleapis.com", "google"},
	{"api.deepseek.com", "deepseek"}, {"api.mistral.ai", "mistral"}, {"api.groq.com", "groq"}, {"api.x.ai", "xai"},
	{"api.together.xyz", "togetherai"}, {"api.together.ai", "togetherai"}, {"api.fireworks.ai", "fireworks-ai"},
	{"api.cerebras.ai", "cerebras"}, {"api.deepinfra.com", "deepinfra"}, {"api.moonshot.ai", "moonshotai"},
	{"api.z.ai", "zai"}, {"dashscope-intl.aliyuncs.com", "alibaba"}, {"api.minimax.io", "minimax"},
}

// makers lists the providers that make their own models. If an unknown server
// (usually the user's proxy) offers such a model, the maker's price applies.
var makers = []string{"openai", "anthropic", "google", "deepseek", "mistral", "xai", "moonshotai", "zai", "alibaba", "minimax"}

// lookUp returns a model's price at a server.
func lookUp(base *url.URL, model string) (Price, bool) {
	for _, h := range hosts {
		if host := base.Hostname(); host == h.suffix || strings.HasSuffix(host, "."+h.suffix) {
			for _, name := range namesOf(model) {
				if p, ok := prices()[h.provider+" "+name]; ok {
					return p, true
				}
			}
			return Price{}, false // a known provider without this model: do not guess
		}
	}
	for _, name := range namesOf(model) {
		_, bare, _ := strings.Cut(name, "/")
		for _, maker := range makers {
			if p, ok := prices()[maker+" "+cmp.Or(bare, name)]; ok {
				p.Source += "'s own price"
				return p, true
			}
		}
	}
	return Price{}, false
}

// namesOf returns the possible names of a model in the table: its own, and
// shorter ones without a date ("-2025-08-07", "-20250807") or "-latest".
func namesOf(model string) []string {
	model = strings.ToLower(strings.TrimPrefix(model, "models/")) // Gemini's prefix
	names := []string{model}
	if short := strings.TrimSuffix(model, "-latest"); short != model {
		names = append(names, short)
	}
	if cut := len(model) - len("-2025-08-07"); cut > 0 && isDate(strings.ReplaceAll(model[cut:], "-", "")) {
		names = append(names, model[:cut])
	}
	if cut := len(model) - len("-20250807"); cut > 0 && model[cut] == '-' && isDate(model[cut+1:]) {
		names = append(names, model[:cut])
	}
	return names
}

func isDate(digits string) bool {
	n, err := strconv.Atoi(digits)
	return err == nil && len(digits) == 8 && n > 20200000 && n < 21000000
}
