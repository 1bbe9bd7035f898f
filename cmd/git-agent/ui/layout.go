package ui

import (
	"errors"
	"strconv"
	"strings"
	"unicode"

	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// Palette colours text. Its zero value leaves text unchanged.
type Palette struct{ Codes map[string]string }

// Paint returns s in the colour of the slot.
func (p Palette) Paint(slot, s string) string {
	code := p.Codes[slot]
	if code == "" || s == "" {
		return s
	}
	return code + s + ColorReset
}

// ColorReset is git's escape sequence for the end of a colour.
const ColorReset = "\x1b[m"

// Printable escapes the characters of s that are invisible or that control a terminal. The
// program's text streams do the same; use Printable for text whose width matters, stored text,
// and text for other streams.
func Printable(s string) string { return quote.Text(s) }

// OneLine is Printable with line breaks replaced by spaces.
func OneLine(s string) string {
	return Printable(strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), " "))
}

// ShellJoin joins words to a command line, each quoted for a POSIX shell if necessary.
func ShellJoin(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote.Shell(w)
	}
	return strings.Join(quoted, " ")
}

// Columns returns the width of a text on a terminal.
func Columns(s string) int {
	n := 0
	for _, r := range s {
		n += columnsOf(r)
	}
	return n
}

// columnsOf returns the width of a character on a terminal. East Asian characters
// and emoji take two columns, combining marks none.
func columnsOf(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case quote.Hidden(r), unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf && r != 0x303f, r >= 0xa960 && r <= 0xa97c, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6,
		r >= 0x1f300 && r <= 0x1f64f, r >= 0x1f680 && r <= 0x1f6ff, r >= 0x1f900 && r <= 0x1faff,
		r >= 0x17000 && r <= 0x18cff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}

// CutColumns returns the beginning of s that fits into width columns.
func CutColumns(s string, width int) string {
	for i, r := range s {
		if width -= columnsOf(r); width < 0 {
			return s[:i]
		}
	}
	return s
}

// Clip cuts s to at most width characters; a cut text ends with three dots.
func Clip(s string, width int) string {
	if runes := []rune(s); len(runes) > width {
		return string(runes[:width-3]) + "..."
	}
	return s
}

// Wrap breaks text at spaces so that lines hold at most width characters.
func Wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case len([]rune(line))+1+len([]rune(word)) > width:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}

// Path returns a path as one unambiguous line: the path is quoted if it has characters that
// cannot be shown.
func Path(path string) string {
	if OneLine(path) != path {
		return Printable(strconv.Quote(path))
	}
	return path
}

// FatalText returns the text of an error without the prefix "fatal:", which git
// may have added.
func FatalText(err error) string {
	if errors.Is(err, gitext.ErrNotRepository) {
		return "not a git repository (or any of the parent directories)"
	}
	text := strings.TrimSpace(err.Error())
	return Printable(strings.TrimPrefix(text, "fatal: "))
}
