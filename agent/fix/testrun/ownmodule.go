package testrun

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"git-agent/agent/fix"
	"git-agent/agent/fix/testrun/testlog"
	"git-agent/agent/source"
)

// This file recognises tests that import a module of the project itself that does not exist at a commit, as before
// the commit that adds it: then no package is missing that could be installed, and nothing that could be built.

var (
	// noModule matches Python's error about a module below a package. The groups are the package and the rest.
	noModule = source.Lazy(`^ModuleNotFoundError: No module named '(\w+)\.([\w.]+)'`)
	// noFile matches the errors of JavaScript about a file that another one imports, as Node.js prints it for modules of
	// ECMAScript and of CommonJS, jest, and vitest in two ways. The groups are the import, and the file that has it.
	noFile = source.Lazy(`\[ERR_MODULE_NOT_FOUND\]: Cannot find module '([\w./@-]+)' imported from ([\w./@-]+)` +
		`|Cannot find module '(\.[\w./@-]*)'\n[ \t#]*Require stack:\n[ \t#]*- ([\w./@-]+)` +
		`|Cannot find module '(\.[\w./@-]*)' from '([\w./@-]+)'` +
		`|Failed to load url (\.[\w./@-]*) \(resolved id: [^)\n]*\) in ([\w./@-]+?)\. ` +
		`|Failed to resolve import "(\.[\w./@-]*)" from "([\w./@-]+)"`)
)

// ownModule turns the end of a run into a failed build, if all that is missing are modules of the tree below dir that
// tests import.
func (e *Ending) ownModule(dir string) {
	r := &e.Report
	switch {
	case r.Lacks == fix.LackPython && lacksOwnModule(r.BuildErrors, dir):
	case r.Lacks == fix.LackBuilt, r.Lacks == "" && len(r.BuildErrors) == 0:
		missing := ownFiles(e.Output, dir)
		if len(missing) == 0 || len(missing) < len(r.Unbuilt) || !onlyFiles(r.Failing) {
			return
		}
		r.BuildErrors = missing
		r.Failing, r.Ran = nil, 0 // the runners name and count a file that they cannot load like a test
	default:
		return
	}
	r.Lacks, r.Missing, r.Build = "", "", true
}

// onlyFiles reports whether all names of failing tests are those of files of JavaScript, which a runner could not load.
func onlyFiles(failing []string) bool {
	return !slices.ContainsFunc(failing, func(name string) bool { return !jsTestFile().MatchString(name) })
}

// ownFiles returns the tests that import a file of JavaScript that is not there, or nil if another file has such an
// import, or what is missing is no code of the project.
func ownFiles(output []byte, dir string) (missing []testlog.Place) {
	for _, m := range noFile().FindAllSubmatch(output, -1) {
		var groups []string // the two that matched
		for _, g := range m[1:] {
			if len(g) > 0 {
				groups = append(groups, string(g))
			}
		}
		name, test := groups[0], groups[1]
		if strings.HasPrefix(name, ".") {
			name = path.Join(path.Dir(test), name)
		}
		if source.FileKindOf(test) != source.TestFile || !hasCode(dir, path.Dir(name), ".[cm][jt]s", ".[jt]s", ".[jt]sx") {
			return nil
		}
		if place := (testlog.Place{File: test, Text: "Error: Cannot find module '" + name + "'"}); !slices.Contains(missing, place) {
			missing = append(missing, place)
		}
	}
	return missing
}

// lacksOwnModule reports whether all imports that fail are those of tests, and of a module of a package in the tree.
func lacksOwnModule(errors []testlog.Place, dir string) bool {
	return len(errors) > 0 && !slices.ContainsFunc(errors, func(p testlog.Place) bool {
		m := noModule().FindStringSubmatch(p.Text)
		return m == nil || source.FileKindOf(p.File) != source.TestFile || !hasCode(dir, m[1], ".py") && !hasCode(dir, "src/"+m[1], ".py")
	})
}

// hasCode reports whether a directory of the tree has a file with one of the endings, which are patterns.
func hasCode(dir, below string, endings ...string) bool {
	return slices.ContainsFunc(endings, func(ending string) bool {
		found, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(below), "*"+ending))
		return err == nil && len(found) > 0
	})
}
