package gittool

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"git-agent/agent"
	"git-agent/gitext"
)

// Commit is a commit in the form of the tools, with hidden characters escaped and texts
// redacted.
type Commit struct {
	OID     string    `json:"oid"`
	Date    time.Time `json:"date"` // the committer's date in UTC, which bounds searches
	Author  string    `json:"author"`
	Email   string    `json:"email,omitempty"`
	Subject string    `json:"subject"`
	Message string    `json:"message,omitempty"` // without subject, if a tool needs it
	Note    string    `json:"note,omitempty"`    // a remark, such as a missing history
}

// These bound the text about a commit in a legend.
const (
	maxSubject = 100
	maxAuthor  = 40
)

// line renders a commit on one line.
func (c Commit) line() string {
	s := fmt.Sprintf("%s %s %s: %s", short(c.OID), c.Date.Format(time.DateOnly), clip(c.Author, maxAuthor), clip(c.Subject, maxSubject))
	if c.Note != "" {
		s += " (" + c.Note + ")"
	}
	return s
}

func short(oid string) string { return oid[:min(shortHash, len(oid))] }

// commit converts a commit. Its message is redacted as a whole, because a name may be
// split over subject and body.
func (b *scopedRepo) commit(c gitext.Commit) Commit {
	c.Message = b.scope.Redact.apply(c.Message)
	out := Commit{
		OID:     string(c.OID),
		Date:    c.Committer.Time.UTC(),
		Author:  agent.CleanLine(c.Author.Name),
		Email:   agent.CleanLine(c.Author.Email),
		Subject: agent.CleanLine(c.Subject()),
	}
	if b.repo.ShallowBoundary()[c.OID] {
		out.Note = "older history is not in this clone"
	}
	return out
}

// body returns a message without its subject, redacted as a whole too.
func (b *scopedRepo) body(message string) string {
	return agent.Clean(gitext.Commit{Message: b.scope.Redact.apply(message)}.Body())
}

// commits reads and converts each commit once, newest first and equal dates by
// oid.
func (b *scopedRepo) commits(ctx context.Context, oids []gitext.OID) ([]Commit, error) {
	oids = slices.Clone(oids)
	slices.Sort(oids)
	found, err := b.repo.Commits(ctx, slices.Compact(oids))
	if err != nil {
		return nil, err
	}
	var out []Commit
	for _, c := range found {
		out = append(out, b.commit(c))
	}
	slices.SortFunc(out, func(x, y Commit) int {
		return cmp.Or(y.Date.Compare(x.Date), cmp.Compare(x.OID, y.OID))
	})
	return out, nil
}
