package testlog

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxLine bounds the read part of a line, in bytes. Lines of go test -json are longer than the
// text that they quote.
const maxLine = 16 << 10

// A line is one line of an output.
type line struct {
	text   string // without colours, carriage returns and trailing space
	bare   string // text without leading space
	indent int    // number of bytes of leading space
}

// Text returns a line of an output without colours, carriage returns and trailing space. Of a very
// long line, it returns the beginning.
func Text(raw []byte) string { return newLine(raw).text }

func newLine(raw []byte) line {
	return lineOf(string(raw[:min(len(raw), maxLine)]))
}

func lineOf(s string) line {
	text := strings.TrimRight(plain(s), " \t\r\n")
	bare := strings.TrimLeft(text, " \t")
	return line{text: text, bare: bare, indent: len(text) - len(bare)}
}

// has reports whether the line begins with a prefix, after leading space.
func (l line) has(prefix string) bool { return strings.HasPrefix(l.bare, prefix) }

// plain removes the escape sequences of terminals.
func plain(s string) string {
	if strings.IndexByte(s, '\x1b') < 0 {
		return s
	}
	var out strings.Builder
	for s != "" {
		before, after, found := strings.Cut(s, "\x1b")
		out.WriteString(before)
		if s = ""; found {
			s = skipEscape(after)
		}
	}
	return out.String()
}

// skipEscape returns s, which follows an escape character, without the rest of the
// sequence (ECMA-48, 5.4).
func skipEscape(s string) string {
	switch {
	case strings.HasPrefix(s, "]"): // a title or a link, up to BEL or ST
		i := strings.IndexAny(s, "\a\x1b")
		switch {
		case i < 0:
			return ""
		case s[i] == '\a':
			return s[i+1:]
		}
		return s[i:] // this is a separate escape sequence
	case !strings.HasPrefix(s, "["):
		return s[min(1, len(s)):]
	}
	for i := 1; i < len(s); i++ {
		if s[i] >= '@' && s[i] <= '~' {
			return s[i+1:]
		}
	}
	return ""
}

// clip cuts a text to the length of a name, between characters.
func clip(s string) string {
	s = strings.TrimSpace(s)
	if len(s) <= maxName {
		return s
	}
	s = s[:maxName]
	for i := 0; i < utf8.UTFMax && !utf8.RuneStart(s[len(s)-1]); i++ {
		s = s[:len(s)-1]
	}
	return s[:len(s)-1]
}

// number reads a number of an output; a number that is too large becomes 0.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > 1<<30 {
		return 0
	}
	return n
}

func hasPrefixOf(s string, prefixes []string) bool {
	for _, prefix := range prefixes {
		if strings.HasPrefix(s, prefix) {
			return true
		}
	}
	return false
}

func containsAny(s string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}
