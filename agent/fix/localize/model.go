package localize

import (
	_ "embed"
	"maps"

	"git-agent/agent/stat"
)

//go:embed model.json
var modelJSON []byte

// reportJSON is the model for bugs of which only a report is known.
//
//go:embed report.json
var reportJSON []byte

// A Model is the fitted choice model for functions, made by cmd/train/fixtrain.
type Model struct {
	Made    Made        `json:"made"`
	Weights stat.Choice `json:"weights"`
}

// Made describes the training of a model.
type Made struct {
	Cases        int            `json:"cases"`
	Repositories map[string]int `json:"repositories"`
	Penalty      float64        `json:"penalty"` // penalty of the squared weights
	// LeftOut has the results of models that were fitted without the repository of the case, by
	// the kind of information about the bug.
	LeftOut map[string]Hits `json:"left_out"`
}

// Hits counts the cases with the true function, or the true file, among the first ones of a
// list.
type Hits struct {
	Cases   int `json:"cases"`
	In1     int `json:"in_1"`
	In3     int `json:"in_3"`
	In5     int `json:"in_5"`
	In10    int `json:"in_10"`
	FileIn1 int `json:"file_in_1"`
	FileIn3 int `json:"file_in_3"`
}

// The embedded models, made by cmd/train/fixtrain.
var (
	committed = stat.Embedded[Model]("localize", modelJSON)
	reported  = stat.Embedded[Model]("localize from reports", reportJSON)
)

// Fitted returns the program's model for ordering functions.
func Fitted() *Model { return committed() }

// FittedToReports returns the program's model for ordering functions if a user's report is all that is known.
func FittedToReports() *Model { return reported() }

// crashWeight is the additional weight of a frame if the program crashed. The model is fitted
// to failures of tests, and their stacks seldom end at the bug. In the development data, the
// true function is first for 52 of 91 crashes with this weight, and for 28 without it.
const crashWeight = 8

// weights returns the features' weights for this bug.
func (s *search) weights() stat.Choice {
	if s.reportAlone() {
		return reported().Weights
	}
	fitted := committed().Weights
	if !s.crashed() {
		return fitted
	}
	w := maps.Clone(fitted)
	w["frame"] += crashWeight
	return w
}

// crashed reports whether the bug is a crash: the user gave a report of one, or the
// output has a stack but names no failing test.
func (s *search) crashed() bool {
	return s.in.Problem.Crash != nil || len(s.in.Stacks) > 0 && len(s.in.Reproduction.Failing) == 0
}

// score gives each candidate its probability in the choice among all. Locations that the user
// named come before all others, in the user's order.
func (s *search) score() {
	for i, share := range s.weights().Shares(featureNames, s.vectors()) {
		s.list[i].score = share
	}
	s.preferNamed()
	s.preferUncommitted()
	for _, c := range s.list {
		if c.given > 0 {
			c.score += 1 + 1/float64(c.given)
		}
	}
}
