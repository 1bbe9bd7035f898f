package szz

import (
	"strings"
	"unicode/utf8"

	"git-agent/agent/source"
)

// sentenceReach is the number of bytes on each side of a commit's name that may belong to
// its sentence. excerptReach is the number of bytes on each side in an excerpt.
const (
	sentenceReach = 240
	excerptReach  = 110
)

// These patterns find the end of a sentence: a full stop, an empty line, or the position
// before an item of a list. listLine matches an item that begins with a hash.
var (
	sentenceEnd = source.Lazy(`[.!?]["')\]]*\s|\n[ \t]*\n|\n[ \t]*(?:[-*+•]|\d+[.)])[ \t]`)
	listLine    = source.Lazy(`(?m)^[ \t]*(?:[-*•][ \t]*)?([0-9a-f]{7,64})[ \t]+[\w\[]`)
	shortForm   = source.Lazy(`(?i)\b(?:e\.g|i\.e|cf|vs|etc|approx|no|rev|ver)\.\s$`)
)

// A sentence is the part of a message around the name of a commit.
type sentence struct {
	before, name, behind string
	prev                 string // the sentence before, if it is near
	next                 string // the text after the sentence, up to sentenceReach bytes after the name
	cutBefore, cutBehind bool   // the sentence continues beyond the cut
}

// sentenceAround returns the sentence around body[from:to], up to sentenceReach bytes on
// each side.
func sentenceAround(body string, from, to int) sentence {
	s := sentence{name: body[from:to]}
	start, end := max(0, from-sentenceReach), min(len(body), to+sentenceReach)
	s.before, s.behind = body[start:from], body[to:end]
	s.cutBefore, s.cutBehind = start > 0, end < len(body)
	at := start
	for _, m := range sentenceEnds(s.before) {
		if strings.HasSuffix(strings.TrimRight(body[at:start+m[0]], " \t\n"), ":") {
			continue // "It was introduced in:" continues after an empty line or the mark of an item
		}
		s.prev, at = body[at:start+m[1]], start+m[1]
		s.before, s.cutBefore = body[at:from], false
	}
	quoted := len(titleTail().FindString(s.behind)) // a full stop in a title ends no sentence
	if m := sentenceEnds(s.behind[quoted:]); len(m) > 0 {
		s.behind, s.next, s.cutBehind = s.behind[:quoted+m[0][0]+1], s.behind[quoted+m[0][1]:], false
	}
	return s
}

// sentenceEnds returns the ends of the sentences in a text.
func sentenceEnds(text string) [][]int {
	var ends [][]int
	for _, m := range sentenceEnd().FindAllStringIndex(text, -1) {
		if !shortForm().MatchString(text[:m[1]]) {
			ends = append(ends, m)
		}
	}
	return ends
}

// excerpt returns the sentence on one line. It replaces text farther than excerptReach
// bytes from the name with an ellipsis, at a space if there is one.
func (s sentence) excerpt() string {
	before, behind := oneLine(s.before), oneLine(s.behind)
	cutBefore, cutBehind := s.cutBefore, s.cutBehind
	if at := len(before) - excerptReach; at > 0 {
		before, cutBefore = before[at:], true
		if _, rest, ok := strings.Cut(before, " "); ok {
			before = rest
		}
	}
	if len(behind) > excerptReach {
		behind, cutBehind = behind[:excerptReach], true
		if at := strings.LastIndexByte(behind, ' '); at > 0 {
			behind = behind[:at]
		}
	}
	if before = wholeRunes(before); cutBefore {
		before = "... " + before
	}
	if behind = wholeRunes(behind); cutBehind {
		behind += " ..."
	}
	return strings.TrimSpace(before + s.name + behind)
}

// wholeRunes drops the parts of characters at both ends of a cut text.
func wholeRunes(text string) string {
	for text != "" && !utf8.RuneStart(text[0]) {
		text = text[1:]
	}
	for text != "" {
		if r, width := utf8.DecodeLastRuneInString(text); r != utf8.RuneError || width != 1 {
			break
		}
		text = text[:len(text)-1]
	}
	return text
}

// oneLine joins the lines of a text. A space at either end is kept.
func oneLine(text string) string {
	joined := strings.Join(strings.Fields(text), " ")
	if joined == "" {
		return ""
	}
	if strings.TrimLeft(text, " \t\r\n") != text {
		joined = " " + joined
	}
	if strings.TrimRight(text, " \t\r\n") != text {
		joined += " "
	}
	return joined
}

// listedCommits returns the positions of the hashes that begin the lines of a list of
// commits, as in "git log --oneline". The text after such a hash is the title of the
// commit, which may tell of a defect that the commit fixes.
func listedCommits(text string) map[int]bool {
	lines := listLine().FindAllStringSubmatchIndex(text, -1)
	listed := map[int]bool{}
	for i, m := range lines {
		follows := i > 0 && strings.Count(text[lines[i-1][2]:m[2]], "\n") == 1
		precedes := i+1 < len(lines) && strings.Count(text[m[2]:lines[i+1][2]], "\n") == 1
		if follows || precedes {
			listed[m[2]] = true
		}
	}
	return listed
}
