package offline

import (
	"bytes"

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
	for _, w := range s.promising(maxPairs) {
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
	both.Origin, both.Why, both.More = a.Origin+", and "+b.Origin, "", nil
	both.Commit = ""
	both.Prior = max(a.Prior, b.Prior) / 2
	if x.Path != y.Path {
		both.Files = []gitext.Overlay{x, y}
		return both, true
	}
	content, ok := merged(original, x.Content, y.Content)
	both.Files = []gitext.Overlay{{Path: x.Path, Mode: x.Mode, Content: content}}
	return both, ok
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
	between := original[len(original)-end : from2]
	return bytes.Join([][]byte{original[:from], a[from : len(a)-end], between, b[from2 : len(b)-end2], original[len(original)-end2:]}, nil), true
}
