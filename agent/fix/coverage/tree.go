package coverage

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"git-agent/agent/source"
)

// maxSource is the most bytes of a source file that is read.
const maxSource = 4 << 20

// A tree is the work tree of a problem: the names of its tracked files, and their
// contents as they are now.
type tree struct {
	dir     string          // absolute
	real    string          // dir without symbolic links
	tracked map[string]bool // slash-separated paths
	tests   bool            // lines of test files count
}

func newTree(dir string, paths []string, tests bool) *tree {
	t := &tree{dir: dir, real: dir, tracked: make(map[string]bool, len(paths)), tests: tests}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		t.real = real
	}
	for _, p := range paths {
		t.tracked[p] = true
	}
	return t
}

// has reports whether the tree tracks a file of this name, in any directory. The name
// may begin with "*".
func (t *tree) has(name string) bool {
	suffix, star := strings.CutPrefix(name, "*")
	for p := range t.tracked {
		if star && strings.HasSuffix(p, suffix) || !star && path.Base(p) == name {
			return true
		}
	}
	return false
}

// relative maps an absolute name of a file in the work tree to a path. It does not ask
// whether the file exists.
func (t *tree) relative(name string) (string, bool) {
	name = filepath.Clean(name)
	for _, dir := range []string{t.dir, t.real} {
		if rel, ok := strings.CutPrefix(name, dir+string(filepath.Separator)); ok {
			return filepath.ToSlash(rel), true
		}
	}
	return "", false
}

// measured maps an absolute file name of a profile to a path whose lines count: it is
// tracked, and it is no test unless a patch may change tests.
func (t *tree) measured(name string) (string, bool) {
	p, ok := t.relative(name)
	return p, ok && t.counts(p)
}

// counts reports whether the lines of a path count.
func (t *tree) counts(p string) bool {
	return t.tracked[p] && (t.tests || !source.IsTestPath(p))
}

// read returns the content of a tracked file as it is in the work tree now; nil if it
// cannot be read or is too large.
func (t *tree) read(p string) []byte {
	if !t.tracked[p] {
		return nil
	}
	root, err := os.OpenRoot(t.dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	return readBounded(root, filepath.FromSlash(p), maxSource)
}
