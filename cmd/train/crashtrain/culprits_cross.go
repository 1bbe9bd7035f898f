package crashtrain

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"

	"git-agent/agent/crash/culprit"
	"git-agent/agent/stat"
	"git-agent/gitext"
)

// culpritPenalty was chosen from 10, 20, 30, 40 and 60 by leaving repositories out. Values from
// 20 to 60 hardly differ.
const culpritPenalty = 30

// calibrated is the number of a case's suspects for the calibration: only the printed ones. With
// all candidates, the hundreds of unprinted ones would dominate the fit, and the first suspect's
// probability would be too high.
const calibrated = 3

// culpritSets returns the rows as choices. Features in without are 0.
func culpritSets(rows []culpritRow, without []string) []choiceSet {
	names := culprit.FeatureNames()
	var out []choiceSet
	for _, r := range rows {
		s := choiceSet{repo: r.Repo, family: family(r.Repo), id: r.ID, managed: r.NoLines}
		for i, oid := range r.Commits {
			v := slices.Clone(r.Vectors[i])
			for j := range v {
				if slices.Contains(without, names[j]) {
					v[j] = 0
				}
			}
			s.vectors = append(s.vectors, v)
			s.right = append(s.right, slices.Contains(r.IntroCommits, oid))
		}
		out = append(out, s)
	}
	return out
}

// isHeadline reports whether the developers named the culprit of a case, instead of a bisection
// of a fuzzer's builds.
func (r culpritRow) isHeadline() bool { return r.Source == "commit-message" }

// crossCulprits prints the accuracy of models fitted without the case's repository.
func crossCulprits(args []string) error {
	flags := flag.NewFlagSet("cross", flag.ContinueOnError)
	without := flags.String("without", "", "features to leave out, with commas")
	only := flags.String("only", "", "features to use, with commas; all if empty")
	penalty := flags.Float64("penalty", culpritPenalty, "of the squared weights")
	each := flags.Bool("each", false, "leave out each feature in turn")
	if err := flags.Parse(args); err != nil {
		return err
	}
	rows, err := readCulprits(flags.Args())
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		return errors.New("the rows hold no case")
	}
	gone := strings.Split(*without, ",")
	for _, name := range culprit.FeatureNames() {
		if *only != "" && !slices.Contains(strings.Split(*only, ","), name) {
			gone = append(gone, name)
		}
	}
	sets := culpritSets(rows, gone)
	shares := leftOut(sets, *penalty)
	printCulprits(rows, sets, shares)
	if !*each {
		return nil
	}
	for _, name := range culprit.FeatureNames() {
		sets := culpritSets(rows, append(slices.Clone(gone), name))
		ranked := ranks(sets, leftOut(sets, *penalty))
		printAccuracy("- "+name, ranked, func(i int) bool { return rows[i].isHeadline() })
		printAccuracy("", ranked, func(i int) bool { return !rows[i].isHeadline() })
	}
	return nil
}

// printCulprits prints the accuracy of the baseline and of the model.
func printCulprits(rows []culpritRow, sets []choiceSet, shares [][]float64) {
	fmt.Println("acc@                       n     1     2     3     5    10  list")
	ranked := ranks(sets, shares)
	headline := func(i int) bool { return rows[i].isHeadline() }
	printAccuracy("newest line, named", newestFirst(rows), headline)
	printAccuracy("named", ranked, headline)
	for _, f := range []string{"openvswitch/ovs", "DPDK/dpdk", "FRRouting/frr"} {
		printAccuracy("  "+f, ranked, func(i int) bool { return headline(i) && sets[i].repo == f })
	}
	printAccuracy("newest line, bisected", newestFirst(rows), func(i int) bool { return !headline(i) })
	printAccuracy("bisected", ranked, func(i int) bool { return !headline(i) })
	fmt.Printf("mean loss, named: %.4f\n", meanLoss(sets, shares, headline))
	var top [][]stat.Forecast
	platt := stat.FitPlatt(votesOf(sets, shares, calibrated))
	for i, s := range sets {
		if !headline(i) || len(s.vectors) == 0 {
			continue
		}
		best := slices.Max(shares[i])
		p := min(max(best, 0.001), 0.999)
		top = append(top, []stat.Forecast{{P: platt.Probability(p, 1), Right: ranked[i][0]}})
	}
	if c := stat.NewCalibration(top); c != nil {
		fmt.Printf(
			"first suspect, named: ECE %.3f, by chance %.3f up to %.3f, Brier %.3f; %+v\n",
			*c.ECE.Value,
			c.ByChance.Mean,
			c.ByChance.High,
			c.Brier,
			platt,
		)
	}
}

// meanLoss returns the mean logarithmic loss of the sets to keep. This loss distinguishes models
// with fewer cases than an accuracy needs.
func meanLoss(sets []choiceSet, shares [][]float64, keep func(i int) bool) float64 {
	loss, n := 0.0, 0.0
	for i, s := range sets {
		if !keep(i) || len(s.vectors) == 0 {
			continue
		}
		right, all := 0.0, 0.0
		for j, p := range shares[i] {
			all += p
			if s.right[j] {
				right += p
			}
		}
		if s.none() {
			right = 1 - all
		}
		loss -= math.Log(max(right, 1e-6))
		n++
	}
	return loss / max(n, 1)
}

func printAccuracy(name string, ranked [][]bool, keep func(i int) bool) {
	var r [][]bool
	for i := range ranked {
		if keep(i) {
			r = append(r, ranked[i])
		}
	}
	fmt.Printf("%-24s %4d", name, len(r))
	for _, k := range []int{1, 2, 3, 5, 10, math.MaxInt} {
		fmt.Printf(" %5.1f", 100*accAt(k, r))
	}
	fmt.Println()
}

// newestFirst returns, for each row, whether the owners of a frame's line are right, newest
// commit first.
func newestFirst(rows []culpritRow) [][]bool {
	out := make([][]bool, len(rows))
	for i, r := range rows {
		for _, oid := range r.Newest {
			out[i] = append(out[i], slices.Contains[[]gitext.OID](r.IntroCommits, oid))
		}
	}
	return out
}
