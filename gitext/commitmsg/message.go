// Package commitmsg reads commit messages as git does: subject, body and
// trailers.
package commitmsg

import (
	"strings"
	"unicode"
)

// Split returns the message's first paragraph on one line, git's %s, and the
// rest, git's %b.
func Split(message string) (subject, body string) {
	rest := message
	var words []string
	for rest != "" {
		line, after, _ := strings.Cut(rest, "\n")
		blank := strings.TrimSpace(line) == ""
		if blank && words != nil {
			break
		}
		rest = after
		if !blank {
			words = append(words, strings.TrimRight(line, " \t\r\n\v\f"))
		}
	}
	for rest != "" {
		line, after, _ := strings.Cut(rest, "\n")
		if strings.TrimSpace(line) != "" {
			break
		}
		rest = after
	}
	return strings.Join(words, " "), rest
}

// Fold keeps the letters and digits of a text, in lower case, so that subjects can be compared.
func Fold(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}
