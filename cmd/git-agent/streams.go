package main

import (
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"

	"git-agent/gitext/visible"
)

// errReaderGone is that nobody reads the answer any more. Another pipe that breaks
// is an error like others.
var errReaderGone = errors.New("the reader of the answer has left")

// answerWriter is where the answer goes as it stands, a stream or a pager.
type answerWriter struct{ io.Writer }

// Write marks the error of a closed pipe.
func (w answerWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		err = errReaderGone
	}
	return n, err
}

// textWriter is where text goes that people read. It spells out what is hidden
// in each piece, so that whoever forgets to cannot harm a terminal: only our
// own colours pass. A piece ends where a character ends.
type textWriter struct {
	w io.Writer
	a *app // whose colours they are
}

// Write writes p, spelled out.
func (t textWriter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(t.w, visibleText(string(p), t.a.colors)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// visibleText is visible.Text for a text in which some sequences are ours.
func visibleText(s string, ours []string) string {
	if len(ours) == 0 {
		return visible.Text(s)
	}
	var b strings.Builder
	for s != "" {
		at, length := len(s), 0
		for i := strings.IndexByte(s, '\x1b'); i >= 0 && i < len(s) && length == 0; {
			for _, code := range ours {
				if strings.HasPrefix(s[i:], code) {
					at, length = i, max(length, len(code))
				}
			}
			next := strings.IndexByte(s[i+1:], '\x1b')
			if next < 0 {
				break
			}
			i += 1 + next
		}
		b.WriteString(visible.Text(s[:at]))
		b.WriteString(s[at : at+length])
		s = s[at+length:]
	}
	return b.String()
}

// lineEnd returns what ends a line of output: NUL with -z, else a newline.
func lineEnd(null bool) string {
	if null {
		return "\x00"
	}
	return "\n"
}

// textPager is a pager that reads text for people.
type textPager struct {
	textWriter
	io.Closer
}

// toPager is what a pager is written to.
func (a *app) toPager(pager io.WriteCloser, err error) (io.WriteCloser, error) {
	if err != nil {
		return nil, err
	}
	return textPager{textWriter{answerWriter{pager}, a}, pager}, nil
}

// lockedWriter lets goroutines share stderr without mixing lines. It is text
// for people, and nothing else.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

// Write hands p on in one piece, spelled out.
func (l *lockedWriter) Write(p []byte) (int, error) {
	if _, err := (unescapedWriter{l}).Write([]byte(visible.Text(string(p)))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// unescapedWriter is the same stream for a line of progress, which moves the cursor.
type unescapedWriter struct{ l *lockedWriter }

// Write hands p on in one piece.
func (b unescapedWriter) Write(p []byte) (int, error) {
	b.l.mu.Lock()
	defer b.l.mu.Unlock()
	return b.l.w.Write(p)
}

// withoutEscaping is a stream for text that is known to be harmless.
func withoutEscaping(w io.Writer) io.Writer {
	if l, ok := w.(*lockedWriter); ok {
		return unescapedWriter{l}
	}
	return w
}

// asFile returns the file behind w, or nil.
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
