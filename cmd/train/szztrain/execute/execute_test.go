package execute

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"git-agent/agent/trial"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// The project of these tests is a shell script, app.sh, that should print "good". Its
// test comes with the fix.
const shellTest = `echo 1..1
if [ ! -f app.sh ]; then exit 125; fi
case "$(sh app.sh)" in
good) echo "ok 1 - prints good";;
other) echo "not ok 1 - prints good"; echo "# an error of another kind"; exit 1;;
flaky) if [ -f flip ]; then rm flip; echo "ok 1 - prints good"; else touch flip; echo "not ok 1 - prints good"; exit 1; fi;;
skip) exit 125;;
*) echo "not ok 1 - prints good"; echo "# want good, got $(sh app.sh)"; exit 1;;
esac
`

// searched commits one version of the app per word, in order, "" for none, and then the
// fix. It searches the culprit of the fix.
func searched(t *testing.T, prints ...string) (*executedCase, []gitext.OID, error) {
	t.Helper()
	h := gittest.New(t)
	var commits []gitext.OID
	for i, word := range prints {
		files := gittest.Files{"README": fmt.Sprint(i)}
		if word != "" {
			files["app.sh"] = fmt.Sprintf("# version %d\necho %s\n", i, word)
		}
		commits = append(commits, h.Commit(fmt.Sprintf("c%d", i), files))
	}
	fixed := h.Commit("fix what it prints", gittest.Files{"app.sh": "echo good\n", "t/run.sh": shellTest})
	repo := h.Open()
	fixes, err := fixesWithTests(t.Context(), repo, "")
	if err != nil || len(fixes) != 1 || fixes[0].commit.OID != fixed || !slices.Equal(fixes[0].sources, []string{"app.sh"}) {
		t.Fatalf("fixes with tests: %+v, %v", fixes, err)
	}
	c, err := searchOf(t, repo, fixes[0])
	return c, commits, err
}

// searchOf searches for the culprit of a fix whose test is a shell script.
func searchOf(t *testing.T, repo *gitext.Repo, f candidateFix) (*executedCase, error) {
	t.Helper()
	space, err := trial.Open(t.Context(), repo, trial.Options{Timeout: time.Minute})
	if err != nil {
		t.Skip(err) // no sandbox works here
	}
	t.Cleanup(space.Close)
	m := &miner{name: "o/r", repo: repo, space: space, bounds: bounds{runs: 60}}
	s := &trialOfFix{miner: m, candidateFix: f, suite: suite{repo: repo, fix: f, language: "Shell", command: "sh t/run.sh", laid: overlaysOf(f)}}
	return s.search(t.Context())
}

// The culprit of a regression is the commit at which the test begins to fail, and the
// proof names its parent.
func TestRegression(t *testing.T) {
	c, commits, err := searched(t, "good", "good", "bad", "bad", "bad", "bad")
	if err != nil {
		t.Fatal(err)
	}
	p := c.Proof
	if c.BICs[0] != commits[2] || p.Kind != kindRegression || p.LastGood != commits[1] || p.FirstBad != commits[2] || c.LabelSource != "executed:regression" {
		t.Errorf("%+v, commits %v", c, commits)
	}
	if !slices.Equal(p.Tests, []string{"prints good"}) || !slices.Equal(p.Files, []string{"t/run.sh"}) {
		t.Errorf("%+v", p)
	}
}

// For a test that never passed, the culprit is the commit that added the code.
func TestNeverWorked(t *testing.T) {
	c, commits, err := searched(t, "", "", "bad", "bad", "bad")
	if err != nil {
		t.Fatal(err)
	}
	if c.BICs[0] != commits[2] || c.Proof.Kind != kindNeverWorked || c.Proof.LastGood != "" || c.Proof.Skipped == 0 || c.Proof.Before != "the fixed files were not there" {
		t.Errorf("%+v, commits %v", c, commits)
	}
	c, commits, err = searched(t, "bad", "bad")
	if err != nil || c.BICs[0] != commits[0] || c.Proof.Before != "it is the first commit" {
		t.Errorf("%+v, %v", c, err)
	}
}

// An untestable commit is no bound of the search if the bug is older.
func TestNeverWorkedBeforeAnUnknown(t *testing.T) {
	c, _, err := searched(t, "bad", "bad", "bad", "bad", "bad", "bad", "bad", "bad", "skip", "bad")
	if !errors.As(err, new(*noCase)) || !strings.Contains(err.Error(), "what the fix changes") { // the culprit is found, and judged
		t.Errorf("%+v, %v", c, err)
	}
}

// An uncertain result is no case, with the reason.
func TestNoCase(t *testing.T) {
	for want, prints := range map[string][]string{
		"not each time":            {"good", "good", "flaky"},
		"before the fix it passes": {"bad", "good"},
		"cannot be told apart":     {"good", "skip", "bad"},
		"nothing tells why":        {"skip", "bad"},
	} {
		c, _, err := searched(t, prints...)
		if !errors.As(err, new(*noCase)) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %+v, %v; want %q", prints, c, err, want)
		}
	}
}

// A failure of another kind is neither a pass nor the bug.
func TestAnotherFailure(t *testing.T) {
	_, _, err := searched(t, "good", "other", "bad")
	if !errors.As(err, new(*noCase)) || !strings.Contains(err.Error(), "cannot be told apart") {
		t.Errorf("%v", err)
	}
}

// The minimal test files have the wanted tests with their dependencies, and no unused import.
func TestMinimalGoTests(t *testing.T) {
	files := map[string][]byte{
		"a_test.go": []byte(`package a

import (
	"os"
	"strings"
	"testing"

	"example.com/go-diff/v2"
)

type table struct{ n int }

func (t table) check(tt *testing.T) { helper(tt, diff.Of(t.n)) }

func TestWanted(t *testing.T) { table{1}.check(t) }

func TestOther(t *testing.T) { New(os.Args, strings.ToUpper("x")) }
`),
		"b_test.go": []byte("package a\n\nimport \"testing\"\n\nvar limit = 3\n\nfunc helper(t *testing.T, n int) {\n\tif n > limit {\n\t\tt.Fatal(n)\n\t}\n}\n\nfunc unused() { New() }\n"),
		"c_test.go": []byte("package a\n\nimport \"testing\"\n\nfunc TestThird(t *testing.T) { New() }\n"),
	}
	got := minimalGoTests(files, []string{"TestWanted"})
	if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, []string{"a_test.go", "b_test.go"}) {
		t.Fatalf("files %v", names)
	}
	all := bytes.Join([][]byte{got["a_test.go"], got["b_test.go"]}, nil)
	for _, want := range []string{"TestWanted", "check(", "func helper", "limit = 3", `"testing"`, `"example.com/go-diff/v2"`} {
		if !bytes.Contains(all, []byte(want)) {
			t.Errorf("%q is missing in\n%s", want, all)
		}
	}
	for _, not := range []string{"TestOther", "TestThird", "unused", `"os"`, `"strings"`} {
		if bytes.Contains(all, []byte(not)) {
			t.Errorf("%q is left in\n%s", not, all)
		}
	}
	if minimalGoTests(map[string][]byte{"a_test.go": []byte("package")}, nil) != nil {
		t.Error("a file that cannot be parsed")
	}
}
