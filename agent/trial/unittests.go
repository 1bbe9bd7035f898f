package trial

import (
	"bytes"
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"git-agent/agent/source"
	"git-agent/gitext"
)

// In Rust, unit tests are in the file that they test. One version of them is laid over another version
// of the code.

// UnitTests are a version of a source file of which only the unit tests count.
type UnitTests struct {
	Path string
	Mode uint32 // as in a tree
	Text []byte // of the whole file
}

// MaxUnitTests bounds a source file with unit tests, in bytes.
const MaxUnitTests = 4 << 20

// LayUnitTests returns over and, for each of units, the commit's own version of the file with these unit
// tests. A file that the commit does not have is left out: what its tests test is elsewhere.
func LayUnitTests(ctx context.Context, repo *gitext.Repo, commit gitext.OID, over []gitext.Overlay, units []UnitTests) ([]gitext.Overlay, error) {
	over = slices.Clip(over)
	for _, u := range units {
		old, err := repo.BlobAt(ctx, commit, u.Path, MaxUnitTests)
		if errors.Is(err, gitext.ErrNotExist) || gitext.Unreadable(err) {
			continue
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

// InUnitTests reports whether a line of a file, as a compiler names it, belongs to unit tests that
// LayUnitTests laid over a commit.
func InUnitTests(over []gitext.Overlay, units []UnitTests, file string, line int) bool {
	for _, u := range units {
		i := slices.IndexFunc(over, func(o gitext.Overlay) bool { return o.Path == u.Path })
		if i >= 0 && strings.HasSuffix("/"+u.Path, "/"+path.Clean(file)) {
			return source.UnitTests(u.Path, bytes.Split(over[i].Content, []byte("\n")))(line)
		}
	}
	return false
}
