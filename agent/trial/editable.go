package trial

import (
	"git-agent/gitext/disk"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxPathFile bounds the size of path files of a Python environment, in bytes.
const maxPathFile = 1 << 20

// editable returns the directories of the scratch work tree that correspond to the user's own
// directories in Python's search path, as pip install -e adds them. Python must find them
// first: else the tests would run the user's sources without the patch.
func (w *Workspace) editable() []string {
	var dirs []string
	for _, file := range w.pathFiles() {
		text, err := disk.ReadRegular(file, maxPathFile)
		if err != nil {
			continue // Python also skips unreadable files
		}
		for _, dir := range importedFrom(string(text), strings.HasSuffix(file, ".pth")) {
			for _, top := range w.tops() {
				if rel, err := filepath.Rel(top, dir); err == nil && filepath.IsLocal(rel) {
					dirs = append(dirs, filepath.Join(w.tree, rel))
				}
			}
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// pathFiles lists the files with additional directories of Python's search path, in the active
// virtual environment and in those of the work tree.
func (w *Workspace) pathFiles() []string {
	var files []string
	for _, env := range append(w.dependencyPaths(), os.Getenv("VIRTUAL_ENV")) {
		if env == "" || filepath.Base(env) == "node_modules" {
			continue
		}
		for _, pattern := range []string{"*.pth", "__editable__*_finder.py"} {
			found, _ := filepath.Glob(filepath.Join(globQuote(env), "lib", "python*", "site-packages", pattern)) // the pattern is well formed
			files = append(files, found...)
		}
	}
	return files
}

// globQuote quotes a path for filepath.Glob.
func globQuote(path string) string {
	return strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`, `\`, `\\`).Replace(path)
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
