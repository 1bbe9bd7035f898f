package ui

import (
	"errors"
	"io"
	"strings"
	"sync"
	"syscall"

	"git-agent/gitext/quote"
)

// ErrReaderGone is the error of writing the answer to a closed pipe. It does not
// count as a failure. Other broken pipes have other errors.
var ErrReaderGone = errors.New("the reader of the answer has left")

// AnswerWriter is the stream for the answer: standard output or a pager.
type AnswerWriter struct{ io.Writer }

// Write returns ErrReaderGone if the pipe is closed.
func (w AnswerWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		err = ErrReaderGone
	}
	return n, err
}

// TextWriter is a stream for text that people read. It escapes every character
// that controls a terminal, except the program's own colours, so that no caller
// can forget it. Each write must end at the end of a character.
type TextWriter struct {
	W      io.Writer
	Colors *[]string // the escape sequences that stay unchanged
}

// Write writes p, escaped.
func (t TextWriter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(t.W, visibleText(string(p), *t.Colors)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// visibleText is quote.Text, but leaves the sequences in ours unchanged.
func visibleText(s string, ours []string) string {
	if len(ours) == 0 {
		return quote.Text(s)
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
		b.WriteString(quote.Text(s[:at]))
		b.WriteString(s[at : at+length])
		s = s[at+length:]
	}
	return b.String()
}

// LockedWriter is standard error. It lets goroutines write without mixing lines,
// and escapes every character that controls a terminal.
type LockedWriter struct {
	mu sync.Mutex
	W  io.Writer // the destination
}

// Write writes p, escaped, in a single write.
func (l *LockedWriter) Write(p []byte) (int, error) {
	if _, err := (unescapedWriter{l}).Write([]byte(quote.Text(string(p)))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// unescapedWriter is the same stream without escaping, for the line of progress,
// which moves the cursor.
type unescapedWriter struct{ l *LockedWriter }

// Write writes p in a single write.
func (b unescapedWriter) Write(p []byte) (int, error) {
	b.l.mu.Lock()
	defer b.l.mu.Unlock()
	return b.l.W.Write(p)
}

// WithoutEscaping returns w without its escaping, for harmless text.
func WithoutEscaping(w io.Writer) io.Writer {
	if l, ok := w.(*LockedWriter); ok {
		return unescapedWriter{l}
	}
	return w
}
