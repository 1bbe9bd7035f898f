package eval

import (
	"math"
	"math/rand/v2"
	"slices"
)

const (
	resamples = 1000 // the 2.5 % quantile then rests on 25 of them
	seed      = 20261120
)

// AccuracyAt lists the k of acc@k.
var AccuracyAt = []int{1, 3, 5}

// Estimate is a number with its 95 % bootstrap interval. Value is nil where
// the number is undefined (precision of no answers), Low and High also where
// fewer than two cases leave nothing to resample.
type Estimate struct {
	Value *float64 `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
}

// Row is one algorithm on one set of cases.
type Row struct {
	Name      string   `json:"name"`
	Cases     int      `json:"cases"` // evaluated ones, failures included
	Failed    int      `json:"failed"`
	Empty     int      `json:"empty"` // no suspect at all, failures included
	BICs      int      `json:"bics"`
	Answers   int      `json:"answers"` // commits in all answers
	Right     int      `json:"right"`   // answers that are true
	Found     int      `json:"found"`   // BICs that an answer holds
	Precision Estimate `json:"precision"`
	Recall    Estimate `json:"recall"`
	F1        Estimate `json:"f1"`
	// Accuracy[i] is the share of cases with a true commit among the first
	// AccuracyAt[i] of the ranking, or of the answer where there is no ranking.
	Accuracy []float64 `json:"acc_at_1_3_5"`
	// Ceiling is the recall of a perfect choice among the candidates;
	// CeilingCases the share of cases with a true commit among them.
	Ceiling      float64 `json:"ceiling"`
	CeilingCases float64 `json:"ceiling_cases"`
	Candidates   float64 `json:"mean_candidates"`
	Seconds      float64 `json:"mean_seconds"`
}

// tally is what micro averages are made of.
type tally struct{ answers, right, bics, found int }

func (t *tally) add(o Outcome) {
	t.answers += o.Answered
	t.right += o.Right
	t.bics += o.Truths
	t.found += o.Found
}

func (t *tally) join(u tally) {
	t.answers += u.answers
	t.right += u.right
	t.bics += u.bics
	t.found += u.found
}

// precision counts a twin of a BIC as right; recall counts each BIC once, so
// that an answer with a BIC and its twin does not find two.
func (t tally) precision() float64 { return ratio(t.right, t.answers) }
func (t tally) recall() float64    { return ratio(t.found, t.bics) }

func (t tally) f1() float64 {
	p, r := t.precision(), t.recall()
	if math.IsNaN(p) || p+r == 0 {
		return 0
	}
	return 2 * p * r / (p + r)
}

func ratio(a, b int) float64 {
	if b == 0 {
		return math.NaN()
	}
	return float64(a) / float64(b)
}

// measure makes the row of a set of outcomes. The caller passes only outcomes
// of evaluated cases, sorted by case.
func measure(name string, outcomes []Outcome) Row {
	row := Row{Name: name, Cases: len(outcomes), Accuracy: make([]float64, len(AccuracyAt))}
	var all tally
	reachable, pooled := 0, 0
	for _, o := range outcomes {
		all.add(o)
		reachable += o.Reachable
		row.Candidates += float64(o.Pool)
		row.Seconds += o.Seconds
		pooled += count(o.Reachable > 0)
		row.Failed += count(o.Failed)
		row.Empty += count(o.Answered == 0)
		for i, k := range AccuracyAt {
			row.Accuracy[i] += float64(count(o.Rank > 0 && o.Rank <= k))
		}
	}
	row.BICs, row.Answers, row.Right, row.Found = all.bics, all.answers, all.right, all.found
	if n := float64(len(outcomes)); n > 0 {
		row.Candidates /= n
		row.Seconds /= n
		row.CeilingCases = float64(pooled) / n
		for i := range row.Accuracy {
			row.Accuracy[i] /= n
		}
	}
	if all.bics > 0 {
		row.Ceiling = ratio(reachable, all.bics)
	}
	row.Precision, row.Recall, row.F1 = estimates(outcomes, all)
	return row
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// estimates resamples the cases with replacement.
func estimates(outcomes []Outcome, all tally) (p, r, f Estimate) {
	// An Outcome is ten times the size of its counts: on 20,000 cases the
	// resampling would wait for memory.
	counts := make([]tally, len(outcomes))
	for i, o := range outcomes {
		counts[i].add(o)
	}
	var ps, rs, fs []float64
	resample(len(outcomes), func(pick []int) {
		var t tally
		for _, i := range pick {
			t.join(counts[i])
		}
		ps, rs, fs = append(ps, t.precision()), append(rs, t.recall()), append(fs, t.f1())
	})
	return interval(all.precision(), ps), interval(all.recall(), rs), interval(all.f1(), fs)
}

// resample calls use with the indices of each bootstrap sample of n cases. The
// samples depend on n alone, so that two algorithms on the same cases are
// measured on the same samples.
func resample(n int, use func(pick []int)) {
	if n < 2 {
		return
	}
	random := rand.New(rand.NewPCG(seed, uint64(n)))
	pick := make([]int, n)
	for range resamples {
		for i := range pick {
			pick[i] = random.IntN(n)
		}
		use(pick)
	}
}

// interval is the percentile interval of the samples around a value.
func interval(value float64, samples []float64) Estimate {
	samples = slices.DeleteFunc(samples, math.IsNaN)
	e := Estimate{Value: defined(value)}
	if e.Value == nil || len(samples) < resamples/2 {
		return e
	}
	slices.Sort(samples)
	e.Low, e.High = defined(quantile(samples, 0.025)), defined(quantile(samples, 0.975))
	return e
}

// quantile interpolates between order statistics.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}

// defined is nil for what JSON cannot say.
func defined(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
