// Package quote quotes words for a shell and paths as git does, and escapes characters that are
// invisible or that control a terminal.
package quote

import (
	"errors"
	"strings"
)

// Git quotes a path in C style if it contains a quote, a backslash or a control byte
// (core.quotePath=false leaves other bytes alone).

var errQuote = errors.New("malformed quoted path")

// escapes maps a byte to the letter after its backslash.
var escapes = map[byte]byte{
	'\a': 'a', '\b': 'b', '\t': 't', '\n': 'n', '\v': 'v', '\f': 'f', '\r': 'r', '"': '"', '\\': '\\',
}

var unescapes = func() map[byte]byte {
	m := map[byte]byte{}
	for raw, letter := range escapes {
		m[letter] = raw
	}
	return m
}()

// Path quotes a path as git does with core.quotePath=false.
func Path(path string) string {
	if !Needed(path) {
		return path
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(path) {
		c := path[i]
		letter, named := escapes[c]
		switch {
		case named:
			b.WriteByte('\\')
			b.WriteByte(letter)
		case c < ' ' || c == 0x7f:
			b.WriteByte('\\')
			b.WriteByte('0' + c>>6)
			b.WriteByte('0' + c>>3&7)
			b.WriteByte('0' + c&7)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// Needed reports whether git quotes a path.
func Needed(path string) bool {
	for i := range len(path) {
		if c := path[i]; c < ' ' || c == 0x7f || c == '"' || c == '\\' {
			return true
		}
	}
	return false
}

// Unquote undoes Path and git's default quoting.
func Unquote(s string) (string, error) {
	if !strings.HasPrefix(s, `"`) {
		return s, nil
	}
	path, rest, err := Cut(s)
	if err == nil && rest != "" {
		err = errQuote
	}
	return path, err
}

// Cut reads one quoted string from the start of s.
func Cut(s string) (path, rest string, err error) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; c {
		case '"':
			return b.String(), s[i+1:], nil
		case '\\':
			raw, size := unescape(s[i+1:])
			if size == 0 {
				return "", "", errQuote
			}
			b.WriteByte(raw)
			i += size
		default:
			b.WriteByte(c)
		}
	}
	return "", "", errQuote
}

// unescape reads an escape after its backslash; size 0 means a malformed escape.
func unescape(s string) (raw byte, size int) {
	if s == "" {
		return 0, 0
	}
	if raw, ok := unescapes[s[0]]; ok {
		return raw, 1
	}
	if len(s) < 3 || s[0] < '0' || s[0] > '3' || s[1] < '0' || s[1] > '7' || s[2] < '0' || s[2] > '7' {
		return 0, 0
	}
	return (s[0]-'0')<<6 | (s[1]-'0')<<3 | (s[2] - '0'), 3
}

// Always quotes a path even if git would not.
func Always(path string) string {
	if q := Path(path); strings.HasPrefix(q, `"`) {
		return q
	}
	return `"` + path + `"`
}
