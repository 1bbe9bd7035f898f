package render

import (
	"io"
	"time"

	"git-agent/agent/release"

	"git-agent/agent/szz"
	"git-agent/cache"
	"git-agent/gitext"
)

// AnswerSchema is the schema of szz --json. A change that breaks readers raises
// its number.
const AnswerSchema = "git-agent/szz/1"

// These types are the documented JSON form of an answer. They are separate from
// the types of package szz, so that a change there does not break scripts.
type (
	AnswerJSON struct {
		Schema     string        `json:"schema"`
		Source     string        `json:"source"`
		Fix        gitext.OID    `json:"fix"`
		Parent     gitext.OID    `json:"parent"`
		Subject    string        `json:"subject"`
		Engine     string        `json:"engine"`
		Algorithm  string        `json:"algorithm"`
		Suspects   []SuspectJSON `json:"suspects"`
		Owner      *SuspectJSON  `json:"owner,omitempty"`   // of most removed lines of code, if it is no suspect
		Opinion    *SuspectJSON  `json:"opinion,omitempty"` // the ranking's suspect instead of the one in the message
		Considered int           `json:"considered"`
		Index      bool          `json:"index,omitempty"` // the ranking asked an index of changed lines
		Notes      []string      `json:"notes"`
		Incomplete []string      `json:"incomplete,omitempty"` // gaps of the clone: missing-objects, shallow
		Sandbox    string        `json:"sandbox,omitempty"`    // the sandbox of --verify-cmd
		Agent      *agentJSON    `json:"agent,omitempty"`
		Affected   *AffectedJSON `json:"affected,omitempty"` // for other agents that ask for it, and only with a suspect
	}
	agentJSON struct {
		Model       string     `json:"model"`
		Fallback    string     `json:"fallback"`
		Agreement   float64    `json:"agreement,omitempty"` // never 0 if several runs have an answer
		Calibrated  bool       `json:"calibrated"`
		Calibration string     `json:"calibration"` // basis of the calibration, or why there is none
		Turns       int        `json:"turns"`
		Calls       int        `json:"calls"`
		Usage       TokensJSON `json:"usage"`
		Runs        []runJSON  `json:"runs"`
	}
	runJSON struct {
		Trace      cache.RunID `json:"trace"`
		Status     string      `json:"status"`
		Reason     string      `json:"reason"`
		Turns      int         `json:"turns"`
		Calls      int         `json:"calls"`
		Objections int         `json:"objections"`
		Usage      TokensJSON  `json:"usage"`
		Claims     []claimJSON `json:"claims"`
	}
	claimJSON struct {
		Commit     gitext.OID `json:"commit"`
		Type       string     `json:"type"`
		Confidence float64    `json:"confidence"`
		Reasoning  string     `json:"reasoning"`
		Checked    string     `json:"checked"`
	}
	SuspectJSON struct {
		Commit       gitext.OID        `json:"commit"`
		Probability  float64           `json:"probability"`
		Prior        float64           `json:"prior,omitempty"` // before --verify-cmd changed it
		Type         string            `json:"type,omitempty"`
		Author       personJSON        `json:"author"`
		Committer    personJSON        `json:"committer"`
		Subject      string            `json:"subject"`
		Reason       string            `json:"reason"`
		Evidence     []EvidenceJSON    `json:"evidence"`
		Signals      []SignalJSON      `json:"signals"`
		Confirmation *ConfirmationJSON `json:"confirmation,omitempty"`
		Request      *release.Request  `json:"request,omitempty"` // that brought it
	}
	personJSON struct {
		Name  string `json:"name"`
		Email string `json:"email"`
		Date  string `json:"date"`
	}
	EvidenceJSON struct {
		Path    string `json:"path"`
		Line    int    `json:"line"`
		Removed bool   `json:"removed"` // the fix removed the line
		Text    string `json:"text"`
		Command string `json:"command"`
	}
	SignalJSON struct {
		Name   string  `json:"name"`
		Value  float64 `json:"value"`
		Weight float64 `json:"weight"`
	}
	ConfirmationJSON struct {
		Status string `json:"status"`
		Detail string `json:"detail"`
	}
)

