package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"git-agent/gitext"
)

// maxDependencies bounds how many directories FindDependencies returns.
const maxDependencies = 64

// dependencyMarks are the names of directories that package managers fill, each with a typical
// file in it, or "".
var dependencyMarks = []struct{ dir, file string }{
	{"node_modules", ""}, {".venv", "pyvenv.cfg"}, {"venv", "pyvenv.cfg"}, {"env", "pyvenv.cfg"}, {".env", "pyvenv.cfg"}, {"vendor", "modules.txt"}, {"vendor", "autoload.php"},
	{"deps", "../mix.exs"}, // of Elixir
}

// FindDependencies returns the directories in the user's work tree with installed packages and
// without tracked files: node_modules, virtual environments of Python, vendor of Go and PHP,
// and deps of Elixir. Tests in a scratch work tree need them. Paths are relative to the top, with slashes. A
// bare repository has none.
func FindDependencies(ctx context.Context, repo *gitext.Repo, commit gitext.OID) ([]string, error) {
	if repo.WorkTree() == "" {
		return nil, nil
	}
	deps, _, err := findInstalled(ctx, repo, commit, repo.WorkTree())
	return deps, err
}

// findInstalled finds the dependencies and the lock files in a checkout of a commit.
func findInstalled(ctx context.Context, repo *gitext.Repo, commit gitext.OID, top string) ([]string, []Lock, error) {
	files, dirs, err := tracked(ctx, repo, commit)
	if err != nil {
		return nil, nil, err
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	return dependenciesIn(root, dirs), locksIn(root, files, dirs), nil
}

// dependenciesIn finds the dependencies beside directories of a commit.
func dependenciesIn(root *os.Root, dirs map[string]bool) []string {
	var found []string
	for dir := range dirs {
		for _, mark := range dependencyMarks {
			p := path.Join(dir, mark.dir)
			if info, err := root.Lstat(filepath.FromSlash(p)); dirs[p] || err != nil || !info.IsDir() || slices.Contains(found, p) {
				continue
			}
			if _, err := root.Lstat(filepath.FromSlash(path.Join(p, mark.file))); err == nil {
				found = append(found, p)
			}
		}
	}
	slices.Sort(found)
	return found[:min(len(found), maxDependencies)]
}

// tracked returns the files of a commit, and the directories with any, "." among them.
func tracked(ctx context.Context, repo *gitext.Repo, commit gitext.OID) (files, dirs map[string]bool, err error) {
	entries, err := repo.Tree(ctx, commit)
	if err != nil && len(entries) == 0 {
		return nil, nil, err
	}
	files, dirs = map[string]bool{}, map[string]bool{".": true}
	for _, e := range entries {
		files[e.Path] = true
		for dir := path.Dir(e.Path); !dirs[dir]; dir = path.Dir(dir) {
			dirs[dir] = true
		}
	}
	return files, dirs, nil
}

// link makes the work tree show the installed packages of the user's work tree, and copies the
// lock files. The user's files are readable through the links, not writable.
func (w *Workspace) link() error { return w.inTree(w.linkAll) }

// inTree calls do with the work tree, if something of the user's is to be linked or copied there.
func (w *Workspace) inTree(do func(tree *os.Root) error) error {
	if len(w.opt.Dependencies)+len(w.opt.Locks) == 0 {
		return nil
	}
	tree, err := os.OpenRoot(w.tree)
	if err != nil {
		return err
	}
	defer tree.Close()
	return do(tree)
}

func (w *Workspace) linkAll(tree *os.Root) error {
	if err := layLocks(tree, w.opt.Locks); err != nil {
		return fmt.Errorf("copy lock files: %w", err)
	}
	for _, dep := range w.opt.Dependencies {
		name, from := filepath.FromSlash(dep), w.dependency(dep)
		if _, err := tree.Lstat(name); err == nil {
			continue // the commit has files there
		}
		err := tree.MkdirAll(filepath.Dir(name), 0o777)
		switch {
		case err != nil:
		case path.Base(dep) == "node_modules":
			_, err = w.linkEntries(tree, from, name)
		default:
			err = tree.Symlink(from, name)
		}
		if err != nil {
			return fmt.Errorf("link installed packages: %w", err)
		}
	}
	return nil
}

// unlink removes what link made, so that a commit may have other files there.
func (w *Workspace) unlink() error { return w.inTree(w.unlinkAll) }

func (w *Workspace) unlinkAll(tree *os.Root) error {
	if err := liftLocks(tree, w.opt.Locks); err != nil {
		return fmt.Errorf("remove lock files: %w", err)
	}
	for _, dep := range w.opt.Dependencies {
		err := tree.RemoveAll(filepath.FromSlash(dep))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("unlink installed packages: %w", err)
		}
	}
	return nil
}

