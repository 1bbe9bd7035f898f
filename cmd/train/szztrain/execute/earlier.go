package execute

import (
	"bytes"
	"context"
	"path"
	"slices"

	"git-agent/agent/source"
	"git-agent/gitext"
)

// mostApart bounds how many commits before a fix its test may have come.
const mostApart = 3

// findTests finds the tests of a fix that its files do not show.
func (f *candidateFix) findTests(ctx context.Context, repo *gitext.Repo) error {
	f.testsSince = f.commit.Parents[0]
	if err := f.findInline(ctx, repo); err != nil || len(f.tests) > 0 {
		return err
	}
	return f.findEarlier(ctx, repo)
}

// findEarlier takes the tests of a fix that brings none from one of the commits before it: the
// nearest one that changes nothing but tests and has the same author. Some projects commit a
// failing test first.
func (f *candidateFix) findEarlier(ctx context.Context, repo *gitext.Repo) error {
	at := f.commit
	for range mostApart {
		if len(at.Parents) != 1 {
			return nil
		}
		before, err := repo.Commit(ctx, at.Parents[0])
		if err != nil || len(before.Parents) != 1 || before.Author.Email != f.commit.Author.Email {
			return err
		}
		at = before
		t := candidateFix{commit: at}
		if t.changes, err = repo.Changes(ctx, at.Parents[0], at.OID, gitext.PatchOptions{Renames: true}); err != nil {
			return err
		}
		t.sort()
		if err := t.findInline(ctx, repo); err != nil {
			return err
		}
		only, err := t.onlyTests(ctx, repo)
		if err != nil {
			return err
		}
		if len(t.tests) > 0 && only {
			return f.adopt(ctx, repo, t)
		}
	}
	return nil
}

// adopt takes the tests of an earlier commit, as they are in the fix.
func (f *candidateFix) adopt(ctx context.Context, repo *gitext.Repo, earlier candidateFix) error {
	for _, p := range earlier.tests {
		entries, err := repo.Tree(ctx, f.commit.OID, p)
		if err != nil {
			return err
		}
		if len(entries) != 1 {
			continue // it was removed or renamed since then
		}
		f.tests = append(f.tests, p)
		if !slices.ContainsFunc(f.changes, func(c gitext.FileChange) bool { return c.NewPath == p }) {
			i := slices.IndexFunc(earlier.changes, func(c gitext.FileChange) bool { return c.NewPath == p })
			c := earlier.changes[i]
			c.NewOID, c.NewMode = entries[0].OID, entries[0].Mode
			f.changes = append(f.changes, c)
		}
	}
	f.testsSince = earlier.commit.Parents[0]
	return nil
}

// onlyTests reports whether a commit changes no source outside of test modules.
func (f *candidateFix) onlyTests(ctx context.Context, repo *gitext.Repo) (bool, error) {
	for _, c := range f.changes {
		if source.FileKindOf(c.NewPath) != source.SourceFile && source.FileKindOf(c.OldPath) != source.SourceFile {
			continue
		}
		if c.Status != 'M' || path.Ext(c.NewPath) != ".rs" {
			return false, nil
		}
		var rest [2][]byte
		for i, oid := range []gitext.OID{c.OldOID, c.NewOID} {
			text, err := repo.Blob(ctx, oid, 1<<20)
			if err != nil {
				return false, tolerable(err)
			}
			if start, end, ok := testModuleOf(text); ok {
				text = slices.Concat(text[:start], text[end:])
			}
			rest[i] = bytes.TrimSpace(text) // before a first module comes an empty line
		}
		if !bytes.Equal(rest[0], rest[1]) {
			return false, nil
		}
	}
	return true, nil
}
