package verify

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"git-agent/agent/source"
	"git-agent/gitext"
)

const (
	modeSubmodule = 0o160000
	modeSymlink   = 0o120000
)

// readOverlays collects the files of the fix that are laid over other commits:
// its tests, and for an uncommitted fix all of it.
func (t *trials) readOverlays(ctx context.Context) error {
	patch := t.fc.Patch
	if t.fc.Fix != "" {
		// The fix context may be restricted to some paths.
		var err error
		if patch, err = t.repo.Patch(ctx, t.fc.Parent, t.fc.Fix, gitext.PatchOptions{}); err != nil {
			return fmt.Errorf("read the files of %s: %w", t.fc.Fix.Short(), err)
		}
	}
	for i := range patch.Files {
		over, err := t.overlaysOf(&patch.Files[i])
		if err != nil {
			return err
		}
		for _, o := range over {
			if t.fc.Fix == "" {
				t.fix = append(t.fix, o)
			}
			if source.IsTestPath(o.Path) && o.Mode != modeSubmodule {
				t.tests = append(t.tests, o)
			}
		}
	}
	return nil
}

// overlaysOf gives the file as it is after the change, and its removal from
// the old place if it was moved or deleted.
func (t *trials) overlaysOf(f *gitext.FileChange) ([]gitext.Overlay, error) {
	var over []gitext.Overlay
	if f.Status == 'D' || f.Status == 'R' {
		over = append(over, gitext.Overlay{Path: f.OldPath})
	}
	if f.Status == 'D' {
		return over, nil
	}
	o := gitext.Overlay{Path: f.NewPath, Mode: f.NewMode, OID: f.NewOID}
	if strings.Trim(string(o.OID), "0") == "" {
		// Not in the object database: the content is in the work tree alone.
		content, err := readWorkTree(t.repo.WorkTree(), o.Path, o.Mode)
		if err != nil {
			return nil, fmt.Errorf("read %q of the work tree: %w", o.Path, err)
		}
		o.OID, o.Content = "", content
	}
	return append(over, o), nil
}

// readWorkTree reads a file as git would store it, without leaving the work
// tree by a symbolic link.
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
	return gitext.ReadRegularIn(root, name, maxOverlay)
}

// maxOverlay bounds a file that is read from the work tree for a trial.
const maxOverlay = 256 << 20
