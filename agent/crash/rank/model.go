package rank

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"

	"git-agent/agent/stat"
)

//go:embed model.json
var modelJSON []byte

// ModelHash returns a hash of the ranking model.
func ModelHash() string {
	sum := sha256.Sum256(modelJSON)
	return hex.EncodeToString(sum[:8])
}

// A Model holds the fitted weights for the choice among the files of a report. It has one set of
// weights for native programs and one for managed languages.
type Model struct {
	Made        Made        `json:"made"`
	Native      stat.Choice `json:"native"`
	Managed     stat.Choice `json:"managed"`
	Calibration Calibration `json:"calibration"`
}

// A Calibration turns shares into probabilities, which the first files of a ranking hold.
type Calibration struct {
	Native  stat.Platt `json:"native"`
	Managed stat.Platt `json:"managed"`
}

// Probability returns the calibrated probability of a file with this share.
func (c Calibration) Probability(share float64, managed bool) float64 {
	share = min(max(share, 0.001), 0.999)
	if managed {
		return c.Managed.Probability(share, 1)
	}
	return c.Native.Probability(share, 1)
}

// Made describes the training data of a model.
type Made struct {
	Cases        int            `json:"cases"`
	Repositories map[string]int `json:"repositories"`
	Penalty      float64        `json:"penalty"` // of the squared weights
	// AccAt1 is the share of cases with the right file first, each ranked by a model that was
	// fitted without the case's repository.
	AccAt1 float64 `json:"acc_at_1_left_out"`
}

// committed is the model that was fitted with cmd/train/crashtrain.
var committed = stat.Embedded[Model]("rank", modelJSON)

// TrainedOn returns the number of the model's training cases from each repository. A measurement
// on one of these repositories flatters the model.
func TrainedOn() map[string]int { return committed().Made.Repositories }

// shares returns the probability of choosing each file. The sum is less than 1; the rest is the
// probability that no file is right.
func (m *Model) shares(files []*evidence, managed bool) []float64 {
	vectors := vectorsOf(files)
	if managed {
		return m.Managed.Shares(featureNames, vectors)
	}
	return m.Native.Shares(featureNames, vectors)
}
