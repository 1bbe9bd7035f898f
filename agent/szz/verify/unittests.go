package verify

import (
	"bytes"
	"context"
	"path"

	"git-agent/agent/source"
	"git-agent/agent/szz"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

// A UnitTestFile is a source file with unit tests that a fix changes.
type UnitTestFile struct {
	trial.UnitTests
	Added []byte // the lines of unit tests that the fix adds
}

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
		u := UnitTestFile{UnitTests: trial.UnitTests{Path: f.NewPath, Mode: f.NewMode, Text: over[0].Content}}
		if over[0].OID != "" {
			if u.Text, err = repo.Blob(ctx, over[0].OID, trial.MaxUnitTests); gitext.Unreadable(err) {
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
