package szztrain

import (
	"flag"
	"fmt"
	"math"
	"slices"

	"git-agent/agent/eval"
	"git-agent/agent/stat"
	"git-agent/agent/szz/check"
	"git-agent/cmd/train/material"
)

// fileWeight is the weight of a planted commit that changed a file of the fix, against 1 for the
// culprit of another fix: the mistakes that were read name a commit that has nothing to do with the
// fix, and with the full weight a shared file spoke against a trailer.
const fileWeight = 0.1

// alarmShare is the share of right trailers below each level. It is half of 1 in 100, so that 1 in 100
// holds in other repositories, too.
const alarmShare = 0.005

// plantFit fits the model of szz --check to pairs, and prints it.
func plantFit(args []string) error {
	fs := flag.NewFlagSet("fit", flag.ContinueOnError)
	about := fs.String("about", "", "a `text` about the pairs, which the model keeps")
	share := shareFlag(fs)
	if err := fs.Parse(args); err != nil {
		return err
	}
	rows, err := material.ReadTraining("szz", fs.Args(), pairRow.repository)
	if err != nil {
		return err
	}
	m := fitDoubt(rows, *share)
	m.About = *about
	return material.PrintModel(m)
}

func shareFlag(fs *flag.FlagSet) *float64 {
	return fs.Float64("share", alarmShare, "`share` of the right trailers below each level")
}

// fitDoubt fits both models. A pair that is in the rows twice, once with the ranking, counts for the
// first model with the pairs of the other kind.
func fitDoubt(rows []pairRow, share float64) check.Model {
	plain := slices.DeleteFunc(slices.Clone(rows), func(r pairRow) bool { return r.Ranked != nil })
	asked := slices.DeleteFunc(slices.Clone(rows), func(r pairRow) bool { return r.Ranked == nil })
	if len(plain) == 0 {
		plain = asked
	}
	m := check.Model{Tie: fitPairs(plain, check.TieNames, func(r pairRow) []float64 { return r.Tie }, share)}
	if len(asked) > 0 {
		m.Ranked = fitPairs(asked, check.RankedNames, func(r pairRow) []float64 { return r.ranked(m) }, share)
	}
	return m
}

// ranked returns the features of the second model.
func (r pairRow) ranked(m check.Model) []float64 {
	x := slices.Clone(r.Ranked)
	x[0] = m.Tie.Sum(check.TieNames, r.Tie)
	return x
}

// fitPairs fits a model in which each repository has the same weight by the square root of its pairs,
// and puts the level where the share of the right trailers, each repository alike, is below it.
func fitPairs(rows []pairRow, names []string, x func(pairRow) []float64, below float64) check.Weights {
	size := map[string]float64{}
	for _, r := range rows {
		size[r.Repo]++
	}
	var soft []softRow
	for _, r := range rows {
		w := 1 / math.Sqrt(size[r.Repo]) * math.Sqrt(float64(len(rows))/float64(len(size)))
		if r.Kind == pairKinds[2] {
			w *= fileWeight
		}
		soft = append(soft, softRow{x(r), stat.Flag(r.Kind == pairKinds[0]), w})
	}
	m := fitSoft(soft)
	round := func(z float64) float64 { return math.Round(1e4*z) / 1e4 }
	w := check.Weights{Features: map[string]float64{}, Constant: round(m[len(names)])}
	for i, name := range names {
		w.Features[name] = round(m[i])
	}
	var sums []float64
	for _, r := range rows {
		if r.Kind == pairKinds[0] {
			sums = append(sums, w.Sum(names, x(r)))
		}
	}
	slices.Sort(sums)
	w.Level = round(stat.Quantile(sums, below))
	return w
}

// plantJudge prints, for pairs, how many of each kind the shipped model doubts, and the curve of its
// sums. With -cross, the model is fitted to the other repositories in turn instead.
func plantJudge(args []string) error {
	fs := flag.NewFlagSet("judge", flag.ContinueOnError)
	cross := fs.Bool("cross", false, "fit the model to the other repositories for each of them, instead of the shipped one")
	share := shareFlag(fs)
	if err := fs.Parse(args); err != nil {
		return err
	}
	rows, err := eval.ReadLines[pairRow](fs.Args()...)
	if err != nil {
		return err
	}
	var all []judgedPair
	material.EachRepo(rows, pairRow.repository, func(name string, own, others []pairRow) {
		m := *check.Shipped()
		if *cross {
			m = fitDoubt(others, *share)
		}
		var judged []judgedPair
		for _, r := range own {
			judged = append(judged, judgePair(r, m))
		}
		printDoubts(name, judged)
		all = append(all, judged...)
	})
	printDoubts("all", all)
	printCurve("without the ranking", all, func(j judgedPair) float64 { return j.tie })
	asked := slices.DeleteFunc(all, func(j judgedPair) bool { return j.row.Ranked == nil })
	if len(asked) > 0 {
		printCurve("with the ranking", asked, func(j judgedPair) float64 { return j.ranked })
	}
	return nil
}

// A judgedPair is a pair with its sums, less the levels.
type judgedPair struct {
	row         pairRow
	tie, ranked float64
}

func judgePair(r pairRow, m check.Model) judgedPair {
	j := judgedPair{row: r, tie: m.Tie.Sum(check.TieNames, r.Tie) - m.Tie.Level}
	if r.Ranked != nil {
		j.ranked = m.Ranked.Sum(check.RankedNames, r.ranked(m)) - m.Ranked.Level
	}
	return j
}

// printDoubts prints how many pairs of each kind are doubted.
func printDoubts(name string, list []judgedPair) {
	fmt.Printf("%s:", name)
	for _, kind := range pairKinds {
		n, plain, asked, either := 0, 0, 0, 0
		for _, j := range list {
			if j.row.Kind != kind {
				continue
			}
			n++
			plain += stat.Count(j.tie < 0)
			if j.row.Ranked != nil {
				asked++
				either += stat.Count(j.ranked < 0)
			}
		}
		fmt.Printf(" %s %d of %d", kind, plain, n)
		if asked > 0 {
			fmt.Printf(" (with the ranking %d of %d)", either, asked)
		}
	}
	fmt.Println()
}

// printCurve prints what other levels would give.
func printCurve(name string, list []judgedPair, score func(judgedPair) float64) {
	by := map[string][]float64{}
	for _, j := range list {
		by[j.row.Kind] = append(by[j.row.Kind], score(j))
	}
	for _, sums := range by {
		slices.Sort(sums)
	}
	fmt.Printf("%s:\n", name)
	for _, share := range []float64{0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1} {
		level := stat.Quantile(by[pairKinds[0]], share)
		fmt.Printf("  %.3f of the right ones below %+.2f:", share, level)
		for _, kind := range pairKinds[1:] {
			at, _ := slices.BinarySearch(by[kind], level)
			fmt.Printf(" %s %.3f", kind, float64(at)/float64(max(1, len(by[kind]))))
		}
		fmt.Println()
	}
}
