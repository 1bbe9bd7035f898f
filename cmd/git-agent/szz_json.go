package main

import (
	"fmt"
	"io"
	"time"

	"git-agent/agent/szz"
	"git-agent/cache"
	"git-agent/gitext"
	"git-agent/gitext/visible"
)

// szzSchema names the form of --json. A change that breaks readers gets the
// next number.
const szzSchema = "git-agent/szz/1"

// The types below are the documented JSON form. They are not those of package
// szz, which may change without anybody's scripts noticing.
type (
	szzJSONAnswer struct {
		Schema     string           `json:"schema"`
		Source     string           `json:"source"`
		Fix        gitext.OID       `json:"fix"`
		Parent     gitext.OID       `json:"parent"`
		Subject    string           `json:"subject"`
		Engine     string           `json:"engine"`
		Algorithm  string           `json:"algorithm"`
		Suspects   []szzJSONSuspect `json:"suspects"`
		Considered int              `json:"considered"`
		Notes      []string         `json:"notes"`
		Sandbox    string           `json:"sandbox,omitempty"` // of --verify-cmd
		Agent      *szzJSONAgent    `json:"agent,omitempty"`
	}
	szzJSONAgent struct {
		Model       string       `json:"model"`
		Fallback    string       `json:"fallback"`
		Agreement   float64      `json:"agreement,omitempty"` // never 0 where several runs have a verdict
		Calibrated  bool         `json:"calibrated"`
		Calibration string       `json:"calibration"` // what it rests on, or why there is none
		Turns       int          `json:"turns"`
		Calls       int          `json:"calls"`
		Usage       tokensJSON   `json:"usage"`
		Runs        []szzJSONRun `json:"runs"`
	}
	szzJSONRun struct {
		Trace      cache.RunID    `json:"trace"`
		Status     string         `json:"status"`
		Reason     string         `json:"reason"`
		Turns      int            `json:"turns"`
		Calls      int            `json:"calls"`
		Objections int            `json:"objections"`
		Usage      tokensJSON     `json:"usage"`
		Claims     []szzJSONClaim `json:"claims"`
	}
	szzJSONClaim struct {
		Commit     gitext.OID `json:"commit"`
		Type       string     `json:"type"`
		Confidence float64    `json:"confidence"`
		Reasoning  string     `json:"reasoning"`
		Checked    string     `json:"checked"`
	}
	szzJSONSuspect struct {
		Commit       gitext.OID           `json:"commit"`
		Probability  float64              `json:"probability"`
		Type         string               `json:"type,omitempty"`
		Author       szzJSONPerson        `json:"author"`
		Committer    szzJSONPerson        `json:"committer"`
		Subject      string               `json:"subject"`
		Reason       string               `json:"reason"`
		Evidence     []szzJSONEvidence    `json:"evidence"`
		Signals      []szzJSONSignal      `json:"signals"`
		Confirmation *szzJSONConfirmation `json:"confirmation,omitempty"`
	}
	szzJSONPerson struct {
		Name  string `json:"name"`
		Email string `json:"email"`
		Date  string `json:"date"`
	}
	szzJSONEvidence struct {
		Path    string `json:"path"`
		Line    int    `json:"line"`
		Removed bool   `json:"removed"` // by the fix
		Text    string `json:"text"`
		Command string `json:"command"`
	}
	szzJSONSignal struct {
		Name   string  `json:"name"`
		Value  float64 `json:"value"`
		Weight float64 `json:"weight"`
	}
	szzJSONConfirmation struct {
		Status string `json:"status"`
		Detail string `json:"detail"`
	}
)

// szzJSON prints one object for each fix.
type szzJSON struct {
	w   io.Writer
	end string
}

func (r *szzJSON) answer(ans szzAnswer) error {
	line, err := jsonLine(szzJSONOf(ans))
	if err != nil {
		return fmt.Errorf("encode the answer for %s: %w", ans.Verdict.Fix, err)
	}
	_, err = r.w.Write(append(line, r.end...))
	return err
}

// jsonLine encodes v on one line.
func jsonLine(v any) ([]byte, error) { return visible.Marshal(v) }

func szzJSONOf(ans szzAnswer) szzJSONAnswer {
	v := ans.Verdict
	out := szzJSONAnswer{
		Schema: szzSchema, Source: sourceName(ans.Source), Fix: v.Fix, Parent: v.Parent, Subject: ans.Fix.Subject(),
		Engine: v.Engine, Algorithm: v.Algorithm, Considered: len(v.Candidates),
		Suspects: []szzJSONSuspect{}, Notes: append([]string{}, v.Notes...), Agent: szzJSONAgentOf(ans), Sandbox: v.Sandbox,
	}
	for _, s := range v.Suspects {
		out.Suspects = append(out.Suspects, szzJSONSuspectOf(s))
	}
	return out
}

func szzJSONSuspectOf(s szz.Suspect) szzJSONSuspect {
	out := szzJSONSuspect{
		Commit: s.Commit.OID, Probability: s.Probability, Type: s.Type, Subject: s.Commit.Subject(), Reason: s.Reason,
		Author: szzJSONPersonOf(s.Commit.Author), Committer: szzJSONPersonOf(s.Commit.Committer),
		Evidence: []szzJSONEvidence{}, Signals: []szzJSONSignal{},
	}
	for _, e := range s.Evidence {
		out.Evidence = append(out.Evidence, szzJSONEvidence(e))
	}
	for _, g := range s.Signals {
		out.Signals = append(out.Signals, szzJSONSignal(g))
	}
	if s.Confirmation != nil {
		out.Confirmation = &szzJSONConfirmation{s.Confirmation.Status, s.Confirmation.Detail}
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
