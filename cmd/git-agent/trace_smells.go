package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"text/tabwriter"

	"git-agent/agent"
	"git-agent/agent/trace"
	"git-agent/cache"
	"git-agent/cmd/git-agent/render"
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
// exits with 1 if there is none.
func (c *traceSmellsCmd) Run(ctx context.Context, a *app) (err error) {
	switch {
	case c.All && len(c.Runs) > 0:
		return usagef("--all takes no runs, but got %q", c.Runs[0])
	case c.Kind != "" && !c.All:
		return usagef("--kind needs --all")
	case c.Null && !c.JSON:
		return usagef("-z needs --json")
	}
	stores, err := a.openRuns(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stores.close()) }()
	runs, err := c.runs(ctx, a, stores)
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
		_, err = a.stdout.Write([]byte(smellTable(runs)))
	}
	if err == nil && found == 0 {
		return exitStatus(exitNothing)
	}
	return err
}

func (c *traceSmellsCmd) runs(ctx context.Context, a *app, stores *runStores) ([]*trace.Trajectory, error) {
	if !c.All {
		return stores.readNamed(ctx, a, c.Runs)
	}
	runs, err := stores.readConversations(ctx, a, cache.ListOptions{Kind: c.Kind})
	return slices.DeleteFunc(runs, func(t *trace.Trajectory) bool { return t.Opening == nil }), err
}

func (c *traceSmellsCmd) printJSON(a *app, runs []*trace.Trajectory) error {
	for _, t := range runs {
		err := render.WriteJSON(a.raw, struct {
			Schema string              `json:"schema"`
			Run    string              `json:"run"`
			Kind   string              `json:"kind"`
			Status string              `json:"status"`
			Turns  int                 `json:"turns"`
			Smells []render.TraceSmell `json:"smells"`
		}{traceSmellsSchema, string(t.Run.ID), t.Run.Kind, t.Status(), t.Answers(), render.NewTraceSmells(t)}, lineEnd(c.Null))
		if err != nil {
			return err
		}
	}
	return nil
}

func printSmells(a *app, t *trace.Trajectory) error {
	for _, f := range t.Smells() {
		if _, err := fmt.Fprintln(a.stdout, render.SmellText(f)); err != nil {
			return err
		}
	}
	return nil
}

// smellTable returns a table of how many runs have each smell, with columns for
// the runs that found an answer and for those that did not.
func smellTable(runs []*trace.Trajectory) string {
	type count struct{ found, other int }
	counts := map[string]count{}
	var all count
	for _, t := range runs {
		add := func(c *count) {
			if t.Status() == "found" {
				c.found++
			} else {
				c.other++
			}
		}
		add(&all)
		seen := map[string]bool{}
		for _, f := range t.Smells() {
			if c := counts[f.Smell.Name]; !seen[f.Smell.Name] {
				add(&c)
				counts[f.Smell.Name], seen[f.Smell.Name] = c, true
			}
		}
	}
	width := 0
	for _, s := range trace.Smells {
		width = max(width, len(s.Name))
	}
	var b bytes.Buffer
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "%-*s\tof %s\tof %d that found\tof %d others\t\n", width, "smell", agent.Plural(len(runs), "run"), all.found, all.other)
	for _, s := range trace.Smells {
		c := counts[s.Name]
		fmt.Fprintf(table, "%-*s\t%s\t%s\t%s\t\n", width, s.Name, share(c.found+c.other, len(runs)), share(c.found, all.found), share(c.other, all.other))
	}
	table.Flush() // writing to memory does not fail
	return b.String()
}

// share returns a count and its percentage, such as "3 (25%)", or "-" if of is 0.
func share(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%d (%.0f%%)", n, 100*float64(n)/float64(of))
}
