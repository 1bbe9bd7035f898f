package agent

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"git-agent/gitext/quote"
)

// Clean escapes hidden characters, so that text from a repository is safe for a
// terminal and a model.
func Clean(s string) string { return quote.Text(s) }

// CleanLine is Clean for text that must stay on one line.
func CleanLine(s string) string {
	return strings.ReplaceAll(Clean(s), "\n", `\n`)
}

// CutMark begins the text that replaces the cut end of a line.
const CutMark = "…(+"

// Shorten cuts s after max runes and says how many are missing: "abc…(+5)".
func Shorten(s string, max int) string { return shorten(s, max, CutMark) }

// Abridge is Shorten with a space before the count, "abc… (+5)", the form in notes and in
// the prompts of szz.
func Abridge(s string, max int) string { return shorten(s, max, "… (+") }

// ShortenWords is Shorten that cuts between words, so that no name is cut in its middle, if the words
// before the cut are half of the text that fits.
func ShortenWords(s string, max int) string {
	short := []rune(s)
	if len(short) <= max {
		return s
	}
	if at := strings.LastIndexAny(string(short[:max+1]), " \t"); at > len(string(short[:max/2])) {
		kept := strings.TrimRight(s[:at], " ,;:")
		return fmt.Sprintf("%s%s%d)", kept, CutMark, utf8.RuneCountInString(s[len(kept):]))
	}
	return Shorten(s, max)
}

// LastParts returns the end of a qualified name or of a path that is longer than max characters, because
// its end says most: from the beginning of one of its parts, if that leaves half of the text.
func LastParts(s string, max int) string {
	r := []rune(s)
	if len(r) <= max || max < 2 {
		return s
	}
	end := string(r[len(r)-max+1:])
	if at := strings.IndexAny(end, "./:\\#"); at >= 0 && at < len(end)/2 {
		end = strings.TrimLeft(end[at:], "./:\\#")
	}
	return "…" + end
}

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

// A Mask removes secrets from a text. A nil Mask removes nothing. Answers of tools are
// masked again as a whole, but a text must be masked before it is cut, because half of a
// secret does not look like one.
type Mask func(string) string

// Text returns a text without secrets.
func (m Mask) Text(text string) string {
	if m == nil {
		return text
	}
	return m(text)
}

// Shorten cleans one line that may hold secrets, masks it and cuts it like the function
// Shorten.
func (m Mask) Shorten(text string, max int) string {
	return Shorten(m.toCut(CleanLine(text), max), max)
}

// Abridge cleans one line that may hold secrets, masks it and cuts it like the function
// Abridge.
func (m Mask) Abridge(text string, max int) string {
	return Abridge(m.toCut(CleanLine(text), max), max)
}

// toCut masks a text before a cut to max characters. In a very long text it masks only
// the beginning; the cut removes the rest.
func (m Mask) toCut(text string, max int) string {
	const beyond = 4000 // bytes of a secret that begins before the cut
	if len(text) <= max {
		return text
	}
	at := min(len(text), 4*max+beyond)
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return m.Text(text[:at]) + text[at:]
}
