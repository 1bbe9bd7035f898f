package investigate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"git-agent/agent/gittool"
	"git-agent/agent/session"
	"git-agent/agent/szz"
	"git-agent/agent/szz/rank"
	"git-agent/gitext"
	"git-agent/prompts"
)

// CalibrationSchema names the form of a calibration's JSON.
const CalibrationSchema = "git-agent/calibration/1"

// A Calibration maps the raw probabilities of the agent engine, which mix the
// estimates of the ranking and the model, to how often such suspects were right.
type Calibration = session.Calibration

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

// ParseCalibration reads a calibration from its JSON.
func ParseCalibration(data []byte) (*Calibration, error) {
	return session.ParseCalibration(data, CalibrationSchema)
}
