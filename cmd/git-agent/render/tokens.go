package render

import "git-agent/agent/model"

// TokensJSON is what a model consumed, in tokens, in buckets that do not
// overlap but that reasoning is a part of output.
type TokensJSON struct {
	Uncached   int64    `json:"uncached"`
	CacheRead  int64    `json:"cache_read"`
	CacheWrite int64    `json:"cache_write"`
	Output     int64    `json:"output"`
	Reasoning  int64    `json:"reasoning"`
	Estimated  bool     `json:"estimated"`
	CostUSD    *float64 `json:"cost_usd"` // null when not known
}

func TokensOf(u model.Usage) TokensJSON {
	return TokensJSON{u.Uncached, u.CacheRead, u.CacheWrite, u.Output, u.Reasoning, u.Estimated, u.CostUSD}
}
