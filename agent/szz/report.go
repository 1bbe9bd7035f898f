package szz

import (
	"fmt"
	"strings"

	"git-agent/agent"
	"git-agent/gitext"
)

// An AgentReport says how a verdict of the agent engine came about.
type AgentReport struct {
	Model     string     `json:"model"`
	Basis     Basis      `json:"basis"`
	Runs      []AgentRun `json:"runs"`
	Agreement float64    `json:"agreement,omitempty"` // share of the runs with a verdict that name the first suspect; 0 where fewer than two have one
	Fallback  string     `json:"fallback,omitempty"`  // why the offline answer stands in; "" when the verdict is the agent's
	// Calibrated says that the probabilities are calibrated, and Calibration what the
	// calibration was fitted on, or why there is none.
	Calibrated  bool   `json:"calibrated"`
	Calibration string `json:"calibration,omitempty"`
}

// An AgentRun is one run of the agent engine. Its objections are to claims that name
// a commit which is newer than the faulty code.
type AgentRun struct {
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
	Agreement float64 `json:"agreement"` // share of the runs with a verdict that name the commit
	// Absent is how many runs gave no verdict. A calibration, which is fitted on votes
	// of all runs, is not valid where it is not 0.
	Absent int `json:"absent,omitempty"`
}

// HasVerdict reports whether the run gave a verdict. That no commit is to blame is a
// verdict too. A run that failed or met its limit has none.
func (r AgentRun) HasVerdict() bool { return len(r.Claims) > 0 || r.Status == agent.StatusNothing }

// A Basis is what the probabilities of the agent engine depend on beside the cases.
type Basis struct {
	Model   string `json:"model"`
	Prompts string `json:"prompts"` // hash of the texts and schemas that it is sent
	Ranker  string `json:"ranker"`  // hash of the ranking's model
	Runs    int    `json:"runs"`    // how many vote
	Method  string `json:"method"`  // settings other than the defaults, such as "no-tools"; "" for none
}

// Differs says in what a basis differs from that of now, "" when it does not.
func (b Basis) Differs(now Basis) string {
	var words []string
	add := func(differs bool, format string, args ...any) {
		if differs {
			words = append(words, fmt.Sprintf(format, args...))
		}
	}
	add(b.Model != now.Model, "it is for the model %s, and %s is asked", agent.CleanLine(b.Model), agent.CleanLine(now.Model))
	add(b.Runs != now.Runs, "it is for %d %s, and there %s %d", b.Runs, Plural(b.Runs, "run", "runs"), Plural(now.Runs, "is", "are"), now.Runs)
	add(b.Method != now.Method, "it is for %s, and this is %s", methodName(b.Method), methodName(now.Method))
	add(b.Prompts != now.Prompts, "what the model is told has changed")
	add(b.Ranker != now.Ranker, "the ranking has changed")
	return strings.Join(words, "; ")
}

func methodName(m string) string {
	if m == "" {
		return "the method as it is"
	}
	return "the method with " + agent.CleanLine(m)
}
