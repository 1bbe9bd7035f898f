package rank

import (
	_ "embed"
	"encoding/json"
	"math"
	"sync"

	"git-agent/agent/stat"
)

//go:embed model.json
var modelJSON []byte

// A Model is what the choice among the files of a report was fitted to. It gives
// each file a utility; the probability that a file is chosen grows with the
// exponential of it, as in McFadden's conditional logit (1974). "None of them" is a
// choice too.
type Model struct {
	Made        Made               `json:"made"`
	Native      map[string]float64 `json:"native"`
	Managed     map[string]float64 `json:"managed"`
	Calibration stat.Platt         `json:"calibration"`
}

// Made says from what a model was made.
type Made struct {
	Cases        int            `json:"cases"`
	Repositories map[string]int `json:"repositories"`
	Penalty      float64        `json:"penalty"` // of the squared weights
	// AccAt1 is the share of cases whose first file is right when a model ranks
	// them that was fitted without their repository.
	AccAt1 float64 `json:"acc_at_1_left_out"`
}

// noneWeight is the name of the utility of "none of these files".
const noneWeight = "none"

// committed is the model that was fitted with cmd/crash-train.
var committed = sync.OnceValue(func() *Model {
	m := new(Model)
	if err := json.Unmarshal(modelJSON, m); err != nil {
		panic("rank: model.json: " + err.Error())
	}
	return m
})

// TrainedOn returns how many training cases of the model came from each repository.
// A measurement on one of them flatters the model.
func TrainedOn() map[string]int { return committed().Made.Repositories }

// shares returns the probability with which each file is chosen. The sum is less
// than 1: the rest is that none of them is right.
func (m *Model) shares(files []*evidence, managed bool) []float64 {
	weights := m.Native
	if managed {
		weights = m.Managed
	}
	shares := make([]float64, len(files))
	sum := math.Exp(weights[noneWeight])
	for i, e := range files {
		utility := 0.0
		for j, x := range e.vector() {
			utility += weights[featureNames[j]] * x
		}
		shares[i] = math.Exp(utility)
		sum += shares[i]
	}
	for i := range shares {
		shares[i] /= sum
	}
	return shares
}

// probability returns the calibrated probability of a file with the share.
func (m *Model) probability(share float64) float64 {
	return m.Calibration.Probability(min(max(share, 0.001), 0.999), 1)
}
