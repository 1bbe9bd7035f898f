package rank

import (
	"context"
	"math"

	"git-agent/agent/szz"
	"git-agent/agent/szz/candidate"
	"git-agent/gitext"
)

// An Example is one fix with the features of its candidates and the true answer. Examples
// train and test the model.
type Example struct {
	ID    string `json:"id"`
	Repo  string `json:"repo"`
	Style string `json:"style"` // the form of the truth in the fix's message: "trailer" or "prose"
	Ghost bool   `json:"ghost"`
	Cross bool   `json:"cross"`
	// Truth counts the true commits, including those outside the candidates.
	Truth int `json:"truth"`
	// Weight is the number of cases that this one stands for, on average 1, if cases of
	// one kind were sampled more often than others. 0 is 1.
	Weight     float64      `json:"weight,omitempty"`
	Candidates []gitext.OID `json:"candidates"`
	Hit        []bool       `json:"hit"`
	X          [][]float64  `json:"x"` // one row a candidate, in the order of FeatureNames
}

// FeatureNames lists the columns of X in an Example.
func FeatureNames() []string {
	names := make([]string, len(features))
	for i, f := range features {
		names[i] = f.name
	}
	return names
}

// Study computes the features of all candidates of a fix. The caller knows the true
// answer and fills in the other fields.
func Study(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext) (*Example, error) {
	k, err := study(ctx, repo, fc)
	if err != nil {
		return nil, err
	}
	return k.example(k.vector), nil
}

// StudyIndexed returns the result of Study, and a second example with the additional
// candidates and features of an index of changed lines. Its rows have the columns of
// IndexedNames.
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
