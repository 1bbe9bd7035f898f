package crash

import (
	"git-agent/agent"
	"git-agent/agent/session"
	"git-agent/gitext"
)

// An AgentReport says how the agent engine came to its ranking: a model investigated
// the crash several times, and the runs voted.
type AgentReport struct {
	Model string `json:"model"`
	Runs  []Run  `json:"runs"`
	// Confidence is the score of the first file divided by the number of runs
	// (AutoCrashFL, section 3.4): 1 if every run names it and nothing else.
	Confidence float64 `json:"confidence,omitempty"`
	// Basis is what the probabilities depend on beside the crash. Calibrated says that they
	// are calibrated, and Calibration what the calibration rests on, or why there is none.
	Basis       session.Basis `json:"basis,omitzero"`
	Calibrated  bool          `json:"calibrated,omitempty"`
	Calibration string        `json:"calibration,omitempty"`
	// Fallback says why the offline engine's ranking stands in; "" if the runs voted.
	Fallback string `json:"fallback,omitempty"`
	// Explanation is the chain of events that led to the crash, as the first run says
	// that puts the first file first.
	Explanation string `json:"explanation,omitempty"`
}

// A Run is one investigation by the model.
type Run struct {
	Trace string `json:"trace,omitempty"` // its name in traces.db; "" if it was not recorded
	agent.RunReport
	Claim Claim `json:"verdict,omitzero"`
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

// A Claim is what one run reports about a crash.
type Claim struct {
	// Explanation is the chain of events that led to the crash.
	Explanation string `json:"explanation,omitempty"`
	// Files are the files to change, the most suspicious first.
	Files []FileClaim `json:"files,omitempty"`
	// Commits are the commits that brought the fault in, the most suspicious first.
	Commits []CommitClaim `json:"commits,omitempty"`
}

// A FileClaim is the statement of a run that a file must change.
type FileClaim struct {
	Path   string `json:"path"`
	Reason string `json:"reason,omitempty"`
}

// A CommitClaim is the statement of a run that a commit introduced the crash.
type CommitClaim struct {
	Commit gitext.OID `json:"commit"`
	Reason string     `json:"reason,omitempty"`
}

// A Vote is what the runs say of one file.
type Vote struct {
	// Score is the sum over the runs that name the file of 1 / the number of files
	// that the run names.
	Score float64 `json:"score"`
	Runs  int     `json:"runs"` // how many runs name the file
	Of    int     `json:"of"`   // how many runs have a claim
	// Offline is the probability that the ranking alone gives the file; 0 if it has none.
	Offline float64 `json:"offline,omitempty"`
	// Explanations are what the runs say of the file, each text once.
	Explanations []string `json:"explanations,omitempty"`
}

// Ballots returns the files that each run names, the most suspicious first: nil for a
// run without a claim, and an empty list for one that names no file. It returns none
// for a nil report.
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
