package fix

import (
	"git-agent/agent"
	"git-agent/gitext"
)

// An AgentReport says how the agent engine worked on a problem.
type AgentReport struct {
	Model string `json:"model"`
	Runs  []Run  `json:"runs"`
	// Fallback says why the offline engine worked on the problem in the end; "" if it
	// did not.
	Fallback string `json:"fallback,omitempty"`
}

// A Run is one trajectory of the model.
type Run struct {
	Trace string `json:"trace,omitempty"` // its name in traces.db; "" if it was not recorded
	agent.RunReport
	Phase   Phase       `json:"phase,omitempty"`
	History []Heuristic `json:"history,omitempty"` // what it was shown
	Claim   Claim       `json:"claim,omitzero"`
	Verdict Verdict     `json:"verdict,omitempty"` // what the tests say of its patch; "" if it has none
	Tried   *Trial      `json:"-"`                 // its patch; nil if it has none, and in a report that was read
	Cut     string      `json:"cut,omitempty"`     // why it was ended early; "" if it was not
	Allowed int         `json:"allowed,omitempty"` // steps that it might have made, if it was ended early
}

// A Phase is the part of a trajectory that a run is.
type Phase string

// These are the phases. A trajectory of the strategy React is one repair; one of Research
// is an analysis and then a repair. A review follows all trajectories, and the writing of a
// test comes before them.
const (
	PhaseAnalysis Phase = "analysis"
	PhaseRepair   Phase = ""       // the default
	PhaseReview   Phase = "review" // a model chooses among plausible patches
	PhaseTest     Phase = "test"   // a model writes the failing test, before all trajectories
)

// A Claim is what a model says at the end of a trajectory. The tests decide whether it
// is right.
type Claim struct {
	Success     bool       `json:"success,omitempty"`
	Explanation string     `json:"explanation,omitempty"` // what the patch does
	RootCause   string     `json:"root_cause,omitempty"`
	Introduced  gitext.OID `json:"introduced,omitempty"` // the commit that introduced the bug
}

// RunReports returns how the runs went; none for a nil report.
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
