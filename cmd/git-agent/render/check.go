package render

import (
	"fmt"
	"io"

	"git-agent/agent/szz/check"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
)

// checkSchema is the schema of szz --check --json. A change that breaks readers raises its number.
const checkSchema = "git-agent/check/1"

// CheckFindings prints findings about trailers: one a line for people, one JSON object each, or all
// as one SARIF log.
type CheckFindings struct {
	W       io.Writer // for people
	Raw     io.Writer // for programs
	JSON    bool
	SARIF   bool
	Version string
	Found   int // findings until now

	results []sarifResult
	rules   []sarifRule
}

// checkJSON is the documented JSON form of a finding.
type checkJSON struct {
	Schema  string        `json:"schema"`
	Commit  gitext.OID    `json:"commit"`
	Subject string        `json:"subject"`
	Trailer string        `json:"trailer"`
	Problem check.Problem `json:"problem"`
	Text    string        `json:"text"`
	Write   string        `json:"write"`
}

func checkJSONOf(f check.Finding) checkJSON {
	return checkJSON{checkSchema, f.Commit, f.Subject, f.Trailer, f.Problem, f.Text, f.Write}
}

// checkListSchema is the schema of the answers of the MCP tool szz_check. A change that breaks
// readers raises its number.
const checkListSchema = "git-agent/check-list/1"

// CheckListJSON is the documented JSON form of all findings about several commits.
type CheckListJSON struct {
	Schema   string      `json:"schema"`
	Commits  int         `json:"commits"` // that were checked
	Ranking  bool        `json:"ranking"` // the ranking was asked, too
	Findings []checkJSON `json:"findings"`
}

// CheckListJSONOf returns the JSON form of the findings about a number of commits.
func CheckListJSONOf(found []check.Finding, commits int, ranking bool) CheckListJSON {
	out := CheckListJSON{Schema: checkListSchema, Commits: commits, Ranking: ranking, Findings: []checkJSON{}}
	for _, f := range found {
		out.Findings = append(out.Findings, checkJSONOf(f))
	}
	return out
}

// Finding prints a finding.
func (r *CheckFindings) Finding(f check.Finding) error {
	r.Found++
	switch {
	case r.JSON:
		return WriteJSON(r.Raw, checkJSONOf(f), "\n")
	case r.SARIF:
		r.add(f)
		return nil
	}
	text := fmt.Sprintf("%s: %s: ", f.Commit.Short(), f.Problem)
	if f.Trailer != "" {
		text += ui.OneLine(f.Trailer) + ": "
	}
	text += ui.OneLine(f.Text)
	if f.Write != "" {
		text += "; write: " + ui.OneLine(f.Write)
	}
	_, err := fmt.Fprintln(r.W, text)
	return err
}

// add adds a finding to the log.
func (r *CheckFindings) add(f check.Finding) {
	index := -1
	for i, rule := range r.rules {
		if rule.ID == string(f.Problem) {
			index = i
		}
	}
	if index < 0 {
		index = len(r.rules)
		about := sarifText("A Fixes: trailer is " + string(f.Problem) + ".")
		r.rules = append(
			r.rules,
			sarifRule{ID: string(f.Problem), ShortDescription: about, FullDescription: about, Help: about, Properties: map[string]any{}},
		)
	}
	level := "error"
	switch f.Problem {
	case check.Short, check.NoSubject, check.Folded, check.Merge, check.Doubted, check.Missing:
		level = "warning"
	}
	text := f.Trailer + ": " + f.Text
	if f.Trailer == "" {
		text = f.Text
	}
	if f.Write != "" {
		text += "; write: " + f.Write
	}
	r.results = append(r.results, sarifResult{
		RuleID: string(f.Problem), RuleIndex: index, Level: level, Message: sarifText(text),
		Locations:           []sarifLocation{{Logical: []sarifLogical{{FullyQualifiedName: string(f.Commit), Kind: "commit"}}}},
		PartialFingerprints: map[string]string{"trailer/v1": string(f.Commit) + " " + f.Trailer},
		Properties:          map[string]string{"commit": string(f.Commit), "subject": f.Subject, "write": f.Write},
	})
}

// Close prints the log, if one was wanted.
func (r *CheckFindings) Close() error {
	if !r.SARIF {
		return nil
	}
	return WriteJSON(r.Raw, sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{{
		Tool:              sarifTool{sarifDriver{Name: "git-agent", Version: r.Version, Rules: append([]sarifRule{}, r.rules...)}},
		AutomationDetails: sarifAutomation{"git-agent/check/"},
		OriginalURIBases:  map[string]sarifArtifact{},
		Invocations:       []sarifInvocation{{ExecutionSuccessful: true}},
		ColumnKind:        "unicodeCodePoints",
		Results:           append([]sarifResult{}, r.results...),
	}}}, "\n")
}
