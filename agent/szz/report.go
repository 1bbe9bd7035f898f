package szz

import (
	"git-agent/agent"
	"git-agent/gitext"
)

// An AgentReport describes the origin of an answer of the agent engine.
type AgentReport struct {
	Model     string  `json:"model"`
	Basis     Basis   `json:"basis"`
	Runs      []Run   `json:"runs"`
	Agreement float64 `json:"agreement,omitempty"` // share of the runs with an answer that name the first suspect; 0 if fewer than two runs have one
	Fallback  string  `json:"fallback,omitempty"`  // the reason for the offline answer; "" if the answer is the agent's
	// Calibrated says that the probabilities are calibrated. Calibration names the data
	// of the calibration, or the reason for its absence.
	Calibrated  bool   `json:"calibrated"`
	Calibration string `json:"calibration,omitempty"`
}

// A Run is one run of the agent engine. Its objections are to claims that name a commit
// newer than the faulty code.
type Run struct {
	agent.RunReport
	Claims []Claim `json:"claims,omitempty"` // the accepted claims of the report
}

// RunReports returns the reports of the runs. A nil report has none.
func (r *AgentReport) RunReports() []agent.RunReport {
	if r == nil {
		return nil
	}
	return agent.RunReports(r.Runs)
}

// A Claim is the model's statement that a commit introduced the bug.
type Claim struct {
	Commit     gitext.OID `json:"commit"`
	Type       string     `json:"type"`              // one of ClaimTypes
	Confidence float64    `json:"confidence"`        // stated by the model, 0 to 1
	Reasoning  string     `json:"reasoning"`         // cleaned, one paragraph
	Checked    string     `json:"checked,omitempty"` // the objection of the check; "" for none
}

// ClaimTypes are the ways in which a commit introduces a bug. If several apply, the last
// one is the type: the commit wrote the faulty code (introduction); it left out a
// necessary change (omission); it changed no file of the fix (cross_file); or blame stops
// at a later commit that only moved or reformatted the fault (refactor_penetration).
var ClaimTypes = []string{"introduction", "omission", "cross_file", "refactor_penetration"}

// ProbabilityNote says whether the probabilities are calibrated.
func (r *AgentReport) ProbabilityNote() string {
	if r.Calibrated {
		return "the probabilities are calibrated " + r.Calibration
	}
	return "the probabilities mix the ranking's with the model's own confidence and are not calibrated: " + r.Calibration
}

// A Vote holds the inputs of a suspect's probability in the agent engine.
type Vote struct {
	Raw       float64 `json:"raw"`       // the estimates of the ranking and the model, mixed; not calibrated
	Agreement float64 `json:"agreement"` // share of the runs with an answer that name the commit
	// Absent is the number of runs without an answer. Calibrations are fitted on votes of
	// all runs, so they are not valid unless it is 0.
	Absent int `json:"absent,omitempty"`
}

// HasClaim reports whether the run made a claim. The answer that no commit is to blame is
// a claim too. A run that failed or met its limit has none.
func (r Run) HasClaim() bool { return len(r.Claims) > 0 || r.Status == agent.StatusNothing }

// A Basis holds the inputs of the agent engine's probabilities, except the cases.
type Basis = agent.Basis
