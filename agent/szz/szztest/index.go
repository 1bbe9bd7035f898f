package szztest

import (
	"context"
	"iter"

	"git-agent/gitext"
)

// A TextIndex answers like an index of changed lines for these texts.
type TextIndex map[string][]gitext.TextChange

// Candidates judges no question.
func (x TextIndex) Candidates(context.Context, gitext.ChangeQuery) (iter.Seq2[gitext.ChangeHit, error], bool) {
	return nil, false
}

// Covers reports that the index covers all commits.
func (x TextIndex) Covers(context.Context, gitext.OID) bool { return true }

// TextChanges lists the changes of the texts.
func (x TextIndex) TextChanges(_ context.Context, _ gitext.OID, texts []string) ([]gitext.TextHistory, error) {
	var list []gitext.TextHistory
	for _, t := range texts {
		list = append(list, gitext.TextHistory{Text: t, Changes: x[t]})
	}
	return list, nil
}

// Close does nothing.
func (x TextIndex) Close() error { return nil }

// OpenWith opens the repository with an index.
func (h *History) OpenWith(x gitext.ChangeIndex) *gitext.Repo {
	h.T.Helper()
	repo, err := gitext.Open(context.Background(), gitext.OpenOptions{
		Dir: h.Dir, DataDir: h.T.TempDir(), Index: func(context.Context, *gitext.Repo) gitext.ChangeIndex { return x },
	})
	if err != nil {
		h.T.Fatal(err)
	}
	h.T.Cleanup(func() { repo.Close() })
	return repo
}
