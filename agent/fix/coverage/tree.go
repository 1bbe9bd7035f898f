package coverage

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"git-agent/agent/source"
)

// maxSource bounds the size of a source file, in bytes.
const maxSource = 4 << 20

// A tree is the work tree of a problem: the names and the present contents of its tracked
// files.
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

// has reports whether the tree tracks a file with this name in any directory. The name may
// begin with "*".
func (t *tree) has(name string) bool {
	suffix, star := strings.CutPrefix(name, "*")
	for p := range t.tracked {
		if star && strings.HasSuffix(p, suffix) || !star && path.Base(p) == name {
			return true
		}
	}
	return false
}

// relative maps the absolute name of a file in the work tree to a path. The file need not
// exist.
func (t *tree) relative(name string) (string, bool) {
	name = filepath.Clean(name)
	for _, dir := range []string{t.dir, t.real} {
		if rel, ok := strings.CutPrefix(name, dir+string(filepath.Separator)); ok {
			return filepath.ToSlash(rel), true
		}
	}
	return "", false
}

// directory maps the absolute name of a directory to a path below the tree, "." for the tree itself.
func (t *tree) directory(name string) (string, bool) {
	if name == t.dir || name == t.real {
		return ".", true
	}
	return t.relative(name)
}

// measured maps an absolute file name of a profile to a path, and reports whether its lines
// count: whether the file is tracked, and is no test unless a patch may change tests.
func (t *tree) measured(name string) (string, bool) {
	p, ok := t.relative(name)
	return p, ok && t.counts(p)
}

// counts reports whether the lines of a path count.
func (t *tree) counts(p string) bool {
	return t.tracked[p] && (t.tests || !source.IsTestPath(p))
}

// read returns the present content of a tracked file in the work tree; nil if it cannot be read
// or is too large.
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
