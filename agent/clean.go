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

// Shorten cuts s after max runes and says how many are missing: "abc…(+5)".
func Shorten(s string, max int) string { return shorten(s, max, CutMark) }

// Abridge is Shorten with a space before the count, "abc… (+5)", as notes and the
// prompts of szz have it.
func Abridge(s string, max int) string { return shorten(s, max, "… (+") }

func shorten(s string, max int, mark string) string {
	n := 0
	for i := range s {
		if n == max {
			return fmt.Sprintf("%s%s%d)", s[:i], mark, utf8.RuneCountInString(s[i:]))
		}
		n++
	}
	return s
}
