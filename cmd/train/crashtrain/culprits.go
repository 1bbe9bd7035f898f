package crashtrain

import (
	"context"
	"errors"
	"fmt"
	"time"

	"git-agent/agent/crash/culprit"
	"git-agent/agent/crash/rank"
	"git-agent/cmd/train/material"
	"git-agent/gitext"
)

// A culpritRow is a case with the features of its candidate commits.
type culpritRow struct {
	crashCase
	culprit.Example
	Seconds float64 `json:"seconds"`
}

func readCulprits(files []string) ([]culpritRow, error) {
	return material.ReadTraining("crash", files, culpritRow.repository)
}

// culprits runs a step of the training of the model of commits.
func culprits(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("usage: train crash culprits (extract | fit | cross) <arguments>")
	}
	switch args[0] {
	case "extract":
		known := func(c crashCase) bool { return len(c.IntroCommits) > 0 }
		return eachCase(ctx, args[1:], known, examineCulprits)
	case "cross":
		return crossCulprits(args[1:])
	case "fit":
		return fitCulprits(args[1:])
	}
	return fmt.Errorf("unknown step %q; the steps are extract, fit and cross", args[0])
}

// examineCulprits returns the row of a case. It reads nothing newer than the
// crash commit.
func examineCulprits(ctx context.Context, repo *gitext.Repo, c crashCase) (any, error) {
	report, err := c.located(ctx, repo)
	r := culpritRow{crashCase: c}
	if report == nil || err != nil {
		return r, err
	}
	ranking, err := rank.Rank(ctx, repo, c.CrashCommit, report, rank.Ours)
	if err != nil {
		return r, err
	}
	begin := time.Now()
	r.Example, err = culprit.Examine(ctx, repo, c.CrashCommit, report, ranking.Files)
	r.Seconds = time.Since(begin).Seconds()
	return r, err
}
