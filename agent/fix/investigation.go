package fix

import (
	"git-agent/agent"
	"git-agent/gitext"
)

// An AgentReport says how the agent engine worked on a problem.
type AgentReport struct {
	Model string `json:"model"`
	Runs  []Run  `json:"runs"`
	// Fallback says why the offline engine took over from the model; "" if it did not.
	Fallback string `json:"fallback,omitempty"`
}

// A Run is one trajectory of the model.
type Run struct {
	Trace string `json:"trace,omitempty"` // name in traces.db; "" if the run was not recorded
	agent.RunReport
	Phase   Phase       `json:"phase,omitempty"`
	History []Heuristic `json:"history,omitempty"` // the history that the model was shown
	Claim   Claim       `json:"claim,omitzero"`
	Verdict Verdict     `json:"verdict,omitempty"` // the tests' verdict on the patch; "" if there is no patch
	Tried   *Trial      `json:"-"`                 // the patch; nil if there is none, and in a report read from a record
	Cut     string      `json:"cut,omitempty"`     // why the run was ended early; "" if it was not
	Allowed int         `json:"allowed,omitempty"` // the limit of steps, if the run was ended early
}

// A Phase says which part of a trajectory a run is.
type Phase string

// These are the phases. With the strategy React, a trajectory is one repair. With Research, it
// is an analysis and then a repair. A test is written before all trajectories, and a review
// follows them.
const (
	PhaseAnalysis Phase = "analysis"
	PhaseRepair   Phase = ""       // the default
	PhaseReview   Phase = "review" // a model chooses among plausible patches
	PhaseTest     Phase = "test"   // a model writes the failing test, before all trajectories
)

// A Claim is a model's statement at the end of a trajectory. The tests decide whether the claim
// is right.
type Claim struct {
	Success     bool       `json:"success,omitempty"`
	Explanation string     `json:"explanation,omitempty"` // effect of the patch
	RootCause   string     `json:"root_cause,omitempty"`
	Introduced  gitext.OID `json:"introduced,omitempty"` // the commit that introduced the bug
}

// RunReports returns the reports of the runs; none for a nil AgentReport.
func (r *AgentReport) RunReports() []agent.RunReport {
	if r == nil {
		return nil
	}
	return agent.RunReports(r.Runs)
}
