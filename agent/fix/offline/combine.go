package offline

import (
	"bytes"
	"slices"
	"strings"

	"git-agent/agent/fix/generate"
	"git-agent/agent/source"
	"git-agent/gitext"
)

const (
	// maxPartial bounds the combined candidates with fewer failing tests.
	maxPartial = 12
	// maxPairs bounds the untried candidates for combination with one of these.
	maxPairs = 30
)

// combine takes a candidate with fewer failing tests and combines it with each other one of
// this kind, and with the most promising untried candidates. Many bugs need changes at several
// places. The caller holds the lock.
func (s *search) combine(c *waiting) {
	if len(c.Files) != 1 || c.Probe || len(s.partial) >= maxPartial {
		return
	}
	original, ok := s.original(s.whole)(c.Files[0].Path)
	if !ok {
		return
	}
	others := append([]waiting(nil), s.partial...)
	for _, w := range s.promising() {
		if !w.Probe && !w.passed {
			others = append(others, w)
		}
	}
	for _, o := range others {
		if both, ok := joined(original, c.Candidate, o.Candidate); ok {
			s.put(both, fewer.boost())
		}
	}
	s.partial = append(s.partial, *c)
}

// joined joins two candidates that change different files, or different lines of the same file.
func joined(original []byte, a, b generate.Candidate) (generate.Candidate, bool) {
	if len(b.Files) != 1 || a.Commit != "" && b.Commit != "" {
		return generate.Candidate{}, false
	}
	x, y := a.Files[0], b.Files[0]
	both := a
	both.Origin, both.Why, both.More = joinedOrigins(a.Origin, b.Origin), "", nil
	both.Commit = ""
	both.Prior = min(a.Prior, b.Prior) / 2 // both must be right
	if x.Path != y.Path {
		both.Files = []gitext.Overlay{x, y}
		return both, true
	}
	content, ok := merged(original, x.Content, y.Content)
	both.Files = []gitext.Overlay{{Path: x.Path, Mode: x.Mode, Content: content}}
	return both, ok
}

// between stands between the origins of a combined candidate.
const between = ", and "

// reverted matches an origin that undoes a counted part of a commit or of the uncommitted changes.
var reverted = source.Lazy(`^reverts (\w+) (hunk|line)s? of (.+)$`)

// numerals are the counts of an origin in words.
var numerals = []string{"no", "a", "two", "three", "four", "five", "six", "seven", "eight", "nine"}

// joinedOrigins says how a candidate that joins two was made: parts of one commit are counted, so that it is named once.
func joinedOrigins(a, b string) string {
	parts := slices.Concat(strings.Split(a, between), strings.Split(b, between))
	for i := 0; i < len(parts); i++ {
		for j := len(parts) - 1; j > i; j-- {
			x, y := reverted().FindStringSubmatch(parts[i]), reverted().FindStringSubmatch(parts[j])
			if x == nil || y == nil || x[2] != y[2] || x[3] != y[3] {
				continue
			}
			n, m := slices.Index(numerals, x[1]), slices.Index(numerals, y[1])
			if n < 0 || m < 0 || n+m >= len(numerals) {
				continue
			}
			parts[i] = "reverts " + numerals[n+m] + " " + x[2] + "s of " + x[3]
			parts = slices.Delete(parts, j, j+1)
		}
	}
	return strings.Join(parts, between)
}

// merged applies the changes of two versions, a and b, to the original text. It reports false
// if the changes overlap or are adjacent.
func merged(original, a, b []byte) ([]byte, bool) {
	from, end := source.CommonEnds(original, a)
	from2, end2 := source.CommonEnds(original, b)
	if from2 < from {
		a, b, from, end, from2, end2 = b, a, from2, end2, from, end
	}
	if len(original)-end >= from2 {
		return nil, false
	}
	same := original[len(original)-end : from2]
	return bytes.Join([][]byte{original[:from], a[from : len(a)-end], same, b[from2 : len(b)-end2], original[len(original)-end2:]}, nil), true
}
