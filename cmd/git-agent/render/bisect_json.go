package render

import (
	"git-agent/agent/bisect"
	"git-agent/agent/bisect/engine"
	"git-agent/agent/szz"
	"git-agent/gitext"
)

// bisectSchema is the schema of bisect --json. A change that breaks readers raises its number.
const bisectSchema = "git-agent/bisect/1"

// These types are the documented JSON form of the end of a search.
type (
	BisectJSON struct {
		Schema     string                `json:"schema"`
		Status     bisect.Status         `json:"status"` // "proved", "apart", "always", "nothing" or "stopped"
		Command    string                `json:"command"`
		Fixed      bool                  `json:"fixed"` // the commit that made the command pass was looked for
		Tip        gitext.OID            `json:"tip"`
		How        string                `json:"how"`     // how the command ended at the tip
		Failing    []string              `json:"failing"` // tests that fail there
		First      *SuspectJSON          `json:"first,omitempty"`
		Parents    []bisectParentJSON    `json:"parents"`
		Candidates []bisectCandidateJSON `json:"candidates"`
		Runs       []bisectRunJSON       `json:"runs"`
		Range      int                   `json:"range"`               // commits that were candidates at first
		Halvings   int                   `json:"halvings"`            // runs of git bisect for this range
		Flakiness  *bisectRatesJSON      `json:"flakiness,omitempty"` // of a flaky command
		Notes      []string              `json:"notes"`
		Incomplete []string              `json:"incomplete,omitempty"` // gaps of the clone: missing-objects
		Sandbox    string                `json:"sandbox"`
		Seconds    float64               `json:"seconds"`
	}
	bisectParentJSON struct {
		Commit  gitext.OID `json:"commit"`
		New     int        `json:"new"` // runs that ended as at the tip
		Old     int        `json:"old"`
		Unknown int        `json:"unknown"`
	}
	bisectCandidateJSON struct {
		Commit      gitext.OID `json:"commit"`
		Probability float64    `json:"probability"`
		Subject     string     `json:"subject"`
	}
	bisectRunJSON struct {
		Commit  gitext.OID     `json:"commit"`
		Outcome bisect.Outcome `json:"outcome"` // "new": as at the tip; "old"; "unknown"
		How     string         `json:"how"`
		Seconds float64        `json:"seconds"`
		Earlier bool           `json:"earlier,omitempty"` // the run of an earlier call
	}
	bisectRatesJSON struct {
		FalseNew float64 `json:"false_new"`
		FalseOld float64 `json:"false_old"`
	}
)

// BisectJSONOf returns the JSON form of the end of a search.
func BisectJSONOf(found *engine.Result) BisectJSON {
	q := found.Question
	out := BisectJSON{
		Schema: bisectSchema, Status: found.Status, Command: q.Test, Fixed: q.Fixed, Tip: q.Tip, How: found.How,
		Failing: append([]string{}, found.Failing...), Parents: []bisectParentJSON{}, Candidates: []bisectCandidateJSON{}, Runs: []bisectRunJSON{},
		Range: found.Range, Halvings: found.Halvings, Notes: append([]string{}, found.Notes...), Incomplete: found.Incomplete,
		Sandbox: found.Sandbox, Seconds: found.Took.Seconds(),
	}
	if found.Culprit != nil {
		first := suspectJSONOf(szz.Suspect{Suspect: *found.Culprit})
		out.First = &first
	}
	for _, p := range found.Parents {
		out.Parents = append(out.Parents, bisectParentJSON{p.Commit, p.New, p.Old, p.Unknown})
	}
	for _, c := range found.Candidates {
		out.Candidates = append(out.Candidates, bisectCandidateJSON{c.Commit, c.Probability, found.Subject(c.Commit)})
	}
	for _, r := range found.Runs {
		out.Runs = append(out.Runs, bisectRunJSON{r.Commit, r.Outcome, r.How, r.Took.Seconds(), r.Earlier})
	}
	if found.FalseNew > 0 || found.FalseOld > 0 {
		out.Flakiness = &bisectRatesJSON{found.FalseNew, found.FalseOld}
	}
	return out
}
