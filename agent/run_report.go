package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent/model"
)

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

// Own returns the report of a run that holds it.
func (r RunReport) Own() RunReport { return r }

// RunReports returns the reports of runs that hold them.
func RunReports[R interface{ Own() RunReport }](runs []R) []RunReport {
	var list []RunReport
	for _, run := range runs {
		list = append(list, run.Own())
	}
	return list
}

// WhyNone says why no run has an answer, with each reason once. nothing is the reason of runs that
// found nothing, such as "the model named no file".
func WhyNone(runs []RunReport, nothing string) string {
	var reasons []string
	for _, r := range runs {
		reason := r.Reason
		switch {
		case r.Status == StatusNothing:
			reason = nothing
		case r.Status == StatusLimit:
			reason = "the limit was reached without an answer: " + reason
		case reason == "":
			reason = "the model gave no answer that can be used"
		}
		if !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
	}
	return strings.Join(reasons, "; ")
}

// ReadFinal reads the value of the tool that ended the conversation.
func (o Outcome) ReadFinal(into any) error {
	data, ok := o.Final.Value.(json.RawMessage)
	if !ok {
		return fmt.Errorf("an answer is recorded as %T", o.Final.Value)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("read the recorded answer: %w", err)
	}
	return nil
}

// Report returns the report of a run with this outcome. objections is the number of
// claims that the verb's check objected to.
func (o Outcome) Report(objections int) RunReport {
	return RunReport{Status: o.Status, Reason: o.Reason, Class: o.Class, Turns: o.Turns, Calls: o.Calls,
		Resumed: o.Resumed, Repeated: o.Repeated, Objections: objections, Usage: o.Usage}
}
