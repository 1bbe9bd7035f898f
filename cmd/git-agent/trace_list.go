package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"git-agent/agent"
	"git-agent/agent/trace"
	"git-agent/cache"
	"git-agent/cmd/git-agent/layout"
	"git-agent/cmd/git-agent/render"
	"git-agent/gitext"
)

// traceListSchema is the schema of `trace list --json`.
const traceListSchema = "git-agent/trace-list/1"

type traceListCmd struct {
	Kind     string `placeholder:"<kind>" help:"list only runs of this kind, such as szz/agent or eval/szz"`
	State    string `placeholder:"<state>" help:"list only runs in this state, such as found, limit, failed or interrupted"`
	Since    string `placeholder:"<when>" help:"list only runs that began after a date such as 2026-11-20, or within a period such as 3h or 2d"`
	MaxCount *int   `short:"n" placeholder:"<n>" help:"list at most <n> runs"`
	All      bool   `help:"list the runs of all repositories, including those that were moved or deleted"`
	JSON     bool   `name:"json" help:"print one JSON object for each run"`
	Null     bool   `short:"z" help:"terminate lines with NUL, not newline"`
	Names    bool   `hidden:"" help:"list names only, for completion"`
}

// Run lists the recorded runs that the options select.
func (c *traceListCmd) Run(ctx context.Context, a *app) (err error) {
	if c.Names {
		return a.printRunNames(ctx)
	}
	since, err := parseSince(c.Since, a.now())
	if err != nil {
		return err
	}
	if c.MaxCount != nil && *c.MaxCount < 0 {
		return usagef("--max-count takes a number from 0")
	}
	stores, err := a.openRuns(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stores.close()) }()
	if c.All {
		stores.openOthers(ctx)
	}
	all, err := stores.list(ctx, cache.ListOptions{Kind: c.Kind})
	if err != nil {
		return err
	}
	var rows []traceRow
	for _, r := range all {
		if r.run.Started.Before(since) || c.MaxCount != nil && len(rows) == *c.MaxCount {
			break
		}
		t, err := r.read(a)
		if err != nil {
			return err
		}
		if c.State == "" || c.State == t.Status() || c.State == string(t.Run.State) {
			subject, err := stores.fixSubject(ctx, t)
			if err != nil {
				return err
			}
			row := newTraceRow(t, subject)
			row.OtherRepo = r.otherRepo
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		if len(all) == 0 {
			c.explainEmpty(ctx, a)
		}
		return exitStatus(exitNothing)
	}
	return c.print(ctx, a, rows)
}

// explainEmpty says that no run is recorded. It is not called if the list is empty
// only because of --state, --since or --max-count.
func (c *traceListCmd) explainEmpty(ctx context.Context, a *app) {
	if c.Kind != "" {
		a.say("no run of kind %q is recorded here", c.Kind)
		return
	}
	a.say("no run is recorded here")
	a.hint(ctx, recordHint)
}

func (c *traceListCmd) print(ctx context.Context, a *app, rows []traceRow) error {
	end := lineEnd(c.Null)
	if c.JSON {
		return c.printJSON(a.raw, rows, end)
	}
	var out io.WriteCloser = nopCloser{a.raw}
	if !c.Null {
		out = a.page(ctx)
	}
	_, err := io.WriteString(out, tableOf(rows, a.now(), a.newPalette(ctx), end))
	return errors.Join(err, out.Close())
}

