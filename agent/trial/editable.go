package trial

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"git-agent/agent/source"
	"git-agent/gitext/disk"
	"git-agent/gitext/quote"
)

// maxPathFile bounds the size of path files of a Python environment, in bytes.
const maxPathFile = 1 << 20

// editable returns the directories of the scratch work tree that correspond to the user's own
// directories in Python's search path, as pip install -e adds them. Python must find them
// first: else the tests would run the user's sources without the patch.
func (w *Workspace) editable() []string {
	tops := w.tops()
	if len(tops) == 0 {
		return nil
	}
	var dirs []string
	for _, env := range w.pythonEnvironments() {
		for _, site := range sitePackages(env) {
			for _, dir := range userDirs(site) {
				for _, top := range tops {
					if rel, err := filepath.Rel(top, dir); err == nil && filepath.IsLocal(rel) {
						dirs = append(dirs, filepath.Join(w.tree, rel))
					}
				}
			}
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// userDirs returns the directories outside of an environment that the packages in it come from:
// those that path files name, and the parents of packages that are links, as flit makes them.
func userDirs(site string) []string {
	entries, err := os.ReadDir(site)
	if err != nil {
		return nil
	}
	var dirs []string
	for _, e := range entries {
		name := e.Name()
		if e.Type()&os.ModeSymlink != 0 {
			if to, err := os.Readlink(filepath.Join(site, name)); err == nil && filepath.IsAbs(to) {
				dirs = append(dirs, filepath.Dir(to))
			}
			continue
		}
		isPath := strings.HasSuffix(name, ".pth")
		if !isPath && !(strings.HasPrefix(name, "__editable__") && strings.HasSuffix(name, "_finder.py")) {
			continue
		}
		text, err := disk.ReadRegular(filepath.Join(site, name), maxPathFile)
		if err != nil {
			continue // Python also skips unreadable files
		}
		dirs = append(dirs, importedFrom(string(text), isPath)...)
	}
	return dirs
}

// importedFrom returns the directories that a path file adds: its lines, or the parents of the
// packages in the mapping of a setuptools finder.
func importedFrom(text string, lines bool) []string {
	var dirs []string
	if lines {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); filepath.IsAbs(line) {
				dirs = append(dirs, filepath.Clean(line))
			}
		}
		return dirs
	}
	for _, after := range strings.Split(text, "': '")[1:] { // 'package': '/directory/of/package'
		if dir, _, ok := strings.Cut(after, "'"); ok && filepath.IsAbs(dir) {
			dirs = append(dirs, filepath.Dir(dir))
		}
	}
	return dirs
}

// withPythonPath adds the directories of editable packages to a command's variables.
func (w *Workspace) withPythonPath(set []string) []string {
	if len(w.imports) == 0 {
		return set
	}
	value := os.Getenv("PYTHONPATH")
	for _, s := range set {
		if v, ok := strings.CutPrefix(s, "PYTHONPATH="); ok {
			value = v
		}
	}
	list := w.imports
	if value != "" {
		list = append([]string{value}, list...)
	}
	return append(slices.Clip(set), "PYTHONPATH="+strings.Join(list, string(filepath.ListSeparator)))
}

// pythonPathOf matches the assignment of a search path for Python in front of a program, without quotes or variables.
var pythonPathOf = source.Lazy(`((?:^|[\s;&|(])PYTHONPATH=[\w./:-]+)(\s)`)

// withImports adds the directories of editable packages to a search path that a command sets itself. A relative one is
// of no use for a program that the tests start in another directory: it would then import the user's sources.
func (w *Workspace) withImports(command string) string {
	if len(w.imports) == 0 {
		return command
	}
	list := quote.Shell(strings.Join(w.imports, string(filepath.ListSeparator)))
	return pythonPathOf().ReplaceAllStringFunc(command, func(set string) string {
		at := len(set) - 1
		return set[:at] + string(filepath.ListSeparator) + list + set[at:]
	})
}
