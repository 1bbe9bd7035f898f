package ui

import (
	"os"

	"golang.org/x/term"
)

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f := File(stream)
	return f != nil && term.IsTerminal(int(f.Fd()))
}

// TerminalSize returns the size of the terminal, or 80x24 if that is unknown.
func TerminalSize(stream any) (width, height int) {
	if f := File(stream); f != nil {
		if w, h, err := term.GetSize(int(f.Fd())); err == nil && w > 0 && h > 0 {
			return w, h
		}
	}
	return 80, 24
}

// File returns the file that w finally writes to, or nil.
func File(w any) *os.File {
	for {
		switch wrapped := w.(type) {
		case *LockedWriter:
			w = wrapped.W
		case unescapedWriter:
			w = wrapped.l
		case AnswerWriter:
			w = wrapped.Writer
		case TextWriter:
			w = wrapped.W
		default:
			f, _ := w.(*os.File)
			return f
		}
	}
}
