package szz

import (
	"git-agent/agent"
	"git-agent/agent/session"
	"git-agent/gitext"
)

// An AgentReport says how an answer of the agent engine came about.
type AgentReport struct {
	Model     string  `json:"model"`
	Basis     Basis   `json:"basis"`
	Runs      []Run   `json:"runs"`
	Agreement float64 `json:"agreement,omitempty"` // share of the runs with an answer that name the first suspect; 0 where fewer than two have one
	Fallback  string  `json:"fallback,omitempty"`  // why the offline answer stands in; "" when the answer is the agent's
	// Calibrated says that the probabilities are calibrated, and Calibration what the
	// calibration was fitted on, or why there is none.
	Calibrated  bool   `json:"calibrated"`
	Calibration string `json:"calibration,omitempty"`
}

// An Run is one run of the agent engine. Its objections are to claims that name
// a commit which is newer than the faulty code.
type Run struct {
	agent.RunReport
	Claims []Claim `json:"claims,omitempty"` // what it reported, as accepted
}

// RunReports returns the reports of the runs. A nil report has none.
func (r *AgentReport) RunReports() []agent.RunReport {
	if r == nil {
		return nil
	}
	var list []agent.RunReport
	for _, run := range r.Runs {
		list = append(list, run.RunReport)
	}
	return list
}

// A Claim is the model's statement that a commit introduced the bug.
type Claim struct {
	Commit     gitext.OID `json:"commit"`
	Type       string     `json:"type"`              // one of ClaimTypes
	Confidence float64    `json:"confidence"`        // as the model states it, 0 to 1
	Reasoning  string     `json:"reasoning"`         // cleaned, one paragraph
	Checked    string     `json:"checked,omitempty"` // the objection that the check made; "" for none
}

// ClaimTypes are the ways in which a commit introduces a bug. Of those that hold, the
// last is the type: it wrote the faulty code (introduction); it left out what its
// change made necessary (omission); it changed no file of the fix (cross_file); or
// blame stops at a commit after it that only moved or reformatted the fault
// (refactor_penetration).
var ClaimTypes = []string{"introduction", "omission", "cross_file", "refactor_penetration"}

// ProbabilityNote says whether the probabilities are calibrated.
func (r *AgentReport) ProbabilityNote() string {
	if r.Calibrated {
		return "the probabilities are calibrated " + r.Calibration
	}
	return "the probabilities mix the ranking's with the model's own confidence and are not calibrated: " + r.Calibration
}

// A Vote is what the agent engine makes a suspect's probability from.
type Vote struct {
	Raw       float64 `json:"raw"`       // the estimates of the ranking and the model, mixed; not calibrated
	Agreement float64 `json:"agreement"` // share of the runs with an answer that name the commit
	// Absent is how many runs gave no answer. A calibration, which is fitted on votes
	// of all runs, is not valid where it is not 0.
	Absent int `json:"absent,omitempty"`
}

// HasClaim reports whether the run made a claim. That no commit is to blame is a
// claim too. A run that failed or met its limit has none.
func (r Run) HasClaim() bool { return len(r.Claims) > 0 || r.Status == agent.StatusNothing }

// A Basis is what the probabilities of the agent engine depend on beside the cases.
type Basis = session.Basis
