// Package offline is the offline engine of szz: it answers with an annotation,
// the ranking or a classic variant, and asks no language model.
package offline

import (
	"context"
	"fmt"

	"git-agent/agent/szz"
	"git-agent/agent/szz/classic"
	"git-agent/agent/szz/rank"
	"git-agent/gitext"
)

// Trace finds the commits that introduced the bug which fc fixes, without a
// model. Options.Algorithm chooses the ranking or a classic variant.
func Trace(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext, opt szz.Options) (*szz.Verdict, error) {
	if opt.Algorithm == "" {
		opt.Algorithm = szz.Algorithms[0]
	}
	v, err := szz.Settle(ctx, repo, fc, opt.Algorithm)
	if v == nil && err == nil {
		v, err = trace(ctx, repo, fc, opt)
	}
	if err != nil {
		return nil, err
	}
	return v.Offline(fc, opt.Max), nil
}

func trace(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext, opt szz.Options) (*szz.Verdict, error) {
	switch opt.Algorithm {
	case "rank":
		return rank.Trace(ctx, repo, fc, opt)
	case "b", "ag", "ma", "l", "r", "ra":
		return classic.Trace(ctx, repo, fc, opt.Algorithm)
	}
	return nil, fmt.Errorf("unknown algorithm %q", opt.Algorithm)
}
