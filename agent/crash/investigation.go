package crash

import (
	"git-agent/agent"
	"git-agent/gitext"
)

// An AgentReport describes how the agent engine made its ranking: a model investigated the crash
// several times, and the runs voted.
type AgentReport struct {
	Model string `json:"model"`
	Runs  []Run  `json:"runs"`
	// Confidence is the score of the first file divided by the number of runs (AutoCrashFL,
	// section 3.4). It is 1 if every run names only this file.
	Confidence float64 `json:"confidence,omitempty"`
	// Basis identifies the conditions of the probabilities, except the crash. Calibrated says
	// whether they are calibrated. Calibration describes the calibration's origin, or why there
	// is none.
	Basis       agent.Basis `json:"basis,omitzero"`
	Calibrated  bool        `json:"calibrated,omitempty"`
	Calibration string      `json:"calibration,omitempty"`
	// Fallback says why the answer is the offline engine's ranking; "" if the runs voted.
	// Explanation is the chain of events that led to the crash, from the first run that puts the
	// first file first.
	Fallback string `json:"fallback,omitempty"`
	// Explanation is the chain of events that led to the crash, as the first run says
	// that puts the first file first.
	Explanation string `json:"explanation,omitempty"`
}

// A Run is one investigation by the model.
type Run struct {
	Trace string `json:"trace,omitempty"` // name of the run in traces.db; "" if it was not recorded
	agent.RunReport
	Claim Claim `json:"verdict,omitzero"`
}

// RunReports returns the reports of the runs, or none for a nil report.
func (r *AgentReport) RunReports() []agent.RunReport {
	if r == nil {
		return nil
	}
	return agent.RunReports(r.Runs)
}

// A Claim is the report of one run about a crash.
type Claim struct {
	// Explanation is the chain of events that led to the crash.
	Explanation string `json:"explanation,omitempty"`
	// Files are the files to change, the most suspicious first.
	Files []FileClaim `json:"files,omitempty"`
	// Commits are the commits that introduced the fault, the most suspicious first.
	Commits []CommitClaim `json:"commits,omitempty"`
}

// A FileClaim is a run's claim that a file must change.
type FileClaim struct {
	Path   string `json:"path"`
	Reason string `json:"reason,omitempty"`
}

// A CommitClaim is a run's claim that a commit introduced the crash.
type CommitClaim struct {
	Commit gitext.OID `json:"commit"`
	Reason string     `json:"reason,omitempty"`
}

// A Vote is the runs' verdict on one file.
type Vote struct {
	// Score is the sum, over the runs that name the file, of 1 / the number of files in the run's
	// claim.
	Score float64 `json:"score"`
	Runs  int     `json:"runs"` // number of runs that name the file
	Of    int     `json:"of"`   // number of runs with a claim
	// Offline is the file's probability by the ranking alone; 0 if it has none.
	Offline float64 `json:"offline,omitempty"`
	// Explanations are the runs' texts about the file, without duplicates.
	Explanations []string `json:"explanations,omitempty"`
}

// Ballots returns the files that each run names, the most suspicious first: nil for a run without
// a claim, and an empty list for a run that names no file. It returns none for a nil report.
func (r *AgentReport) Ballots() [][]string {
	if r == nil {
		return nil
	}
	list := make([][]string, len(r.Runs))
	for i, run := range r.Runs {
		if run.HasClaim() {
			list[i] = []string{}
		}
		for _, f := range run.Claim.Files {
			list[i] = append(list[i], f.Path)
		}
	}
	return list
}

// Share returns the score divided by the number of runs with a claim; 0 if there is none.
func (v *Vote) Share() float64 {
	if v.Of == 0 {
		return 0
	}
	return v.Score / float64(v.Of)
}

// HasClaim reports whether the run gave a claim.
func (r Run) HasClaim() bool { return len(r.Claim.Files) > 0 || r.Status == agent.StatusNothing }
