package agent

import "git-agent/agent/model"

// A RunReport sums up one run of a model. The reports of all verbs hold it.
type RunReport struct {
	Status     string      `json:"status"` // one of the Status constants
	Reason     string      `json:"reason,omitempty"`
	Class      model.Class `json:"class,omitempty"`   // of the failure, if the model's server ended the run
	Turns      int         `json:"turns"`             // answers of the model
	Calls      int         `json:"calls"`             // tool calls that ran
	Resumed    int         `json:"resumed,omitempty"` // steps that were done before the run was resumed
	Repeated   int         `json:"repeated,omitempty"`
	Objections int         `json:"objections,omitempty"` // claims to which the verb's check objected
	Usage      model.Usage `json:"usage"`
}

// Report returns the report of a run with this outcome. objections is the number of
// claims that the verb's check objected to.
func (o Outcome) Report(objections int) RunReport {
	return RunReport{Status: o.Status, Reason: o.Reason, Class: o.Class, Turns: o.Turns, Calls: o.Calls,
		Resumed: o.Resumed, Repeated: o.Repeated, Objections: objections, Usage: o.Usage}
}
