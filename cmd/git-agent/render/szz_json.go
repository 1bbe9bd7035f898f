package render

import (
	"fmt"
	"io"
	"time"

	"git-agent/agent/szz"
	"git-agent/cache"
	"git-agent/gitext"
	"git-agent/gitext/visible"
)

// AnswerSchema names the form of --json. A change that breaks readers gets the
// next number.
const AnswerSchema = "git-agent/szz/1"

// The types below are the documented JSON form. They are not those of package
// szz, which may change without anybody's scripts noticing.
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
		Considered int           `json:"considered"`
		Notes      []string      `json:"notes"`
		Sandbox    string        `json:"sandbox,omitempty"` // of --verify-cmd
		Agent      *szzJSONAgent `json:"agent,omitempty"`
	}
	szzJSONAgent struct {
		Model       string       `json:"model"`
		Fallback    string       `json:"fallback"`
		Agreement   float64      `json:"agreement,omitempty"` // never 0 where several runs have a verdict
		Calibrated  bool         `json:"calibrated"`
		Calibration string       `json:"calibration"` // what it rests on, or why there is none
		Turns       int          `json:"turns"`
		Calls       int          `json:"calls"`
		Usage       TokensJSON   `json:"usage"`
		Runs        []szzJSONRun `json:"runs"`
	}
	szzJSONRun struct {
		Trace      cache.RunID    `json:"trace"`
		Status     string         `json:"status"`
		Reason     string         `json:"reason"`
		Turns      int            `json:"turns"`
		Calls      int            `json:"calls"`
		Objections int            `json:"objections"`
		Usage      TokensJSON     `json:"usage"`
		Claims     []szzJSONClaim `json:"claims"`
	}
	szzJSONClaim struct {
		Commit     gitext.OID `json:"commit"`
		Type       string     `json:"type"`
		Confidence float64    `json:"confidence"`
		Reasoning  string     `json:"reasoning"`
		Checked    string     `json:"checked"`
	}
	SuspectJSON struct {
		Commit       gitext.OID        `json:"commit"`
		Probability  float64           `json:"probability"`
		Type         string            `json:"type,omitempty"`
		Author       szzJSONPerson     `json:"author"`
		Committer    szzJSONPerson     `json:"committer"`
		Subject      string            `json:"subject"`
		Reason       string            `json:"reason"`
		Evidence     []EvidenceJSON    `json:"evidence"`
		Signals      []SignalJSON      `json:"signals"`
		Confirmation *ConfirmationJSON `json:"confirmation,omitempty"`
	}
	szzJSONPerson struct {
		Name  string `json:"name"`
		Email string `json:"email"`
		Date  string `json:"date"`
	}
	EvidenceJSON struct {
		Path    string `json:"path"`
		Line    int    `json:"line"`
		Removed bool   `json:"removed"` // by the fix
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

// JSON prints one object for each fix.
type JSON struct {
	W   io.Writer
	End string
}

func (r *JSON) Answer(ans Answer) error {
	line, err := JSONLine(AnswerJSONOf(ans))
	if err != nil {
		return fmt.Errorf("encode the answer for %s: %w", ans.Verdict.Fix, err)
	}
	_, err = r.W.Write(append(line, r.End...))
	return err
}

// JSONLine encodes v on one line.
func JSONLine(v any) ([]byte, error) { return visible.Marshal(v) }

func AnswerJSONOf(ans Answer) AnswerJSON {
	v := ans.Verdict
	out := AnswerJSON{
		Schema: AnswerSchema, Source: sourceName(ans.Source), Fix: v.Fix, Parent: v.Parent, Subject: ans.Fix.Subject(),
		Engine: v.Engine, Algorithm: v.Algorithm, Considered: len(v.Candidates),
		Suspects: []SuspectJSON{}, Notes: append([]string{}, v.Notes...), Agent: szzJSONAgentOf(ans), Sandbox: v.Sandbox,
	}
	for _, s := range v.Suspects {
		out.Suspects = append(out.Suspects, szzJSONSuspectOf(s))
	}
	return out
}

func szzJSONSuspectOf(s szz.Suspect) SuspectJSON {
	out := SuspectJSON{
		Commit: s.Commit.OID, Probability: s.Probability, Type: s.Type, Subject: s.Commit.Subject(), Reason: s.Reason,
		Author: szzJSONPersonOf(s.Commit.Author), Committer: szzJSONPersonOf(s.Commit.Committer),
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

func szzJSONPersonOf(p gitext.Person) szzJSONPerson {
	return szzJSONPerson{p.Name, p.Email, p.Time.Format(time.RFC3339)}
}

// sourceName says where a fix was taken from.
func sourceName(s szz.Source) string {
	switch s {
	case szz.SourceStaged:
		return "staged"
	case szz.SourceWorktree:
		return "worktree"
	}
	return "commit"
}
