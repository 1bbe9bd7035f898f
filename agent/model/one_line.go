package model

import (
	"strings"
	"unicode/utf8"

	"git-agent/gitext/visible"
)

// cut is the first n bytes of s, or fewer so that no character is cut.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// maxMessage is how many bytes of a server's text are shown.
const maxMessage = 600

// oneLine makes a server's text fit for a terminal and a log: one line, cut, and
// without the keys.
func oneLine(s string, k keys) string {
	s = strings.ToValidUTF8(cut(k.hide(s), maxWords), "\ufffd")
	s = visible.Text(strings.Join(strings.Fields(s), " "))
	if len(s) <= maxMessage {
		return s
	}
	return cut(s, maxMessage) + " ..."
}
