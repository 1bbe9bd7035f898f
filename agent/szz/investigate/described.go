package investigate

import (
	"context"

	"git-agent/agent/source"
	"git-agent/agent/szz/candidate"
	"git-agent/agent/szz/rank"
	"git-agent/gitext"
)

// This file finds the commit that the fix's message describes. A message tells of
// the culprit in words of the culprit's own message, and names what it changed. Such
// a commit often has a low rank, because no line of it is near the fix.

// Bounds of a description.
const (
	minDescribed  = 0.3  // least score
	clearlyFirst  = 1.15 // times the score of the next candidate
	subjectWeight = 0.5  // of the words that the message has of the subject
	fewNames      = 2.0  // with fewer names in the message, they count less
	namesWeight   = 0.5  // of the names in the message that the candidate's diff has
)

// describedCommit returns the candidate that the fix's message describes, -1 if
// none stands out. The score is the weight, by how few candidates have them, of the
// subject's words that the message has, and of the message's names that the
// candidate changes.
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

// sharedWeight returns the share, by weight, of a subject's words that the message
// has. Of a short subject it is lower: two words in common are chance.
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

// patchOf returns what a commit changes against its first parent in all files. It
// returns nil when this clone lacks objects of it. It keeps the patches, because
// several parts of the first prompt look at the same commits.
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
