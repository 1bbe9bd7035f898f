package render

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/crash/input"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
)

// These constants bound a log. GitHub refuses a log with more results, and shows only the first
// 100 locations of a result.
const (
	sarifResults = 25_000
	sarifRelated = 20
	sarifStacks  = 8
	sarifFrames  = 100
)

// These are the least probabilities of a file to be an error or a warning in a viewer.
const (
	sarifError   = 0.5
	sarifWarning = 0.15
)

// CrashSARIF gathers answers about crashes and prints one SARIF log of all of them.
type CrashSARIF struct {
	W       io.Writer
	End     string // end of the line
	Version string // of this program
	Max     int    // most files of a report

	rules    []sarifRule
	results  []sarifResult
	warnings []sarifNotification
	failed   bool
}

// Failed notes an unreadable report.
func (r *CrashSARIF) Failed(err error) {
	r.failed = true
	r.notify("error", err.Error())
}

func (r *CrashSARIF) notify(level, text string) {
	if len(r.warnings) < sarifResults {
		r.warnings = append(r.warnings, sarifNotification{level, sarifText(ui.OneLine(text))})
	}
}

// Crash adds the answer about one report.
func (r *CrashSARIF) Crash(name string, report *crash.Report, ranking *crash.Answer) error {
	files := ranking.Files[:min(len(ranking.Files), r.Max)]
	if len(ranking.Files) == 0 {
		r.notify("note", name+": no frame is in a file of this repository")
	}
	rule := r.rule(ui.Clip(ui.OneLine(cmp.Or(input.KindOf(report), "unknown failure")), 100))
	signature := input.SignatureOf(report).ID()
	for i, f := range files {
		if len(r.results) == sarifResults {
			r.notify("warning", name+": left out, because a log has at most 25000 results")
			return nil
		}
		r.results = append(r.results, sarifResult{
			RuleID: r.rules[rule].ID, RuleIndex: rule, Level: sarifLevel(f, i), Rank: math.Round(1000*f.Probability) / 10,
			Message:          crashMessage(name, report, ranking, i),
			Locations:        []sarifLocation{crashLocation(report, f)},
			RelatedLocations: otherFiles(report, files, i),
			Stacks:           sarifStacksOf(report, f),
			PartialFingerprints: map[string]string{
				"crashSignature/v1": signature, "primaryLocationLineHash": signature + ":1",
			},
			Properties: crashProperties(name, ranking, i),
		})
	}
	return nil
}

// rule returns the index of the rule for a problem.
func (r *CrashSARIF) rule(problem string) int {
	id := "crash/" + ruleName(problem)
	if i := slices.IndexFunc(r.rules, func(known sarifRule) bool { return known.ID == id }); i >= 0 {
		return i
	}
	r.rules = append(r.rules, sarifRule{
		ID: id, ShortDescription: sarifText("Crash: " + problem),
		FullDescription: sarifText("A crash report of this kind has stacks that lead to the file."),
		Help:            sarifText("See the stacks, and the reasons in the message. 'git agent crash' explains the ranking."),
		Properties:      map[string]any{"tags": []string{"crash"}},
	})
	return len(r.rules) - 1
}

// ruleName returns a problem in the form of a part of an identifier.
func ruleName(problem string) string {
	name := strings.Map(func(c rune) rune {
		if c == '-' || c == '_' || c == '.' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' {
			return c
		}
		return '-'
	}, problem)
	return cmp.Or(strings.Trim(name, "-."), "crash")
}

func sarifLevel(f crash.File, i int) string {
	switch {
	case f.Related:
		return "note"
	case f.Probability >= sarifError:
		return "error"
	case f.Probability >= sarifWarning || f.Probability == 0 && i == 0:
		return "warning"
	}
	return "note"
}

// crashMessage returns the reasons for a file. Viewers with little space show the first sentence.
func crashMessage(name string, report *crash.Report, ranking *crash.Answer, i int) sarifMessage {
	f := ranking.Files[i]
	what := "A crash"
	if len(report.Problems) > 0 {
		what = problemText(report.Problems[0])
	}
	likely := ""
	if f.Probability > 0 {
		likely = ", " + strings.TrimSpace(percent(f.Probability)) + " likely"
	}
	text := fmt.Sprintf("%s may be caused in this file (file %d of %d%s).", what, i+1, len(ranking.Files), likely)
	if len(f.Reasons) > 0 {
		text += " Reasons: " + strings.Join(f.Reasons, "; ") + "."
	}
	if name == "-" {
		name = "standard input"
	}
	return sarifText(ui.OneLine(fmt.Sprintf("%s Report: %s, at commit %s (%s).", text, name, ranking.Commit.Short(), ranking.CommitFrom)))
}

