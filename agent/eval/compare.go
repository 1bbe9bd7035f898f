package eval

import "git-agent/agent/stat"

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
	var pairedA, pairedB []Outcome
	for i := range as {
		switch {
		case as[i].Evaluated && bs[i].Evaluated:
			pairedA, pairedB = append(pairedA, as[i]), append(pairedB, bs[i])
			c.tick(as[i].Right, bs[i].Right)
		case as[i].Evaluated:
			c.OnlyA++
		case bs[i].Evaluated:
			c.OnlyB++
		}
	}
	c.Cases = len(pairedA)
	c.McNemarP = stat.McNemar(c.ARight, c.BRight)
	valueA, samplesA := c.mainOf(pairedA)
	valueB, samplesB := c.mainOf(pairedB)
	c.MainA, c.MainB = valueA, valueB
	diffs := make([]float64, len(samplesA))
	for i := range diffs { // the samples of both are of the same cases
		diffs[i] = samplesB[i] - samplesA[i]
	}
	c.Diff, c.DiffP = stat.Difference(valueB-valueA, diffs)
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

// mainOf is the main metric of outcomes, and of each bootstrap sample of them.
func (c *Comparison) mainOf(outcomes []Outcome) (value float64, samples []float64) {
	of := c.sheet.main().Of
	var all Tally
	for _, o := range outcomes {
		all = all.plus(o.Tally)
	}
	resampleTallies(outcomes, func(sum Tally) { samples = append(samples, of(sum, len(outcomes))) })
	return of(all, len(outcomes)), samples
}
