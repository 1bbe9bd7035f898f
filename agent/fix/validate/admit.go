package validate

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"git-agent/agent/source"
	"git-agent/gitext"
)

// These are the modes of files in a tree.
const (
	modeFile       = 0o100644
	modeExecutable = 0o100755
	modeLink       = 0o120000
	modeSubmodule  = 0o160000
)

// A tree maps the paths of the problem's tree to its files.
type tree map[string]gitext.Overlay

// readTree lists the commit's files and lays the problem's own files over them.
func (v *Validator) readTree(ctx context.Context) (tree, error) {
	entries, err := v.repo.Tree(ctx, v.problem.Tree.Commit)
	if err != nil {
		return nil, err
	}
	t := tree{}
	for _, e := range entries {
		t[e.Path] = gitext.Overlay{Path: e.Path, Mode: e.Mode, OID: e.OID}
	}
	for _, o := range v.problem.Tree.Over {
		if t[o.Path] = o; o.Mode == 0 {
			delete(t, o.Path)
		}
	}
	return t, nil
}

// admit returns the files of a patch, each path once (the last entry counts), or a clause with
// a subject that says why the patch must not be tried. It refuses test files and files outside of
// the tree; steers refuses files that choose or replace the tests.
func (v *Validator) admit(t tree, files []gitext.Overlay) (list []gitext.Overlay, why string) {
	last := map[string]gitext.Overlay{}
	for _, f := range files {
		last[f.Path] = f
	}
	for _, f := range files {
		if why := v.refuses(t, last, f); why != "" {
			return nil, why
		}
		if !slices.ContainsFunc(list, func(o gitext.Overlay) bool { return o.Path == f.Path }) {
			list = append(list, last[f.Path])
		}
	}
	if list == nil {
		return nil, "it changes nothing"
	}
	return list, ""
}

// refuses says why a patch must not change a file, or returns "". patch is the whole patch.
func (v *Validator) refuses(t tree, patch map[string]gitext.Overlay, f gitext.Overlay) string {
	name := strconv.Quote(f.Path)
	switch {
	case !insideTree(f.Path):
		return fmt.Sprintf("it writes %s, which is no path of the work tree", name)
	case t[f.Path].Mode == modeSubmodule || f.Mode == modeSubmodule:
		return fmt.Sprintf("it changes the submodule %s", name)
	case v.problem.OwnTest != nil && f.Path == v.problem.OwnTest.File.Path:
		return fmt.Sprintf("it changes %s, the test that must show the bug", name)
	case !v.problem.EditTests && source.IsTestOf(f.Path, v.problem.Test):
		return fmt.Sprintf("it changes the test file %s", name)
	case !slices.Contains([]uint32{0, modeFile, modeExecutable, modeLink}, f.Mode):
		return fmt.Sprintf("it gives %s the mode %o", name, f.Mode)
	case f.Mode == modeLink && leadsOut(f):
		return fmt.Sprintf("it makes %s a link to a place outside of the work tree", name)
	}
	for dir := path.Dir(f.Path); dir != "." && f.Mode != 0; dir = path.Dir(dir) {
		above, there := t[dir]
		if change, changed := patch[dir]; changed {
			above, there = change, change.Mode != 0
		}
		switch {
		case there && above.Mode == modeSubmodule:
			return fmt.Sprintf("it writes %s inside the submodule %s", name, strconv.Quote(dir))
		case there:
			return fmt.Sprintf("it writes %s, but %s is a file", name, strconv.Quote(dir))
		}
	}
	if f.Mode != 0 && hidesDirectory(t, patch, f.Path) {
		return fmt.Sprintf("it makes a file of %s, which is a directory with files", name)
	}
	return ""
}

// insideTree reports whether git accepts a path in a tree.
func insideTree(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if strings.EqualFold(part, ".git") || part == "" {
			return false
		}
	}
	return path.Clean(p) == p && filepath.IsLocal(p) && !strings.ContainsRune(p, 0)
}

// leadsOut reports whether a symbolic link names a place outside of the work tree.
func leadsOut(f gitext.Overlay) bool {
	target := string(f.Content)
	return f.OID != "" || path.IsAbs(target) || !filepath.IsLocal(path.Join(path.Dir(f.Path), target))
}

// hidesDirectory reports whether the tree has files below a path that the patch does not
// remove.
func hidesDirectory(t tree, patch map[string]gitext.Overlay, p string) bool {
	if _, file := t[p]; file {
		return false // a tree has no files below a file
	}
	for name := range t {
		change, changed := patch[name]
		if strings.HasPrefix(name, p+"/") && !(changed && change.Mode == 0) {
			return true
		}
	}
	return false
}