// JSON prints each answer as one JSON object.
type JSON struct {
	W   io.Writer
	End string // end of a line
}

// Answer prints the answer for one fix.
func (r *JSON) Answer(ans Answer) error {
	return WriteJSON(r.W, AnswerJSONOf(ans), r.End)
}

// AnswerJSONOf returns the JSON form of an answer.
func AnswerJSONOf(ans Answer) AnswerJSON {
	v := ans.Answer
	out := AnswerJSON{
		Schema: AnswerSchema, Source: sourceName(ans.Source), Fix: v.Fix, Parent: v.Parent, Subject: ans.Fix.Subject(),
		Engine: v.Engine, Algorithm: v.Algorithm, Considered: len(v.Candidates), Index: v.Index,
		Suspects: []SuspectJSON{}, Notes: append([]string{}, v.Notes...), Incomplete: v.Incomplete, Agent: agentJSONOf(ans), Sandbox: v.Sandbox,
	}
	for _, s := range v.Suspects {
		one := suspectJSONOf(s)
		if r, ok := ans.Requests[s.Commit.OID]; ok {
			one.Request = &r
		}
		out.Suspects = append(out.Suspects, one)
	}
	if v.Opinion != nil {
		opinion := suspectJSONOf(*v.Opinion)
		out.Opinion = &opinion
	}
	if v.Owner != nil {
		owner := suspectJSONOf(*v.Owner)
		out.Owner = &owner
	}
	return out
}

func suspectJSONOf(s szz.Suspect) SuspectJSON {
	out := SuspectJSON{
		Commit: s.Commit.OID, Probability: s.Probability, Prior: s.Prior, Type: s.Type, Subject: s.Commit.Subject(), Reason: s.Reason,
		Author: personJSONOf(s.Commit.Author), Committer: personJSONOf(s.Commit.Committer),
		Evidence: []EvidenceJSON{}, Signals: []SignalJSON{},
	}
	for _, e := range s.Evidence {
		out.Evidence = append(out.Evidence, EvidenceJSON(e))
	}
	for _, g := range s.Signals {
		out.Signals = append(out.Signals, SignalJSON(g))
	}
	if s.Confirmation != nil {
		out.Confirmation = &ConfirmationJSON{s.Confirmation.Status, s.Confirmation.Detail}
	}
	return out
}

func personJSONOf(p gitext.Person) personJSON {
	return personJSON{p.Name, p.Email, p.Time.Format(time.RFC3339)}
}

// sourceName returns the JSON name of a fix's source.
func sourceName(s szz.Source) string {
	switch s {
	case szz.SourceStaged:
		return "staged"
	case szz.SourceWorktree:
		return "worktree"
	case szz.SourcePatch:
		return "patch"
	}
	return "commit"
}

func agentJSONOf(ans Answer) *agentJSON {
	report := ans.Answer.Agent
	if report == nil {
		return nil
	}
	work := modelWorkOf(report.RunReports())
	out := &agentJSON{Model: report.Model, Fallback: report.Fallback, Agreement: report.Agreement,
		Calibrated: report.Calibrated, Calibration: report.Calibration, Turns: work.Turns, Calls: work.Calls,
		Usage: TokensOf(work.Usage), Runs: []runJSON{}}
	for k, run := range report.Runs {
		var trace cache.RunID
		if k < len(ans.Runs) {
			trace = ans.Runs[k]
		}
		out.Runs = append(out.Runs, runJSONOf(trace, run))
	}
	return out
}

func runJSONOf(trace cache.RunID, run szz.Run) runJSON {
	out := runJSON{
		Trace: trace, Status: run.Status, Reason: run.Reason, Turns: run.Turns, Calls: run.Calls, Objections: run.Objections,
		Usage: TokensOf(run.Usage), Claims: []claimJSON{},
	}
	for _, c := range run.Claims {
		out.Claims = append(out.Claims, claimJSON{c.Commit, c.Type, c.Confidence, c.Reasoning, c.Checked})
	}
	return out
}
