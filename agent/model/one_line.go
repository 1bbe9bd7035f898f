package model

import (
	"strings"

	"git-agent/agent/source"
	"git-agent/gitext/quote"
)

// maxMessage bounds the shown part of a server's text, in bytes.
const maxMessage = 600

// oneLine prepares a server's text for a terminal or a log: one line,
// shortened, with keys masked and control characters escaped.
func oneLine(s string, k keys) string {
	s = strings.ToValidUTF8(source.Cut(k.hide(s), maxWords), "\ufffd")
	s = quote.Text(strings.Join(strings.Fields(s), " "))
	if len(s) <= maxMessage {
		return s
	}
	return source.Cut(s, maxMessage) + " ..."
}
