package crashtrain

import (
	"strconv"

	"git-agent/agent/crash/culprit"
	"git-agent/agent/stat"
	"git-agent/cmd/train/material"
)

// fitCulprits writes the model fitted to all rows.
func fitCulprits(args []string) error {
	rows, err := readCulprits(args)
	if err != nil {
		return err
	}
	sets := culpritSets(rows, nil)
	shares := leftOut(sets, culpritPenalty)
	c, repos := fitAll(sets, culpritPenalty)
	m := culprit.Model{
		Lines: map[string]float64{}, Functions: map[string]float64{},
		Calibration: stat.FitPlatt(votesOf(sets, shares, calibrated)),
		Made:        madeOf(rows, repos, ranks(sets, shares)),
	}
	c.name(culprit.FeatureNames(), m.Lines, m.Functions)
	return material.PrintModel(m)
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
