package offline

import (
	"bytes"

	"git-agent/agent/fix/generate"
	"git-agent/gitext"
)

const (
	// maxPartial bounds the candidates that are combined with each other.
	maxPartial = 12
	// maxPairs bounds the candidates that were not tried and that one with which fewer
	// tests fail is combined with.
	maxPairs = 30
)

// combine makes candidates of one with which fewer tests fail: with each other one of that
// kind, and with the most promising ones that were not tried. Many bugs need changes at
// several places. The caller holds the lock.
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

// joined joins two candidates that change different lines of the same file, or different
// files.
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

// merged applies the changes of two versions of a text to it. It reports false if they
// touch the same or neighbouring bytes.
func merged(original, a, b []byte) ([]byte, bool) {
	from, end := CommonEnds(original, a)
	from2, end2 := CommonEnds(original, b)
	if from2 < from {
		a, b, from, end, from2, end2 = b, a, from2, end2, from, end
	}
	if len(original)-end >= from2 {
		return nil, false
	}
	between := original[len(original)-end : from2]
	return bytes.Join([][]byte{original[:from], a[from : len(a)-end], between, b[from2 : len(b)-end2], original[len(original)-end2:]}, nil), true
}
