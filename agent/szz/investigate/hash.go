package investigate

import (
	"git-agent/agent/gittool"
	"git-agent/agent/session"
	"git-agent/gitext"
)

// promptsHash returns a hash of every text and schema that the engine may send.
func promptsHash() (string, error) {
	specs, err := gittool.Specs()
	if err != nil {
		return "", err
	}
	report, err := newReportTool(nil, map[gitext.OID]string{})
	if err != nil {
		return "", err
	}
	test, err := newTestTool(nil)
	if err != nil {
		return "", err
	}
	return session.TextsHash("szz", append(specs, test.Spec(), report.Spec()))
}
