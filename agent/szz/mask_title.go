package szz

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"git-agent/agent/source"
	"git-agent/gitext"
)

// This file finds titles of commits in a text, and the numbers of commits.

var (
	behindHash = source.Lazy("^[\\s,:;.~-]{0,6}(?:subject:?\\s*|titled\\s*)?([(\\[\"'“‘`*]*)")
	quoteOpen  = source.Lazy("[\"'“‘`]")
	kernelForm = source.Lazy(`^\s*\(\s*["“][^"”]{1,200}["”]\s*\)`)
	ownNumber  = source.Lazy(`\((?:GH-|[\w.-]*/?[\w.-]*#|!)(\d+)\)\s*$|^Merge (?:pull request|PR|pull|MR) [#!]?(\d+)\b`)
	numberName = source.Lazy(`https?://[^\s<>"')]*/(?:pull|pulls|merge_requests)/(\d{2,})(?:[/#][^\s<>"')]*)?` +
		`|(?i:\b(?:pr|pull request|mr|merge request)s?\s+[#!]?(\d{2,})\b)|(?:\b[\w.-]+/[\w.-]+)?#(\d{2,})\b|\bGH-(\d{2,})\b`)
	serialName = source.Lazy(`\br(\d{3,})\b|\bD(\d{3,})\b`)
)

// leastTitle is the least length of a title in quotation marks, and leastCut the least
// length of a title whose end was cut off, in bytes.
const (
	leastTitle = 8
	leastCut   = 12
)

// closers maps opening signs to closing ones.
var closers = map[rune]string{'(': ")", '[': "]", '"': "\"", '\'': "'", '“': "”", '‘': "’", '`': "`'", '*': "*"}

// pastTitle returns the end of a name whose hash ends at s.to, including a title after
// the hash.
func (m *Mask) pastTitle(text string, s nameSpan) int {
	rest := text[s.to:]
	for _, title := range m.titlesLike(s.commit) {
		at := behindHash().FindStringSubmatchIndex(rest)
		if at == nil {
			break
		}
		if end := titleAt(rest, at[1], title); end > 0 {
			return s.to + closed(rest, end, rest[at[2]:at[3]])
		}
	}
	return s.to + len(kernelForm().FindString(rest))
}

