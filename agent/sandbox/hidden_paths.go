package sandbox

import (
	"os"
	"path/filepath"
	"slices"
)

// A Cover hides a path below a readable one. A level that cannot mount anything hides the path
// without a substitute.
type Cover struct {
	Path string
	With string // the file that is shown in its place; "" shows something empty
}

// hiddenPaths returns the paths that are hidden without a substitute at a level that cannot mount
// anything.
func (s *Spec) hiddenPaths() []string {
	list := slices.Clone(s.Hidden)
	for _, c := range s.Covered {
		list = append(list, c.Path)
	}
	return list
}

// hiddenBelow returns the hidden paths that are equal to a visible path or below it, under the
// visible path's name. Paths that do not exist hide nothing.
func hiddenBelow(g visiblePath, hidden []string) []string {
	if len(hidden) == 0 || g.link != "" {
		return nil
	}
	real, err := filepath.EvalSymlinks(g.path)
	if err != nil {
		return nil
	}
	var list []string
	for _, path := range hidden {
		path, err := filepath.EvalSymlinks(path)
		if err != nil {
			continue
		}
		if rel, err := filepath.Rel(real, path); err == nil && filepath.IsLocal(rel) {
			list = append(list, filepath.Join(g.path, rel))
		}
	}
	return list
}

// withoutHidden replaces each visible path with hidden content by the entries beside the hidden
// paths. It serves a level that can only grant paths and not cover them.
func withoutHidden(list []visiblePath, hidden []string) []visiblePath {
	var out []visiblePath
	for _, g := range list {
		out = append(out, beside(g, hiddenBelow(g, hidden))...)
	}
	return out
}

// beside returns the entries below a visible path, except the hidden ones. A directory that
// cannot be listed is not visible.
func beside(g visiblePath, hidden []string) []visiblePath {
	if len(hidden) == 0 {
		return []visiblePath{g}
	}
	if slices.Contains(hidden, g.path) {
		return nil
	}
	entries, _ := os.ReadDir(g.path) // entries read before an error stay visible
	var out []visiblePath
	for _, e := range entries {
		path := filepath.Join(g.path, e.Name())
		var below []string
		for _, h := range hidden {
			if holds(path, h) {
				below = append(below, h)
			}
		}
		out = append(out, beside(visiblePath{path: path, write: g.write}, below)...)
	}
	return out
}
