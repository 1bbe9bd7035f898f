package tracecmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"git-agent/cache"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/render"
	"git-agent/cmd/git-agent/store"
	"git-agent/cmd/git-agent/ui"
	"git-agent/cmd/git-agent/verbs"
	"git-agent/gitext"
)

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

// Run lists the recorded runs selected by the options.
func (c *traceListCmd) Run(ctx context.Context, a *app.App) (err error) {
	if c.Names {
		return printRunNames(ctx, a)
	}
	since, err := ParseSince(c.Since, a.Now())
	if err != nil {
		return err
	}
	if c.MaxCount != nil && *c.MaxCount < 0 {
		return app.Usagef("--max-count takes a number from 0")
	}
	stores, err := openRuns(ctx, a)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stores.Close()) }()
	if c.All {
		stores.OpenOthers(ctx)
	}
	all, err := stores.List(ctx, cache.ListOptions{Kind: c.Kind})
	if err != nil {
		return err
	}
	var rows []render.TraceRow
	for _, r := range all {
		if r.Started.Before(since) || c.MaxCount != nil && len(rows) == *c.MaxCount {
			break
		}
		t, err := stores.Read(r)
		if err != nil {
			return err
		}
		if c.State == "" || c.State == t.Status() || c.State == string(t.Run.State) {
			subject, err := stores.FixSubject(ctx, t)
			if err != nil {
				return err
			}
			row := render.NewTraceRow(t, subject)
			row.OtherRepo = r.OtherRepo
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		if len(all) == 0 {
			c.explainEmpty(ctx, a)
		}
		return app.ExitStatus(app.ExitNothing)
	}
	return c.print(ctx, a, rows)
}

// explainEmpty prints that no run is recorded. It is not called if the list is empty only because
// of --state, --since or --max-count.
func (c *traceListCmd) explainEmpty(ctx context.Context, a *app.App) {
	if c.Kind != "" {
		a.Say("no run of kind %q is recorded here", c.Kind)
		return
	}
	a.Say("no run is recorded here")
	a.Hint(ctx, store.RecordHint)
}

func (c *traceListCmd) print(ctx context.Context, a *app.App, rows []render.TraceRow) error {
	end := app.LineEnd(c.Null)
	if c.JSON {
		return c.printJSON(a.Raw, rows, end)
	}
	var out io.WriteCloser = nopCloser{a.Raw}
	if !c.Null {
		out = a.Page(ctx)
	}
	_, err := io.WriteString(out, render.TraceTable(rows, a.Now(), a.NewPalette(ctx), end))
	return errors.Join(err, out.Close())
}

func (c *traceListCmd) printJSON(w io.Writer, rows []render.TraceRow, end string) error {
	for _, r := range rows {
		if err := render.WriteJSON(w, r, end); err != nil {
			return err
		}
	}
	return nil
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// ParseSince parses a date, a time, or an age before now. "" is the beginning of
// time.
func ParseSince(s string, now time.Time) (time.Time, error) {
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
	return time.Time{}, app.Usagef("%q is no date such as 2026-11-20 and no age such as 3h or 2d", s)
}

// maxRunNames is the number of runs that completion offers, the newest ones.
const maxRunNames = 100

// printRunNames prints the names of recorded runs for completion. It must be quick and silent, so
// it reads no step and skips unreadable files; other commands will warn about them.
func printRunNames(ctx context.Context, a *app.App) error {
	repo, err := a.Open(ctx, gitext.OpenOptions{})
	if err != nil {
		repo = nil // runs without a repository can still be listed
	}
	names := 0
	for _, f := range a.Data.RunFolders(ctx, repo) {
		if stats, err := cache.StatTraces(ctx, f.Path); err != nil || stats.Runs == 0 {
			continue
		}
		traces, err := cache.OpenTraces(ctx, f.Path, cache.Options{})
		if err != nil {
			continue
		}
		runs, err := verbs.NewestOf(ctx, traces, maxRunNames)
		if err = errors.Join(err, traces.Close()); err != nil {
			return err
		}
		for _, r := range runs {
			fmt.Fprintln(a.Stdout, ui.Printable(string(r.ID)))
		}
		names += len(runs)
	}
	if names == 0 {
		return app.ExitStatus(app.ExitNothing)
	}
	return nil
}
