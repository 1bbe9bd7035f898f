package render

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"git-agent/agent"
	"git-agent/agent/trace"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
)

// traceListSchema is the schema of `trace list --json`.
const traceListSchema = "git-agent/trace-list/1"

// A TraceRow is one run in the list of recorded runs. It is the documented JSON form.
type TraceRow struct {
	Schema    string     `json:"schema"`
	ID        string     `json:"id"`
	Kind      string     `json:"kind"`
	State     string     `json:"state"`
	Status    string     `json:"status"`
	Reason    string     `json:"reason,omitempty"`
	Started   time.Time  `json:"started"`
	Ended     *time.Time `json:"ended,omitempty"`
	Name      string     `json:"name,omitempty"`
	Repo      string     `json:"repo,omitempty"`
	OtherRepo string     `json:"repository,omitempty"` // common git directory of the run's repository, if it is another one
	Case      string     `json:"case,omitempty"`
	Fix       string     `json:"fix,omitempty"`
	Subject   string     `json:"subject,omitempty"`
	Commit    string     `json:"commit,omitempty"` // that crashed
	Crash     string     `json:"crash,omitempty"`
	Sample    int        `json:"sample"`
	Model     string     `json:"model,omitempty"`
	Results   int        `json:"results"`
	Turns     int        `json:"turns"`
	Calls     int        `json:"calls"`
	Usage     TokensJSON `json:"usage"`
	Commits   []string   `json:"commits"`
	Files     []string   `json:"files,omitempty"`
}

// NewTraceRow returns the row of a run. subject is the fix's, or "".
func NewTraceRow(t *trace.Trajectory, subject string) TraceRow {
	row := TraceRow{
		Schema: traceListSchema, ID: string(t.Run.ID), Kind: t.Run.Kind, State: string(t.Run.State), Status: t.Status(), Started: t.Run.Started,
		Name: t.About.Name, Repo: t.About.Repo, Case: t.About.Case, Fix: t.About.Fix, Subject: subject,
		Commit: t.About.Commit, Crash: t.About.Title, Sample: t.About.Sample,
		Model: t.Model(), Results: t.Results, Turns: t.Answers(), Calls: t.Calls(), Usage: TokensOf(t.Usage()), Commits: []string{},
	}
	if t.Closing != nil {
		row.Reason = t.Closing.Reason
	}
	if !t.Run.Ended.IsZero() {
		row.Ended = &t.Run.Ended
	}
	if v := t.Answer(); v != nil {
		for _, c := range v.Claims {
			row.Commits = append(row.Commits, c.Commit)
		}
		for _, f := range v.Files {
			row.Files = append(row.Files, f.Path)
		}
	}
	return row
}

// cells returns the columns of the table for people, except the last. A column
// that has no meaning for runs of this kind is empty.
func (r TraceRow) cells(now time.Time) []string {
	turns, tokens := "", ""
	if r.Turns > 0 || r.Fix != "" || r.Commit != "" {
		turns, tokens = agent.Plural(r.Turns, "turn"), trace.CountText(r.Usage.Uncached+r.Usage.CacheRead+r.Usage.CacheWrite+r.Usage.Output)
	} else if r.Results > 0 {
		turns = agent.Plural(r.Results, "result")
	}
	return []string{
		ui.OneLine(r.ID),
		ageText(now.Sub(r.Started)),
		ui.OneLine(r.Status),
		turns,
		tokens,
		trace.CostText(r.Usage.CostUSD),
		ui.OneLine(r.Model),
	}
}

// about returns the last column: the subject and the findings of the run.
func (r TraceRow) about(color ui.Palette) string {
	var words []string
	switch {
	case r.Name != "":
		words = append(words, ui.OneLine(r.Kind), ui.OneLine(r.Name))
	case r.Case != "":
		words = append(words, color.Paint("fix", ui.OneLine(r.Case)))
	case r.Fix != "":
		words = append(words, color.Paint("fix", ui.OneLine(gitext.OID(r.Fix).Short())), ui.OneLine(trace.Cut(r.Subject, 60)))
	case r.Commit != "":
		words = append(words, taskAt(r.Kind), color.Paint("fix", ui.OneLine(gitext.OID(r.Commit).Short())), ui.OneLine(trace.Cut(r.Crash, 60)))
	default:
		words = append(words, ui.OneLine(r.Kind))
	}
	if r.OtherRepo != "" {
		words = append(words, "in "+ui.OneLine(r.OtherRepo))
	}
	if r.Sample > 0 {
		words = append(words, fmt.Sprintf("(run %d)", r.Sample+1))
	}
	s := strings.TrimSpace(strings.Join(words, " "))
	found := r.found(color)
	if r.Reason != "" && len(found) == 0 {
		s += "  " + color.Paint("doubt", "("+ui.OneLine(trace.Cut(r.Reason, 60))+")")
	}
	if len(found) > 0 {
		s += " -> " + strings.Join(found, ", ")
	}
	return s
}

// found returns the names in the verdict: the files behind a crash, or commits.
func (r TraceRow) found(color ui.Palette) []string {
	var words []string
	for _, f := range r.Files {
		words = append(words, color.Paint("path", ui.OneLine(trace.Cut(f, 80))))
	}
	if len(words) > 0 {
		return words
	}
	for _, c := range r.Commits {
		words = append(words, color.Paint("suspect", ui.OneLine(gitext.OID(c).Short())))
	}
	return words
}

// rightAligned lists the columns that are aligned to the right.
var rightAligned = []int{1, 3, 4, 5}

// TraceTable returns the rows as a table, with aligned columns. The last column is not padded,
// and columns that are empty in every row are left out.
func TraceTable(rows []TraceRow, now time.Time, color ui.Palette, end string) string {
	var cells [][]string
	var widths []int
	for _, r := range rows {
		line := r.cells(now)
		widths = append(widths, make([]int, len(line)-min(len(line), len(widths)))...)
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
		cells = append(cells, line)
	}
	var b strings.Builder
	for i, line := range cells {
		for col, cell := range line {
			if widths[col] == 0 {
				continue
			}
			pad := strings.Repeat(" ", widths[col]-utf8.RuneCountInString(cell))
			switch {
			case col == 2:
				cell = color.Paint(statusSlot(cell), cell) + pad
			case slices.Contains(rightAligned, col):
				cell = pad + cell
			default:
				cell += pad
			}
			b.WriteString(cell + "  ")
		}
		b.WriteString(rows[i].about(color) + end)
	}
	return b.String()
}

// ageText returns an age in words, such as "3 h ago".
func ageText(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours()/24))
}
