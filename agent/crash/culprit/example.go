package culprit

import (
	"cmp"
	"context"
	"slices"

	"git-agent/agent/crash"
	"git-agent/gitext"
)

// An Example is training data for the model: the features of the candidates of a report.
type Example struct {
	Commits []gitext.OID `json:"commits"`
	Vectors [][]float64  `json:"vectors"` // of each commit, in the order of FeatureNames
	// NoLines says that the report names functions only.
	NoLines bool `json:"no_lines"`
	// Newest are the commits that own the line of a frame, the newest first. This is the rule of
	// Sentry without its bound on the age.
	Newest []gitext.OID `json:"newest"`
}

// FeatureNames returns the names of the features, in the order of the vectors.
func FeatureNames() []string { return featureNames }

// Examine returns the features of the candidates of a report. The frames must be located and the
// files ranked.
func Examine(ctx context.Context, repo *gitext.Repo, commit gitext.OID, report *crash.Report, files []crash.File) (Example, error) {
	g, candidates, err := gather(ctx, repo, commit, report, files, Options{})
	if err != nil || len(candidates) == 0 {
		return Example{}, err
	}
	ex := Example{NoLines: g.noLines(), Vectors: g.vectors(candidates)}
	for _, c := range candidates {
		ex.Commits = append(ex.Commits, c.OID)
	}
	line := g.newest(candidates, (*candidate).hasLine)
	lines := slices.DeleteFunc(slices.Clone(candidates), func(c *candidate) bool { return line[c] == 0 })
	slices.SortStableFunc(lines, func(a, b *candidate) int { return cmp.Compare(line[b], line[a]) })
	for _, c := range lines {
		ex.Newest = append(ex.Newest, c.OID)
	}
	return ex, nil
}
