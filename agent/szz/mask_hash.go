package szz

import (
	"strings"

	"git-agent/agent/source"
	"git-agent/gitext"
)

// This file finds hashes in a text. A word counts as a hash only if the id of a commit of
// the repository begins with it.

var (
	brokenHash = source.Lazy(`\b([0-9a-fA-F]{4,60})[ \t]*\r?\n[ \t]*(?:(?:#+|//+|\*+|>+|--)[ \t]*)?([0-9a-fA-F]{4,60})\b`)
	described  = source.Lazy(`[\w.+/-]+-\d+-g$`)
	commitWord = source.Lazy(`(?i)\b(?:commits?|rev(?:ision)?s?|changesets?|cset|sha-?1?|hash|reverts?|reverted)[\s:#(\["'` + "`" + `]*$`)
	sinceWord  = source.Lazy(`(?i)\b(?:since|in|by|from|after|with|of|to)\s+$`)
	theCommit  = source.Lazy(`(?i)\bcommit:?\s+$`) // the word is part of the label
	listWord   = source.Lazy(`^(?:,| and| or| &|, and|,? resp\.?|\.\.\.?)\s*$`)
)

// Lengths of words, in digits.
const (
	leastHash  = 7 // taken for a hash if a commit id begins with it
	shortHash  = 5 // taken for a hash if the words before say so too
	wholeHash  = 40
	longestHex = 64
)

// forgiven are the lengths to which the tools cut a hash with a wrong end.
var forgiven = [...]int{12, 10, 8, leastHash}

// A hashWord is a word that may be a hash, in lower case.
type hashWord struct {
	from, to int
	text     string
}

// hexWords returns the words of a text that may be hashes, in order. A hash broken over
// two lines is one word, and its first half another.
func hexWords(text string) []hashWord {
	var out []hashWord
	to := 0
	for from := 0; from < len(text); from = to + 1 {
		for to = from; to < len(text) && source.IsHexDigit(text[to]); to++ {
		}
		if to-from < shortHash || to-from > longestHex || to < len(text) && isAlnum(text[to]) {
			continue
		}
		if from > 0 && isAlnum(text[from-1]) {
			head := described().FindString(text[max(0, from-100):from])
			if head == "" {
				continue
			}
			out = append(out, hashWord{from - len(head), to, strings.ToLower(text[from:to])})
			continue
		}
		out = append(out, hashWord{from, to, strings.ToLower(text[from:to])})
	}
	if !strings.Contains(text, "\n") {
		return out
	}
	for _, at := range brokenHash().FindAllStringSubmatchIndex(text, -1) {
		whole := strings.ToLower(text[at[2]:at[3]] + text[at[4]:at[5]])
		if len(whole) == wholeHash || len(whole) == longestHex {
			out = append(out, hashWord{at[2], at[5], whole})
		}
	}
	return out
}

func isAlnum(c byte) bool { return c != '_' && c < 0x80 && source.IsIdentByte(c) }

// hashSpans returns the hashes of commits in a text.
func (m *Mask) hashSpans(text string) []nameSpan {
	var out []nameSpan
	for _, w := range hexWords(text) {
		commit := m.commitOf(w.text)
		if commit == "" || isQuantity(text, w.from, w.to) {
			continue
		}
		if len(w.text) < leastHash && !m.shortNamed(text, w, out) {
			continue
		}
		before := theCommit().FindString(text[max(0, w.from-20):w.from])
		out = append(out, nameSpan{w.from - len(before), w.to, commit})
	}
	return out
}

// shortNamed reports whether a short word is a hash: the words before it say so, or it
// continues a list of hashes.
func (m *Mask) shortNamed(text string, w hashWord, before []nameSpan) bool {
	head := text[max(0, w.from-40):w.from]
	if commitWord().MatchString(head) {
		return true
	}
	digits := strings.Trim(w.text, "0123456789")
	if digits != "" && digits != w.text && sinceWord().MatchString(head) {
		return true
	}
	n := len(before)
	return n > 0 && before[n-1].to < w.from && listWord().MatchString(text[before[n-1].to:w.from])
}

// learn looks up the unknown words of texts. Most words begin no commit id, so a first
// lookup has only the beginning of each word, and a second the remaining ones.
func (m *Mask) learn(texts []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var words, begin []string
	asked := map[string]bool{}
	for _, t := range texts {
		for _, w := range hexWords(t) {
			if _, known := m.known[w.text]; !known && !asked[w.text] {
				asked[w.text] = true
				words, begin = append(words, w.text), append(begin, w.text[:min(len(w.text), leastHash)])
			}
		}
	}
	if len(words) == 0 {
		return
	}
	found, err := m.repo.Abbreviated(m.ctx, begin)
	for i, w := range words {
		m.known[w] = ""
		if err != nil || found[i] != (gitext.Abbreviated{}) {
			m.known[w] = m.lookUp(w)
		}
	}
}

// lookUp returns the commit whose id begins with a word. If several ids do, or git does
// not answer, it returns the word, which then is hidden like a commit.
func (m *Mask) lookUp(word string) string {
	all := spellings(word)
	found, err := m.repo.Abbreviated(m.ctx, all)
	if err != nil {
		return word
	}
	for i, f := range found {
		switch {
		case f.OID != "":
			return string(f.OID)
		case f.Ambiguous:
			return all[i]
		}
	}
	return ""
}

// spellings returns a word and the shorter forms that the tools would try.
func spellings(word string) []string {
	out := []string{word}
	for _, n := range forgiven {
		if n < len(word) && (len(word) <= wholeHash || n == forgiven[0]) {
			out = append(out, word[:n])
		}
	}
	return out
}

// commitOf returns the commit whose id begins with a word, "" for none.
func (m *Mask) commitOf(word string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.known[word]
}
