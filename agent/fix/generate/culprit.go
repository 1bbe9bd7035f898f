package generate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent/source"
	"git-agent/gitext"
)

const (
	// priorCulprit is the probability that undoing the right part of the first bad commit
	// repairs a bug: 5 of 11 regressions among 119 mined bugs.
	priorCulprit  = 0.45
	maxWholeFiles = 6 // files of a commit for undoing together
)

// Undo returns candidates that undo a commit that is known to have introduced the bug: its
// hunks one by one, pairs of them, whole files, all files, and single lines. If later changes
// overlap, there is no candidate. Some of these candidates are also results of Candidates.
func Undo(ctx context.Context, repo *gitext.Repo, in Input, commit gitext.OID) []Candidate {
	return newGenerator(ctx, repo, in).undoCommit(commit)
}

// undoCommit makes the candidates of the first bad commit.
func (g *generator) undoCommit(commit gitext.OID) []Candidate {
	c, err := g.repo.Commit(g.ctx, commit)
	if err != nil || len(c.Parents) == 0 {
		return nil
	}
	patch, err := g.repo.Patch(g.ctx, c.Parents[0], commit, gitext.PatchOptions{Renames: true})
	if err != nil {
		return nil
	}
	q := &queue{}
	var whole []gitext.Overlay
	files := 0
	for _, f := range patch.Files {
		if f.NewPath == "" || f.Binary || source.FileKindOf(f.NewPath) != source.SourceFile || source.IsTestOf(f.NewPath, g.in.Problem.Test) {
			continue
		}
		files++
		s, ch, ok := g.culpritFile(c, f)
		if !ok {
			continue
		}
		for _, it := range g.pieces(s, ch, priorCulprit/float64(files)) {
			q.put(it)
		}
		all := make([]int, len(ch.hunks))
		for i := range all {
			all[i] = i
		}
		if content, err := g.repo.MergeFile(g.ctx, s.content, joinLines(ch.after), joinLines(ch.without(all))); err == nil {
			whole = append(whole, g.tree.overlay(s.path, content))
		}
	}
	if len(whole) > 1 && len(whole) <= maxWholeFiles {
		q.put(
			ready(
				Candidate{
					Files:    whole,
					Origin:   "reverts " + commit.Short(),
					Commit:   commit,
					Prior:    priorCulprit / 2,
					Kind:     FileHunks,
					Location: -1,
					Line:     1,
				},
			),
		)
	}
	return g.drain(q, c.Subject())
}

// culpritFile prepares a file that the commit changed.
func (g *generator) culpritFile(c gitext.Commit, f gitext.FileChange) (*site, *change, bool) {
	content, ok := g.tree.read(f.NewPath)
	if !ok || len(f.Hunks) == 0 || len(f.Hunks) > maxHunks || f.Status == 'A' {
		return nil, nil, false
	}
	after, err := g.repo.BlobAt(g.ctx, c.OID, f.NewPath, maxFileBytes)
	if err != nil {
		return nil, nil, false
	}
	b := blamed{commit: c.OID, parent: c.Parents[0], path: f.NewPath, previous: f.OldPath, share: 1}
	ch := &change{blamed: b, after: source.SplitLines(after), hunks: g.codeHunks(f.NewPath, after, f.Hunks)}
	for i := range ch.hunks {
		ch.mine = append(ch.mine, i)
	}
	s := &site{index: -1, path: f.NewPath, content: content, lines: source.SplitLines(content), share: 1}
	return s, ch, len(ch.hunks) > 0
}

// drain returns the candidates of a queue, the most likely first.
func (g *generator) drain(q *queue, subject string) []Candidate {
	var list []Candidate
	for q.Len() > 0 && g.ctx.Err() == nil {
		it := q.take()
		if it.expand != nil {
			for _, next := range it.expand() {
				q.put(next)
			}
			continue
		}
		it.candidate.Why = fmt.Sprintf("The test fails since this commit: %s.", strings.TrimRight(subject, ". "))
		if g.admit(&it.candidate) {
			list = append(list, it.candidate)
		}
	}
	return slices.Clip(list)
}
