package agent

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"git-agent/gitext/visible"
)

// Clean makes text from a repository fit for a terminal and a model: what is
// hidden in it is spelled out.
func Clean(s string) string { return clean(s) }

// CleanLine is Clean for text that must stay on one line.
func CleanLine(s string) string { return cleanLine(s) }

func clean(s string) string { return visible.Text(s) }

// maxValueRunes is how much of one line a typed value keeps.
const maxValueRunes = 8000

// line cleans a line of a file, without its line break, and bounds it.
func line(text string) string {
	return shorten(cleanLine(strings.TrimSuffix(text, "\r")), maxValueRunes)
}

// cleanLine is clean for text that must stay on one line.
func cleanLine(s string) string {
	return strings.ReplaceAll(clean(s), "\n", `\n`)
}

// cutMark begins what stands for the missing rest of a line.
const cutMark = "…(+"

// beforeMatch is how much is shown before a match in a long line.
const beforeMatch = 40

// around cuts s to max runes that begin a little before byte at.
func around(s string, at, max int) string {
	skip := utf8.RuneCountInString(s[:min(at, len(s))]) - beforeMatch
	if skip <= 0 || utf8.RuneCountInString(s) <= max {
		return shorten(s, max)
	}
	n := 0
	for i := range s {
		if n == skip {
			return fmt.Sprintf("(%d+)…%s", skip, shorten(s[i:], max))
		}
		n++
	}
	return "" // not reached: skip is less than the number of runes
}

// excerptAt bounds a line to the part around byte at, which it moves along.
func excerptAt(s string, at int) (string, int) {
	if utf8.RuneCountInString(s) <= maxValueRunes {
		return s, at
	}
	if utf8.RuneCountInString(s[:min(at, len(s))]) > beforeMatch {
		return around(s, at, maxValueRunes), 0
	}
	return shorten(s, maxValueRunes), at
}

// clip cuts s after max runes where what is missing is seen elsewhere.
func clip(s string, max int) string {
	if cut := shorten(s, max); cut != s {
		return cut[:strings.LastIndex(cut, cutMark)] + "…"
	}
	return s
}

// shorten cuts s after max runes and says how many are missing.
func shorten(s string, max int) string {
	n := 0
	for i := range s {
		if n == max {
			return fmt.Sprintf("%s"+cutMark+"%d)", s[:i], utf8.RuneCountInString(s[i:]))
		}
		n++
	}
	return s
}
