package testcmd

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"git-agent/agent/fix"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// These limits bound the search for tests by the names of changed files. A change of more files says little about where its bug is.
const (
	maxChangedCode = 8
	maxTestsByName = 8
)

// ChangedCode returns the files of the program with uncommitted changes, or, if nothing but documents has any, those that the last
// commit changed, in whose tests a new bug most likely shows. It returns nil if there are more than a few.
func ChangedCode(ctx context.Context, repo *gitext.Repo, tree fix.Tree) ([]string, error) {
	var changed []string
	for _, o := range tree.Over {
		changed = append(changed, o.Path)
	}
	if HasChanges(tree) {
		return few(codeAmong(changed)), nil
	}
	last, err := LastChange(ctx, repo, tree.Commit)
	if err != nil {
		return nil, err
	}
	for _, f := range last.Files {
		changed = append(changed, f.NewPath)
	}
	return few(codeAmong(changed)), nil
}

// HasChanges reports whether a tree has uncommitted changes of anything but documents.
func HasChanges(tree fix.Tree) bool {
	return slices.ContainsFunc(tree.Over, func(o gitext.Overlay) bool { return !source.IsDocument(o.Path) })
}

// LastChange returns the newest commit that is no merge, with its files; the zero one if the clone has none.
func LastChange(ctx context.Context, repo *gitext.Repo, tip gitext.OID) (gitext.LogEntry, error) {
	for entry, err := range repo.Log(ctx, gitext.LogOptions{Tip: tip, Max: 1, NoMerges: true, Files: true, NoRenames: true, MaxFiles: maxTestFiles}) {
		if gitext.Unreadable(err) {
			break
		}
		return entry, err
	}
	return gitext.LogEntry{}, nil
}

// codeAmong returns the files of the program in languages that rules know.
func codeAmong(paths []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool {
		return source.IsTestPath(p) || source.IsVendored(p) || !isCode(p)
	})
}

// isCode reports whether a file is in a language that rules know.
func isCode(p string) bool {
	return slices.ContainsFunc(rules, func(r rule) bool { return slices.Contains(r.extensions, path.Ext(p)) })
}

func few(paths []string) []string {
	if len(paths) > maxChangedCode {
		return nil
	}
	return paths
}

// testsOf returns the test files that are named like files of the program: for calc/tax.py, test_tax.py, and for calc/index.ts,
// calc.test.ts. Of several with one name, those count whose directories are most like the file's. For a file in Go, a test file
// stands for all of its package. The result is nil if there are more than a few.
func (l *layout) testsOf(code []string) []string {
	var tests []string
	for _, c := range code {
		if path.Ext(c) == ".go" {
			tests = append(tests, l.goTestBeside(c)...)
			continue
		}
		best := 0
		var found []string
		for _, p := range l.testsNamed(codeName(c), path.Ext(c)) {
			switch shared := sharedDirectories(p, c); {
			case shared > best || found == nil:
				best, found = shared, []string{p}
			case shared == best:
				found = append(found, p)
			}
		}
		tests = append(tests, found...)
	}
	slices.Sort(tests)
	if tests = slices.Compact(tests); len(tests) > maxTestsByName {
		return nil
	}
	return tests
}

// goTestBeside returns a test file of the package of a file, if there is one.
func (l *layout) goTestBeside(code string) []string {
	for _, name := range slices.Sorted(maps.Keys(l.in[path.Dir(code)])) {
		if strings.HasSuffix(name, "_test.go") {
			return []string{path.Join(path.Dir(code), name)}
		}
	}
	return nil
}

// testsNamed returns the test files with a name in the form of codeName, in the languages of one ecosystem.
func (l *layout) testsNamed(wanted, ext string) (tests []string) {
	if wanted == "" {
		return nil
	}
	for dir, names := range l.in {
		for name := range names {
			if !strings.Contains(bareName(name), wanted) {
				continue // most files, which a pattern would take longer to tell
			}
			if p := path.Join(dir, name); testedName(p) == wanted && source.IsTestPath(p) && sameEcosystem(path.Ext(p), ext) {
				tests = append(tests, p)
			}
		}
	}
	return tests
}

func sameEcosystem(a, b string) bool {
	return slices.ContainsFunc(rules, func(r rule) bool { return slices.Contains(r.extensions, a) && slices.Contains(r.extensions, b) })
}

var (
	testBefore = source.Lazy(`^(?:[Tt]ests?[_-]|Test([A-Z]))`)
	testBehind = source.Lazy(`(?:[._-](?:[Tt]ests?|[Ss]pecs?)|Tests?|TestCase|Spec|IT)$`)
	separators = strings.NewReplacer("_", "", "-", "")
)

// bareName returns a name in small letters and without separators.
func bareName(name string) string { return separators.Replace(strings.ToLower(name)) }

// testedName returns the name of what a test file tests, in the form of codeName.
func testedName(p string) string {
	return bareName(testBehind().ReplaceAllString(testBefore().ReplaceAllString(source.Stem(p), "$1"), ""))
}

// codeName returns the bare name of a file of the program, or of its directory where all directories have such a file.
func codeName(p string) string {
	name := source.Stem(p)
	switch name {
	case "index", "mod", "lib", "__init__":
		name = path.Base(path.Dir(p))
	}
	return bareName(name)
}

// sharedDirectories counts the directories above one path that have the name of one above the other.
func sharedDirectories(p, q string) (shared int) {
	above := strings.Split(path.Dir(q), "/")
	for _, name := range strings.Split(path.Dir(p), "/") {
		if slices.Contains(above, name) {
			shared++
		}
	}
	return shared
}
