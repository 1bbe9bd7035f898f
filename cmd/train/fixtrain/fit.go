package fixtrain

import (
	"git-agent/agent/fix/localize"
	"git-agent/agent/stat"
	"git-agent/cmd/train/material"
)

// penalty was chosen from 0.2, 0.5, 2 and 5 by leaving repositories out.
const penalty = 0.5

// choicesOf returns the rows as choices. The rows of one bug have the weight 1 together.
func choicesOf(rows []row) []stat.ChoiceSet {
	count := map[string]float64{}
	for _, r := range rows {
		count[r.ID]++
	}
	out := make([]stat.ChoiceSet, len(rows))
	for i, r := range rows {
		out[i] = stat.ChoiceSet{Vectors: r.Vectors, Right: r.Right, Weight: 1 / count[r.ID]}
	}
	return out
}

func readTraining(files []string) ([]row, error) {
	return material.ReadTraining("fix", files, row.repository)
}

func fit(args []string) error {
	rows, err := readTraining(args)
	if err != nil {
		return err
	}
	m := localize.Model{Weights: stat.FitChoice(localize.FeatureNames(), choicesOf(rows), penalty)}
	m.Made.Penalty = penalty
	m.Made.Repositories = map[string]int{}
	seen := map[string]bool{}
	for _, r := range rows {
		if !seen[r.ID] {
			seen[r.ID] = true
			m.Made.Cases++
			m.Made.Repositories[r.Repo]++
		}
	}
	m.Made.LeftOut = map[string]localize.Hits{}
	for s, list := range byState(leftOut(rows)) {
		m.Made.LeftOut[string(s)] = hitsOf(list)
	}
	return material.PrintModel(m)
}
