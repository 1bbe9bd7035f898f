// Package terminal holds the streams of the program: what they escape, whether a
// terminal or a pager is behind them, and whether anybody still reads them. It
// knows no verb.
package main

import (
	"os"

	"golang.org/x/term"
)

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f := asFile(stream)
	return f != nil && term.IsTerminal(int(f.Fd()))
}

// screen returns the size of the terminal, or 80x24 if that is unknown.
func screen(stream any) (width, height int) {
	if f := asFile(stream); f != nil {
		if w, h, err := term.GetSize(int(f.Fd())); err == nil && w > 0 && h > 0 {
			return w, h
		}
	}
	return 80, 24
}

// asFile returns the file that w writes to in the end, or nil if it is none.
func asFile(w any) *os.File {
	for {
		switch wrapped := w.(type) {
		case *lockedWriter:
			w = wrapped.w
		case unescapedWriter:
			w = wrapped.l
		case answerWriter:
			w = wrapped.Writer
		case textWriter:
			w = wrapped.w
		default:
			f, _ := w.(*os.File)
			return f
		}
	}
}
