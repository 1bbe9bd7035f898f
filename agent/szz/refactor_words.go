package szz

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A token is a word of a program: no white space in it.
type token struct {
	Text string
	Line int  // 1-based
	Name bool // an identifier, which a refactoring may rename
}

// words cuts text at white space and around every character that is no part
// of an identifier.
func words(text string) []token {
	var out []token
	line, start := 1, -1
	flush := func(end int) {
		if start >= 0 {
			w := text[start:end]
			out = append(out, token{Text: w, Line: line, Name: w[0] < '0' || w[0] > '9'})
			start = -1
		}
	}
	for i, r := range text {
		if isWordRune(r) {
			if start < 0 {
				start = i
			}
			continue
		}
		flush(i)
		switch {
		case r == '\n':
			line++
		case r > ' ':
			out = append(out, token{Text: string(r), Line: line})
		}
	}
	flush(len(text))
	return out
}

func isWordRune(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= utf8.RuneSelf
}

func joinWords(ws []token, renamed map[string]string) string {
	var b strings.Builder
	for _, w := range ws {
		text := w.Text
		if to, ok := renamed[text]; ok {
			text = to
		}
		b.WriteString(text)
		b.WriteByte(' ')
	}
	return b.String()
}

// proposeRenames compares the removed with the added lines of a change and
// counts the places where they differ in one name and nothing else.
func (c *change) proposeRenames() map[rename]int {
	out := map[rename]int{}
	if c.file.Status == 'A' || c.file.Status == 'D' || len(c.removed)*len(c.added) > maxAligned {
		return out
	}
	for i := range c.removed {
		for j := range c.added {
			from, to, n := oneNameApart(c.removed[i].words, c.added[j].words)
			if n > 0 {
				out[rename{c.file, from, to}] += n
				break // the first counterpart; a line was written once
			}
		}
	}
	return out
}

// oneNameApart reports the name in which two lines differ, and how often.
func oneNameApart(old, new []token) (from, to string, n int) {
	if len(old) != len(new) {
		return "", "", 0
	}
	for i := range old {
		if old[i].Text == new[i].Text {
			continue
		}
		if !old[i].Name || !new[i].Name || n > 0 && (old[i].Text != from || new[i].Text != to) {
			return "", "", 0
		}
		from, to = old[i].Text, new[i].Text
		n++
	}
	if n == 0 || n == len(old) || isKeyword(from) || isKeyword(to) {
		return "", "", 0
	}
	return from, to, n
}

// keywords are words that no rename yields, in the common languages: between
// them a change is one of meaning.
var keywords = strings.Fields(`and as async auto await bool boolean break byte case catch char class const continue
	def default delete do double elif else elsif end except extern false final finally float fn for foreach func
	function if in inline int is let long mut new nil None not null NULL nullptr or override private protected
	public pub register return self short signed sizeof static string struct super switch this throw throws true
	True False try typedef union unless unsigned until use using var virtual void volatile while with yield
	size_t ssize_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t u8 u16 u32 u64`)

func isKeyword(s string) bool { return slices.Contains(keywords, s) }

// identifiers is the set of words in a file.
func identifiers(blob []byte) map[string]bool {
	set := map[string]bool{}
	for _, w := range words(string(blob)) {
		if w.Name {
			set[w.Text] = true
		}
	}
	return set
}
