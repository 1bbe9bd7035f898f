package model

import (
	"strings"
	"unicode/utf8"

	"git-agent/gitext/quote"
)

// cut returns at most the first n bytes of s, without splitting a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// maxMessage bounds the shown part of a server's text, in bytes.
const maxMessage = 600

// oneLine prepares a server's text for a terminal or a log: one line,
// shortened, with keys masked and control characters escaped.
func oneLine(s string, k keys) string {
	s = strings.ToValidUTF8(cut(k.hide(s), maxWords), "\ufffd")
	s = quote.Text(strings.Join(strings.Fields(s), " "))
	if len(s) <= maxMessage {
		return s
	}
	return cut(s, maxMessage) + " ..."
}
