package tracecmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"git-agent/agent/trace"
	"git-agent/cache"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/store"
)

type traceExportCmd struct {
	Format  string `enum:"atif,otel,steps" default:"steps" placeholder:"<format>" help:"output format: atif (Harbor's ATIF-v1.7), otel (OpenTelemetry spans), or steps (the default), which is complete and can be shown and replayed again"`
	Content bool   `help:"with otel, include prompts, answers and outputs in the spans"`
	Send    bool   `help:"with otel, send the spans to OTEL_EXPORTER_OTLP_ENDPOINT instead of printing them"`
	All     bool   `help:"export every recorded conversation, newest first, one per line; not with steps"`
	Name    string `arg:"" optional:"" name:"run" help:"a unique part of the run's name, or a file of exported steps"`
}

// Run writes one run, or all of them, to standard output or to a collector.
func (c *traceExportCmd) Run(ctx context.Context, a *app.App) (err error) {
	switch {
	case (c.Content || c.Send) && c.Format != "otel":
		return app.Usagef("--content and --send need --format=otel")
	case c.All && c.Name != "":
		return app.Usagef("--all takes no runs, but got %q", c.Name)
	case c.All && c.Format == "steps":
		return app.Usagef("--all needs --format=atif or otel: a file of steps holds one run")
	}
	stores, err := openRuns(ctx, a)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stores.Close()) }()
	if c.All {
		return c.exportAll(ctx, a, stores)
	}
	r, err := stores.Find(ctx, c.Name)
	if err != nil {
		return err
	}
	if c.Format == "steps" {
		return trace.WriteSteps(a.Stdout, r.Run, r.Recorded)
	}
	t, err := stores.Read(r)
	if err != nil {
		return err
	}
	if c.Send {
		return c.send(ctx, a, t)
	}
	return c.write(a.Stdout, t)
}

// exportAll exports all conversations, one on each line. Only one of them is in
// memory at a time.
func (c *traceExportCmd) exportAll(ctx context.Context, a *app.App, stores *store.Stores) error {
	all, err := stores.List(ctx, cache.ListOptions{})
	if err != nil {
		return err
	}
	found := false
	for _, r := range all {
		if r.IsEvaluation() {
			continue
		}
		t, err := stores.Read(r)
		if err != nil {
			return err
		}
		if t.Opening == nil { // no conversation began
			continue
		}
		found = true
		if c.Send {
			err = c.send(ctx, a, t)
		} else {
			err = c.writeLine(a.Stdout, t)
		}
		if err != nil {
			return fmt.Errorf("run %s: %w", r.ID, err)
		}
	}
	if !found {
		return store.ErrNoConversation()
	}
	return nil
}

func (c *traceExportCmd) writeLine(w io.Writer, t *trace.Trajectory) error {
	var document, line bytes.Buffer
	if err := c.write(&document, t); err != nil {
		return err
	}
	if err := json.Compact(&line, document.Bytes()); err != nil {
		return err
	}
	_, err := w.Write(append(bytes.TrimSpace(line.Bytes()), '\n'))
	return err
}

func (c *traceExportCmd) write(w io.Writer, t *trace.Trajectory) error {
	if c.Format == "atif" {
		return t.WriteATIF(w)
	}
	return t.WriteOTel(w, c.Content)
}

// send sends the spans of a run to a collector.
func (c *traceExportCmd) send(ctx context.Context, a *app.App, t *trace.Trajectory) error {
	to, err := app.FindCollector(a.Env)
	if err != nil {
		return err
	}
	if to == nil {
		return app.WithHint(errors.New("--send needs the address of a collector"), "export OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318")
	}
	var body bytes.Buffer
	if err := c.write(&body, t); err != nil {
		return err
	}
	if err := to.Send(ctx, body.Bytes()); err != nil {
		return err
	}
	if !a.Flags.Quiet {
		fmt.Fprintf(a.Stderr, "sent to %s\n", to.Host())
	}
	return nil
}
