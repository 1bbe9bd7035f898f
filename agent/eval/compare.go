package eval

import "git-agent/agent/stat"

// Comparison holds two algorithms, or two runs of one, against each other on
// the cases that both evaluated.
//
// A case is correct when its first suspect is true. That is the one question
// that a set (b, ag, ma) and a short list (rank) both answer, and McNemar's
// test needs one answer per case. The difference of F1 is over whole answers.
type Comparison struct {
	A         string        `json:"a"`
	B         string        `json:"b"`
	Cases     int           `json:"cases"`
	OnlyA     int           `json:"only_a"` // evaluated by one of the two alone
	OnlyB     int           `json:"only_b"`
	BothRight int           `json:"both_right"`
	ARight    int           `json:"a_right"` // A right and B wrong
	BRight    int           `json:"b_right"`
	NoneRight int           `json:"none_right"`
	McNemarP  float64       `json:"mcnemar_p"` // exact, two-sided
	F1A       float64       `json:"f1_a"`
	F1B       float64       `json:"f1_b"`
	F1Diff    stat.Estimate `json:"f1_difference"` // B minus A, paired bootstrap
	// F1DiffP is the two-sided bootstrap p-value of no difference; it cannot
	// be smaller than 1/1000.
	F1DiffP float64 `json:"f1_difference_p"`
}

// pair is one case that both sides evaluated.
type pair struct{ a, b Outcome }

// compare pairs outcomes by position: both slices have one entry per case.
func compare(nameA, nameB string, as, bs []Outcome) Comparison {
	c := Comparison{A: nameA, B: nameB}
	var pairs []pair
	for i := range as {
		switch {
		case as[i].Evaluated && bs[i].Evaluated:
			pairs = append(pairs, pair{as[i], bs[i]})
		case as[i].Evaluated:
			c.OnlyA++
		case bs[i].Evaluated:
			c.OnlyB++
		}
	}
	c.Cases = len(pairs)
	var a, b tally
	for _, p := range pairs {
		a.add(p.a)
		b.add(p.b)
		c.tick(p.a.Top, p.b.Top)
	}
	c.McNemarP = stat.McNemar(c.ARight, c.BRight)
	c.F1A, c.F1B = a.f1(), b.f1()
	c.F1Diff, c.F1DiffP = f1Difference(pairs, c.F1B-c.F1A)
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

func f1Difference(pairs []pair, value float64) (stat.Estimate, float64) {
	as, bs := make([]tally, len(pairs)), make([]tally, len(pairs))
	for i, p := range pairs {
		as[i].add(p.a)
		bs[i].add(p.b)
	}
	var diffs []float64
	stat.Resample(len(pairs), func(pick []int) {
		var a, b tally
		for _, i := range pick {
			a.join(as[i])
			b.join(bs[i])
		}
		diffs = append(diffs, b.f1()-a.f1())
	})
	return stat.Difference(value, diffs)
}
