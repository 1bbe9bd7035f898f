package model

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// counts is a usage object. A count may be a number or a string; an invalid one
// counts as missing.
type counts map[string]json.RawMessage

func countsOf(raw json.RawMessage) counts {
	var c counts
	if json.Unmarshal(raw, &c) != nil {
		return nil
	}
	return c
}

// sub returns the object of that name in c.
func (c counts) sub(name string) counts { return countsOf(c[name]) }

// get returns the first of the named counts that is present.
func (c counts) get(names ...string) (n int64, ok bool) {
	for _, name := range names {
		if f, err := strconv.ParseFloat(strings.Trim(string(c[name]), `" `), 64); err == nil && f >= 0 && f < maxCount {
			return int64(f), true
		}
	}
	return 0, false
}

// some returns the first of the named counts that is present, or 0.
func (c counts) some(names ...string) int64 {
	n, _ := c.get(names...)
	return n
}

// chatUsage reads the counts of chat completions:
//
//	prompt_tokens, completion_tokens, total_tokens      all
//	prompt_tokens_details.cached_tokens                 OpenAI and most
//	prompt_tokens_details.cache_write_tokens            OpenRouter, OpenAI
//	cache_read_input_tokens, cache_creation_input_tokens LiteLLM
//	prompt_cache_hit_tokens                             DeepSeek
//	completion_tokens_details.reasoning_tokens          most
//	cost                                                OpenRouter, USD
func chatUsage(raw json.RawMessage) Usage {
	c := countsOf(raw)
	details := c.sub("prompt_tokens_details")
	read, ok := details.get("cached_tokens")
	if !ok || read == 0 {
		read = c.some("prompt_cache_hit_tokens", "cache_read_input_tokens", "cached_tokens")
	}
	write, ok := details.get("cache_write_tokens", "cache_creation_tokens")
	if !ok {
		write = c.some("cache_creation_input_tokens")
	}
	return c.usage("prompt_tokens", "completion_tokens", read, write, c.sub("completion_tokens_details").some("reasoning_tokens"))
}

// responsesUsage reads the counts of a response.
func responsesUsage(raw json.RawMessage) Usage {
	c := countsOf(raw)
	details := c.sub("input_tokens_details")
	return c.usage("input_tokens", "output_tokens", details.some("cached_tokens"), details.some("cache_write_tokens"),
		c.sub("output_tokens_details").some("reasoning_tokens"))
}

// messagesUsage reads the counts of an answer of messages, whose buckets do not overlap:
//
//	input_tokens, output_tokens                          all
//	cache_read_input_tokens, cache_creation_input_tokens all that cache prompts
//	output_tokens_details.thinking_tokens                Anthropic
//	cost                                                 OpenRouter, USD
func messagesUsage(raw json.RawMessage) Usage {
	c := countsOf(raw)
	in, hasIn := c.get("input_tokens")
	out, hasOut := c.get("output_tokens")
	u := Usage{
		Uncached:   in,
		CacheRead:  c.some("cache_read_input_tokens"),
		CacheWrite: c.some("cache_creation_input_tokens"),
		Output:     out,
		Reasoning:  min(c.sub("output_tokens_details").some("thinking_tokens"), out),
		CostUSD:    c.cost(),
	}
	u.Estimated = !hasIn || !hasOut || u.Prompt() == 0
	return u
}

// usage splits the counts into buckets that do not overlap.
func (c counts) usage(input, output string, read, write, reasoning int64) Usage {
	in, hasIn := c.get(input)
	out, hasOut := c.get(output)
	if total, ok := c.get("total_tokens"); ok && hasIn && total > in+out {
		out = total - in // Gemini and xAI do not count reasoning as output
	}
	read = min(read, in)
	write = min(write, in-read)
	u := Usage{
		Uncached:   in - read - write,
		CacheRead:  read,
		CacheWrite: write,
		Output:     out,
		Reasoning:  min(reasoning, out),
		Estimated:  !hasIn || !hasOut || in == 0,
		CostUSD:    c.cost(),
	}
	return u
}

