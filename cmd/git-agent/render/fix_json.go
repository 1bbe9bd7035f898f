package render

import (
	"git-agent/agent/fix"
	"git-agent/gitext"
)

// fixSchema is the schema of fix --json. A change that breaks readers raises its number.
const fixSchema = "git-agent/fix/2"

// These types are the documented JSON form of an answer about a bug.
type (
	FixAnswerJSON struct {
		Schema     string            `json:"schema"`
		Commit     gitext.OID        `json:"commit"`   // the repaired commit
		Engine     string            `json:"engine"`   // "offline" or "agent"
		Repaired   bool              `json:"repaired"` // there is a plausible patch
		Declined   string            `json:"declined"` // why nothing was tried; "" after an attempt
		Test       fixTestJSON       `json:"test"`
		Locations  []fixLocationJSON `json:"locations"`
		History    []fixBlamedJSON   `json:"history"`
		Patches    []fixPatchJSON    `json:"patches"`              // plausible ones, best first
		OwnTest    *fixOwnTestJSON   `json:"own_test,omitempty"`   // the test that the model wrote itself
		OwnTested  []fixPatchJSON    `json:"own_tested,omitempty"` // patches that pass it, best first, with the test; they are not plausible
		Others     []fixPatchJSON    `json:"others"`               // some of the patches that are not plausible
		Unproved   *fixPatchJSON     `json:"unproved,omitempty"`   // a patch whose proof was cut off
		Tried      int               `json:"tried"`
		Stopped    string            `json:"stopped,omitempty"` // reason for the end of the search before all candidates
		Notes      []string          `json:"notes"`
		Incomplete []string          `json:"incomplete,omitempty"` // gaps of the clone: missing-objects
		Agent      *fixAgentJSON     `json:"agent,omitempty"`
	}
	fixTestJSON struct {
		Command string   `json:"command"`
		State   string   `json:"state"`
		How     string   `json:"how"`
		Runs    int      `json:"runs"`
		Failing []string `json:"failing"`
		Seconds float64  `json:"seconds"`
		Output  string   `json:"output"`
	}
	fixOwnTestJSON struct {
		Path    string `json:"path"`
		Command string `json:"command"`
		Why     string `json:"why"` // the model's reason why the failure is the reported bug
	}
	fixLocationJSON struct {
		Path     string          `json:"path"`
		Start    int             `json:"start"`
		End      int             `json:"end"`
		Function string          `json:"function"`
		Hot      []fixRangeJSON  `json:"hot"`
		Score    float64         `json:"score"`
		Grounds  []fixGroundJSON `json:"grounds"`
	}
	fixRangeJSON struct {
		Start int `json:"start"`
		End   int `json:"end"`
	}
	fixGroundJSON struct {
		Source string `json:"source"`
		Text   string `json:"text"`
	}
	fixBlamedJSON struct {
		Commit  gitext.OID `json:"commit"`
		Subject string     `json:"subject"`
		Date    string     `json:"date"`
		Path    string     `json:"path"`
		Lines   []int      `json:"lines"`
		Nearby  bool       `json:"nearby,omitempty"`
	}
	fixPatchJSON struct {
		Verdict string     `json:"verdict"`
		Origin  string     `json:"origin"`
		Why     string     `json:"why"`
		Commit  gitext.OID `json:"commit,omitempty"` // the commit that introduced the repaired bug
		Failing []string   `json:"failing"`
		Reason  string     `json:"reason,omitempty"`
		Seconds float64    `json:"seconds"`
		Votes   int        `json:"votes"`
		// Preferred is a reviewer's reason for choosing the patch.
		Preferred string `json:"preferred,omitempty"`
		// Cautions are the properties of a plausible patch that the tests do not prove, and its
		// changes outside the program.
		Cautions []string       `json:"cautions"`
		Checks   []fixCheckJSON `json:"checks"`
		Patch    string         `json:"patch"`
	}
	fixCheckJSON struct {
		Command string `json:"command"`
		How     string `json:"how"`
	}
	fixAgentJSON struct {
		Model    string       `json:"model"`
		Fallback string       `json:"fallback"` // why the offline engine answered; "" if it did not
		Turns    int          `json:"turns"`
		Calls    int          `json:"calls"`
		Usage    TokensJSON   `json:"usage"`
		Runs     []fixRunJSON `json:"runs"`
	}
	fixRunJSON struct {
		Trace   string     `json:"trace"`
		Phase   fix.Phase  `json:"phase,omitempty"` // analysis, review or test; a repair has none
		Status  string     `json:"status"`
		Reason  string     `json:"reason"`
		Turns   int        `json:"turns"`
		Calls   int        `json:"calls"`
		Usage   TokensJSON `json:"usage"`
		History string     `json:"history"`
		Claim   fix.Claim  `json:"claim"`
		Verdict string     `json:"verdict"`
		Cut     string     `json:"cut"`
		Allowed int        `json:"steps_allowed,omitempty"` // if it was cut
	}
)

