package engine

import (
	"context"
	"fmt"
	"strings"

	"git-agent/agent"
	"git-agent/agent/szz"
	"git-agent/gitext"
	"git-agent/gitext/gitcmd"
)

// fetchRounds is the largest number of new attempts at an answer, each after a fetch of
// missing objects.
const fetchRounds = 8

// attempt computes an answer and marks its missing parts. It reports whether the answer
// is whole, which means that all its data was readable.
func (e *Engine) attempt(ctx context.Context, q szz.Question, listen func(agent.Event)) (ans *Result, whole bool, err error) {
	if err := e.fill(ctx, q); err != nil {
		return nil, false, err
	}
	read := map[gitext.OID]bool{}
	for round := 0; ; round++ {
		counted, unread := gitcmd.CountUnread(ctx)
		ans, err = e.compute(counted, q, listen)
		u := unread()
		if e.refetch(ctx, u, ans, round, read) {
			continue
		}
		if err != nil {
			return nil, false, err
		}
		e.mark(ans.Answer, u)
		return ans, !u.Any(), nil
	}
}

// fill fetches the objects for tracing a fix, if the user asked for it and the clone is
// partial. A fix whose message names its culprit needs none. It fails only if ctx ends:
// an answer from the available objects is better than none.
func (e *Engine) fill(ctx context.Context, q szz.Question) error {
	if e.Fetch == nil || !e.Repo.Partial() || e.Fetch.Err() != nil {
		return ctx.Err()
	}
	fc, err := szz.NewContext(ctx, e.Repo, q.Fix, q.Context())
	if err == nil {
		var settled *szz.Answer
		if settled, err = szz.Settle(ctx, e.Repo, fc, q.Algorithm); settled != nil && settled.Algorithm == szz.ByAnnotation {
			return nil
		}
	}
	if err != nil && !gitext.Unreadable(err) {
		return ctx.Err() // computing the answer meets the error again
	}
	parent, files, err := e.changes(ctx, q, fc)
	if err != nil {
		e.Fetch.Fail(ctx, err)
	}
	if err != nil || parent == "" {
		return ctx.Err()
	}
	var paths []string
	var sides []gitext.OID
	for _, f := range files {
		if f.Submodule {
			continue
		}
		sides = append(sides, f.OldOID, f.NewOID)
		if f.OldPath != "" && f.Status != 'A' {
			paths = append(paths, f.OldPath)
		}
	}
	e.Fetch.History(ctx, parent, paths, sides)
	return ctx.Err()
}

// changes lists the files that a fix changes, without reading any, and the commit whose
// history traces them, which is "" for a root commit.
func (e *Engine) changes(ctx context.Context, q szz.Question, fc *szz.FixContext) (gitext.OID, []gitext.FileChange, error) {
	if !q.Committed() {
		if fc == nil || fc.Patch == nil {
			return "", nil, nil
		}
		return q.Fix, fc.Patch.Files, nil
	}
	c, err := e.Repo.Commit(ctx, q.Fix)
	if err != nil || len(c.Parents) == 0 || e.Repo.ShallowBoundary()[q.Fix] {
		return "", nil, err
	}
	files, err := e.Repo.Changes(ctx, c.Parents[0], q.Fix, gitext.PatchOptions{Paths: q.Paths})
	return c.Parents[0], files, err
}

// refetch fetches the missing objects of an attempt, and both sides of the patches of its
// candidates that are not in read yet, because git names only the first missing object of
// a patch. It reports whether another attempt can find more. A model is not asked twice.
func (e *Engine) refetch(ctx context.Context, u gitcmd.Unread, ans *Result, round int, read map[gitext.OID]bool) bool {
	if e.Fetch == nil || u.Missing == 0 || e.Agent != nil || e.Verify != nil || round == fetchRounds || ctx.Err() != nil {
		return false
	}
	if ans != nil && ans.Answer.Algorithm == szz.ByAnnotation {
		return false
	}
	var sides []gitext.OID
	if ans != nil {
		for _, c := range ans.Answer.Candidates {
			if !read[c] && len(read) < maxPatches {
				read[c] = true
				sides = append(sides, e.sides(ctx, c)...)
			}
		}
	}
	return e.Fetch.Unread(ctx, u, sides)
}

// Bounds of the patches that refetch fetches.
const (
	maxPatches = 500  // commits
	maxSides   = 1000 // files of one commit
)

// sides returns the blobs on both sides of a commit's patch, or nil if it changes too
// many files or cannot be listed.
func (e *Engine) sides(ctx context.Context, commit gitext.OID) []gitext.OID {
	_, files, err := e.changes(ctx, szz.Question{Fix: commit}, nil)
	if err != nil || len(files) > maxSides {
		return nil
	}
	var oids []gitext.OID
	for _, f := range files {
		if !f.Submodule {
			oids = append(oids, f.OldOID, f.NewOID)
		}
	}
	return oids
}

// mark records in an answer the missing parts of the clone.
func (e *Engine) mark(v *szz.Answer, u gitcmd.Unread) {
	v.Notes = append(v.Notes, cutNotes(u)...)
	if v.Algorithm == szz.ByAnnotation {
		return
	}
	if u.Missing > 0 {
		v.Incomplete = append(v.Incomplete, agent.LacksObjects)
		v.Note(agent.LacksObjectsNote)
	}
	if e.Repo.Shallow() {
		v.Incomplete = append(v.Incomplete, szz.LacksHistory)
		v.Note("this clone is shallow: its history is cut off at %s, and what is older was not searched; type git fetch --unshallow",
			agent.Plural(len(e.Repo.ShallowBoundary()), "commit"))
	}
}

// cutNotes returns a note that limits ended the reading of the history. Some omissions
// have no note of their own.
func cutNotes(u gitcmd.Unread) []string {
	if u.Cut == 0 {
		return nil
	}
	return []string{fmt.Sprintf("not all of the history could be read, and what depends on the rest was left out: %s", strings.Join(u.Bounds, "; "))}
}
