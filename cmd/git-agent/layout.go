package main

import (
	"fmt"
	"git-agent/gitext"
	"git-agent/gitext/visible"
	"strings"
	"unicode"
)

// palette paints text; its zero value leaves text as it is.
type palette struct{ codes map[string]string }

// paint wraps s in the slot's colour.
func (p palette) paint(slot, s string) string {
	code := p.codes[slot]
	if code == "" || s == "" {
		return s
	}
	return code + s + colorReset
}

// colorReset ends a colour, as git spells it.
const colorReset = "\x1b[m"

// printable spells out what is hidden in a text. The streams do so too: it is
// for text that is laid out, kept, or given to others.
func printable(s string) string { return visible.Text(s) }

// plural is "1 turn" or "2 turns".
func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// oneLine is printable without line breaks.
func oneLine(s string) string {
	return printable(strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), " "))
}

// shellJoin quotes words for a POSIX shell where they need it.
func shellJoin(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = gitext.ShellQuote(w)
	}
	return strings.Join(quoted, " ")
}

// columns is how wide a text is on a terminal: characters of East Asia and
// pictures take two columns, marks on other characters none.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n += columnsOf(r)
	}
	return n
}

func columnsOf(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case visible.Hidden(r), unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf && r != 0x303f, r >= 0xa960 && r <= 0xa97c, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6,
		r >= 0x1f300 && r <= 0x1f64f, r >= 0x1f680 && r <= 0x1f6ff, r >= 0x1f900 && r <= 0x1faff, r >= 0x17000 && r <= 0x18cff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}

// cutColumns is the beginning of s that is at most so wide.
func cutColumns(s string, width int) string {
	for i, r := range s {
		if width -= columnsOf(r); width < 0 {
			return s[:i]
		}
	}
	return s
}

// wrap breaks text at spaces so that lines hold at most width characters.
func wrap(text string, width int) []string {
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
