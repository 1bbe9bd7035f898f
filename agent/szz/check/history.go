package check

import (
	"context"

	"git-agent/gitext"
	"git-agent/gitext/commitmsg"
)

// A history answers which commits are in the history of others, and which has a subject, without
// a git process for each question.
type history struct {
	*gitext.Lineage
	subjects map[string][]gitext.OID // by folded subject; nil before the first question
	tips     []gitext.OID
}

// readHistory reads the histories of commits.
func readHistory(ctx context.Context, repo *gitext.Repo, tips []gitext.OID) (*history, error) {
	l, err := repo.Lineage(ctx, tips, nil)
	if err != nil {
		return nil, err
	}
	return &history{Lineage: l, tips: tips}, nil
}

// has reports whether the history of a commit has another one, which is not the commit itself.
func (h *history) has(commit, other gitext.OID) bool {
	from, ok := h.Number[commit]
	to, known := h.Number[other]
	return ok && known && from != to && h.Has(from, to)
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
