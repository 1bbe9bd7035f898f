package prior

import (
	_ "embed"

	"git-agent/agent/stat"
)

//go:embed model.json
var modelJSON []byte

// A Model is the fitted choice model for commits, made by cmd/train/bisecttrain.
type Model struct {
	Made     Made        `json:"made"`
	Weights  stat.Choice `json:"weights"`
	Executed stat.Choice `json:"executed"` // where it is known what the failing tests execute
	Cheap    stat.Choice `json:"cheap"`    // without patches: it chooses the commits whose patches are read
}

// Made describes the training of a model.
type Made struct {
	Cases        int            `json:"cases"`
	Repositories map[string]int `json:"repositories"`
	Penalty      float64        `json:"penalty"` // of the squared weights
}

// committed is the embedded model.
var committed = stat.Embedded[Model]("prior", modelJSON)
