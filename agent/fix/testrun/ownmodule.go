package testrun

import (
	"path"
	"path/filepath"
	"slices"

	"git-agent/agent/fix"
	"git-agent/agent/fix/testrun/testlog"
	"git-agent/agent/source"
)

// This file recognises tests that import a module of the project itself that does not exist at a commit, as before
// the commit that adds it: then no package is missing that could be installed, and nothing that could be built.

var (
	// noModule matches Python's error about a module below a package. The groups are the package and the rest.
	noModule = source.Lazy(`^ModuleNotFoundError: No module named '(\w+)\.([\w.]+)'`)
	// noFile matches the error of Node.js about a file that a module imports. The groups are both files, below the tree.
	noFile = source.Lazy(`(Error \[ERR_MODULE_NOT_FOUND\]: Cannot find module '([\w./@-]+)' imported from ([\w./@-]+))$`)
)

// ownModule turns a lack into a failed build, if what is missing is a module of the tree below dir.
func (e *Ending) ownModule(dir string) {
	r := &e.Report
	switch {
	case r.Lacks == fix.LackPython && lacksOwnModule(r.BuildErrors, dir):
	case r.Lacks == fix.LackBuilt && !slices.ContainsFunc(r.Failing, func(name string) bool { return !jsTestFile().MatchString(name) }):
		m := noFile().FindStringSubmatch(r.Missing)
		if m == nil || source.FileKindOf(m[3]) != source.TestFile || !hasCode(dir, path.Dir(m[2]), path.Ext(m[2])) {
			return
		}
		r.BuildErrors = []testlog.Place{{File: m[3], Text: m[1]}}
		r.Failing, r.Ran = nil, 0 // node's runner names and counts a file that it cannot load like a test
	default:
		return
	}
	r.Lacks, r.Missing, r.Build = "", "", true
}

// lacksOwnModule reports whether all imports that fail are those of tests, and of a module of a package in the tree.
func lacksOwnModule(errors []testlog.Place, dir string) bool {
	return len(errors) > 0 && !slices.ContainsFunc(errors, func(p testlog.Place) bool {
		m := noModule().FindStringSubmatch(p.Text)
		return m == nil || source.FileKindOf(p.File) != source.TestFile || !hasCode(dir, m[1], ".py") && !hasCode(dir, "src/"+m[1], ".py")
	})
}

// hasCode reports whether a directory of the tree has a file with an ending.
func hasCode(dir, below, ending string) bool {
	found, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(below), "*"+ending))
	return err == nil && len(found) > 0
}
