package eval

import (
	"slices"

	"git-agent/agent/stat"
)

// OutcomeEffort summarizes the work on the cases that an algorithm gets right, or on the others
// (HAFixAgent, figures 4 and 5). All fields except Cases and Seconds cover only cases in which a
// model was asked.
type OutcomeEffort struct {
	Right   bool   `json:"right"`
	Cases   int    `json:"cases"`
	Asked   int    `json:"asked"` // cases in which a model was asked
	Turns   Spread `json:"turns"`
	Tokens  Spread `json:"tokens"` // sent and received
	CostUSD Spread `json:"cost_usd"`
	Priced  int    `json:"priced"` // cases whose cost is known; CostUSD covers only these
	Seconds Spread `json:"seconds"`
}

// effortByOutcome returns the effort on the cases that are right, and on the others.
func effortByOutcome(outcomes []Outcome) []OutcomeEffort {
	var list []OutcomeEffort
	for _, right := range []bool{true, false} {
		e := OutcomeEffort{Right: right}
		var turns, tokens, cost, seconds []float64
		for _, o := range outcomes {
			if !o.Evaluated || o.Right != right {
				continue
			}
			e.Cases++
			seconds = appendKnown(seconds, o.Seconds)
			if o.Work == nil {
				continue
			}
			e.Asked++
			turns, tokens = append(turns, turnsOf(o.Work)), append(tokens, tokensOf(o.Work))
			if usd := o.Work.Usage.CostUSD; usd != nil {
				cost = append(cost, *usd)
			}
		}
		e.Priced = len(cost)
		e.Turns, e.Tokens, e.CostUSD, e.Seconds = spread(turns), spread(tokens), spread(cost), spread(seconds)
		list = append(list, e)
	}
	return list
}

func turnsOf(w *Work) float64  { return float64(w.Turns) }
func tokensOf(w *Work) float64 { return float64(w.Usage.Prompt() + w.Usage.Output) }

// EffortTests compare the effort of the algorithms that ask a model, on the cases that all of
// them get right (HAFixAgent, section 6.2 and table 5). If Friedman's test finds a difference
// among all of them, Wilcoxon's signed-rank test compares each with the first.
type EffortTests struct {
	Algorithms []string     `json:"algorithms"`
	Level      float64      `json:"level"`     // Friedman's test finds a difference if p is below Level
	Threshold  float64      `json:"threshold"` // limit of p for each of Wilcoxon's tests: Level divided by their number (Bonferroni)
	Rows       []EffortTest `json:"rows"`
}

// EffortTest is a test of one measure on one set of cases.
type EffortTest struct {
	Stratum  string     `json:"stratum"` // "all" for all cases
	Measure  string     `json:"measure"`
	Cases    int        `json:"cases"`
	Medians  []float64  `json:"medians"`    // by algorithm
	Friedman *float64   `json:"friedman_p"` // null for two algorithms
	Wilcoxon []*float64 `json:"wilcoxon_p"` // by algorithm after the first, uncorrected; null without a test
}

// testLevel is the level of significance of the paper.
const testLevel = 0.05

// measures are the values by which algorithms are compared. of returns false if the value is
// unknown.
var measures = []struct {
	name string
	of   func(*Work) (float64, bool)
}{
	{"turns", func(w *Work) (float64, bool) { return turnsOf(w), true }},
	{"tokens", func(w *Work) (float64, bool) { return tokensOf(w), true }},
	{"US dollars", func(w *Work) (float64, bool) {
		if w.Usage.CostUSD == nil {
			return 0, false
		}
		return *w.Usage.CostUSD, true
	}},
}

// newEffortTests returns nil if fewer than two algorithms ask a model, or if they have fewer than
// two cases in common.
func newEffortTests(sheet *Sheet, res *Results) *EffortTests {
	t := &EffortTests{Level: testLevel}
	for _, name := range res.Algorithms {
		if slices.ContainsFunc(res.Outcomes[name], func(o Outcome) bool { return o.Work != nil }) {
			t.Algorithms = append(t.Algorithms, name)
		}
	}
	if len(t.Algorithms) < 2 {
		return nil
	}
	t.Threshold = testLevel / float64(len(t.Algorithms)-1)
	strata, of := sheet.configurationStrata(res)
	for at := -1; at < len(strata); at++ {
		name := "all"
		if at >= 0 {
			name = strata[at]
		}
		for _, m := range measures {
			rows := t.values(res, m.of, func(index int) bool { return at < 0 || of[index] == at })
			if len(rows) > 1 {
				t.Rows = append(t.Rows, newEffortTest(name, m.name, rows))
			}
		}
	}
	if t.Rows == nil {
		return nil
	}
	return t
}

// values returns a row for each case that all algorithms get right, with one value for each
// algorithm.
func (t *EffortTests) values(res *Results, measure func(*Work) (float64, bool), use func(index int) bool) [][]float64 {
	var rows [][]float64
	for i := range res.Cases {
		if !use(i) {
			continue
		}
		var row []float64
		for _, name := range t.Algorithms {
			o := res.Outcomes[name][i]
			if !o.Evaluated || !o.Right || o.Work == nil {
				break
			}
			if v, known := measure(o.Work); known {
				row = append(row, v)
			}
		}
		if len(row) == len(t.Algorithms) {
			rows = append(rows, row)
		}
	}
	return rows
}

func newEffortTest(stratum, measure string, rows [][]float64) EffortTest {
	t := EffortTest{Stratum: stratum, Measure: measure, Cases: len(rows)}
	for i := range rows[0] {
		t.Medians = append(t.Medians, spread(column(rows, i)).Median)
	}
	differ := true // Friedman's test of two algorithms would be a sign test
	if len(rows[0]) > 2 {
		_, p := stat.Friedman(rows)
		t.Friedman, differ = &p, p < testLevel
	}
	for i := range rows[0][1:] {
		if !differ {
			t.Wilcoxon = append(t.Wilcoxon, nil)
			continue
		}
		differences := column(rows, i+1)
		for j, first := range column(rows, 0) {
			differences[j] -= first
		}
		_, p := stat.Wilcoxon(differences)
		t.Wilcoxon = append(t.Wilcoxon, &p)
	}
	return t
}

func column(rows [][]float64, at int) []float64 {
	list := make([]float64, len(rows))
	for i, row := range rows {
		list[i] = row[at]
	}
	return list
}
