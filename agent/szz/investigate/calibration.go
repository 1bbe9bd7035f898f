package investigate

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"git-agent/agent/session"
	"git-agent/agent/szz"
	"git-agent/agent/szz/rank"
)

// CalibrationSchema names the form of a calibration's JSON.
const CalibrationSchema = "git-agent/calibration/1"

// A Calibration maps the raw probabilities of the agent engine, which mix the estimates
// of the ranking and the model, to the observed share of right suspects.
type Calibration = session.Calibration

// BasisOf returns the basis of the answers of Trace with these options.
func BasisOf(opt Options) (szz.Basis, error) {
	texts, err := promptsHash()
	if err != nil {
		return szz.Basis{}, err
	}
	ranker := sha256.Sum256(rank.ModelFile)
	words := append(opt.Names(), strings.Fields(opt.Sampling)...)
	if opt.Test != nil {
		words = append(words, TestName)
	}
	method := strings.Join(words, " ")
	return szz.Basis{Model: opt.ModelName, Prompts: texts, Ranker: hex.EncodeToString(ranker[:8]), Runs: max(1, opt.Runs), Method: method}, nil
}

// ParseCalibration reads a calibration from its JSON.
func ParseCalibration(data []byte) (*Calibration, error) {
	return session.ParseCalibration(data, CalibrationSchema)
}
