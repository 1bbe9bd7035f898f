package testcmd

import (
	"context"
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
	if code := codeAmong(changed); len(code) > 0 || slices.ContainsFunc(changed, func(p string) bool { return !source.IsDocument(p) }) {
		return few(code), nil
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
		best := 0
		var found []string
		for dir, names := range l.in {
			for name := range names {
				p := path.Join(dir, name)
				if !isTestOf(p, c) {
					continue
				}
				switch shared := sharedDirectories(p, c); {
				case shared > best || found == nil:
					best, found = shared, []string{p}
				case shared == best:
					found = append(found, p)
				}
			}
		}
		if path.Ext(c) == ".go" && len(found) > 0 {
			found = []string{slices.Min(found)} // a command runs whole packages
		}
		tests = append(tests, found...)
	}
	slices.Sort(tests)
	if tests = slices.Compact(tests); len(tests) > maxTestsByName {
		return nil
	}
	return tests
}

// isTestOf reports whether a path is that of the tests of a file of the program, by both names.
func isTestOf(p, code string) bool {
	switch {
	case path.Ext(code) == ".go":
		return strings.HasSuffix(p, "_test.go") && path.Dir(p) == path.Dir(code)
	case !source.IsTestPath(p) || !slices.ContainsFunc(rules, func(r rule) bool {
		return slices.Contains(r.extensions, path.Ext(p)) && slices.Contains(r.extensions, path.Ext(code))
	}):
		return false
	}
	tested := testedName(p)
	return tested != "" && tested == codeName(code)
}

var (
	testBefore = source.Lazy(`^(?:[Tt]ests?[_-]|Test([A-Z]))`)
	testBehind = source.Lazy(`(?:[._-](?:[Tt]ests?|[Ss]pecs?)|Tests?|TestCase|Spec|IT)$`)
	separators = strings.NewReplacer("_", "", "-", "")
)

// testedName returns the name of what a test file tests, in the form of codeName.
func testedName(p string) string {
	return separators.Replace(strings.ToLower(testBehind().ReplaceAllString(testBefore().ReplaceAllString(source.Stem(p), "$1"), "")))
}

// codeName returns the name of a file of the program, or of its directory where all directories have such a file, in small letters and without
// separators.
func codeName(p string) string {
	name := source.Stem(p)
	switch name {
	case "index", "mod", "lib", "__init__":
		name = path.Base(path.Dir(p))
	}
	return separators.Replace(strings.ToLower(name))
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
