package szztrain

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"math"
	"slices"

	"git-agent/agent/eval"
	"git-agent/agent/stat"
	"git-agent/agent/szz/risk"
	"git-agent/cmd/train/material"
)

// ordinaryScores is the number of quantiles of the scores of ordinary commits in a model.
const ordinaryScores = 100

// fitRisks fits the model of plain rows, and that of rows with an index, if there are any.
func fitRisks(rows []riskRow) risk.Model {
	m := risk.Model{Plain: fitRisk(rows, len(risk.PlainNames()))}
	if indexed := slices.DeleteFunc(slices.Clone(rows), func(r riskRow) bool { return !r.Indexed }); len(indexed) > 0 {
		m.Indexed = fitRisk(indexed, len(risk.Names()))
	}
	return m
}

// fitRisk fits a logistic regression with the first n features. Each repository has the same weight
// by the square root of its rows, and so have named and other commits.
func fitRisk(rows []riskRow, n int) risk.Weights {
	size := map[string]float64{}
	for _, r := range rows {
		size[r.Repo]++
	}
	sum := 0.0
	for _, k := range size {
		sum += math.Sqrt(k)
	}
	var soft []softRow
	for _, r := range rows {
		soft = append(soft, softRow{r.X[:n], stat.Flag(r.Named), float64(len(rows)) / sum / math.Sqrt(size[r.Repo])})
	}
	m := fitSoft(soft)
	w := risk.Weights{Features: map[string]float64{}}
	for i, name := range risk.Names()[:n] {
		w.Features[name] = math.Round(1e4*m[i]) / 1e4
	}
	var ordinary []float64
	for _, r := range rows {
		if !r.Named {
			ordinary = append(ordinary, w.Sum(r.X))
		}
	}
	slices.Sort(ordinary)
	for i := range ordinaryScores {
		w.Ordinary = append(w.Ordinary, math.Round(1e4*stat.Quantile(ordinary, float64(i+1)/(ordinaryScores+1)))/1e4)
	}
	return w
}

// A riskScorer is a way to order commits.
type riskScorer struct {
	name    string
	indexed bool // it needs an index
	score   func(riskRow) float64
}

// riskJudge prints how well the shipped model, and the size of a change alone, tell named commits
// from others. With -cross, models are fitted to the other repositories in turn instead.
func riskJudge(args []string) error {
	fs := flag.NewFlagSet("judge", flag.ContinueOnError)
	cross := fs.Bool("cross", false, "fit a model to the other repositories for each of them, instead of the shipped one")
	if err := fs.Parse(args); err != nil {
		return err
	}
	rows, err := eval.ReadLines[riskRow](fs.Args()...)
	if err != nil {
		return err
	}
	sortRisk(rows)
	material.EachRepo(rows, riskRow.repository, func(name string, own, others []riskRow) {
		m := *risk.Shipped()
		if *cross {
			m = fitRisks(others)
		}
		judgeRisk(name, own, m)
	})
	return nil
}

// judgeRisk prints the figures of one repository.
func judgeRisk(name string, rows []riskRow, m risk.Model) {
	named := len(slices.DeleteFunc(slices.Clone(rows), func(r riskRow) bool { return !r.Named }))
	fmt.Printf("%s: %d named commits, %d others; of all commits of these authors, %.3f are named\n", name, named, len(rows)-named, rows[0].Share)
	size := func(r riskRow) float64 { return math.Expm1(r.X[0]) + math.Expm1(r.X[1]) }
	alone := riskScorer{"changed lines alone", false, size}
	for _, s := range []riskScorer{
		{"score", false, func(r riskRow) float64 { return m.Plain.Sum(r.X) }},
		{"score with an index", true, func(r riskRow) float64 { return m.Indexed.Sum(r.X) }},
		alone,
	} {
		own := rows
		if s.indexed {
			own = slices.DeleteFunc(slices.Clone(rows), func(r riskRow) bool { return !r.Indexed })
		}
		if len(own) == 0 {
			continue
		}
		f := s.measure(own)
		fmt.Printf("  %-22s AUC %s, precision at one warning in ten commits %s\n", s.name, stat.Interval(f.auc, f.aucs), stat.Interval(f.precision, f.precisions))
		if s.name != alone.name {
			lead, p := alone.measure(own).lead(f)
			fmt.Printf("  %-22s AUC %s than the changed lines alone (p %.3f)\n", "", lead.Signed(), p)
		}
	}
	printFound(rows)
}

// riskFigures are figures of a way to order commits, and those of each bootstrap sample.
type riskFigures struct {
	auc, precision   float64
	aucs, precisions []float64
}

// lead returns by how much the area of another way is larger.
func (f riskFigures) lead(o riskFigures) (stat.Estimate, float64) {
	samples := make([]float64, len(f.aucs))
	for i := range samples {
		samples[i] = o.aucs[i] - f.aucs[i]
	}
	return stat.Difference(o.auc-f.auc, samples)
}

// measure returns the area under the ROC curve, and the share of named commits among the tenth with
// the highest scores, where named and other commits are as frequent as they are in the history.
func (s riskScorer) measure(rows []riskRow) (f riskFigures) {
	scores := make([]float64, len(rows))
	for i, r := range rows {
		scores[i] = s.score(r)
	}
	figures := func(pick []int) (float64, float64) {
		var high, low []float64
		for _, i := range pick {
			if rows[i].Named {
				high = append(high, scores[i])
			} else {
				low = append(low, scores[i])
			}
		}
		if len(high) == 0 || len(low) == 0 {
			return math.NaN(), math.NaN()
		}
		return areaUnderROC(high, low), precisionAtTenth(high, low, rows[0].Share)
	}
	all := make([]int, len(rows))
	for i := range all {
		all[i] = i
	}
	stat.Resample(len(rows), func(pick []int) {
		a, p := figures(pick)
		f.aucs, f.precisions = append(f.aucs, a), append(f.precisions, p)
	})
	f.auc, f.precision = figures(all)
	return f
}

// precisionAtTenth returns the share of named commits in the tenth of all commits with the highest
// scores. share is that of named commits among all.
func precisionAtTenth(named, others []float64, share float64) float64 {
	const warned = 0.1
	type scored struct{ score, named, weight float64 }
	var list []scored
	for _, s := range named {
		list = append(list, scored{s, 1, share / float64(len(named))})
	}
	for _, s := range others {
		list = append(list, scored{s, 0, (1 - share) / float64(len(others))})
	}
	slices.SortFunc(list, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	right, sum := 0.0, 0.0
	for _, c := range list {
		take := min(c.weight, warned-sum)
		if take <= 0 {
			break
		}
		sum += take
		right += take * c.named
	}
	return right / sum
}

// printFound prints how often each kind of finding stands beside named and other commits.
func printFound(rows []riskRow) {
	total := map[bool]int{}
	found := map[risk.Kind]map[bool]int{}
	for _, r := range rows {
		total[r.Named]++
		for k := range r.Found {
			if found[k] == nil {
				found[k] = map[bool]int{}
			}
			found[k][r.Named]++
		}
	}
	for _, k := range slices.Sorted(maps.Keys(found)) {
		fmt.Printf("  %-22s %d of %d named, %d of %d others\n", k, found[k][true], total[true], found[k][false], total[false])
	}
}