// linked reports whether link made a path.
func (w *Workspace) linked(path string) bool {
	return w.isLock(path) || slices.ContainsFunc(w.opt.Dependencies, func(dep string) bool { return path == dep || strings.HasPrefix(path, dep+"/") })
}

// written are the directories of node_modules that tools write while they run: vite puts its
// configuration there, translated, and does not start if it cannot.
var written = map[string]bool{".cache": true, ".vite": true, ".vite-temp": true, ".vitest": true, ".tmp": true}

// linkEntries makes a directory of the work tree with a link for each package of node_modules.
// Workspaces of npm, yarn and pnpm have packages that are links into the user's sources. Such a
// package becomes a link into the work tree, because the tests must run the sources there; own reports whether
// there is one.
func (w *Workspace) linkEntries(tree *os.Root, from, name string) (own bool, err error) {
	entries, err := os.ReadDir(from)
	if err != nil {
		return false, err
	}
	if err := tree.Mkdir(name, 0o777); err != nil {
		return false, err
	}
	for _, e := range entries {
		source, link := filepath.Join(from, e.Name()), filepath.Join(name, e.Name())
		switch {
		case e.Name() == programs:
		case e.IsDir() && e.Name()[0] == '@': // the packages of one publisher
			var below bool
			below, err = w.linkEntries(tree, source, link)
			own = own || below
		case e.IsDir() && written[e.Name()]:
			err = tree.Mkdir(link, 0o777)
		default:
			target := w.target(source)
			own = own || target != source
			err = tree.Symlink(target, link)
		}
		if err != nil {
			return own, err
		}
	}
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == programs }) {
		err = w.linkPrograms(tree, filepath.Join(from, programs), filepath.Join(name, programs), own)
	}
	return own, err
}

const (
	programs   = ".bin" // the directory of node_modules with the programs of its packages
	maxProgram = 64 << 10
)

// linkPrograms makes the directory with the programs of packages. Where some packages are part of the project, it has a
// link for each program, and a copy of each script with which pnpm starts one: those find the package beside
// the directory in which they are, which must be in the work tree.
func (w *Workspace) linkPrograms(tree *os.Root, from, name string, own bool) error {
	if !own {
		return tree.Symlink(from, name)
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	if err := tree.Mkdir(name, 0o777); err != nil {
		return err
	}
	for _, e := range entries {
		source, link := filepath.Join(from, e.Name()), filepath.Join(name, e.Name())
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && info.Size() <= maxProgram {
			var text []byte
			if text, err = os.ReadFile(source); err == nil {
				err = tree.WriteFile(link, text, info.Mode().Perm())
			}
		} else if err == nil {
			err = tree.Symlink(w.target(source), link)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// target returns the target of a link to a package: a path in the work tree if the package is
// part of the checkout around its installation.
func (w *Workspace) target(source string) string {
	real, err := filepath.EvalSymlinks(source)
	if err != nil {
		return source
	}
	for _, top := range w.tops() {
		top, err := filepath.EvalSymlinks(top)
		if err != nil {
			continue
		}
		rel, err := filepath.Rel(top, real)
		if err == nil && filepath.IsLocal(rel) && !slices.Contains(strings.Split(rel, string(filepath.Separator)), "node_modules") {
			return filepath.Join(w.tree, rel)
		}
	}
	return source
}

// tops returns the checkouts with installed packages.
func (w *Workspace) tops() []string {
	var tops []string
	if w.opt.Setup != nil {
		tops = append(tops, w.opt.Setup.tree())
	}
	if top := w.checkout(); top != "" {
		tops = append(tops, top)
	}
	return tops
}

// checkout returns the checkout with installed packages besides that of the setup.
func (w *Workspace) checkout() string { return cmp.Or(w.opt.Checkout, w.repo.WorkTree()) }

// dependency returns the real path of a directory of packages. The directory of the setup
// counts before the user's.
func (w *Workspace) dependency(dep string) string {
	top := w.checkout()
	if w.opt.Setup.has(dep) {
		top = w.opt.Setup.tree()
	}
	return filepath.Join(top, filepath.FromSlash(dep))
}

// dependencyPaths returns the directories that commands must be able to read.
func (w *Workspace) dependencyPaths() []string {
	var list []string
	for _, dep := range w.opt.Dependencies {
		list = append(list, w.dependency(dep))
	}
	return list
}
