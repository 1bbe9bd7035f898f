package render

import "git-agent/agent/model"

// TokensJSON is the JSON form of a model's usage, in tokens. The counts do not
// overlap, except that reasoning is part of output.
type TokensJSON struct {
	Uncached   int64    `json:"uncached"`
	CacheRead  int64    `json:"cache_read"`
	CacheWrite int64    `json:"cache_write"`
	Output     int64    `json:"output"`
	Reasoning  int64    `json:"reasoning"`
	Estimated  bool     `json:"estimated"`
	CostUSD    *float64 `json:"cost_usd"` // null if unknown
}

// TokensOf returns the JSON form of a model's usage.
func TokensOf(u model.Usage) TokensJSON {
	return TokensJSON{u.Uncached, u.CacheRead, u.CacheWrite, u.Output, u.Reasoning, u.Estimated, u.CostUSD}
}
