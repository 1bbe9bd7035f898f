package render

import (
	"bytes"
	"fmt"
	"io"
	"math"

	"git-agent/agent/suspect"
	"git-agent/agent/szz"
	"git-agent/agent/szz/risk"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
)

// riskSchema is the schema of szz --risk --json. A change that breaks readers raises its number.
const riskSchema = "git-agent/risk/1"

// Risk prints for people what history shows about a change, and nothing where it shows nothing:
//
//	6d25be27cc29 lib: free the buffer (riskier than 83 % of ordinary commits)
//	  lib/net.c:1101: often-fixed: 3 of the 5 commits that changed ...
//	      git log -s --oneline -n 12 -L 1101,1102:lib/net.c 890c599ec2e8
type Risk struct {
	W     io.Writer
	Color ui.Palette
	All   bool // changes without findings, and notes
	// Path and Command turn a path, and a command about it, into those for the user's directory.
	Path    func(string) string
	Command func(suspect.Evidence) string

	printed bool
}

// Answer prints an answer.
func (r *Risk) Answer(v *risk.Answer, source szz.Source) error {
	if len(v.Findings) == 0 && !r.All {
		return nil
	}
	var b bytes.Buffer
	if r.printed {
		b.WriteByte('\n')
	}
	r.printed = true
	name := sourceText(source)
	if v.Fix != "" {
		name = r.Color.Paint("fix", v.Fix.Short()) + " " + ui.OneLine(v.Commit.Subject())
	}
	if v.Score > 0 {
		name += fmt.Sprintf(" (riskier than %.0f%% of ordinary commits)", min(99, 100*v.Score))
	}
	b.WriteString(name + "\n")
	for _, f := range v.Findings {
		place := ui.OneLine(r.Path(f.Path))
		if f.Line > 0 {
			place += fmt.Sprintf(":%d", f.Line)
		}
		fmt.Fprintf(
			&b,
			"  %s: %s: %s\n      %s\n",
			r.Color.Paint("path", place),
			f.Kind,
			ui.OneLine(f.Text),
			ui.OneLine(r.Command(suspect.Evidence{Path: f.Path, Command: f.Command})),
		)
	}
	if r.All {
		for _, n := range v.Notes {
			fmt.Fprintf(&b, "  note: %s\n", ui.OneLine(n))
		}
	}
	_, err := r.W.Write(b.Bytes())
	return err
}

// sourceText names a change that is not committed.
func sourceText(source szz.Source) string {
	switch source {
	case szz.SourceStaged:
		return "the staged changes"
	case szz.SourceWorktree:
		return "the changes of the work tree"
	}
	return "the patches"
}

// RiskJSON is the documented JSON form of an answer.
type RiskJSON struct {
	Schema   string        `json:"schema"`
	Commit   *gitext.OID   `json:"commit"`
	Parent   gitext.OID    `json:"parent"`
	Subject  string        `json:"subject"`
	Score    float64       `json:"score"`
	Index    bool          `json:"index"`
	Findings []riskFinding `json:"findings"`
	Notes    []string      `json:"notes"`
}

type riskFinding struct {
	Kind    risk.Kind    `json:"kind"`
	Text    string       `json:"text"`
	Path    string       `json:"path"`
	Line    int          `json:"line"`
	Commits []riskCommit `json:"commits"`
	Command string       `json:"command"`
}

type riskCommit struct {
	Commit  gitext.OID `json:"commit"`
	Subject string     `json:"subject"`
}

// RiskJSONOf returns the JSON form of an answer.
func RiskJSONOf(v *risk.Answer) RiskJSON {
	out := RiskJSON{
		Schema: riskSchema, Parent: v.Parent, Score: math.Round(100*v.Score) / 100, Index: v.Index,
		Findings: []riskFinding{}, Notes: append([]string{}, v.Notes...),
	}
	if v.Fix != "" {
		out.Commit, out.Subject = &v.Fix, v.Commit.Subject()
	}
	for _, f := range v.Findings {
		one := riskFinding{Kind: f.Kind, Text: f.Text, Path: f.Path, Line: f.Line, Commits: []riskCommit{}, Command: f.Command}
		for _, c := range f.Commits {
			one.Commits = append(one.Commits, riskCommit{c.OID, c.Subject()})
		}
		out.Findings = append(out.Findings, one)
	}
	return out
}
