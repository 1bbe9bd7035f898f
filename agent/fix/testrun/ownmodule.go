package testrun

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"git-agent/agent/fix"
	"git-agent/agent/fix/testrun/testlog"
	"git-agent/agent/source"
	"git-agent/gitext/disk"
)

// This file recognises tests that import a module of the project itself that does not exist at a commit, as before
// the commit that adds it: then no package is missing that could be installed, and nothing that could be built.

var (
	// noModule matches Python's error about a module below a package. The groups are the package and the rest.
	noModule = source.Lazy(`^ModuleNotFoundError: No module named '(\w+)\.([\w.]+)'`)
	// noPackage matches Go's errors about a package that no module has, without and with a search for one. The group is the package.
	noPackage = source.Lazy(`^(?:no required module provides|cannot find module providing) package ([^\s:;]+)`)
	// noFile matches the errors of JavaScript about a file that another one imports, as Node.js prints it for modules of
	// ECMAScript and of CommonJS, jest, and vitest in two ways. The groups are the import, and the file that has it.
	noFile = source.Lazy(`\[ERR_MODULE_NOT_FOUND\]: Cannot find module '([\w./@-]+)' imported from ([\w./@-]+)` +
		`|Cannot find module '(\.[\w./@-]*)'\n[ \t#]*Require stack:\n[ \t#]*- ([\w./@-]+)` +
		`|Cannot find module '(\.[\w./@-]*)' from '([\w./@-]+)'` +
		`|Failed to load url (\.[\w./@-]*) \(resolved id: [^)\n]*\) in ([\w./@-]+?)\. ` +
		`|Failed to resolve import "(\.[\w./@-]*)" from "([\w./@-]+)"`)
)

// noEntry matches Node.js's error about the file that its command line names: nothing has required it.
var noEntry = source.Lazy(`Cannot find module '[^'\n]+'\n    at [^{]*\{\n  code: 'MODULE_NOT_FOUND',\n  requireStack: \[\]`)

// noFileWords are in all texts that noFile matches.
var noFileWords = []string{"Cannot find module '", "Failed to load url ", "Failed to resolve import "}

// ownModule turns the end of a run into a failed build, if all that is missing are modules of the tree below dir that
// tests import. A file that the command of Node.js names is no package that is missing.
func (e *Ending) ownModule(dir string) {
	r := &e.Report
	own := false
	switch r.Lacks {
	case fix.LackPython:
		own = testsImport(r.BuildErrors, noModule, func(m []string, _ string) bool {
			return hasCode(dir, m[1], ".py") || hasCode(dir, "src/"+m[1], ".py")
		})
	case fix.LackGoMod, fix.LackGo:
		own = testsImport(r.BuildErrors, noPackage, func(m []string, test string) bool { return ownPackage(dir, path.Dir(test), m[1]) })
	case fix.LackNode:
		if !strings.Contains(r.Missing, "node_modules/") && noEntry().Match(e.Output) {
			r.Lacks = fix.LackCommand
		}
	case "", fix.LackBuilt:
		if e.Exit == 0 || r.Lacks == "" && len(r.BuildErrors) > 0 || !onlyFiles(r.Failing) {
			return
		}
		missing := ownFiles(e.Output, dir)
		if own = len(missing) > 0 && len(missing) >= len(r.Unbuilt); own {
			r.BuildErrors = missing
			r.Failing, r.Ran = nil, 0 // the runners name and count a file that they cannot load like a test
		}
	}
	if own {
		r.Lacks, r.Missing, r.Build = "", "", true
	}
}

// onlyFiles reports whether all names of failing tests are those of files of JavaScript, which a runner could not load.
func onlyFiles(failing []string) bool {
	return !slices.ContainsFunc(failing, func(name string) bool { return !jsTestFile().MatchString(name) })
}

// ownFiles returns the tests that import a file of JavaScript that is not there, or nil if another file has such an
// import, or what is missing is no code of the project.
func ownFiles(output []byte, dir string) (missing []testlog.Place) {
	if !slices.ContainsFunc(noFileWords, func(word string) bool { return bytes.Contains(output, []byte(word)) }) {
		return nil // the pattern is slow
	}
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

// testsImport reports whether all errors are about imports of tests, and of the project itself: own is called with the groups
// of a match, and the test's file.
func testsImport(errors []testlog.Place, missing source.Pattern, own func(groups []string, test string) bool) bool {
	return len(errors) > 0 && !slices.ContainsFunc(errors, func(p testlog.Place) bool {
		m := missing().FindStringSubmatch(p.Text)
		return m == nil || source.FileKindOf(p.File) != source.TestFile || !own(m, p.File)
	})
}

// maxGoMod bounds a go.mod that is read, in bytes.
const maxGoMod = 1 << 20

// ownPackage reports whether an import belongs to the module of a directory below dir, which has no such directory.
func ownPackage(dir, below, pkg string) bool {
	tree, err := os.OpenRoot(dir)
	if err != nil {
		return false
	}
	defer tree.Close()
	for ; filepath.IsLocal(below); below = path.Dir(below) {
		text, err := disk.ReadRegularIn(tree, path.Join(below, "go.mod"), maxGoMod)
		if err == nil {
			rest, ok := strings.CutPrefix(pkg, modfile.ModulePath(text)+"/")
			_, err = tree.Stat(path.Join(below, rest))
			return ok && os.IsNotExist(err)
		}
		if below == "." {
			break
		}
	}
	return false
}

// hasCode reports whether a directory of the tree has a file with one of the endings, which are patterns.
func hasCode(dir, below string, endings ...string) bool {
	return filepath.IsLocal(below) && slices.ContainsFunc(endings, func(ending string) bool {
		found, err := filepath.Glob(filepath.Join(disk.GlobQuote(dir), filepath.FromSlash(below), "*"+ending))
		return err == nil && len(found) > 0
	})
}
