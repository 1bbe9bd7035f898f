package gittool

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"git-agent/agent"
)

// maxValueRunes is the number of characters of one line in a typed value.
const maxValueRunes = 8000

// These are the numbers of shown characters of one line, condensed and in git's own
// formats.
const (
	maxLineRunes   = 240
	plainLineRunes = 2000
)

// line escapes and shortens a line of a file, without its line break.
func line(text string) string {
	return agent.Shorten(agent.CleanLine(strings.TrimSuffix(text, "\r")), maxValueRunes)
}

// asRun quotes a pattern in the form that git got, without additional escapes: \( stays
// two characters. Line breaks are shown as ⏎.
func asRun(pattern string) string {
	return "'" + strings.ReplaceAll(agent.Shorten(pattern, 80), "\n", "⏎") + "'"
}

// beforeMatch is the number of shown characters before a match in a long line.
const beforeMatch = 40

// around shortens s to max characters that begin a little before byte at.
func around(s string, at, max int) string {
	skip := utf8.RuneCountInString(s[:min(at, len(s))]) - beforeMatch
	if skip <= 0 || utf8.RuneCountInString(s) <= max {
		return agent.Shorten(s, max)
	}
	n := 0
	for i := range s {
		if n == skip {
			return fmt.Sprintf("(%d+)…%s", skip, agent.Shorten(s[i:], max))
		}
		n++
	}
	return "" // not reached: skip is less than the number of runes
}

// excerptAt shortens a line to the part around byte at, and returns the new
// offset of that byte.
func excerptAt(s string, at int) (string, int) {
	if utf8.RuneCountInString(s) <= maxValueRunes {
		return s, at
	}
	if utf8.RuneCountInString(s[:min(at, len(s))]) > beforeMatch {
		return around(s, at, maxValueRunes), 0
	}
	return agent.Shorten(s, maxValueRunes), at
}

// clip shortens s to max characters without counting the missing ones, for texts that are
// shown in full elsewhere.
func clip(s string, max int) string {
	if cut := agent.Shorten(s, max); cut != s {
		return cut[:strings.LastIndex(cut, agent.CutMark)] + "…"
	}
	return s
}
