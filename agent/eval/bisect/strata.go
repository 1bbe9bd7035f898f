package bisecteval

import (
	"cmp"

	"git-agent/agent/eval"
)

// dimensions are in the order of a report.
var dimensions = []eval.Dimension{
	eval.ByFile,
	byLanguage,
	byRange,
	{Name: "place of the culprit", OfScore: eval.OfRow(placeOf), Order: places},
	eval.ByRepository,
}

var (
	byLanguage = eval.Dimension{Name: "language", Of: func(c eval.Case) []string {
		for _, name := range c.(Case).Langs {
			return []string{cmp.Or(name, notStated)}
		}
		return []string{notStated}
	}}
	byRange = eval.Dimension{Name: "commits in the range", OfScore: eval.OfRow(rangeOf), Order: ranges}
)

const (
	notStated = "not stated"
	notKnown  = "not known"
)

var ranges = []string{"up to 99", "100-499", "500-1999", "2000+", notKnown}

// rangeOf returns the stratum of a case by the number of commits in its range.
func rangeOf(row scoreRow) string {
	switch n := row.Range; {
	case n == 0:
		return notKnown
	case n < 100:
		return "up to 99"
	case n < 500:
		return "100-499"
	case n < 2000:
		return "500-1999"
	}
	return "2000+"
}

var places = []string{"newest quarter", "second", "third", "oldest quarter", notKnown}

// placeOf returns the stratum of a case by the share of its range that has the culprit in its
// history.
func placeOf(row scoreRow) string {
	if row.Range == 0 {
		return notKnown
	}
	return places[min(3, 4*row.Newer/row.Range)]
}