// crashLocation returns the place of the first frame of a file.
func crashLocation(report *crash.Report, f crash.File) sarifLocation {
	line, column := crashPlace(report, f)
	out := sarifLocation{Physical: sarifPlace(f.Path, line, column)}
	if name := crashFunction(report, f); name != "" {
		out.Logical = sarifFunction(name)
	}
	return out
}

func sarifFunction(name string) []sarifLogical {
	return []sarifLogical{{FullyQualifiedName: ui.OneLine(name), Kind: "function"}}
}

// otherFiles returns the places of the other files of an answer.
func otherFiles(report *crash.Report, files []crash.File, except int) []sarifLocation {
	var out []sarifLocation
	for i, f := range files {
		if i == except || len(out) == sarifRelated {
			continue
		}
		place := crashLocation(report, f)
		text := sarifText(ui.OneLine(fmt.Sprintf("file %d: %s", i+1, strings.Join(f.Reasons, "; "))))
		place.ID, place.Message, place.Logical = len(out)+1, &text, nil
		out = append(out, place)
	}
	return out
}

// sarifStacksOf returns the stacks with frames of a file. The schema requires each stack once.
func sarifStacksOf(report *crash.Report, f crash.File) []sarifStack {
	var out []sarifStack
	seen := map[int]bool{}
	for _, ref := range f.Frames {
		if seen[ref.Stack] || len(out) == sarifStacks {
			continue
		}
		seen[ref.Stack] = true
		stack := sarifStackOf(report.Stacks[ref.Stack])
		if !slices.ContainsFunc(out, func(s sarifStack) bool { return reflect.DeepEqual(s, stack) }) {
			out = append(out, stack)
		}
	}
	return out
}

func sarifStackOf(s crash.Stack) sarifStack {
	title := string(s.Kind)
	if s.Thread != "" {
		title += ", thread " + s.Thread
	}
	if n := len(s.Frames) - sarifFrames + s.Omitted; n > 0 {
		title += fmt.Sprintf(" (%s left out)", agent.Plural(n, "frame"))
	}
	out := sarifStack{Message: sarifText(ui.OneLine(title)), Frames: []sarifFrame{}}
	for _, f := range s.Frames[:min(len(s.Frames), sarifFrames)] {
		frame := sarifFrame{Module: ui.OneLine(f.Module)}
		if f.Path != "" {
			line, column := f.Place()
			frame.Location.Physical = sarifPlace(f.Path, line, column)
		}
		if f.Function != "" {
			frame.Location.Logical = sarifFunction(f.Function)
		} else {
			text := sarifText(ui.OneLine(f.Raw))
			frame.Location.Message = &text
		}
		out.Frames = append(out.Frames, frame)
	}
	return out
}

// sarifSuspect is a suspect commit among the properties of a result.
type sarifSuspect struct {
	Commit      gitext.OID `json:"commit"`
	Subject     string     `json:"subject"`
	Probability float64    `json:"probability"`
	Reason      string     `json:"reason"`
}

// crashProperties returns the data that has no field in SARIF.
func crashProperties(name string, ranking *crash.Answer, i int) any {
	f := ranking.Files[i]
	suspects := []sarifSuspect{}
	for _, s := range ranking.Suspects {
		suspects = append(suspects, sarifSuspect{s.Commit.OID, s.Commit.Subject(), s.Probability, s.Reason})
	}
	return struct {
		Report      string         `json:"report"`
		Rank        int            `json:"rank"`
		Probability float64        `json:"probability"`
		Related     bool           `json:"related"`
		Commit      gitext.OID     `json:"commit"`
		CommitFrom  string         `json:"commitFrom"`
		Algorithm   string         `json:"algorithm"`
		Suspects    []sarifSuspect `json:"suspects"`
	}{name, i + 1, f.Probability, f.Related, ranking.Commit, ranking.CommitFrom, ranking.Algorithm, suspects}
}

// Close prints the log.
func (r *CrashSARIF) Close() error {
	root := sarifText("The top of the work tree.")
	return WriteJSON(r.W, sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{{
		Tool:              sarifTool{sarifDriver{Name: "git-agent", Version: r.Version, Rules: append([]sarifRule{}, r.rules...)}},
		AutomationDetails: sarifAutomation{"git-agent/crash/"},
		OriginalURIBases:  map[string]sarifArtifact{sourceRoot: {Description: &root}},
		Invocations:       []sarifInvocation{{ExecutionSuccessful: !r.failed, Notifications: r.warnings}},
		ColumnKind:        "unicodeCodePoints",
		Results:           append([]sarifResult{}, r.results...),
	}}}, r.End)
}