func (c *traceListCmd) printJSON(w io.Writer, rows []traceRow, end string) error {
	for _, r := range rows {
		if err := render.WriteJSON(w, r, end); err != nil {
			return err
		}
	}
	return nil
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// traceRow is one run in the list. It is the documented JSON form.
type traceRow struct {
	Schema    string            `json:"schema"`
	ID        string            `json:"id"`
	Kind      string            `json:"kind"`
	State     string            `json:"state"`
	Status    string            `json:"status"`
	Reason    string            `json:"reason,omitempty"`
	Started   time.Time         `json:"started"`
	Ended     *time.Time        `json:"ended,omitempty"`
	Name      string            `json:"name,omitempty"`
	Repo      string            `json:"repo,omitempty"`
	OtherRepo string            `json:"repository,omitempty"` // common git directory of the repository that the run belongs to, if that is another one
	Case      string            `json:"case,omitempty"`
	Fix       string            `json:"fix,omitempty"`
	Subject   string            `json:"subject,omitempty"`
	Commit    string            `json:"commit,omitempty"` // that crashed
	Crash     string            `json:"crash,omitempty"`
	Sample    int               `json:"sample"`
	Model     string            `json:"model,omitempty"`
	Results   int               `json:"results"`
	Turns     int               `json:"turns"`
	Calls     int               `json:"calls"`
	Usage     render.TokensJSON `json:"usage"`
	Commits   []string          `json:"commits"`
	Files     []string          `json:"files,omitempty"`
}

func newTraceRow(t *trace.Trajectory, subject string) traceRow {
	row := traceRow{
		Schema: traceListSchema, ID: string(t.Run.ID), Kind: t.Run.Kind, State: string(t.Run.State), Status: t.Status(), Started: t.Run.Started,
		Name: t.About.Name, Repo: t.About.Repo, Case: t.About.Case, Fix: t.About.Fix, Subject: subject, Commit: t.About.Commit, Crash: t.About.Title, Sample: t.About.Sample,
		Model: t.Model(), Results: t.Results, Turns: t.Answers(), Calls: t.Calls(), Usage: render.TokensOf(t.Usage()), Commits: []string{},
	}
	if t.Closing != nil {
		row.Reason = t.Closing.Reason
	}
	if !t.Run.Ended.IsZero() {
		row.Ended = &t.Run.Ended
	}
	if v := t.Verdict(); v != nil {
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
func (r traceRow) cells(now time.Time) []string {
	turns, tokens := "", ""
	if r.Turns > 0 || r.Fix != "" || r.Commit != "" {
		turns, tokens = agent.Plural(r.Turns, "turn"), trace.CountText(r.Usage.Uncached+r.Usage.CacheRead+r.Usage.CacheWrite+r.Usage.Output)
	} else if r.Results > 0 {
		turns = agent.Plural(r.Results, "result")
	}
	return []string{layout.OneLine(r.ID), ageText(now.Sub(r.Started)), layout.OneLine(r.Status), turns, tokens, trace.CostText(r.Usage.CostUSD), layout.OneLine(r.Model)}
}

// about returns the last column: what the run investigated and what it found.
func (r traceRow) about(color layout.Palette) string {
	var words []string
	switch {
	case r.Name != "":
		words = append(words, layout.OneLine(r.Kind), layout.OneLine(r.Name))
	case r.Case != "":
		words = append(words, color.Paint("fix", layout.OneLine(r.Case)))
	case r.Fix != "":
		words = append(words, color.Paint("fix", layout.OneLine(gitext.OID(r.Fix).Short())), layout.OneLine(trace.Cut(r.Subject, 60)))
	case r.Commit != "":
		words = append(words, render.TaskAt(r.Kind), color.Paint("fix", layout.OneLine(gitext.OID(r.Commit).Short())), layout.OneLine(trace.Cut(r.Crash, 60)))
	default:
		words = append(words, layout.OneLine(r.Kind))
	}
	if r.OtherRepo != "" {
		words = append(words, "in "+layout.OneLine(r.OtherRepo))
	}
	if r.Sample > 0 {
		words = append(words, fmt.Sprintf("(run %d)", r.Sample+1))
	}
	s := strings.TrimSpace(strings.Join(words, " "))
	found := r.found(color)
	if r.Reason != "" && len(found) == 0 {
		s += "  " + color.Paint("doubt", "("+layout.OneLine(trace.Cut(r.Reason, 60))+")")
	}
	if len(found) > 0 {
		s += " -> " + strings.Join(found, ", ")
	}
	return s
}

// found returns what the verdict names: the files behind a crash, or commits.
func (r traceRow) found(color layout.Palette) []string {
	var words []string
	for _, f := range r.Files {
		words = append(words, color.Paint("path", layout.OneLine(trace.Cut(f, 80))))
	}
	if len(words) > 0 {
		return words
	}
	for _, c := range r.Commits {
		words = append(words, color.Paint("suspect", layout.OneLine(gitext.OID(c).Short())))
	}
	return words
}

// rightAligned lists the columns that are aligned to the right.
var rightAligned = []int{1, 3, 4, 5}

// tableOf returns the table, with aligned columns. The last column is not padded,
// and columns that are empty in every row are left out.
func tableOf(rows []traceRow, now time.Time, color layout.Palette, end string) string {
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
				cell = color.Paint(render.StatusSlot(cell), cell) + pad
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

// parseSince parses a date, a time, or an age before now. "" is the beginning of
// time.
func parseSince(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if d, err := time.ParseDuration(days + "h"); err == nil && d >= 0 {
			return now.Add(-24 * d), nil
		}
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.DateOnly, time.DateTime, time.RFC3339, "2006-01-02T15:04"} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usagef("%q is no date such as 2026-11-20 and no age such as 3h or 2d", s)
}
