package eval

import (
	"math"
	"slices"

	"git-agent/agent/stat"
)

// Comparison compares two algorithms, or two runs of one algorithm, on the cases that both
// evaluated.
//
// McNemar's test needs a yes or no for each case and uses Score.Right. The difference of the
// task's main metric uses the whole answers.
type Comparison struct {
	A         string  `json:"a"`
	B         string  `json:"b"`
	Cases     int     `json:"cases"`
	OnlyA     int     `json:"only_a"` // cases that only A evaluated
	OnlyB     int     `json:"only_b"` // cases that only B evaluated
	BothRight int     `json:"both_right"`
	ARight    int     `json:"a_right"` // A is right and B is wrong
	BRight    int     `json:"b_right"` // B is right and A is wrong
	NoneRight int     `json:"none_right"`
	McNemarP  float64 `json:"mcnemar_p"` // exact, two-sided
	// MainA and MainB are the main metric of A and of B. Their JSON names contain the metric, as
	// in "f1_a".
	MainA float64       `json:"-"`
	MainB float64       `json:"-"`
	Diff  stat.Estimate `json:"-"` // B minus A, by paired bootstrap
	DiffP float64       `json:"-"` // p-value for no difference; see stat.Difference
	sheet *Sheet
}

// MarshalJSON writes the numbers of the main metric in fields named after it.
func (c Comparison) MarshalJSON() ([]byte, error) {
	type counts Comparison // has no MarshalJSON, so that field names come from the tags
	var o object
	o.fields(counts(c))
	main := c.sheet.main().Name
	o.field(main+"_a", stat.Defined(c.MainA))
	o.field(main+"_b", stat.Defined(c.MainB))
	o.field(main+"_difference", c.Diff)
	o.field(main+"_difference_p", c.DiffP)
	return o.bytes()
}

// compare compares the outcomes of two algorithms. Both slices have one entry for
// each case, in the same order.
func compare(sheet *Sheet, nameA, nameB string, as, bs []Outcome) Comparison {
	c := Comparison{A: nameA, B: nameB, sheet: sheet}
	var a, b Tally
	var pairs []Tally // for each case, the tally of A followed by that of B
	for i := range as {
		switch {
		case as[i].Evaluated && bs[i].Evaluated:
			a, b = a.plus(as[i].Tally), b.plus(bs[i].Tally)
			pairs = append(pairs, slices.Concat(as[i].Tally, bs[i].Tally))
			c.count(as[i].Right, bs[i].Right)
		case as[i].Evaluated:
			c.OnlyA++
		case bs[i].Evaluated:
			c.OnlyB++
		}
	}
	c.Cases = len(pairs)
	c.McNemarP = stat.McNemar(c.ARight, c.BRight)
	main, middle := sheet.main().Of, len(a)
	c.MainA, c.MainB = main(a, c.Cases), main(b, c.Cases)
	var diffs []float64
	stat.ResampleSums(pairs, func(sum Tally) {
		diffs = append(diffs, main(sum[middle:], c.Cases)-main(sum[:middle], c.Cases))
	})
	c.Diff, c.DiffP = stat.Difference(c.MainB-c.MainA, diffs)
	return c
}

// comparable reports whether the main metric is defined for both algorithms.
func (c *Comparison) comparable() bool {
	return c.Cases == 0 || !math.IsNaN(c.MainA) && !math.IsNaN(c.MainB)
}

func (c *Comparison) count(a, b bool) {
	switch {
	case a && b:
		c.BothRight++
	case a:
		c.ARight++
	case b:
		c.BRight++
	default:
		c.NoneRight++
	}
}
