package crashtrain

import (
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strconv"

	"git-agent/agent/crash/culprit"
	"git-agent/agent/stat"
)

// fitCulprits writes the model fitted to all rows.
func fitCulprits(args []string) error {
	flags := flag.NewFlagSet("fit", flag.ContinueOnError)
	if err := flags.Parse(args); err != nil {
		return err
	}
	rows, err := readTraining(flags.Args(), culpritRow.repository)
	if err != nil {
		return err
	}
	sets := culpritSets(rows, nil)
	shares := leftOut(sets, culpritPenalty)
	var usable []choiceSet
	repos := map[string]int{}
	for _, s := range sets {
		repos[s.repo]++
		if len(s.vectors) > 0 {
			usable = append(usable, s)
		}
	}
	c := fitChoice(usable, culpritPenalty)
	m := culprit.Model{
		Lines: map[string]float64{}, Functions: map[string]float64{},
		Calibration: stat.FitPlatt(votesOf(sets, shares, calibrated)),
		Made:        madeOf(rows, repos, ranks(sets, shares)),
	}
	names := append(slices.Clone(culprit.FeatureNames()), stat.NoneWeight)
	for i, name := range names {
		m.Lines[name] = round(c.shared[i])
		m.Functions[name] = round(c.shared[i] + c.managed[i])
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "\t")
	return out.Encode(m)
}

// madeOf describes the training data of a model, and the accuracy of left-out
// models on the cases with a culprit named by the developers.
func madeOf(rows []culpritRow, repos map[string]int, ranked [][]bool) culprit.Made {
	var named [][]bool
	for i, r := range rows {
		if r.isHeadline() {
			named = append(named, ranked[i])
		}
	}
	made := culprit.Made{Cases: len(rows), Repositories: repos, Penalty: culpritPenalty, Named: len(named), AccAt: map[string]float64{}}
	for _, k := range []int{1, 3, 5, 10} {
		made.AccAt[strconv.Itoa(k)] = round(accAt(k, named))
	}
	return made
}
