package render

import (
	"io"

	"git-agent/agent/crash"
	"git-agent/agent/szz"
	"git-agent/gitext"
)

// crashSchema is the schema of crash --json. A change that breaks readers raises its number.
const crashSchema = "git-agent/crash/1"

// These types are the documented JSON form of an answer about a crash.
type (
	CrashAnswerJSON struct {
		Schema     string        `json:"schema"`
		Input      string        `json:"input"` // the report's file, "-" for standard input
		Commit     gitext.OID    `json:"commit"`
		CommitFrom string        `json:"commit_from"`
		Fit        crash.Fit     `json:"fit,omitzero"`
		Engine     string        `json:"engine"`
		Algorithm  string        `json:"algorithm"`
		Answered   bool          `json:"answered"`
		Files      []crash.File  `json:"files"`
		Suspects   []SuspectJSON `json:"suspects"`
		// Declarations are those of the fields that race.
		Declarations []crash.Declaration `json:"declarations,omitempty"`
		Report       *crash.Report       `json:"report"`
		Notes        []string            `json:"notes"`
		Incomplete   []string            `json:"incomplete,omitempty"` // gaps of the clone: missing-objects
		Agent        *crashAgentJSON     `json:"agent,omitempty"`
	}
	crashAgentJSON struct {
		Model       string         `json:"model"`
		Fallback    string         `json:"fallback"`    // why the ranking is the offline engine's; "" for the model's
		Confidence  float64        `json:"confidence"`  // score of the first file divided by the number of runs
		Calibrated  bool           `json:"calibrated"`  // the probabilities are calibrated
		Calibration string         `json:"calibration"` // basis of the calibration, or why there is none
		Explanation string         `json:"explanation"` // the chain of events that led to the crash
		Turns       int            `json:"turns"`
		Calls       int            `json:"calls"`
		Usage       TokensJSON     `json:"usage"`
		Runs        []crashRunJSON `json:"runs"`
	}
	crashRunJSON struct {
		Trace   string      `json:"trace"`
		Status  string      `json:"status"`
		Reason  string      `json:"reason"`
		Turns   int         `json:"turns"`
		Calls   int         `json:"calls"`
		Usage   TokensJSON  `json:"usage"`
		Verdict crash.Claim `json:"verdict"`
	}
)

// CrashJSON prints each answer about a crash as one JSON object.
type CrashJSON struct {
	W   io.Writer
	End string // end of a line
	Max int    // most files
}

// Crash prints the answer about one report.
func (r *CrashJSON) Crash(name string, report *crash.Report, ranking *crash.Answer) error {
	return WriteJSON(r.W, CrashAnswerOf(name, report, ranking, r.Max), r.End)
}

// CrashAnswerOf returns the JSON form of an answer with at most most files.
func CrashAnswerOf(name string, report *crash.Report, ranking *crash.Answer, most int) CrashAnswerJSON {
	out := CrashAnswerJSON{
		Schema: crashSchema, Input: name, Commit: ranking.Commit, CommitFrom: ranking.CommitFrom, Engine: crashEngine(ranking),
		Algorithm: ranking.Algorithm, Answered: ranking.Answered, Declarations: ranking.Declarations, Report: report,
		Files: append([]crash.File{}, ranking.Files[:min(len(ranking.Files), most)]...), Suspects: []SuspectJSON{},
		Notes: append(append([]string{}, report.Notes...), ranking.Notes...), Incomplete: ranking.Incomplete, Agent: crashAgentJSONOf(ranking.Agent),
	}
	for _, s := range ranking.Suspects {
		out.Suspects = append(out.Suspects, suspectJSONOf(szz.Suspect{Suspect: s}))
	}
	return out
}

// crashEngine returns the name of a ranking's engine.
func crashEngine(ranking *crash.Answer) string {
	if ranking.Agent != nil && ranking.Agent.Fallback == "" {
		return "agent"
	}
	return "offline"
}

func crashAgentJSONOf(report *crash.AgentReport) *crashAgentJSON {
	if report == nil {
		return nil
	}
	work := modelWorkOf(report.RunReports())
	out := &crashAgentJSON{
		Model: report.Model, Fallback: report.Fallback, Confidence: report.Confidence, Calibrated: report.Calibrated,
		Calibration: report.Calibration, Explanation: report.Explanation,
		Turns: work.Turns, Calls: work.Calls, Usage: TokensOf(work.Usage), Runs: []crashRunJSON{},
	}
	for _, r := range report.Runs {
		out.Runs = append(out.Runs, crashRunJSON{
			Trace: r.Trace, Status: r.Status, Reason: r.Reason, Turns: r.Turns, Calls: r.Calls, Usage: TokensOf(r.Usage), Verdict: r.Claim,
		})
	}
	return out
}
