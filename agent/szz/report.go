package szz

import (
	"fmt"
	"strings"

	"git-agent/agent"
	"git-agent/agent/model"
	"git-agent/gitext"
)

// AgentReport is how a verdict of the agent came about.
type AgentReport struct {
	Model     string     `json:"model"`
	Basis     Basis      `json:"basis"`
	Runs      []AgentRun `json:"runs"`
	Agreement float64    `json:"agreement,omitempty"` // share of the runs with a verdict that name the first suspect; 0 where fewer than two have one
	Fallback  string     `json:"fallback,omitempty"`  // why the offline answer stands in; "" when the verdict is the agent's
	// Calibrated says that the probabilities went through the calibration, and
	// Calibration what it rests on, or why there is none.
	Calibrated  bool   `json:"calibrated"`
	Calibration string `json:"calibration,omitempty"`
}

// AgentRun is one investigation.
type AgentRun struct {
	Status     string      `json:"status"` // one of the agent.Status constants
	Reason     string      `json:"reason,omitempty"`
	Class      model.Class `json:"class,omitempty"`   // of the failure, when it was the model's server that ended it
	Turns      int         `json:"turns"`             // answers of the model
	Calls      int         `json:"calls"`             // tool calls that ran
	Resumed    int         `json:"resumed,omitempty"` // steps that an earlier life of the run had done
	Repeated   int         `json:"repeated,omitempty"`
	Objections int         `json:"objections,omitempty"` // claims of which the check found that the code was older
	Usage      model.Usage `json:"usage"`
	Claims     []Claim     `json:"claims,omitempty"` // what it reported, as accepted
}

// Claim is a commit that a run reported.
type Claim struct {
	Commit     gitext.OID `json:"commit"`
	Type       string     `json:"type"`              // one of ClaimTypes
	Confidence float64    `json:"confidence"`        // as the model states it, 0 to 1
	Reasoning  string     `json:"reasoning"`         // cleaned, one paragraph
	Checked    string     `json:"checked,omitempty"` // what the check found when it objected
}

// ClaimTypes are the ways in which a commit introduces a bug: it wrote the
// faulty code, it left out what a change needed, it did so in another file
// than the fix, or it hides behind a refactoring that the blame stops at.
var ClaimTypes = []string{"introduction", "omission", "cross_file", "refactor_penetration"}

// ProbabilityNote says what the probabilities are worth.
func (r *AgentReport) ProbabilityNote() string {
	if r.Calibrated {
		return "the probabilities are calibrated " + r.Calibration
	}
	return "the probabilities mix the ranking's with the model's own confidence and are not calibrated: " + r.Calibration
}

// A Vote is how the agent engine came to a suspect's probability.
type Vote struct {
	Raw       float64 `json:"raw"`       // what the ranking and the model think, mixed; not calibrated
	Agreement float64 `json:"agreement"` // share of the runs with a verdict that name the commit
	// Absent is how many runs of those that were to vote gave no verdict. What
	// was learnt of full votes does not hold where it is not 0.
	Absent int `json:"absent,omitempty"`
}

// HasVerdict reports whether the run gave a verdict, be it that no commit is to
// blame. A run that failed or met its limit did not.
func (r AgentRun) HasVerdict() bool { return len(r.Claims) > 0 || r.Status == agent.StatusNothing }

// Basis is what the probabilities of a model depend on beside the cases.
type Basis struct {
	Model   string `json:"model"`
	Prompts string `json:"prompts"` // hash of the texts and schemas that it is sent
	Ranker  string `json:"ranker"`  // hash of the ranking's model
	Runs    int    `json:"runs"`    // that vote
	Method  string `json:"method"`  // what was chosen beyond the defaults, such as "no-tools"; "" for nothing
}

// Differs says in words for whom each foreign part of the basis is, "" when
// nothing differs.
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
