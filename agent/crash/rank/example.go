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
}

// FeatureNames returns the names of the features, in the order of the vectors.
func FeatureNames() []string { return featureNames }

// Examine returns the features of the files of a report. The frames must be mapped to the files
// of the commit.
func Examine(ctx context.Context, repo *gitext.Repo, commit gitext.OID, report *crash.Report) (Example, error) {
	files := collect(report)
	if err := measureUsage(ctx, repo, commit, report, files); err != nil && !gitext.Unreadable(err) {
		return Example{}, err
	}
	ex := Example{Managed: managed(files)}
	for _, e := range files {
		ex.Paths = append(ex.Paths, e.path)
		ex.Vectors = append(ex.Vectors, e.vector())
	}
	return ex, nil
}
