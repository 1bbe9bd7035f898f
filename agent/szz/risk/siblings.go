package risk

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"git-agent/agent/source"
	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// When a file counts as one that always changes along.
const (
	lastTogether   = 20   // last commits of a file that are compared
	fewestTogether = 6    // commits with both files
	mostlyTogether = 0.85 // of the file's commits
)

// siblings looks for files that nearly all commits of a changed file changed too, and this change
// does not.
func (s *study) siblings(ctx context.Context) error {
	var list []sibling
	for _, f := range s.change.files {
		list = append(list, s.siblingsOf(f.OldPath)...)
	}
	slices.SortStableFunc(list, func(a, b sibling) int { return cmp.Compare(b.together, a.together) })
	said := map[string]bool{}
	for _, b := range list {
		if said[b.path] {
			continue
		}
		tree, err := s.repo.Tree(ctx, s.fc.Parent, b.path)
		if err != nil {
			return err
		}
		if len(tree) == 0 {
			continue
		}
		said[b.path] = true
		s.found[Sibling]++
		if len(said) > mostOfAKind {
			continue
		}
		s.add(Finding{
			Kind: Sibling, Path: b.path, Commits: b.commits,
			Text: fmt.Sprintf("leaves out %s: %d of the last %d commits that changed %s changed it too, the last one %s (%q)",
				b.path, b.together, b.of, b.with, b.commits[0].OID.Short(), b.commits[0].Subject()),
			Command: fmt.Sprintf("git log --no-merges --format=%%h --name-only --full-diff -n %d %s -- %s", lastTogether, s.fc.Parent.Short(), quote.Pathspec(b.with)),
		})
	}
	return nil
}

// A sibling is a file that changes along with another one.
type sibling struct {
	path, with   string
	together, of int
	commits      []gitext.Commit
}

// siblingsOf returns the files that nearly always changed along with a file. Commits of many files
// tell nothing, and neither do those that began a file.
func (s *study) siblingsOf(path string) []sibling {
	if source.FileKindOf(path) == source.OtherFile {
		return nil
	}
	along := map[string][]gitext.Commit{}
	of := 0
	for _, e := range s.past.entries {
		if !e.changes(path) || e.begins(path) {
			continue
		}
		if of++; of > lastTogether {
			of = lastTogether
			break
		}
		if e.touched.Files > fewFilesAtall {
			continue
		}
		for _, p := range e.touched.Paths {
			if !s.change.paths[p] {
				along[p] = append(along[p], e.commit)
			}
		}
	}
	var list []sibling
	for _, p := range slices.Sorted(maps.Keys(along)) {
		if n := len(along[p]); n >= fewestTogether && float64(n) >= mostlyTogether*float64(of) {
			list = append(list, sibling{p, path, n, of, along[p]})
		}
	}
	return list
}

// begins reports whether the commit added the file.
func (e *entry) begins(path string) bool {
	return slices.ContainsFunc(e.files, func(f *gitext.FileChange) bool { return f.NewPath == path && f.Status == 'A' })
}
