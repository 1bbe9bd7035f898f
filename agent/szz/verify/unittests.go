package verify

import (
	"bytes"
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"git-agent/agent/fix/testrun"
	"git-agent/agent/source"
	"git-agent/agent/szz"
	"git-agent/gitext"
)

// In Rust, unit tests are in the file that they test. A fix's version of them is laid over another
// commit's version of the code.

// A UnitTestFile is a source file with unit tests that a fix changes.
type UnitTestFile struct {
	Path  string
	Mode  uint32
	Text  []byte // of the file after the fix
	Added []byte // the lines of unit tests that the fix adds
}

// maxUnitTests bounds a source file with unit tests, in bytes.
const maxUnitTests = 4 << 20

// UnitTests finds the source files with unit tests that a fix changes.
func UnitTests(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext) ([]UnitTestFile, error) {
	patch, err := patchOf(ctx, repo, fc)
	if err != nil {
		return nil, err
	}
	return unitTestsIn(ctx, repo, patch)
}

func unitTestsIn(ctx context.Context, repo *gitext.Repo, patch *gitext.Patch) ([]UnitTestFile, error) {
	var units []UnitTestFile
	for i := range patch.Files {
		f := &patch.Files[i]
		if f.Status != 'M' || path.Ext(f.NewPath) != ".rs" || source.FileKindOf(f.NewPath) != source.SourceFile {
			continue
		}
		over, err := overlaysOfFile(repo, f)
		if err != nil {
			return nil, err
		}
		u := UnitTestFile{Path: f.NewPath, Mode: f.NewMode, Text: over[0].Content}
		if over[0].OID != "" {
			if u.Text, err = repo.Blob(ctx, over[0].OID, maxUnitTests); gitext.Unreadable(err) {
				continue
			}
			if err != nil {
				return nil, err
			}
		}
		if u.Added = addedTests(f, u.Text); len(u.Added) > 0 {
			units = append(units, u)
		}
	}
	return units, nil
}

// addedTests returns the added lines of a change that belong to unit tests.
func addedTests(f *gitext.FileChange, text []byte) (added []byte) {
	is := source.UnitTests(f.NewPath, bytes.Split(text, []byte("\n")))
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Op == '+' && is(l.New) {
				added = append(append(added, l.Text...), '\n')
			}
		}
	}
	return added
}

// testsAt returns the files to lay over a commit: the test files of the fix, and the commit's own source
// files with the unit tests of the fix.
func (c *Check) testsAt(ctx context.Context, commit gitext.OID) ([]gitext.Overlay, error) {
	over := c.over.tests[:len(c.over.tests):len(c.over.tests)]
	for _, u := range c.over.units {
		old, err := c.repo.BlobAt(ctx, commit, u.Path, maxUnitTests)
		if errors.Is(err, gitext.ErrNotExist) || gitext.Unreadable(err) {
			continue // the code that they test is elsewhere
		}
		if err != nil {
			return nil, err
		}
		if text, ok := source.WithUnitTests(u.Path, old, u.Text); ok {
			over = append(over, gitext.Overlay{Path: u.Path, Mode: u.Mode, Content: text})
		}
	}
	return over, nil
}

// isUnitTest returns a function that reports whether a compiler's error is in the unit tests of a file that
// was laid over a commit.
func (c *Check) isUnitTest(over []gitext.Overlay) func(testrun.Place) bool {
	return func(p testrun.Place) bool {
		for _, u := range c.over.units {
			i := slices.IndexFunc(over, func(o gitext.Overlay) bool { return o.Path == u.Path })
			if i >= 0 && strings.HasSuffix("/"+u.Path, "/"+path.Clean(p.File)) {
				return source.UnitTests(u.Path, bytes.Split(over[i].Content, []byte("\n")))(p.Line)
			}
		}
		return false
	}
}
