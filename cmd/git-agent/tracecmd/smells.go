package tracecmd

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"git-agent/agent/trace"
	"git-agent/cache"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/render"
	"git-agent/cmd/git-agent/store"
)

// traceSmellsSchema is the schema of `trace smells --json`.
const traceSmellsSchema = "git-agent/trace-smells/1"

type traceSmellsCmd struct {
	All  bool     `help:"examine every recorded conversation"`
	Kind string   `placeholder:"<kind>" help:"with --all, examine only runs of this kind, such as szz/agent"`
	JSON bool     `name:"json" help:"print one JSON object for each run"`
	Null bool     `short:"z" help:"terminate the lines of --json with NUL, not newline"`
	Runs []string `arg:"" optional:"" name:"run" help:"a unique part of the run's name, or a file of exported steps"`
}

// Run lists the smells of one run, or counts those of several in a table. It
// exits with 1 if no smell is found.
func (c *traceSmellsCmd) Run(ctx context.Context, a *app.App) (err error) {
	switch {
	case c.All && len(c.Runs) > 0:
		return app.Usagef("--all takes no runs, but got %q", c.Runs[0])
	case c.Kind != "" && !c.All:
		return app.Usagef("--kind needs --all")
	case c.Null && !c.JSON:
		return app.Usagef("-z needs --json")
	}
	stores, err := openRuns(ctx, a)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stores.Close()) }()
	runs, err := c.runs(ctx, stores)
	if err != nil {
		return err
	}
	found := 0
	for _, t := range runs {
		found += len(t.Smells())
	}
	switch {
	case c.JSON:
		err = c.printJSON(a, runs)
	case len(runs) == 1:
		err = printSmells(a, runs[0])
	case len(runs) > 1:
		_, err = a.Stdout.Write([]byte(render.SmellTable(runs)))
	}
	if err == nil && found == 0 {
		return app.ExitStatus(app.ExitNothing)
	}
	return err
}

func (c *traceSmellsCmd) runs(ctx context.Context, stores *store.Stores) ([]*trace.Trajectory, error) {
	if !c.All {
		return stores.ReadNamed(ctx, c.Runs)
	}
	runs, err := stores.ReadConversations(ctx, cache.ListOptions{Kind: c.Kind})
	return slices.DeleteFunc(runs, func(t *trace.Trajectory) bool { return t.Opening == nil }), err
}

// smellsRow is the documented JSON form of one run with its smells.
type smellsRow struct {
	Schema string              `json:"schema"`
	Run    string              `json:"run"`
	Kind   string              `json:"kind"`
	Status string              `json:"status"`
	Turns  int                 `json:"turns"`
	Smells []render.TraceSmell `json:"smells"`
}

func (c *traceSmellsCmd) printJSON(a *app.App, runs []*trace.Trajectory) error {
	for _, t := range runs {
		err := render.WriteJSON(
			a.Raw,
			smellsRow{traceSmellsSchema, string(t.Run.ID), t.Run.Kind, t.Status(), t.Answers(), render.NewTraceSmells(t)},
			app.LineEnd(c.Null),
		)
		if err != nil {
			return err
		}
	}
	return nil
}

func printSmells(a *app.App, t *trace.Trajectory) error {
	for _, f := range t.Smells() {
		if _, err := fmt.Fprintln(a.Stdout, render.SmellText(f)); err != nil {
			return err
		}
	}
	return nil
}
