package session

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"git-agent/agent"
	"git-agent/agent/stat"
)

// A Calibration maps the raw probabilities of an agent engine to the observed share of
// right answers. It was fitted on cases with known answers, and is valid for its Basis
// only.
type Calibration struct {
	Schema string    `json:"schema"` // of the calibrated verb
	Made   time.Time `json:"made"`
	agent.Basis
	Files        []string `json:"files"` // names of the case files
	Cases        int      `json:"cases"` // that the model answered
	Repositories int      `json:"repositories"`
	Named        string   `json:"named,omitempty"` // the noun for the named things, such as "file"; "" for suspects
	Predictions  int      `json:"predictions"`     // things that the model named
	Right        int      `json:"right"`           // right ones among the predictions
	stat.Platt   `json:"coefficients"`
	OutOfFold    stat.OutOfFold `json:"out_of_fold"`
}

// maxCoefficient is far larger than any coefficient of a fit.
const maxCoefficient = 100

// ParseCalibration reads a calibration of a schema from its JSON.
func ParseCalibration(data []byte, schema string) (*Calibration, error) {
	var c Calibration
	if err := json.Unmarshal(bytes.TrimSpace(data), &c); err != nil {
		return nil, fmt.Errorf("it is no calibration: %w", err)
	}
	if c.Schema != schema {
		return nil, fmt.Errorf("its schema is %q, not %q", agent.CleanLine(c.Schema), schema)
	}
	k := c.Platt
	if !(k.Raw >= 0 && k.Raw <= maxCoefficient && k.Agreement >= 0 && k.Agreement <= maxCoefficient && math.Abs(k.Constant) <= maxCoefficient) {
		return nil, errors.New("its coefficients are out of range")
	}
	if c.Model == "" || c.Prompts == "" || c.Ranker == "" || c.Runs < 1 {
		return nil, errors.New("it does not say what it was fitted for")
	}
	return &c, nil
}

// ID returns a hash of the basis and the coefficients.
func (c *Calibration) ID() string {
	data, err := json.Marshal(struct {
		agent.Basis
		stat.Platt
	}{c.Basis, c.Platt})
	if err != nil { // only for numbers outside JSON, which ParseCalibration refuses
		return "broken"
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// About describes in a few words the cases behind the calibration.
func (c *Calibration) About() string {
	repositories := "repositories"
	if c.Repositories == 1 {
		repositories = "repository"
	}
	named := cmp.Or(c.Named, "suspect")
	return fmt.Sprintf("on %d %ss of %d cases from %d %s; off by %.0f points on average where it was not fitted",
		c.Predictions, named, c.Cases, c.Repositories, repositories, 100*c.OutOfFold.After.ECE)
}
