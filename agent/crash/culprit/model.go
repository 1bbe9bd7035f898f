package culprit

import (
	_ "embed"

	"git-agent/agent/stat"
)

//go:embed model.json
var modelJSON []byte

// A Model holds the fitted weights for the choice among the candidates of a report. See
// stat.Choice for the method.
type Model struct {
	Made Made `json:"made"`
	// Lines weighs the candidates of a report with line numbers, Functions those of a report with
	// only function names.
	Lines       stat.Choice `json:"lines"`
	Functions   stat.Choice `json:"functions"`
	Calibration stat.Platt  `json:"calibration"`
}

// Made describes the training data of a model.
type Made struct {
	Cases        int            `json:"cases"`
	Repositories map[string]int `json:"repositories"`
	Penalty      float64        `json:"penalty"` // of the squared weights
	// Named counts the cases whose culprit the developers named. AccAt holds, by number of
	// suspects, the share of these cases with the culprit among the first suspects. The model for
	// a case was fitted without the case's repository.
	Named int                `json:"named"`
	AccAt map[string]float64 `json:"acc_left_out"`
}

// committed is the model that was fitted with cmd/train/crashtrain.
var committed = stat.Embedded[Model]("culprit", modelJSON)

// weights returns the weights for a report.
func (m *Model) weights(noLines bool) stat.Choice {
	if noLines {
		return m.Functions
	}
	return m.Lines
}

// shares returns the probability of each candidate. The sum is less than 1; the rest is the
// probability that no candidate is right.
func (m *Model) shares(vectors [][]float64, noLines bool) []float64 {
	return m.weights(noLines).Shares(featureNames, vectors)
}

// probability returns the calibrated probability of a candidate with this share.
func (m *Model) probability(share float64) float64 {
	return m.Calibration.Probability(min(max(share, 0.001), 0.999), 1)
}
