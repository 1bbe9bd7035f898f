package agent

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"git-agent/gitext/visible"
)

// Clean escapes hidden characters, so that text from a repository is safe for a
// terminal and a model.
func Clean(s string) string { return visible.Text(s) }

// CleanLine is Clean for text that must stay on one line.
func CleanLine(s string) string {
	return strings.ReplaceAll(Clean(s), "\n", `\n`)
}

// CutMark begins the text that replaces the cut end of a line.
const CutMark = "…(+"

// Shorten cuts s after max runes and says how many are missing.
func Shorten(s string, max int) string {
	n := 0
	for i := range s {
		if n == max {
			return fmt.Sprintf("%s"+CutMark+"%d)", s[:i], utf8.RuneCountInString(s[i:]))
		}
		n++
	}
	return s
}
