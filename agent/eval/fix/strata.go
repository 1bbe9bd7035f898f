package fixeval

import (
	"cmp"

	"git-agent/agent/eval"
)

const notStated = "not stated"

// dimensions are in the order in which a report shows them. The categories are those of
// HAFixAgent (section 5.1): single line, single hunk, single file with several hunks,
// several files.
var dimensions = []eval.Dimension{
	eval.ByFile,
	{Name: "category", Of: single(func(c Case) string { return cmp.Or(c.Category, notStated) }), Order: []string{"SL", "SH", "SFMH", "MFMH", notStated}},
	{Name: "blame", Of: single(blameOf), Order: []string{"blameable", "blameless", notStated}},
	{Name: "language", Of: single(func(c Case) string { return cmp.Or(c.Lang, notStated) })},
	{Name: "regression", Of: single(func(c Case) string { return cmp.Or(c.Regression, notStated) }), Order: []string{"yes", "no", "unknown", notStated}},
	{Name: "kind of fix", Of: single(func(c Case) string { return cmp.Or(c.Quality, notStated) })},
	eval.ByRepository,
}

// single makes Dimension.Of from a function that gives each case exactly one stratum.
func single(of func(Case) string) func(eval.Case) []string {
	return func(c eval.Case) []string { return []string{of(c.(Case))} }
}

func blameOf(c Case) string {
	switch {
	case c.Blameable == nil:
		return notStated
	case *c.Blameable:
		return "blameable"
	}
	return "blameless"
}
