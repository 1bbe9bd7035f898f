// Package offline is the offline engine of szz. It answers with an annotation,
// the ranking or a classic variant, and needs neither a model nor a network.
package offline

import (
	"cmp"
	"context"
	"fmt"

	"git-agent/agent/szz"
	"git-agent/agent/szz/classic"
	"git-agent/agent/szz/fixlike"
	"git-agent/agent/szz/rank"
	"git-agent/gitext"
)

// Trace finds the commits that introduced the bug which fc fixes. algorithm is one of
// szz.Algorithms, or "" for the first of them. Trace returns at most max suspects, or all
// suspects of the algorithm if max is 0.
func Trace(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext, algorithm string, max int) (*szz.Answer, error) {
	algorithm = cmp.Or(algorithm, szz.Algorithms[0])
	v, err := szz.Settle(ctx, repo, fc, algorithm)
	if v == nil && err == nil {
		v, err = trace(ctx, repo, fc, algorithm, max)
	}
	if err != nil {
		return nil, err
	}
	fixlike.Temper(fc, v)
	return v.Offline(fc, max), nil
}

func trace(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext, algorithm string, max int) (*szz.Answer, error) {
	switch algorithm {
	case "rank":
		return rank.Trace(ctx, repo, fc, max)
	case "b", "ag", "ma", "l", "r", "ra":
		return classic.Trace(ctx, repo, fc, algorithm)
	}
	return nil, fmt.Errorf("unknown algorithm %q", algorithm)
}
