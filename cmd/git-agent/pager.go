package main

import (
	"bytes"
	"context"
	"io"

	"git-agent/gitext"
)

// pagedOutput holds back text until it exceeds a screen, and then hands it to
// the user's pager. Text that fits, and text for a program, goes straight to
// its stream.
type pagedOutput struct {
	out     io.Writer
	start   func() (io.WriteCloser, error) // nil: never page
	lines   int                            // a screen's height
	held    bytes.Buffer
	started io.WriteCloser // the pager, once there is one
}

// page returns where human output goes. The caller must Close it.
func (a *app) page(ctx context.Context) *pagedOutput {
	p := &pagedOutput{out: a.stdout}
	out, errs := asFile(a.stdout), asFile(a.stderr)
	if !isTerminal(a.stdout) || errs == nil {
		return p
	}
	command := gitext.PagerCommand(ctx)
	if command == "" {
		return p
	}
	_, p.lines = screen(a.stdout)
	p.start = func() (io.WriteCloser, error) { return a.toPager(gitext.StartPager(command, out, errs)) }
	return p
}

// Write implements io.Writer.
func (p *pagedOutput) Write(b []byte) (int, error) {
	switch {
	case p.started != nil:
		return p.started.Write(b)
	case p.start == nil:
		return p.out.Write(b)
	}
	p.held.Write(b)
	if bytes.Count(p.held.Bytes(), []byte("\n")) < p.lines {
		return len(b), nil
	}
	pager, err := p.start()
	if err != nil {
		p.start = nil // the text matters more than the pager
		_, err = p.out.Write(p.held.Bytes())
		return len(b), err
	}
	p.started = pager
	_, err = pager.Write(p.held.Bytes())
	return len(b), err
}

// Close shows what was held back and waits for the pager.
func (p *pagedOutput) Close() error {
	if p.started != nil {
		return p.started.Close()
	}
	if p.start == nil {
		return nil
	}
	_, err := p.out.Write(p.held.Bytes())
	return err
}
