package edit

import (
	"strings"

	"git-agent/agent"
)

// A file is an edited text. If all line breaks of the original are CRLF, they are LF here.
type file struct {
	path     string
	original string
	text     string
	crlf     bool // all line breaks of the original are CRLF
	as       func(string) string

	lines  []string // without line breaks
	starts []int    // offsets at which the lines begin
}

func openFile(path string, content []byte, as func(string) string) *file {
	f := &file{path: path, original: string(content), as: asShown}
	if as != nil {
		f.as = as
	}
	f.text = f.original
	if n := strings.Count(f.original, "\r\n"); n > 0 && n == strings.Count(f.original, "\n") {
		f.crlf = true
		f.text = strings.ReplaceAll(f.original, "\r\n", "\n")
	}
	f.lines = splitLines(f.text)
	at := 0
	for _, line := range f.lines {
		f.starts = append(f.starts, at)
		at += len(line) + 1
	}
	return f
}

// asShown returns a line of a file in the form of the tools.
func asShown(line string) string { return agent.CleanLine(strings.TrimSuffix(line, "\r")) }

// splitLines returns the lines of a text without their LF.
func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// Split returns the lines of a text without their line breaks.
func Split(text []byte) []string {
	lines := splitLines(string(text))
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, "\r")
	}
	return lines
}

// incoming returns a text of the model with the line breaks of f.text.
func (f *file) incoming(text string) string {
	if f.crlf || !strings.Contains(f.original, "\r") {
		return strings.ReplaceAll(text, "\r\n", "\n")
	}
	return text
}

// outgoing returns a changed text with the line breaks of the original.
func (f *file) outgoing(text string) string {
	if f.crlf {
		return strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// lineAt returns the number of the line, from 1, at an offset.
func (f *file) lineAt(offset int) int {
	low, high := 0, len(f.starts) // the last start that is not after offset
	for high-low > 1 {
		mid := (low + high) / 2
		if f.starts[mid] <= offset {
			low = mid
		} else {
			high = mid
		}
	}
	return low + 1
}

// lineEnd returns the offset behind line i, counted from 0, and its line break.
func (f *file) lineEnd(i int) int { return min(len(f.text), f.starts[i]+len(f.lines[i])+1) }

// lineBreak returns the line break of line i, counted from 0. For a last line without a line
// break, it returns that of the first line.
func (f *file) lineBreak(i int) string {
	if f.starts[i]+len(f.lines[i]) >= len(f.text) {
		i = 0
	}
	if strings.HasSuffix(f.lines[i], "\r") {
		return "\r\n"
	}
	return "\n"
}

// shorten cuts a text after max whole characters.
func shorten(text string, max int) string { return agent.Shorten(text, max) }
