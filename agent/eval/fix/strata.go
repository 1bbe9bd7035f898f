package fixeval

import (
	"cmp"
	"slices"

	"git-agent/agent/eval"
)

const notStated = "not stated"

// categories are those of HAFixAgent (section 3.2.2): single line, single hunk, single file
// with several hunks, several files.
var categories = []string{"SL", "SH", "SFMH", "MFMH"}

// dimensions are in the order of a report.
var dimensions = []eval.Dimension{
	eval.ByFile,
	{Name: "category", OfScore: ofRow(func(row scoreRow) string { return row.Category }), Order: append(slices.Clone(categories), notStated)},
	{Name: "blame", OfScore: ofRow(func(row scoreRow) string { return row.Blame }), Order: []string{"blameable", "blameless", notStated}},
	{Name: "language", Of: single(func(c Case) string { return cmp.Or(c.Lang, notStated) })},
	{
		Name:  "regression",
		Of:    single(func(c Case) string { return cmp.Or(c.Regression, notStated) }),
		Order: []string{"yes", "no", "unknown", notStated},
	},
	{Name: "kind of fix", Of: single(func(c Case) string { return cmp.Or(c.Quality, notStated) })},
	eval.ByRepository,
}

// single makes Dimension.Of from a function that returns one stratum for each case.
func single(of func(Case) string) func(eval.Case) []string {
	return func(c eval.Case) []string { return []string{of(c.(Case))} }
}

// ofRow makes Dimension.OfScore from a function of the details of a score.
func ofRow(of func(scoreRow) string) func(eval.Score) []string {
	return func(s eval.Score) []string {
		row, _ := s.Row.(scoreRow)
		return []string{cmp.Or(of(row), notStated)}
	}
}
