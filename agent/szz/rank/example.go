package rank

import (
	"context"
	"math"

	"git-agent/agent/szz"
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
	Truth      int          `json:"truth"`
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
	ex := &Example{}
	for _, c := range k.list {
		x := k.vector(c)
		for i := range x {
			x[i] = math.Round(x[i]*1e4) / 1e4
		}
		ex.Candidates = append(ex.Candidates, c.OID)
		ex.X = append(ex.X, x)
	}
	return ex, nil
}
