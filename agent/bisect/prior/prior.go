// Package prior tells how likely each commit of a range is to be the one that broke a command,
// before the command was run at any commit but the failing one.
//
// Weights reads the commits' messages and the names of their files, the patches of the most
// suspicious ones, and the functions of the failing commit that the test leads to. A conditional
// logit of the commits' features, fitted by cmd/train/bisecttrain, gives the weights. They are
// mixed with a uniform share, because a wrong weight near zero costs a bisection many runs.
//
// The package runs no code of the repository. What a partial clone lacks is left out of the
// features, and everything in Evidence but the command may be missing.
package prior

import (
	"context"

	"git-agent/gitext"
)

// Evidence is what is known of a failing command before it was run at another commit.
type Evidence struct {
	Command string
	Output  []byte          // output of the failing run; nil if it is not known
	Opened  map[string]bool // files of the work tree that the failing run opened; nil if not known
	// Executed has the lines that failing tests execute, with their suspiciousness from 0 to 1 (coverage.Ochiai),
	// by path and number; nil if they are not known.
	Executed map[string]map[int]float64
	Laid     map[string][]byte // test files laid over every commit (path -> text), such as the test of a fix; may be nil
}

// Weights returns a weight for each of the commits. They are bad or ancestors of bad, newest first,
// and children come before their parents. The weights sum to 1, and none is 0.
func Weights(ctx context.Context, repo *gitext.Repo, bad gitext.OID, commits []gitext.OID, ev Evidence) ([]float64, error) {
	if len(commits) == 0 {
		return nil, nil
	}
	x, err := Examine(ctx, repo, bad, commits, ev)
	if err != nil {
		return nil, err
	}
	model := committed().Weights
	if ev.Executed != nil {
		model = committed().Executed
	}
	return Mix(model.Shares(FeatureNames(), x.Vectors), x.Merges), nil
}

// These are the shares of the commits that the model does not decide.
const (
	// uniform is the share that all commits have alike.
	uniform = 0.05
	// mergeShare is the weight of a merge as a share of the mean weight. The model was fitted to
	// culprits with one parent: a merge breaks a test only if both sides need each other.
	mergeShare = 0.1
)

// Mix turns the shares of a model into weights. The model gives no shares to merges.
func Mix(shares []float64, merges []bool) []float64 {
	n := float64(len(shares))
	out := make([]float64, len(shares))
	sum := 0.0
	for i, p := range shares {
		if merges[i] {
			p = 0
		}
		out[i] = p
		sum += p
	}
	total := 0.0
	for i := range out {
		if sum > 0 {
			out[i] *= (1 - uniform) / sum
		}
		floor := uniform / n
		if merges[i] {
			floor = mergeShare / n
		}
		out[i] += floor
		total += out[i]
	}
	for i := range out {
		out[i] /= total
	}
	return out
}

// An Example has the features of the commits of a range, for the training.
type Example struct {
	Vectors [][]float64 `json:"vectors"` // of each commit, in the order of FeatureNames
	Merges  []bool      `json:"merges"`
}
