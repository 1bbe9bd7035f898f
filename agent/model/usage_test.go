package model

import (
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"git-agent/agent/model/modeltest"
)

// Each provider's counts are split into buckets that do not overlap.
func TestUsage(t *testing.T) {
	usd := 0.0042
	for _, c := range []struct {
		name, usage string
		read        func(json.RawMessage) Usage
		want        Usage
	}{
		{"OpenAI", `{"prompt_tokens":1000,"completion_tokens":200,"total_tokens":1200,"prompt_tokens_details":{"cached_tokens":768},"completion_tokens_details":{"reasoning_tokens":128}}`, chatUsage,
			Usage{Uncached: 232, CacheRead: 768, Output: 200, Reasoning: 128}},
		{"OpenRouter", `{"prompt_tokens":1000,"completion_tokens":200,"prompt_tokens_details":{"cached_tokens":500,"cache_write_tokens":300},"cost":0.0042,"cost_details":{"x":1}}`, chatUsage,
			Usage{Uncached: 200, CacheRead: 500, CacheWrite: 300, Output: 200, CostUSD: &usd}},
		{"LiteLLM", `{"prompt_tokens":1000,"completion_tokens":200,"prompt_tokens_details":{"cached_tokens":500},"cache_creation_input_tokens":300,"cache_read_input_tokens":500}`, chatUsage,
			Usage{Uncached: 200, CacheRead: 500, CacheWrite: 300, Output: 200}},
		{"DeepSeek", `{"prompt_tokens":1000,"completion_tokens":200,"prompt_cache_hit_tokens":900,"prompt_cache_miss_tokens":100}`, chatUsage,
			Usage{Uncached: 100, CacheRead: 900, Output: 200}},
		{"Gemini", `{"prompt_tokens":1000,"completion_tokens":50,"total_tokens":1250}`, chatUsage, Usage{Uncached: 1000, Output: 250}},
		{"xAI", `{"prompt_tokens":1000,"completion_tokens":50,"total_tokens":1250,"completion_tokens_details":{"reasoning_tokens":200}}`, chatUsage, Usage{Uncached: 1000, Output: 250, Reasoning: 200}},
		{"Moonshot", `{"prompt_tokens":1000,"completion_tokens":50,"cached_tokens":400}`, chatUsage, Usage{Uncached: 600, CacheRead: 400, Output: 50}},
		{"responses", `{"input_tokens":1000,"input_tokens_details":{"cached_tokens":768},"output_tokens":200,"output_tokens_details":{"reasoning_tokens":128},"total_tokens":1200}`, responsesUsage,
			Usage{Uncached: 232, CacheRead: 768, Output: 200, Reasoning: 128}},
		{"Anthropic", `{"input_tokens":21,"cache_creation_input_tokens":300,"cache_read_input_tokens":1880,"cache_creation":{"ephemeral_5m_input_tokens":300},"output_tokens":393,"output_tokens_details":{"thinking_tokens":128},"service_tier":"standard"}`, messagesUsage,
			Usage{Uncached: 21, CacheRead: 1880, CacheWrite: 300, Output: 393, Reasoning: 128}},
		{"all cached", `{"input_tokens":0,"cache_creation_input_tokens":null,"cache_read_input_tokens":1880,"output_tokens":3}`, messagesUsage, Usage{CacheRead: 1880, Output: 3}},
		{"OpenRouter's messages", `{"input_tokens":10,"output_tokens":2,"cost":0.0042}`, messagesUsage, Usage{Uncached: 10, Output: 2, CostUSD: &usd}},
		{"no messages", `null`, messagesUsage, Usage{Estimated: true}},
		{"texts", `{"prompt_tokens":"10","completion_tokens":2.0,"cost":"0.0042"}`, chatUsage, Usage{Uncached: 10, Output: 2, CostUSD: &usd}},
		{"nothing", `null`, chatUsage, Usage{Estimated: true}},
		{"nonsense", `{"prompt_tokens":-1,"completion_tokens":"many","cost":-3}`, chatUsage, Usage{Estimated: true}},
		{"too much cached", `{"prompt_tokens":10,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":50,"cache_write_tokens":9},"completion_tokens_details":{"reasoning_tokens":7}}`, chatUsage,
			Usage{CacheRead: 10, Output: 1, Reasoning: 1}},
	} {
		if got := c.read(json.RawMessage(c.usage)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestUsageAdds(t *testing.T) {
	one, two := 1.0, 2.0
	sum := Usage{Uncached: 1, Output: 2, CostUSD: &one}.Add(Usage{Uncached: 3, CacheRead: 4, CostUSD: &two})
	if sum.Prompt() != 8 || sum.Output != 2 || *sum.CostUSD != 3 {
		t.Errorf("got %+v", sum)
	}
	if sum := (Usage{}).Add(Usage{Uncached: 3, CostUSD: &two}); sum.CostUSD == nil || *sum.CostUSD != 2 {
		t.Errorf("from nothing: got %+v", sum)
	}
	if sum := sum.Add(Usage{Uncached: 1}); sum.CostUSD != nil {
		t.Errorf("an unknown cost counts as %v", *sum.CostUSD)
	}
}

// If the server sends no counts, they are estimated and marked as estimates.
func TestEstimated(t *testing.T) {
	wires(t, func(t *testing.T, set func(*Config)) {
		r := modeltest.Say("It is 1234.")
		r.NoUsage = true
		srv := modeltest.Script(t, r)
		c, _ := newClient(t, srv.URL, set)
		req := question(strings.Repeat("who wrote this? ", 100))
		reply, err := c.Ask(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if u := reply.Usage; !u.Estimated || u.Prompt() != Estimate(req) || u.Prompt() < 400 || u.Output == 0 {
			t.Errorf("got %+v", u)
		}
	})
}

// sendTo sends every request to the server at this URL.
type sendTo string

func (s sendTo) RoundTrip(req *http.Request) (*http.Response, error) {
	to, err := url.Parse(string(s))
	if err != nil {
		return nil, err
	}
	req.URL.Scheme, req.URL.Host = to.Scheme, to.Host
	return http.DefaultTransport.RoundTrip(req)
}

// A conversation that the server cut silently is an error.
func TestSilentTruncation(t *testing.T) {
	wires(t, func(t *testing.T, set func(*Config)) {
		long := question(strings.Repeat("int main(void) { return 0; }\n", 2000)) // about 16,000 tokens
		for _, c := range []struct {
			name   string
			prompt int64
			zai    bool  // asked as api.z.ai, whose glm-4.5v has a window of 64,000 tokens
			want   Class // "" for none
			says   string
		}{
			{"all read", 15000, false, "", ""},
			{"Ollama's default", 4096, false, ClassModel, "OLLAMA_CONTEXT_LENGTH"},
			{"a window that is too small", 65000, true, ClassOverflow, "window"},
			{"nearly all", 12000, false, "", ""},
		} {
			srv := modeltest.Script(t, modeltest.Say("ok").Counting(c.prompt, 5))
			client, _ := newClient(t, srv.URL, func(cfg *Config) {
				set(cfg)
				if c.zai {
					cfg.Model, cfg.BaseURL = "glm-4.5v", "https://api.z.ai/v1"
					cfg.HTTP = &http.Client{Transport: sendTo(srv.URL)}
				}
			})
			_, err := client.Ask(t.Context(), long)
			e, _ := err.(*Error)
			if c.want == "" && err != nil || c.want != "" && (e == nil || e.Class != c.want || !strings.Contains(e.Message, c.says)) {
				t.Errorf("%s: got %v", c.name, err)
			}
		}
		srv := modeltest.Script(t, modeltest.Say("ok").Counting(10, 5))
		client, _ := newClient(t, srv.URL, set)
		if _, err := client.Ask(t.Context(), question("short")); err != nil {
			t.Errorf("a short question: %v", err)
		}
	})
}
