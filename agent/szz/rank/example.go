package rank

import (
	"context"
	"math"

	"git-agent/agent/szz"
	"git-agent/agent/szz/candidate"
	"git-agent/gitext"
)

// An Example is one fix with the features of its candidates and the true answer.
// The model is trained and tested on examples.
type Example struct {
	ID    string `json:"id"`
	Repo  string `json:"repo"`
	Style string `json:"style"` // how the fix's message named the truth: "trailer" or "prose"
	Ghost bool   `json:"ghost"`
	Cross bool   `json:"cross"`
	// Truth counts the true commits, those that are no candidate included.
	Truth int `json:"truth"`
	// Weight says how many cases this one stands for, on average 1, where cases of one
	// kind were sampled more often than others. 0 is 1.
	Weight     float64      `json:"weight,omitempty"`
	Candidates []gitext.OID `json:"candidates"`
	Hit        []bool       `json:"hit"`
	X          [][]float64  `json:"x"` // one row a candidate, in the order of FeatureNames
}

// FeatureNames lists the columns of an Example's X.
func FeatureNames() []string {
	names := make([]string, len(features))
	for i, f := range features {
		names[i] = f.name
	}
	return names
}

// Study computes the features of all candidates of a fix. The caller, who knows
// the true answer, fills in the other fields.
func Study(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext) (*Example, error) {
	k, err := study(ctx, repo, fc)
	if err != nil {
		return nil, err
	}
	return k.example(k.vector), nil
}

// StudyIndexed returns what Study does, and the same with the candidates and features that
// an index of changed lines gives. Its rows have the columns of IndexedNames.
func StudyIndexed(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext) (plain, indexed *Example, err error) {
	k, err := study(ctx, repo, fc)
	if err != nil {
		return nil, nil, err
	}
	plain = k.example(k.vector)
	if k, err = k.withIndex(ctx, repo); err != nil {
		return nil, nil, err
	}
	return plain, k.example(k.indexedVector), nil
}

// example computes the features of all candidates.
func (k *Case) example(vector func(*candidate.Candidate) []float64) *Example {
	ex := &Example{}
	for _, c := range k.list {
		x := vector(c)
		for i := range x {
			x[i] = math.Round(x[i]*1e4) / 1e4
		}
		ex.Candidates = append(ex.Candidates, c.OID)
		ex.X = append(ex.X, x)
	}
	return ex
}
