package ui

import (
	"bytes"
	"context"
	"errors"
	"io"

	"git-agent/gitext/usercmd"
)

// Pager buffers text until it is longer than a screen, and then starts the user's pager. Text
// that fits on a screen, or without a human reader, goes to its stream without a pager.
type Pager struct {
	out     io.Writer
	start   func() (io.WriteCloser, error) // starts the pager; nil for no pager
	Lines   int                            // the height of the screen in lines; with 0, the first write starts the pager
	held    bytes.Buffer                   // unwritten text
	started io.WriteCloser                 // the running pager, or nil
	sent    bytes.Buffer                   // text that the pager got but may not have shown
}

// maxUnseen exceeds the capacity of a pipe in bytes: a pager that got that many is running.
const maxUnseen = 1 << 20

// NewPager returns the stream for output that people read. It starts a pager only if out and errs
// are terminals. colors are the escape sequences that stay unescaped. The caller must Close it.
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

// Write buffers b, or passes it on after the decision about the pager.
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

// rescue writes the sent text to the screen if the pager turns out not to exist.
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
