package testcmd

import (
	"context"
	"slices"

	"git-agent/agent/fix"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// These limits bound the search for committed new tests.
const (
	maxTestCommits = 10 // of the last commits
	maxTestFiles   = 50 // of one commit
)

// WithNewTests returns the tree with its new tests, if these are committed: the test files that its last commits
// changed, if they changed nothing else but documents. Somebody who commits a test for a bug, and then asks for a repair,
// means this test. A tree with uncommitted code or tests has none.
func WithNewTests(ctx context.Context, repo *gitext.Repo, tree fix.Tree) (fix.Tree, error) {
	if slices.ContainsFunc(tree.Over, func(o gitext.Overlay) bool { return source.FileKindOf(o.Path) != source.OtherFile }) {
		return tree, nil
	}
	var tests []string
	next, boundary := tree.Commit, repo.ShallowBoundary()
	log := repo.Log(ctx, gitext.LogOptions{Tip: tree.Commit, Max: maxTestCommits, Files: true, NoRenames: true, MaxFiles: maxTestFiles})
	for entry, err := range log {
		if gitext.Unreadable(err) {
			break
		}
		if err != nil {
			return tree, err
		}
		if entry.OID != next || len(entry.Parents) != 1 || boundary[entry.OID] || !changesTests(entry.Files) {
			break
		}
		for _, f := range entry.Files {
			if source.IsTestPath(f.NewPath) && !slices.Contains(tests, f.NewPath) {
				tests = append(tests, f.NewPath)
			}
		}
		next = entry.Parents[0]
	}
	if len(tests) == 0 {
		return tree, nil
	}
	there, err := repo.Tree(ctx, tree.Commit, tests...)
	if err != nil && !gitext.Unreadable(err) {
		return tree, err
	}
	tree.Before = next
	for _, e := range there {
		tree.Tests = append(tree.Tests, e.Path)
	}
	return tree, nil
}

// changedLast returns a file of the program that the last commits changed, "" if they changed none.
func changedLast(ctx context.Context, repo *gitext.Repo, tip gitext.OID) (string, error) {
	log := repo.Log(ctx, gitext.LogOptions{Tip: tip, Max: maxTestCommits, NoMerges: true, Files: true, NoRenames: true, MaxFiles: maxTestFiles})
	for entry, err := range log {
		if gitext.Unreadable(err) {
			break
		}
		if err != nil {
			return "", err
		}
		for _, f := range entry.Files {
			if isCode(f.NewPath) {
				return f.NewPath, nil
			}
		}
	}
	return "", nil
}

// changesTests reports whether the files of a commit are all known, and are tests.
func changesTests(files []gitext.FileChange) bool {
	var paths []string
	for _, f := range files {
		paths = append(paths, f.NewPath)
	}
	return len(paths) < maxTestFiles && source.AreTests(paths)
}
