package ui

import (
	"bytes"
	"context"
	"errors"
	"io"

	"git-agent/gitext/usercmd"
)

// Pager buffers text until it is longer than a screen, and then starts the
// user's pager. Text that fits on a screen, or that no person reads, goes to its
// stream without a pager.
type Pager struct {
	out     io.Writer
	start   func() (io.WriteCloser, error) // starts the pager; nil if none is to be used
	Lines   int                            // the height of the screen; with 0, the first write starts the pager
	held    bytes.Buffer                   // text that is not written yet
	started io.WriteCloser                 // the running pager, or nil
	sent    bytes.Buffer                   // what it got and may not have shown
}

// maxUnseen is more than the bytes that a pipe holds: when a pager got that many, it runs.
const maxUnseen = 1 << 20

// NewPager returns the stream for output that people read. It starts a pager only
// if out and errs are a terminal's. colors are the escape sequences that it does
// not escape. The caller must Close it.
func NewPager(ctx context.Context, out, errs io.Writer, colors *[]string) *Pager {
	p := &Pager{out: out}
	outFile, errFile := File(out), File(errs)
	if !IsTerminal(out) || errFile == nil {
		return p
	}
	command := usercmd.PagerCommand(ctx)
	if command == "" {
		return p
	}
	_, p.Lines = TerminalSize(out)
	p.start = func() (io.WriteCloser, error) {
		started, err := usercmd.StartPager(command, outFile, errFile)
		if err != nil {
			return nil, err
		}
		return textPager{TextWriter{AnswerWriter{started}, colors}, started}, nil
	}
	return p
}

// textPager is a pager behind a TextWriter.
type textPager struct {
	TextWriter
	io.Closer
}

// Paging reports whether the pager has been started.
func (p *Pager) Paging() bool { return p.started != nil }

// Write buffers b, or passes it on if it is known whether there is a pager.
func (p *Pager) Write(b []byte) (int, error) {
	switch {
	case p.started != nil:
		return len(b), p.send(b)
	case p.start == nil:
		return p.out.Write(b)
	}
	p.held.Write(b)
	if bytes.Count(p.held.Bytes(), []byte("\n")) < p.Lines {
		return len(b), nil
	}
	started, err := p.start()
	if err != nil {
		p.start = nil // print the text without a pager
		_, err = p.out.Write(p.held.Bytes())
		return len(b), err
	}
	p.started = started
	return len(b), p.send(p.held.Bytes())
}

// send passes text on to the pager.
func (p *Pager) send(b []byte) error {
	if p.sent.Len() < maxUnseen {
		p.sent.Write(b)
	}
	_, err := p.started.Write(b)
	return p.rescue(err)
}

// rescue writes what the pager got to the screen if it turns out that the pager does not
// exist.
func (p *Pager) rescue(err error) error {
	if !errors.Is(err, usercmd.ErrNoPager) {
		return err
	}
	p.started, p.start = nil, nil
	_, err = p.out.Write(p.sent.Bytes())
	return err
}

// Close writes the buffered text or waits for the pager to end.
func (p *Pager) Close() error {
	if p.started != nil {
		return p.rescue(p.started.Close())
	}
	if p.start == nil {
		return nil
	}
	_, err := p.out.Write(p.held.Bytes())
	return err
}