// FixAnswerOf returns the JSON form of an answer about the bug at a commit.
func FixAnswerOf(commit gitext.OID, ans *fix.Answer) FixAnswerJSON {
	rep := ans.Reproduction
	out := FixAnswerJSON{
		Schema: fixSchema, Commit: commit, Engine: ans.Engine, Repaired: len(ans.Plausible) > 0,
		Declined: ans.Declined, Tried: ans.Tried, Stopped: ans.Stopped,
		Test: fixTestJSON{Command: rep.Command, State: string(rep.State), How: rep.How, Runs: rep.Runs, Failing: append([]string{}, rep.Failing...),
			Seconds: rep.Took.Seconds(), Output: string(rep.Output)},
		Locations: []fixLocationJSON{}, History: []fixBlamedJSON{}, Patches: fixPatches(ans.Plausible), Others: fixPatches(ans.Others),
		Notes: append([]string{}, ans.Notes...), Incomplete: ans.Incomplete, Agent: fixAgentOf(ans.Agent),
	}
	if t := ans.OwnTest; t != nil {
		out.OwnTest = &fixOwnTestJSON{Path: t.File.Path, Command: t.Command, Why: t.Why}
	}
	if ans.Unproved != nil {
		out.Unproved = &fixPatches([]fix.Trial{*ans.Unproved})[0]
	}
	if len(ans.Plausible) == 0 && len(ans.OwnTested) > 0 {
		out.OwnTested = fixPatches(ans.Offered())
	}
	for _, l := range ans.Localization.Locations {
		j := fixLocationJSON{
			Path:     l.Path,
			Start:    l.Lines.Start,
			End:      l.Lines.End,
			Function: l.Function,
			Hot:      []fixRangeJSON{},
			Score:    l.Score,
			Grounds:  []fixGroundJSON{},
		}
		for _, h := range l.Hot {
			j.Hot = append(j.Hot, fixRangeJSON(h))
		}
		for _, g := range l.Grounds {
			j.Grounds = append(j.Grounds, fixGroundJSON{string(g.Source), g.Text})
		}
		out.Locations = append(out.Locations, j)
	}
	if ans.History != nil {
		for _, b := range ans.History.Blamed {
			out.History = append(
				out.History,
				fixBlamedJSON{Commit: b.Commit.OID, Subject: b.Commit.Subject(), Date: b.Commit.Committer.Time.UTC().Format("2006-01-02"),
					Path: b.Path, Lines: append([]int{}, b.Lines...), Nearby: b.Nearby},
			)
		}
	}
	return out
}

func fixPatches(trials []fix.Trial) []fixPatchJSON {
	list := []fixPatchJSON{}
	for _, t := range trials {
		j := fixPatchJSON{
			Verdict: string(t.Verdict), Origin: t.Origin, Why: t.Why, Commit: t.Commit, Failing: append([]string{}, t.Failing...),
			Reason: t.Reason, Seconds: t.Seconds, Votes: max(t.Votes, 1), Preferred: t.Preferred,
			Cautions: append([]string{}, t.Cautions...), Checks: []fixCheckJSON{}, Patch: string(t.Patch.Diff),
		}
		for _, c := range t.Checks {
			j.Checks = append(j.Checks, fixCheckJSON(c))
		}
		list = append(list, j)
	}
	return list
}

func fixAgentOf(report *fix.AgentReport) *fixAgentJSON {
	if report == nil {
		return nil
	}
	work := modelWorkOf(report.RunReports())
	out := &fixAgentJSON{
		Model:    report.Model,
		Fallback: report.Fallback,
		Turns:    work.Turns,
		Calls:    work.Calls,
		Usage:    TokensOf(work.Usage),
		Runs:     []fixRunJSON{},
	}
	for _, r := range report.Runs {
		out.Runs = append(out.Runs, fixRunJSON{
			Trace: r.Trace, Phase: r.Phase, Status: r.Status, Reason: r.Reason, Turns: r.Turns, Calls: r.Calls, Usage: TokensOf(r.Usage),
			History: fix.Name(r.History), Claim: r.Claim, Verdict: string(r.Verdict), Cut: r.Cut, Allowed: r.Allowed,
		})
	}
	return out
}