// cost returns the cost that the server names, or nil.
func (c counts) cost() *float64 {
	if cost, err := strconv.ParseFloat(strings.Trim(string(c["cost"]), `" `), 64); err == nil && cost >= 0 && cost < maxCost {
		return &cost
	}
	return nil
}

// These values exceed every real request: a server that reports more means
// something else.
const (
	maxCost  = 1e6  // US dollars
	maxCount = 1e12 // tokens
)

// MostUSD is the largest amount of money in US dollars, so that sums stay valid
// in JSON.
const MostUSD = 1e15

// AddUSD adds two amounts. NaN and negative amounts count as zero. The sum is
// at most MostUSD.
func AddUSD(x, y float64) float64 { return min(amount(x)+amount(y), MostUSD) }

func amount(usd float64) float64 {
	if usd > 0 { // false for NaN
		return usd
	}
	return 0
}

// addCount does the same for tokens.
func addCount(x, y int64) int64 {
	const most = math.MaxInt64 / 4
	return min(max(x, 0), most) + min(max(y, 0), most)
}

// Add adds two usages. The cost is known if both costs are. Counts that would
// overflow stay at a maximum.
func (u Usage) Add(v Usage) Usage {
	sum := Usage{
		Uncached: addCount(u.Uncached, v.Uncached), CacheRead: addCount(u.CacheRead, v.CacheRead), CacheWrite: addCount(u.CacheWrite, v.CacheWrite),
		Output: addCount(u.Output, v.Output), Reasoning: addCount(u.Reasoning, v.Reasoning), Estimated: u.Estimated || v.Estimated,
	}
	switch {
	case u == Usage{}:
		sum.CostUSD = v.CostUSD
	case v == Usage{}:
		sum.CostUSD = u.CostUSD
	case u.CostUSD != nil && v.CostUSD != nil:
		cost := AddUSD(*u.CostUSD, *v.CostUSD)
		sum.CostUSD = &cost
	}
	return sum
}

// Estimate estimates the tokens of a request, including the server's own fields
// that are sent back. Equal requests have equal estimates. Tokenizers of current
// models use one token for about 3.6 ASCII characters of code and English, and
// one for each other character; each message and each tool adds a few.
func Estimate(req Request) int64 { return estimate(req, all) }

// Least estimates the lowest plausible token count of a server for a request:
// three quarters of Estimate for the texts, since some tokenizers compress blanks
// well, and one eighth for the server's own fields, since many servers drop some
// of them, such as the thoughts of earlier answers.
func Least(req Request) int64 {
	texts := estimate(req, none)
	return texts*3/4 + (estimate(req, all)-texts)/8
}

// textEstimate is Estimate without the server's own fields.
func textEstimate(req Request) int64 { return estimate(req, none) }

// A share is the part of the server's own fields that counts.
type share int

const (
	none share = iota
	all
)

func estimate(req Request, own share) int64 {
	n := int64(8)
	for _, m := range req.Messages {
		n += estimateMessage(m, own)
	}
	for _, t := range req.Tools {
		n += estimateText(t.Name) + estimateText(t.Description) + estimateText(string(t.Parameters)) + 8
	}
	return n
}

func estimateMessage(m Message, own share) int64 {
	n := 4 + estimateText(m.Text)
	for _, call := range m.Calls {
		n += 8 + estimateText(call.Name) + estimateText(call.Args)
	}
	switch {
	case own == none:
		return n
	case len(m.Raw) == 0:
		return n + idTokens(m)
	}
	return max(n, estimateText(string(m.Raw)))
}

// idTokens returns the tokens of ids of calls beyond the usual length.
func idTokens(m Message) (n int64) {
	const usual = 12
	ids := []string{m.CallID}
	for _, call := range m.Calls {
		ids = append(ids, call.ID)
	}
	for _, id := range ids {
		n += max(0, estimateText(id)-usual)
	}
	return n
}

func estimateText(s string) int64 {
	ascii, wide := 0, 0
	for _, r := range s {
		if r < utf8.RuneSelf {
			ascii++
		} else {
			wide++
		}
	}
	return int64(ascii)*10/36 + int64(wide)
}
