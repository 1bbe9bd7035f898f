package investigate

import (
	"git-agent/agent/crash/crashtool"
	"git-agent/agent/session"
)

// PromptsHash returns a hash of all texts and schemas that the engine may send.
func PromptsHash() (string, error) {
	specs, err := crashtool.Specs()
	if err != nil {
		return "", err
	}
	report, err := newReportTool(nil)
	if err != nil {
		return "", err
	}
	return session.TextsHash("crash", append(specs, report.Spec()))
}
