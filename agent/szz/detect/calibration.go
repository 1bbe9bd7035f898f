package detect

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/gittool"
	"git-agent/agent/stat"
	"git-agent/agent/szz"
	"git-agent/agent/szz/rank"
	"git-agent/gitext"
	"git-agent/prompts"
)

// CalibrationSchema names the form of a calibration's JSON.
const CalibrationSchema = "git-agent/calibration/1"

// A Calibration maps the raw probabilities of the agent engine, which mix the
// estimates of the ranking and the model, to how often such suspects were right. It
// was fitted on cases with known answers, and is valid for its Basis only.
type Calibration struct {
	Schema string    `json:"schema"`
	Made   time.Time `json:"made"`
	szz.Basis
	Files        []string `json:"files"` // names of the case files
	Cases        int      `json:"cases"` // that the model answered
	Repositories int      `json:"repositories"`
	Predictions  int      `json:"predictions"` // suspects that were named
	Right        int      `json:"right"`       // those of them that are right
	stat.Platt   `json:"coefficients"`
	OutOfFold    stat.OutOfFold `json:"out_of_fold"`
}

// BasisOf returns the basis of the answers of Trace with these options.
func BasisOf(opt Options) (szz.Basis, error) {
	texts, err := promptsHash()
	if err != nil {
		return szz.Basis{}, err
	}
	ranker := sha256.Sum256(rank.ModelFile)
	method := strings.Join(append(opt.Names(), strings.Fields(opt.Sampling)...), " ")
	return szz.Basis{Model: opt.ModelName, Prompts: texts, Ranker: hex.EncodeToString(ranker[:8]), Runs: max(1, opt.Runs), Method: method}, nil
}

// promptsHash returns a hash of every text and schema that the engine may send.
func promptsHash() (string, error) {
	all, err := prompts.All()
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	for _, p := range all {
		if !strings.HasPrefix(p.Name, "mcp/") && !strings.HasPrefix(p.Name, "crash/") { // those are sent to other agents, and about crashes
			fmt.Fprintf(sum, "%s %s\n", p.Name, p.Hash)
		}
	}
	specs, err := gittool.Specs()
	if err != nil {
		return "", err
	}
	report, err := newReportTool(nil, map[gitext.OID]string{})
	if err != nil {
		return "", err
	}
	if err := json.NewEncoder(sum).Encode(append(specs, report.Spec())); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)[:8]), nil
}

// maxCoefficient is far larger than any coefficient of a fit.
const maxCoefficient = 100

// ParseCalibration reads a calibration from its JSON.
func ParseCalibration(data []byte) (*Calibration, error) {
	var c Calibration
	if err := json.Unmarshal(bytes.TrimSpace(data), &c); err != nil {
		return nil, fmt.Errorf("it is no calibration: %w", err)
	}
	if c.Schema != CalibrationSchema {
		return nil, fmt.Errorf("its schema is %q, not %q", agent.CleanLine(c.Schema), CalibrationSchema)
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
		szz.Basis
		stat.Platt
	}{c.Basis, c.Platt})
	if err != nil { // only for numbers that JSON does not have, which ParseCalibration refuses
		return "broken"
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// About says in a few words what the calibration was fitted on.
func (c *Calibration) About() string {
	return fmt.Sprintf("on %d suspects of %d cases from %d %s; off by %.0f points on average where it was not fitted",
		c.Predictions, c.Cases, c.Repositories, szz.Plural(c.Repositories, "repository", "repositories"), 100*c.OutOfFold.After.ECE)
}
