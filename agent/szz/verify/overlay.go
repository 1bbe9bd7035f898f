package verify

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"git-agent/agent/source"
	"git-agent/agent/szz"
	"git-agent/agent/trial"
	"git-agent/gitext"
	"git-agent/gitext/disk"
)

const (
	modeSubmodule = 0o160000
	modeSymlink   = 0o120000
)

// overlays are the files of the fix that replace files of other commits.
type overlays struct {
	tests []gitext.Overlay  // its test files
	units []trial.UnitTests // the unit tests that it changes
	cases []addedCases      // what it only adds to files of tests that are data
	whole bool              // it also removes lines of such a file
	fix   []gitext.Overlay  // all files of an uncommitted fix; nil for a commit
	named []gitext.Overlay  // the files that the user names
}

// overlaid returns the overlays with others on top: one path has one overlay.
func overlaid(over, top []gitext.Overlay) []gitext.Overlay {
	below := slices.DeleteFunc(slices.Clone(over), func(f gitext.Overlay) bool {
		return slices.ContainsFunc(top, func(t gitext.Overlay) bool { return t.Path == f.Path })
	})
	return append(below, top...)
}

// testFiles returns the number of test files that are laid over.
func (o overlays) testFiles() int { return len(o.tests) + len(o.units) }

// overlaysOf reads the overlays of a fix.
func overlaysOf(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext) (overlays, error) {
	var all overlays
	patch, err := patchOf(ctx, repo, fc)
	if err != nil {
		return all, err
	}
	for i := range patch.Files {
		over, err := overlaysOfFile(repo, &patch.Files[i])
		if err != nil {
			return all, err
		}
		for _, o := range over {
			if fc.Fix == "" {
				all.fix = append(all.fix, o)
			}
			if source.IsTestPath(o.Path) && o.Mode != modeSubmodule {
				all.tests = append(all.tests, o)
			}
		}
		if f := &patch.Files[i]; f.Status == 'M' && source.IsTestPath(f.NewPath) && isData(f.NewPath) {
			cases, ok, err := addedCasesOf(ctx, repo, f, over[0])
			if err != nil {
				return all, err
			}
			if all.whole = all.whole || !ok; ok {
				all.cases = append(all.cases, cases)
			}
		}
	}
	units, err := unitTestsIn(ctx, repo, patch)
	for _, u := range units {
		all.units = append(all.units, u.UnitTests)
	}
	return all, err
}

// patchOf returns the patch of a fix, whose context may be restricted to some paths.
func patchOf(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext) (*gitext.Patch, error) {
	if fc.Fix == "" {
		return fc.WholePatch(), nil
	}
	patch, err := repo.Patch(ctx, fc.Parent, fc.Fix, gitext.PatchOptions{})
	if err != nil {
		return nil, fmt.Errorf("read the files of %s: %w", fc.Fix.Short(), err)
	}
	return patch, nil
}

// overlaysOfFile returns the file after the change, and the removal of its old path if it
// was moved or deleted.
func overlaysOfFile(repo *gitext.Repo, f *gitext.FileChange) ([]gitext.Overlay, error) {
	var over []gitext.Overlay
	if f.Status == 'D' || f.Status == 'R' {
		over = append(over, gitext.Overlay{Path: f.OldPath})
	}
	if f.Status == 'D' {
		return over, nil
	}
	o := gitext.Overlay{Path: f.NewPath, Mode: f.NewMode, OID: f.NewOID}
	if strings.Trim(string(o.OID), "0") == "" {
		// The content is not in the object database, only in the work tree.
		content, err := readWorkTree(repo.WorkTree(), o.Path, o.Mode)
		if err != nil {
			return nil, fmt.Errorf("read %q of the work tree: %w", o.Path, err)
		}
		o.OID, o.Content = "", content
	}
	return append(over, o), nil
}

// readWorkTree reads a file in the form that git would store. It follows no symbolic link
// out of the work tree.
func readWorkTree(top, p string, mode uint32) ([]byte, error) {
	root, err := os.OpenRoot(top)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	name := filepath.FromSlash(path.Clean(p))
	if mode == modeSymlink {
		target, err := root.Readlink(name)
		return []byte(target), err
	}
	return disk.ReadRegularIn(root, name, maxOverlay)
}

// maxOverlay bounds the size of a work tree file for an overlay, in bytes.
const maxOverlay = 256 << 20
