package execute

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/eval"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// fixesOf returns the fixes with tests of a history.
func fixesOf(t *testing.T, h *gittest.History) (*gitext.Repo, []candidateFix) {
	t.Helper()
	repo := h.Open()
	fixes, err := fixesWithTests(t.Context(), repo, "")
	if err != nil {
		t.Fatal(err)
	}
	return repo, fixes
}

// A fix without a test is tried with the failing test that its author committed before it.
func TestEarlierTest(t *testing.T) {
	h := gittest.New(t)
	app := func(version, word string) gittest.Files {
		return gittest.Files{"app.sh": "# version " + version + "\necho " + word + "\n"}
	}
	h.Commit("c0", app("0", "good"))
	culprit := h.Commit("c1", app("1", "bad"))
	h.Commit("c2", app("2", "bad"))
	h.Commit("a test that fails", gittest.Files{"t/run.sh": shellTest})
	h.Commit("words", gittest.Files{"README": "why"})
	fixed := h.Commit("fix what it prints", app("3", "good"))
	repo, fixes := fixesOf(t, h)
	if len(fixes) != 1 || fixes[0].commit.OID != fixed || !slices.Equal(fixes[0].tests, []string{"t/run.sh"}) {
		t.Fatalf("fixes with tests: %+v", fixes)
	}
	c, err := searchOf(t, repo, fixes[0])
	if err != nil || c.BICs[0] != culprit || c.Proof.Kind != kindRegression || !slices.Equal(c.Proof.Files, []string{"t/run.sh"}) {
		t.Errorf("%+v, %v", c, err)
	}
}

// A commit with a source, of another author, or far from the fix has not the test of the fix.
func TestNoEarlierTest(t *testing.T) {
	test, word := gittest.Files{"t/run.sh": shellTest}, func(i string) gittest.Files { return gittest.Files{"README": i} }
	for name, commit := range map[string]func(h *gittest.History){
		"with a source": func(h *gittest.History) {
			h.Commit("t", gittest.Files{"t/run.sh": shellTest, "other.sh": "echo\n"})
		},
		"of another author": func(h *gittest.History) {
			h.Write(test)
			h.Git("add", ".")
			h.Git("commit", "-q", "-m", "t", "--author=B <b@example.com>")
		},
		"far": func(h *gittest.History) {
			h.Commit("t", test)
			for _, i := range []string{"1", "2", "3"} {
				h.Commit("words", word(i))
			}
		},
	} {
		h := gittest.New(t)
		h.Commit("c0", gittest.Files{"app.sh": "echo bad\n"})
		commit(h)
		h.Commit("fix it", gittest.Files{"app.sh": "echo good\n"})
		if _, fixes := fixesOf(t, h); len(fixes) > 0 {
			t.Errorf("%s: %+v", name, fixes)
		}
	}
}

// A test module is a test, and a change of the code around it is not.
func TestEarlierTestModule(t *testing.T) {
	const module = "\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn halves() {\n    }\n}\n"
	for _, c := range []struct {
		before string // the code of the commit with the module
		want   []string
	}{{"fn half() {}\n", []string{"src/lib.rs"}}, {"fn third() {}\n", nil}} {
		h := gittest.New(t)
		h.Commit("c0", gittest.Files{"src/lib.rs": "fn half() {}\n"})
		h.Commit("t", gittest.Files{"src/lib.rs": c.before + module})
		h.Commit("fix it", gittest.Files{"src/lib.rs": "fn half() { }\n" + module})
		repo, fixes := fixesOf(t, h)
		if c.want == nil {
			if len(fixes) > 0 {
				t.Errorf("%+v", fixes)
			}
			continue
		}
		if len(fixes) != 1 || !slices.Equal(fixes[0].tests, c.want) || len(fixes[0].changes) != 1 {
			t.Fatalf("%+v", fixes)
		}
		s := &suite{repo: repo, fix: fixes[0]}
		if err := s.readTestModules(t.Context()); err != nil || !strings.Contains(string(s.modules["src/lib.rs"]), "halves") {
			t.Errorf("%q, %v", s.modules, err)
		}
	}
}

// With -only, the given fixes are tried, whatever their subjects say, and no others.
func TestOnly(t *testing.T) {
	needs(t, "cc")
	h := gittest.New(t)
	source := func(half string) gittest.Files {
		return gittest.Files{"half.c": "int half(int n) { return " + half + "; }\n"}
	}
	const test = "#include <stdio.h>\nint half(int n);\nint main(void) {\n\tint ok = half(4) == 2;\n" +
		"\tprintf(\"%s 1 - halves\\n\", ok ? \"ok\" : \"not ok\");\n\treturn !ok;\n}\n"
	h.Commit("c", source("n / 2"))
	culprit := h.Commit("c", source("n / 3"))
	h.Commit("c", source("n / 3 + 0"))
	repaired := source("n / 2")
	repaired["tests/half.c"] = test
	given := h.Commit("half of a number", repaired)
	words := source("n / 2 + 0")
	words["tests/half.c"] = test + "/* more */\n"
	h.Commit("fix another thing", words)
	none := h.Commit("fix without a test", source("n / 2 + 1 - 1"))
	root := t.TempDir()
	if err := os.Symlink(h.Dir, filepath.Join(root, "o+r")); err != nil {
		t.Fatal(err)
	}
	run := func(only string) ([]attempt, error) {
		journal := filepath.Join(t.TempDir(), "journal.jsonl")
		err := Run(t.Context(), []string{
			"-repos", root, "-journal", journal, "-language", "C",
			"-build", "mkdir -p .executed && cc -o .executed/t half.c $TESTS", "-test", ".executed/t", "-only", only, "o/r",
		})
		tried, readErr := eval.ReadLines[attempt](journal)
		return tried, errors.Join(err, readErr)
	}
	tried, err := run(string(none) + "," + given.Short())
	if err != nil || len(tried) != 1 || tried[0].Fix != given {
		t.Fatalf("%+v, %v", tried, err)
	}
	if c := tried[0].Case; c == nil || c.BICs[0] != culprit || c.Proof.NamedBy != "" {
		t.Errorf("%+v", tried[0])
	}
	if tried, err := run("nothing"); err != nil || len(tried) > 0 { // standard error names the unknown commit
		t.Errorf("%+v, %v", tried, err)
	}
}
