package check

import (
	"context"

	"git-agent/gitext"
	"git-agent/gitext/commitmsg"
)

// A history answers which commits are in the history of others, and which has a subject, without
// a git process for each question.
type history struct {
	index    map[gitext.OID]int32
	parents  [][]int32 // smaller numbers than the commit's own
	seen     []int32   // the question that reached a commit last
	question int32
	subjects map[string][]gitext.OID // by folded subject; nil before the first question
	tips     []gitext.OID
}

// readHistory reads the histories of commits.
func readHistory(ctx context.Context, repo *gitext.Repo, tips []gitext.OID) (*history, error) {
	h := &history{index: map[gitext.OID]int32{}, tips: tips}
	for a, err := range repo.Ancestry(ctx, tips, nil) { // parents come before their children
		if err != nil {
			return nil, err
		}
		var parents []int32
		for _, p := range a.Parents {
			if i, ok := h.index[p]; ok {
				parents = append(parents, i)
			}
		}
		h.index[a.OID] = int32(len(h.parents))
		h.parents = append(h.parents, parents)
	}
	h.seen = make([]int32, len(h.parents))
	return h, nil
}

// has reports whether the history of a commit has another one, which is not the commit itself.
func (h *history) has(commit, other gitext.OID) bool {
	from, ok := h.index[commit]
	to, known := h.index[other]
	if !ok || !known || to >= from {
		return false
	}
	h.question++
	open := []int32{from}
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		for _, p := range h.parents[at] {
			if p == to {
				return true
			}
			if p > to && h.seen[p] != h.question {
				h.seen[p] = h.question
				open = append(open, p)
			}
		}
	}
	return false
}

// bySubject returns the commits with a subject in the history of a commit.
func (h *history) bySubject(ctx context.Context, repo *gitext.Repo, commit gitext.OID, subject string) ([]gitext.OID, error) {
	if h.subjects == nil {
		h.subjects = map[string][]gitext.OID{}
		have := map[gitext.OID]bool{}
		for _, tip := range h.tips {
			if have[tip] {
				continue // it is in the history of another one
			}
			for e, err := range repo.Log(ctx, gitext.LogOptions{Tip: tip}) {
				if err != nil {
					return nil, err
				}
				if !have[e.OID] {
					have[e.OID] = true
					h.subjects[commitmsg.Fold(e.Subject)] = append(h.subjects[commitmsg.Fold(e.Subject)], e.OID)
				}
			}
		}
	}
	var found []gitext.OID
	for _, oid := range h.subjects[commitmsg.Fold(subject)] {
		if h.has(commit, oid) {
			found = append(found, oid)
		}
	}
	return found, nil
}