// titlesLike returns the title of a commit, whole and without its prefixes.
func (m *Mask) titlesLike(commit string) []string {
	if len(commit) < wholeHash {
		return nil // a number, or an ambiguous hash
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	list, known := m.subject[commit]
	if !known {
		if c, err := m.repo.Commit(m.ctx, gitext.OID(commit)); err == nil {
			list = withoutPrefixes(c.Subject())
		}
		m.subject[commit] = list
	}
	return list
}

// withoutPrefixes returns a title, and its rest after each prefix such as "net: ".
func withoutPrefixes(title string) []string {
	title = strings.Join(strings.Fields(title), " ")
	out := []string{title}
	for range 3 {
		_, rest, ok := strings.Cut(title, ": ")
		if !ok || len(rest) < leastCut {
			break
		}
		title = rest
		out = append(out, title)
	}
	return out
}

// titleAt returns the end of a title that begins at text[at:], 0 if there is none. Case
// and white space may differ, and the end may be missing.
func titleAt(text string, at int, title string) int {
	i, j := at, 0
	for j < len(title) && i < len(text) {
		if title[j] == ' ' {
			n := len(text[i:]) - len(strings.TrimLeft(text[i:], " \t\r\n#*>"))
			if n == 0 {
				break
			}
			i, j = i+n, j+1
			continue
		}
		if lower(text[i]) != lower(title[j]) {
			break
		}
		i, j = i+1, j+1
	}
	switch rest := text[i:]; {
	case j == 0:
		return 0
	case j == len(title) && (rest == "" || !isAlnum(rest[0])):
		return i
	case j < leastCut:
		return 0
	case strings.HasPrefix(rest, "..."):
		return i + 3
	case strings.HasPrefix(rest, "…"):
		return i + len("…")
	}
	return 0
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// closed returns the position after the signs at text[at:] that close the ones in opened.
func closed(text string, at int, opened string) int {
	for len(opened) > 0 {
		r, size := utf8.DecodeLastRuneInString(opened)
		opened = opened[:len(opened)-size]
		next, width := utf8.DecodeRuneInString(text[at:])
		if width == 0 || !strings.ContainsRune(closers[r], next) {
			break
		}
		at += width
	}
	return at
}

// quotedSpans returns the places in a text with titles that the fix names. In the text of
// the fix, whole titles of three words or more also count without quotation marks, except
// in the first line, which is the fix's own title.
func (m *Mask) quotedSpans(text string, ofFix bool) []nameSpan {
	var out []nameSpan
	if len(m.titles) == 0 {
		return nil
	}
	for _, at := range quoteOpen().FindAllStringIndex(text, -1) {
		for _, t := range m.titles {
			if end := quotedAt(text, at[0], at[1], t.title); end > 0 {
				out = append(out, nameSpan{at[0], end, t.commit})
			}
		}
	}
	if !ofFix {
		return out
	}
	first, _, _ := strings.Cut(text, "\n")
	for _, t := range m.titles {
		if !t.whole || strings.Count(t.title, " ") < 2 {
			continue
		}
		for at := range text {
			if at <= len(first) || isAlnum(text[at-1]) {
				continue
			}
			if end := titleAt(text, at, t.title); end > 0 {
				out = append(out, nameSpan{at, end, t.commit})
			}
		}
	}
	return out
}

// quotedAt returns the end of a title in quotation marks, 0 if there is none.
// text[from:to] is the opening mark.
func quotedAt(text string, from, to int, title string) int {
	end := titleAt(text, to, title)
	if end == 0 {
		return 0
	}
	if past := closed(text, end, text[from:to]); past > end {
		return past
	}
	return 0
}

// numberSpans returns the numbers of commits in the text of the fix. Numbers of one digit
// and numbers at the beginning of a line mostly count something, such as calls in a
// stack.
func (m *Mask) numberSpans(text string) []nameSpan {
	var out []nameSpan
	for _, at := range numberName().FindAllStringSubmatchIndex(text, -1) {
		if commit := m.numbers[group(text, at)]; commit != "" && at[0] > 0 && text[at[0]-1] != '\n' {
			out = append(out, nameSpan{at[0], at[1], commit})
		}
	}
	for name, commit := range m.blamed {
		for from := 0; ; {
			i := strings.Index(text[from:], name)
			if i < 0 {
				break
			}
			out = append(out, nameSpan{from + i, from + i + len(name), commit})
			from += i + len(name)
		}
	}
	if !m.serials {
		return out
	}
	for _, at := range serialName().FindAllStringIndex(text, -1) {
		out = append(out, nameSpan{at[0], at[1], text[at[0]:at[1]]})
	}
	return out
}

// group returns the only non-empty group of a match.
func group(text string, at []int) string {
	for i := 2; i+1 < len(at); i += 2 {
		if at[i] >= 0 && at[i] < at[i+1] {
			return text[at[i]:at[i+1]]
		}
	}
	return ""
}

// titlesOf returns the titles of the commits whose hashes are in a text, and the titles
// of the annotations, including the quoted forms.
func (m *Mask) titlesOf(text string, annotations []Annotation) []namedTitle {
	var out []namedTitle
	seen := map[string]bool{}
	take := func(commit string) {
		if !seen[commit] {
			for i, t := range m.titlesLike(commit) {
				out = append(out, namedTitle{commit, t, i == 0})
			}
		}
		seen[commit] = true
	}
	for _, a := range annotations {
		if !a.Verified {
			continue
		}
		take(string(a.Commit))
		if len(a.Subject) >= leastTitle {
			out = append(out, namedTitle{string(a.Commit), a.Subject, true})
		}
	}
	for _, s := range m.hashSpans(text) {
		take(s.commit)
	}
	return out
}

// readHistory looks for the ancestors of the fix whose titles are in quotation marks in
// its message or whose numbers it has. It returns the titles, and fills in the numbers. A
// message with neither costs nothing.
func (m *Mask) readHistory(ctx context.Context, fc *FixContext, body string) ([]namedTitle, error) {
	quotes := quotesByBeginning(body)
	wanted := map[string]bool{}
	own := group(fc.Commit.Subject(), orNone(ownNumber().FindStringSubmatchIndex(fc.Commit.Subject())))
	for _, at := range numberName().FindAllStringSubmatchIndex(body, -1) {
		if n := group(body, at); n != own {
			wanted[n] = true
		}
	}
	if fc.Parent == "" || len(quotes) == 0 && len(wanted) == 0 {
		return nil, nil
	}
	var titles []namedTitle
	taken := map[int]bool{}
	for e, err := range m.repo.Log(ctx, gitext.LogOptions{Tip: fc.Parent, Max: mostTitles}) {
		if err != nil {
			return nil, err
		}
		if n := group(e.Subject, orNone(ownNumber().FindStringSubmatchIndex(e.Subject))); wanted[n] && m.numbers[n] == "" {
			m.numbers[n] = string(e.OID)
		}
		for i, t := range withoutPrefixes(e.Subject) {
			for _, q := range quotes[beginning(t)] {
				if len(t) >= leastTitle && !taken[q.from] && quotedAt(body, q.from, q.to, t) > 0 {
					taken[q.from] = true
					titles = append(titles, namedTitle{string(e.OID), t, i == 0})
				}
			}
		}
	}
	return titles, nil
}

// readBlamed looks for the commits that the fix blames by a number.
func (m *Mask) readBlamed(ctx context.Context, fc *FixContext, body string) error {
	list := mentions(body)
	if fc.Parent == "" {
		return nil
	}
	numbered, err := withNumbers(ctx, m.repo, fc.Parent, list)
	if err != nil {
		return err
	}
	for _, r := range list {
		if r.kind == nil {
			continue
		}
		if commits := r.commits(numbered); len(commits) > 0 {
			m.blamed[r.written] = string(commits[0])
		}
	}
	return nil
}

func orNone(at []int) []int {
	if at == nil {
		return []int{}
	}
	return at
}

// quotesByBeginning returns the positions of opening quotation marks in a text, by the
// beginning of the quoted text.
func quotesByBeginning(text string) map[string][]nameSpan {
	out, n := map[string][]nameSpan{}, 0
	for _, at := range quoteOpen().FindAllStringIndex(text, -1) {
		if n++; n > mostQuotes {
			break
		}
		if key := beginning(text[at[1]:]); key != "" {
			out[key] = append(out[key], nameSpan{from: at[0], to: at[1]})
		}
	}
	return out
}

// beginning returns the first bytes of a title, in the form that titleAt compares; "" for
// a short title.
func beginning(title string) string {
	key := make([]byte, 0, leastTitle)
	for i := 0; i < len(title) && len(key) < leastTitle; i++ {
		if !slices.Contains([]byte(" \t\r\n#*>"), title[i]) {
			key = append(key, lower(title[i]))
		}
	}
	if len(key) < leastTitle-1 {
		return ""
	}
	return string(key)
}
