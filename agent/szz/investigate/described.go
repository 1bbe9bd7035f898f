package investigate

import (
	"context"

	"git-agent/agent/source"
	"git-agent/agent/szz/candidate"
	"git-agent/agent/szz/rank"
	"git-agent/gitext"
)

// This file finds the commit that the fix's message describes. A message describes the
// culprit in words of the culprit's own message, and names the changed things. Such a
// commit often has a low rank, because it has no line near the fix.

// Bounds of a description.
const (
	minDescribed  = 0.3  // least score
	clearlyFirst  = 1.15 // times the score of the next candidate
	subjectWeight = 0.5  // of the words of the subject that the message has
	fewNames      = 2.0  // fewer names in the message than this count less
	namesWeight   = 0.5  // of the names in the message that the candidate's diff has
)

// describedCommit returns the candidate that the fix's message describes, -1 if none
// stands out. The score adds the weights of the subject's words that the message has, and
// of the message's names that the candidate changes. Words and names of few candidates
// weigh most.
func (d *investigation) describedCommit() int {
	words := source.Bag{}
	words.AddWords(d.fc.Message)
	subjects, prose := make([]source.Bag, len(d.ranking)), source.NewIDF()
	for i, j := range d.ranking {
		subjects[i] = source.Bag{}
		subjects[i].AddWords(j.Candidate.Commit.Subject())
		prose.Add(subjects[i])
	}
	best, top, next := -1, 0.0, 0.0
	sure := min(1, float64(len(d.said))/fewNames)
	for i, j := range d.ranking {
		score := subjectWeight*sharedWeight(prose, words, subjects[i]) + namesWeight*sure*d.k.Code.Overlap(d.said, d.saidIn(j.Candidate.Diff))
		switch {
		case score > top:
			best, top, next = i, score, top
		case score > next:
			next = score
		}
	}
	if top < minDescribed || top < clearlyFirst*next {
		return -1
	}
	return best
}

// saidIn returns the names of the fix's message that a candidate changes.
func (d *investigation) saidIn(diff *candidate.CommitDiff) source.Bag {
	in := source.Bag{}
	for t := range d.said {
		if diff.Added[t] > 0 || diff.Removed[t] > 0 {
			in[t] = 1
		}
	}
	return in
}

// sharedWeight returns the share, by weight, of a subject's words that the message has.
// It is lower for a short subject, because two common words are chance.
func sharedWeight(prose *source.IDF, message, subject source.Bag) float64 {
	const few = 5 // words
	share := prose.Overlap(subject, message)
	return share * float64(min(few, len(subject))) / few
}

// saidNames returns the names of the project that the fix's message mentions.
func saidNames(message string) source.Bag {
	said := candidate.CodeWords(message)
	for t := range said {
		if !isName(t) {
			delete(said, t)
		}
	}
	return said
}

// isDescribed reports whether j is the commit that the fix's message describes.
func (d *investigation) isDescribed(j rank.Ranked) bool {
	return d.described >= 0 && d.ranking[d.described].Candidate == j.Candidate
}

// patchOf returns the changes of a commit against its first parent in all files. It
// returns nil if this clone lacks objects of it. It keeps the patches, because several
// parts of the first prompt read the same commits.
func (d *investigation) patchOf(ctx context.Context, c gitext.Commit) (*gitext.Patch, error) {
	if p, ok := d.patches[c.OID]; ok {
		return p, nil
	}
	var parent gitext.OID
	if len(c.Parents) > 0 {
		parent = c.Parents[0]
	}
	p, err := d.repo.Patch(ctx, parent, c.OID, gitext.PatchOptions{Renames: true, MaxBytes: maxPatchMoved})
	if gitext.Unreadable(err) {
		p, err = nil, nil
	}
	if err == nil {
		d.patches[c.OID] = p
	}
	return p, err
}
