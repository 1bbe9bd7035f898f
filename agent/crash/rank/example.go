package rank

import (
	"context"

	"git-agent/agent/crash"
	"git-agent/gitext"
)

// An Example is training data for the model: the features of the files of a report.
type Example struct {
	Paths   []string    `json:"paths"`
	Vectors [][]float64 `json:"vectors"` // of each file, in the order of FeatureNames
	Managed bool        `json:"managed"`
	InOrder []string    `json:"in_order"` // the files in the order of the stacks, as Baseline1 has them
}

// FeatureNames returns the names of the features, in the order of the vectors.
func FeatureNames() []string { return featureNames }

// Examine returns the features of the files of a report. The frames must be mapped to the files
// of the commit.
func Examine(ctx context.Context, repo *gitext.Repo, commit gitext.OID, report *crash.Report) (Example, error) {
	g, err := gather(ctx, repo, commit, report)
	if err != nil {
		return Example{}, err
	}
	ex := Example{Managed: managed(g.files), Vectors: vectorsOf(g.files)}
	for _, e := range g.files {
		ex.Paths = append(ex.Paths, e.path)
	}
	for _, f := range inOrder(report, false) {
		ex.InOrder = append(ex.InOrder, f.Path)
	}
	return ex, nil
}
