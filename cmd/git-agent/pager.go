package main

import (
	"bytes"
	"context"
	"io"

	"git-agent/gitext/usercmd"
)

// pagedOutput buffers text until it is longer than a screen, and then starts the
// user's pager. Text that fits on a screen, or that no person reads, goes to its
// stream without a pager.
type pagedOutput struct {
	out     io.Writer
	start   func() (io.WriteCloser, error) // starts the pager; nil if none is to be used
	lines   int                            // height of the screen
	held    bytes.Buffer                   // text that is not written yet
	started io.WriteCloser                 // the running pager, or nil
}

// page returns the stream for output that people read. The caller must Close it.
func (a *app) page(ctx context.Context) *pagedOutput {
	p := &pagedOutput{out: a.stdout}
	out, errs := asFile(a.stdout), asFile(a.stderr)
	if !isTerminal(a.stdout) || errs == nil {
		return p
	}
	command := usercmd.PagerCommand(ctx)
	if command == "" {
		return p
	}
	_, p.lines = screen(a.stdout)
	p.start = func() (io.WriteCloser, error) { return a.toPager(usercmd.StartPager(command, out, errs)) }
	return p
}

// Write buffers b, or passes it on if it is known whether there is a pager.
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
		p.start = nil // print the text without a pager
		_, err = p.out.Write(p.held.Bytes())
		return len(b), err
	}
	p.started = pager
	_, err = pager.Write(p.held.Bytes())
	return len(b), err
}

// Close writes the buffered text or waits for the pager to end.
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
