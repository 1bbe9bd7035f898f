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
	{
		Name:    "category",
		OfScore: eval.OfRow(func(row scoreRow) string { return cmp.Or(row.Category, notStated) }),
		Order:   append(slices.Clone(categories), notStated),
	},
	{Name: "blame", OfScore: eval.OfRow(func(row scoreRow) string { return cmp.Or(row.Blame, notStated) }), Order: []string{"blameable", "blameless", notStated}},
	{Name: "language", Of: eval.OfCase(func(c Case) string { return cmp.Or(c.Lang, notStated) })},
	{
		Name:  "regression",
		Of:    eval.OfCase(func(c Case) string { return cmp.Or(c.Regression, notStated) }),
		Order: []string{"yes", "no", "unknown", notStated},
	},
	{Name: "kind of fix", Of: eval.OfCase(func(c Case) string { return cmp.Or(c.Quality, notStated) })},
	eval.ByRepository,
}
