package rank

import (
	"context"
	"fmt"
	"path"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// Limits on the search for the file that a test is about.
const (
	testsRead   = 5 // files of a ranking
	leastTested = 3 // letters of the name of the file
)

// testMark matches what the name of a test adds to that of the file which it tests.
var testMark = source.Lazy(`^(?:test[_-]?|Test)|(?:[._-]?(?:tests?|spec)|(?:Tests?|IT|ITCase|TestCase|Spec))$`)

// testedFile returns the file that the first tests of a ranking are named after, if a test is the first
// file: the frames are only those of tests where an assertion failed, and the fault is seldom in them.
// It returns nil if there is no such file, or if it is in a stack itself.
func testedFile(ctx context.Context, repo *gitext.Repo, commit gitext.OID, ranked []crash.File) (*crash.File, error) {
	if len(ranked) == 0 || !isHarness(ranked[0].Path) {
		return nil, nil
	}
	tree, err := repo.Tree(ctx, commit)
	if err != nil {
		return nil, err
	}
	listed := map[string]bool{}
	for _, f := range ranked {
		listed[f.Path] = true
	}
	for _, test := range ranked[:min(len(ranked), testsRead)] {
		if p := testedBy(test.Path, tree); p != "" && !listed[p] {
			return &crash.File{
				Path: p, Score: ranked[0].Score, Related: true, Reasons: []string{fmt.Sprintf("the test %s is named after it", path.Base(test.Path))},
			}, nil
		}
	}
	return nil, nil
}

// testedBy returns the path of a tree that a test is named after: of several, the one beside the test, or
// at the same place below src/main as the test is below src/test. It returns "" if there is none or if
// more remain.
func testedBy(test string, tree []gitext.TreeEntry) string {
	stem := source.Stem(test)
	name := testMark().ReplaceAllString(stem, "")
	if !isHarness(test) || name == stem || len(name) < leastTested {
		return ""
	}
	var found, beside []string
	folder := path.Dir(test)
	main := strings.Replace(folder, "src/test/", "src/main/", 1)
	for _, e := range tree {
		s := source.Stem(e.Path)
		if s != name && s != "_"+name || !sameFamily(e.Path, test) || isHarness(e.Path) || source.IsVendored(e.Path) {
			continue
		}
		found = append(found, e.Path)
		if dir := path.Dir(e.Path); dir == folder || dir == main {
			beside = append(beside, e.Path)
		}
	}
	switch {
	case len(beside) == 1:
		return beside[0]
	case len(found) == 1:
		return found[0]
	}
	return ""
}
