package eval

import (
	"slices"

	"git-agent/agent/stat"
)

// Comparison holds two algorithms, or two runs of one, against each other on
// the cases that both evaluated.
//
// McNemar's test needs one answer per case, and gets whether the case is right
// as a whole (Score.Right). The difference of the task's main metric is over
// whole answers.
type Comparison struct {
	A         string  `json:"a"`
	B         string  `json:"b"`
	Cases     int     `json:"cases"`
	OnlyA     int     `json:"only_a"` // evaluated by one of the two alone
	OnlyB     int     `json:"only_b"`
	BothRight int     `json:"both_right"`
	ARight    int     `json:"a_right"` // A right and B wrong
	BRight    int     `json:"b_right"`
	NoneRight int     `json:"none_right"`
	McNemarP  float64 `json:"mcnemar_p"` // exact, two-sided
	// The main metric of A and of B. In the JSON its name takes the place of
	// "main", as in "f1_a".
	MainA float64       `json:"-"`
	MainB float64       `json:"-"`
	Diff  stat.Estimate `json:"-"` // B minus A, paired bootstrap
	DiffP float64       `json:"-"` // of no difference; see stat.Difference
	sheet *Sheet
}

// MarshalJSON writes the numbers of the main metric under its name.
func (c Comparison) MarshalJSON() ([]byte, error) {
	type counts Comparison // without this method
	var o object
	o.fields(counts(c))
	main := c.sheet.main().Name
	o.field(main+"_a", c.MainA)
	o.field(main+"_b", c.MainB)
	o.field(main+"_difference", c.Diff)
	o.field(main+"_difference_p", c.DiffP)
	return o.bytes()
}

// compare pairs outcomes by position: both slices have one entry per case.
func compare(sheet *Sheet, nameA, nameB string, as, bs []Outcome) Comparison {
	c := Comparison{A: nameA, B: nameB, sheet: sheet}
	var a, b Tally
	var pairs []Tally // that of A, and behind it that of B
	for i := range as {
		switch {
		case as[i].Evaluated && bs[i].Evaluated:
			a, b = a.plus(as[i].Tally), b.plus(bs[i].Tally)
			pairs = append(pairs, slices.Concat(as[i].Tally, bs[i].Tally))
			c.tick(as[i].Right, bs[i].Right)
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
	resampleTallies(pairs, func(sum Tally) {
		diffs = append(diffs, main(sum[middle:], c.Cases)-main(sum[:middle], c.Cases))
	})
	c.Diff, c.DiffP = stat.Difference(c.MainB-c.MainA, diffs)
	return c
}

func (c *Comparison) tick(a, b bool) {
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
