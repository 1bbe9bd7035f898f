package candidate

import (
	"bytes"
	"context"
	"slices"

	"git-agent/agent/source"
	"git-agent/agent/szz"
	"git-agent/gitext"
)

// maxUnitTests bounds a source file whose unit tests are looked for, in bytes.
const maxUnitTests = 1 << 20

// dropUnitTests leaves out the changes in unit tests that stand in source files, as in Rust, if the fix changes other
// code: who wrote the tests beside them says nothing. A file that cannot be read keeps all.
func (s *AnchorSet) dropUnitTests(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext) error {
	inTests := map[int]func(line int) bool{}
	for i, f := range s.Files {
		if !source.HasUnitTests(f.OldPath) {
			continue
		}
		text, err := repo.BlobAt(ctx, fc.Parent, f.OldPath, maxUnitTests)
		if gitext.Unreadable(err) {
			continue
		}
		if err != nil {
			return err
		}
		inTests[i] = source.UnitTests(f.OldPath, bytes.Split(text, []byte("\n")))
	}
	code := slices.DeleteFunc(slices.Clone(s.Changes), func(c Change) bool {
		is := inTests[c.file]
		return is != nil && c.ofTests(s.Files[c.file].OldPath, is)
	})
	if len(code) > 0 {
		s.Changes = code
	}
	return nil
}

// ofTests reports whether a change removes lines of unit tests, or adds some.
func (c Change) ofTests(file string, is func(line int) bool) bool {
	if len(c.Removed) > 0 {
		return !slices.ContainsFunc(c.Removed, func(l gitext.PatchLine) bool { return !is(l.Old) })
	}
	if is(c.oldStart-1) && is(c.oldStart) {
		return true
	}
	lines := make([][]byte, len(c.Added))
	for i, l := range c.Added {
		lines[i] = l.Text
	}
	added := source.UnitTests(file, lines)
	for i, l := range lines {
		if len(bytes.TrimSpace(l)) > 0 && !added(i+1) {
			return false
		}
	}
	return true
}
