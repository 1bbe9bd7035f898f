package verbs

import (
	"context"
	"errors"
	"fmt"

	"git-agent/agent/crash"
	"git-agent/agent/crash/input"
	"git-agent/agent/model"
	"git-agent/agent/session"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/ui"
)

// crashBatch iterates over the reports of one command.
type crashBatch struct {
	app     *app.App
	reader  *input.Reader
	sources []input.Source
	meter   *app.Progress
	advised map[string]bool // the given advice
	failed  func(error)     // called for each failed report; may be nil
}

func (c *Crash) newBatch(a *app.App, sources []input.Source) *crashBatch {
	return &crashBatch{
		app: a, sources: sources, meter: a.NewSlowProgress("reading", app.ProgressPlain), advised: map[string]bool{},
		reader: &input.Reader{Stdin: a.Stdin, Program: c.Exe, Ask: c.ask, Confine: func(ctx context.Context) (input.Confinement, error) {
			s, err := a.SandboxSettings(ctx, "")
			return input.Confinement{Level: s.Level, Readable: s.Readable}, err
		}},
	}
}

// each calls f for each report. With several reports, it prints the error of one and continues
// with the others; the exit status then is that of a failure.
func (b *crashBatch) each(ctx context.Context, f func(name string, report *crash.Report) error) error {
	failures := 0
	for i, s := range b.sources {
		b.meter.Update(i, len(b.sources), s.Name)
		err := b.one(ctx, s, f)
		switch {
		case err == nil:
			continue
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, ui.ErrReaderGone) || endsBatch(err):
			return err
		}
		if b.failed != nil {
			b.failed(err)
		}
		if len(b.sources) == 1 {
			return app.WithAdvice(err)
		}
		b.warn(ctx, err)
		failures++
	}
	if failures > 0 {
		return app.ExitStatus(app.ExitFatal)
	}
	return nil
}

// endsBatch reports whether every further report would fail, too: the model's server refuses all
// requests, or the budget is spent.
func endsBatch(err error) bool {
	var spent *session.SpentError
	var failed *model.Error
	return errors.As(err, &spent) || errors.As(err, &failed) && failed.EndsAll()
}

func (b *crashBatch) one(ctx context.Context, s input.Source, f func(name string, report *crash.Report) error) error {
	report, err := b.reader.ReadSource(ctx, s)
	if err != nil {
		return err
	}
	if err := f(s.Name, report); err != nil {
		return fmt.Errorf("%s: %w", input.Title(s.Name), err)
	}
	return nil
}

// print hides the progress line and prints an answer.
func (b *crashBatch) print(write func() error) error {
	b.meter.Clear()
	defer b.meter.Resume()
	return write()
}

// warn prints the error of one report among several, and its advice once.
func (b *crashBatch) warn(ctx context.Context, err error) {
	b.meter.Clear()
	defer b.meter.Resume()
	fmt.Fprintf(b.app.Stderr, "error: %s\n", ui.FatalText(err))
	var advised *input.Advised
	if errors.As(err, &advised) && !b.advised[advised.Advice] {
		b.advised[advised.Advice] = true
		b.app.Hint(ctx, advised.Advice)
	}
}
