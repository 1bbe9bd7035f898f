package testcmd

import (
	"bytes"
	"cmp"
	"context"
	"errors"
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
	minBegun       = 3 // letters of a name with which others begin
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
// calc.test.ts. Those whose names only begin like a file's, such as tax.rates.test.js for tax.js, join them; where that makes more
// than a few, only those whose further words the change of the file has. Of several with one name, those count whose directories
// are most like the file's. For a file in Go, a test file stands for all of its package. The result is nil if there are more
// than a few.
func (l *layout) testsOf(code []string) []string {
	var tests, more, spoken []string
	for _, c := range code {
		if path.Ext(c) == ".go" {
			tests = append(tests, l.goTestBeside(c)...)
			continue
		}
		tests = append(tests, nearest(l.testsNamed(codeName(c), path.Ext(c)), c)...)
		begun := nearest(l.testsBegun(c), c)
		more = append(more, begun...)
		if len(begun) > maxTestsByName {
			begun = l.spokenOf(begun, c)
		}
		spoken = append(spoken, begun...)
	}
	for _, list := range [][]string{more, spoken, nil} {
		list = slices.Concat(tests, list)
		slices.Sort(list)
		if list = slices.Compact(list); len(list) <= maxTestsByName {
			return list
		}
	}
	return nil
}

// spokenOf returns those of the test files of testsBegun whose further words are in the changed lines of the file, or in the headings
// of the functions around them.
func (l *layout) spokenOf(tests []string, code string) []string {
	if l.before == nil {
		return nil
	}
	before, err := l.before(code)
	if err != nil {
		return nil // the file is new, or too large
	}
	after := []byte(l.text(code))
	lines := source.SplitLines(after)
	var text strings.Builder
	for _, h := range fix.HunksBetween(before, after) {
		for _, line := range h.Lines {
			text.Write(line.Text)
		}
		if e, ok := source.FunctionAround(code, lines, h.NewStart); ok {
			text.Write(bytes.Join(lines[e.Start-1:min(max(e.Start, e.Body), len(lines))], nil))
		}
	}
	spoken, wanted := bareName(text.String()), len(codeName(code))
	return slices.DeleteFunc(tests, func(p string) bool {
		rest := strings.Trim(testedName(p)[wanted:], ".")
		return len(rest) < minBegun || !strings.Contains(spoken, rest)
	})
}

// readBefore lets a layout read files as they were before the change of ChangedCode.
func (l *layout) readBefore(ctx context.Context, repo *gitext.Repo, tree fix.Tree) {
	l.before = func(p string) ([]byte, error) {
		at := tree.Commit
		if !HasChanges(tree) {
			last, err := LastChange(ctx, repo, tree.Commit)
			if err != nil || len(last.Parents) == 0 {
				return nil, cmp.Or(err, errors.New("there is no older commit"))
			}
			at = last.Parents[0]
		}
		return repo.BlobAt(ctx, at, p, maxManifest)
	}
}

// nearest returns the test files whose directories are most like that of a file.
func nearest(tests []string, code string) (found []string) {
	best := 0
	for _, p := range tests {
		switch shared := sharedDirectories(p, code); {
		case shared > best || found == nil:
			best, found = shared, []string{p}
		case shared == best:
			found = append(found, p)
		}
	}
	return found
}

// testsBegun returns the test files whose names have the name of a file of the program as their first words, and that of no other
// such file: XMLConfigurationTest is one for XML.java, and XMLTokenerTest is none where there is XMLTokener.java.
func (l *layout) testsBegun(code string) (tests []string) {
	wanted := codeName(code)
	if len(wanted) < minBegun {
		return nil
	}
	var others []string // longer names of files of the program
	for dir, names := range l.in {
		for name := range names {
			p := path.Join(dir, name)
			if !strings.Contains(bareName(name), wanted) || !isCode(p) || !sameEcosystem(path.Ext(p), path.Ext(code)) {
				continue
			}
			if !source.IsTestPath(p) {
				others = append(others, codeName(p))
			} else if named := untested(p); named != source.Stem(p) && begins(named, wanted) { // else rather a helper of tests
				tests = append(tests, p)
			}
		}
	}
	return slices.DeleteFunc(tests, func(p string) bool {
		return slices.ContainsFunc(others, func(o string) bool {
			return len(o) > len(wanted) && (o == testedName(p) || begins(untested(p), o))
		})
	})
}

// begins reports whether a name has further words behind those of a bare name.
func begins(name, bare string) bool {
	for k := len(bare); k < len(name); k++ {
		if c, capital := name[k], isCapital(name[k]); c == '.' || c == '_' || c == '-' ||
			capital && (!isCapital(name[k-1]) || k+1 < len(name) && !isCapital(name[k+1])) {
			if start := bareName(name[:k]); start == bare {
				return true
			} else if len(start) > len(bare) {
				return false
			}
		}
	}
	return false
}

func isCapital(c byte) bool { return c >= 'A' && c <= 'Z' }

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
func testedName(p string) string { return bareName(untested(p)) }

// untested returns the name of a test file without the part that makes it one.
func untested(p string) string {
	return testBehind().ReplaceAllString(testBefore().ReplaceAllString(source.Stem(p), "$1"), "")
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
