package gitcmd

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
)

// MaxLine bounds the kept part of a line, in bytes. Because of the shadow's
// core.bigFileThreshold, a file with a longer line is binary.
const MaxLine = 33 << 20

// A LineReader reads lines of any length; it copies only long ones.
type LineReader struct {
	in    *bufio.Reader
	long  []byte // a line above the buffer's size
	arena []byte // copies of lines, in chunks of arenaSize
}

const arenaSize = 32 << 10

// NewLineReader returns a reader of the lines of in.
func NewLineReader(in *bufio.Reader) LineReader { return LineReader{in: in} }

// Peek returns the next line's first byte.
func (l *LineReader) Peek() (byte, error) {
	b, err := l.in.Peek(1)
	if len(b) == 0 {
		return 0, err
	}
	return b[0], nil
}

// StartsWith looks ahead without reading.
func (l *LineReader) StartsWith(prefix string) bool {
	b, _ := l.in.Peek(len(prefix)) // an error shows at the next read
	return string(b) == prefix
}

// Next returns the next line without its line break. It is valid until the next
// call.
func (l *LineReader) Next() ([]byte, error) {
	line, err := l.in.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		l.long = append(l.long[:0], line...)
		for err == bufio.ErrBufferFull {
			line, err = l.in.ReadSlice('\n')
			l.long = append(l.long, line[:min(len(line), MaxLine-len(l.long))]...)
		}
		line = l.long
		if err == nil && line[len(line)-1] != '\n' {
			return line, nil // only its beginning was kept
		}
	}
	if err != nil {
		return nil, unexpectedTail(line, err)
	}
	return line[:len(line)-1], nil
}

// unexpectedTail turns io.EOF within a line into io.ErrUnexpectedEOF.
func unexpectedTail(line []byte, err error) error {
	if err == io.EOF && len(line) > 0 {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Keep returns a copy of a line that stays valid.
func (l *LineReader) Keep(line []byte) []byte {
	if len(line) > arenaSize/4 {
		return bytes.Clone(line)
	}
	if cap(l.arena)-len(l.arena) < len(line) {
		l.arena = make([]byte, 0, arenaSize)
	}
	from := len(l.arena)
	l.arena = append(l.arena, line...)
	return l.arena[from:len(l.arena):len(l.arena)]
}

// ReadRecord reads up to a NUL.
func ReadRecord(out *bufio.Reader) (string, error) {
	s, err := out.ReadSlice(0)
	if err == nil {
		return string(s[:len(s)-1]), nil
	}
	var long []byte
	for err == bufio.ErrBufferFull && len(long) < MaxLine {
		long = append(long, s...)
		s, err = out.ReadSlice(0)
	}
	switch {
	case err == bufio.ErrBufferFull:
		return "", fmt.Errorf("%w: a name of more than %d bytes", ErrOutputLimit, MaxLine)
	case err != nil:
		return "", UnexpectedEnd(err)
	}
	long = append(long, s...)
	return string(long[:len(long)-1]), nil
}

// UnexpectedEnd turns io.EOF into io.ErrUnexpectedEOF, for a reader that needs
// more.
func UnexpectedEnd(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
