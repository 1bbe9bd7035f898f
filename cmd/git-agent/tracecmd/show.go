package tracecmd

import (
	"context"
	"errors"
	"fmt"
	"io"

	"git-agent/agent/trace"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/render"
)

type traceShowCmd struct {
	Full   bool     `help:"show prompts and outputs in full"`
	Output string   `enum:"compressed,full,none" default:"compressed" placeholder:"<what>" help:"which form of the tools' outputs to show: compressed (the default; as the model saw them), full (before compression), or none"`
	JSON   bool     `name:"json" xor:"form" help:"print one JSON object for each step"`
	Null   bool     `short:"z" help:"terminate the lines of --json with NUL, not newline"`
	HTML   string   `name:"html" xor:"form" placeholder:"<file>" kind:"path" help:"write the run to <file> as a self-contained HTML page"`
	Runs   []string `arg:"" optional:"" name:"run" help:"a unique part of the run's name, or a file of exported steps"`
}

// Run shows each run: as text, as JSON, or as an HTML page.
func (c *traceShowCmd) Run(ctx context.Context, a *app.App) (err error) {
	switch {
	case c.Null && !c.JSON:
		return app.Usagef("-z needs --json")
	case c.HTML != "" && len(c.Runs) > 1:
		return app.Usagef("--html takes one run")
	}
	stores, err := openRuns(ctx, a)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stores.Close()) }()
	if c.HTML != "" {
		return stores.EachOfFix(ctx, c.Runs, func(t *trace.Trajectory, subject string) error { return writePage(c.HTML, t, subject) })
	}
	if c.JSON {
		form := &render.TraceJSON{W: a.Raw, End: app.LineEnd(c.Null), Output: c.Output}
		return stores.EachOfFix(ctx, c.Runs, form.Show)
	}
	page := a.Page(ctx)
	defer func() { err = errors.Join(err, page.Close()) }()
	form := render.NewTraceHuman(page, a.NewPalette(ctx), a.TextWidth())
	form.Full, form.Output = c.Full, c.Output
	return stores.EachOfFix(ctx, c.Runs, form.Show)
}

// writePage writes the HTML page of a run. Only the user can read the file,
// because it contains source code.
func writePage(name string, t *trace.Trajectory, subject string) error {
	err := app.WriteFile(name, 0o600, func(w io.Writer) error { return t.WriteHTML(w, subject) })
	if err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}
