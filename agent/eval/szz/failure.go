package szzeval

import (
	"git-agent/agent/eval"
	"git-agent/agent/stat"
)

// Types of wrong answers, after AgentSZZ, section 6.1. The paper determined them by reading 50
// cases; here they follow from the named commits and from the dates of commits. The first
// matching type counts.
const (
	failEmpty = "named nothing"
	failCross = "cross-file"
	failLater = "later than all"
	failOlder = "older than all"
	failBeing = "between"
	failOther = "unknown date"
)

var failureTypes = []string{failEmpty, failCross, failLater, failOlder, failBeing, failOther}

// failureOf returns the type of a wrong answer.
func failureOf(f Facts, p Prediction) string {
	first := p.FirstDate
	switch {
	case len(p.Suspects) == 0:
		return failEmpty
	case f.CrossFile:
		return failCross
	case first == nil || f.First.IsZero():
		return failOther
	case first.After(f.Last):
		return failLater
	case first.Before(f.First):
		return failOlder
	}
	return failBeing
}

// highConfidence is the least probability at which a wrong first suspect counts as named with
// high confidence.
const highConfidence = 0.7

// Tables returns the table of the types of wrong answers of an algorithm.
func (Task) Tables(res *eval.Results, algorithm string) []eval.Table {
	count, sure := map[string]int{}, map[string]int{}
	wrong := 0
	for _, o := range res.Outcomes[algorithm] {
		row, ok := o.Row.(scoreRow)
		if !ok || row.Failure == "" {
			continue
		}
		wrong++
		count[row.Failure]++
		sure[row.Failure] += stat.Count(len(o.Forecasts) > 0 && o.Forecasts[0].P >= highConfidence)
	}
	if wrong == 0 {
		return nil
	}
	t := eval.Table{
		Name: "failures", Title: "wrong answers", Columns: []eval.Column{{Name: "cases", Title: "cases"}, {Name: "share", Title: "share", Decimals: 3}, {Name: "sure", Title: "sure"}},
		Note: "The first type that fits counts. later and older: than all bug-introducing commits of the case; cross-file: none of these changes a file of the fix; sure: the probability is 70 % or more.",
	}
	for _, name := range failureTypes {
		if n := count[name]; n > 0 {
			t.Rows = append(
				t.Rows,
				eval.TableRow{Name: name, Values: []stat.Estimate{value(float64(n)), value(float64(n) / float64(wrong)), value(float64(sure[name]))}},
			)
		}
	}
	return []eval.Table{t}
}

func value(x float64) stat.Estimate { return stat.Estimate{Value: stat.Defined(x)} }
