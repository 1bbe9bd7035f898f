package engine

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/bisect"
	"git-agent/agent/sandbox"
	"git-agent/agent/suspect"
	"git-agent/agent/trial"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

func TestMain(m *testing.M) {
	sandbox.Helper()
	m.Run()
}

// answer searches for the first commit at which a command fails.
func answer(t *testing.T, h *gittest.History, q Question) *Result {
	t.Helper()
	e := &Engine{Repo: h.Open(), Trial: trial.Options{Sandbox: sandbox.None, Scratch: filepath.Join(t.TempDir(), "scratch")}}
	q.Tip = h.Head()
	got, err := e.Answer(t.Context(), q, Memory{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// A newest commit that cannot be checked out is said to be so: in a damaged clone of rubyzip the answer was "there is nothing to
// look for: it".
func TestTipThatIsNotCheckedOut(t *testing.T) {
	t.Parallel()
	h, _ := says(t, "", "a")
	blob := strings.TrimSpace(h.Git("rev-parse", "HEAD:said"))
	if err := os.Remove(filepath.Join(h.Dir, ".git", "objects", blob[:2], blob[2:])); err != nil {
		t.Fatal(err)
	}
	got := answer(t, h, Question{Test: print})
	if got.Status != bisect.Nothing || !strings.HasPrefix(got.How, "was not run (") || !strings.Contains(got.How, blob+" is not in this clone") {
		t.Errorf("%s: it %s", got.Status, got.How)
	}
}

// says makes a history whose command prints these texts, one at each commit; it fails if the text
// is not "".
func says(t *testing.T, texts ...string) (*gittest.History, []gitext.OID) {
	t.Helper()
	h := gittest.New(t)
	var commits []gitext.OID
	for i, text := range texts {
		commits = append(commits, h.Commit(fmt.Sprint(i), gittest.Files{"said": text, "n": fmt.Sprint(i)}))
	}
	return h, commits
}

const print = "cat said; test ! -s said"

func TestAnotherFailureSaysNothing(t *testing.T) {
	// Only a failure of the same test counts, or, without names of tests, one with a similar
	// output. At other failures nothing is known.
	t.Parallel()
	const a, b = "--- FAIL: TestA (0.00s)\nFAIL\n", "--- FAIL: TestB (0.00s)\nFAIL\n"
	h, _ := says(t, "", "", b, b, a+b, a, a)
	got := answer(t, h, Question{Test: print})
	if got.Status != bisect.Apart || len(got.Candidates) != 3 {
		t.Errorf("named: %s %+v", got.Status, got.Candidates)
	}
	h, c := says(t, "", b, "", "", a, a)
	if got = answer(t, h, Question{Test: print}); got.Status != bisect.Proved || got.First != c[4] || got.Failing[0] != "TestA" {
		t.Errorf("before: %+v", got.Answer)
	}
	h, c = says(t, "", "no memory\n", "", "want 3\ngot 4\n", "want 3\ngot 4\n")
	if got = answer(t, h, Question{Test: print}); got.Status != bisect.Proved || got.First != c[3] {
		t.Errorf("without names: %+v", got.Answer)
	}
}

func TestBuilds(t *testing.T) {
	// A commit that does not build says nothing. If the tip does not build, the first such commit is
	// looked for.
	t.Parallel()
	const broken = "main.c:3:5: error: expected ';'\n"
	h, c := says(t, "", "", broken, broken)
	got := answer(t, h, Question{Test: print})
	if got.Status != bisect.Proved || got.First != c[2] || len(got.Notes) != 1 {
		t.Errorf("%+v", got.Answer)
	}
	h, c = says(t, "", broken, "wrong\n", "wrong\n")
	if got = answer(t, h, Question{Build: "! grep error: said", Test: print}); got.Status != bisect.Apart || got.First != c[2] {
		t.Errorf("with a build command: %+v", got.Answer)
	}
}

func TestFailureBelowABrokenBuild(t *testing.T) {
	// Where the tests fail before the code stops to build, the beginning of their failure is the answer.
	// Other errors of a build are another failure.
	t.Parallel()
	const broken, older = "main.c:3:5: error: expected ';'\n", "old.c:1:1: error: unknown type name\n"
	const fails = "--- FAIL: TestA (0.00s)\nFAIL\n"
	h, c := says(t, "", "", older, "", fails, fails, broken, broken)
	got := answer(t, h, Question{Test: print})
	if got.Status != bisect.Proved || got.First != c[4] || got.Builds || len(got.Notes) != 1 || len(got.Runs) > 7 {
		t.Errorf("%s %s %+v", got.Status, got.First.Short(), got.Answer)
	}
	terms := got.Term(c[7], "bad", "good") + got.Term(c[5], "bad", "good") + got.Term(c[3], "bad", "good")
	if terms != "skipbadgood" || !strings.Contains(got.Notes[0], c[6].Short()) {
		t.Errorf("%+v %q", got.Runs, got.Notes)
	}
	h, c = says(t, fails, fails, broken, broken)
	got = answer(t, h, Question{Test: print})
	if got.Status != bisect.Proved || got.First != c[2] || !got.Builds || len(got.Notes) != 2 || got.GitAgrees() {
		t.Errorf("%s %s %+v", got.Status, got.First.Short(), got.Answer)
	}
}

func TestCulpritIsShown(t *testing.T) {
	// The culprit comes with what was run and with the files that it changes, those that the command
	// opened first.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("good", gittest.Files{"said": "", "a.txt": "1\n"})
	h.Commit("bad", gittest.Files{"said": "wrong\n", "a.txt": "one\n"})
	got := answer(t, h, Question{Test: print}).Culprit
	if got == nil || got.Confirmation.Status != suspect.Confirmed || !strings.Contains(got.Confirmation.Detail, "passes at its parent") {
		t.Fatalf("%+v", got)
	}
	if e := got.Evidence; len(e) != 2 || e[0].Path != "said" || e[0].Text != "+ wrong" || e[0].Line != 1 || !strings.HasPrefix(e[0].Command, "git show ") {
		t.Errorf("%+v", e)
	}
}

func TestFilesAreLaidOver(t *testing.T) {
	// The files of the question replace those of each commit.
	t.Parallel()
	h, c := says(t, "", "", "x\n", "y\n")
	over := []gitext.Overlay{{Path: "test.sh", Mode: 0o100644, Content: []byte("test ! -s said\n")}}
	if got := answer(t, h, Question{Test: "sh test.sh", Over: over}); got.Status != bisect.Proved || got.First != c[2] {
		t.Errorf("%+v", got.Answer)
	}
}

func TestUncommittedTests(t *testing.T) {
	// Tests among the uncommitted files are told from the other ones.
	t.Parallel()
	h, _ := says(t, "")
	h.Commit("tool", gittest.Files{"tool.py": "old\n"})
	h.Write(gittest.Files{"tests/new_test.py": "x", "repro.sh": "x", "notes": "x", "try.py": "x", "tool.py": "x", "built": "\x00"})
	for command, want := range map[string]string{
		"sh repro.sh": "repro.sh tests/new_test.py 4", "pytest": "tests/new_test.py 5",
		"python3 ./try.py": "tests/new_test.py try.py 4", "python3 tool.py built": "tests/new_test.py 5", // what was built is not the same at each commit
	} {
		laid, err := UncommittedTests(t.Context(), h.Open(), command, nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, o := range laid.Files {
			names = append(names, o.Path)
		}
		if got := strings.Join(names, " ") + fmt.Sprint(" ", laid.Others); got != want {
			t.Errorf("%s: %s", command, got)
		}
	}
}

func TestUncommittedUnitTests(t *testing.T) {
	// An uncommitted unit test of Rust is laid over each commit's version of the code; a file with other
	// changes is none.
	t.Parallel()
	h := gittest.New(t)
	file := func(code, test string) gittest.Files {
		return gittest.Files{"src/a.rs": "fn a() { " + code + " }\n\n#[cfg(test)]\nmod tests {\n    fn " + test + "() {}\n}\n"}
	}
	h.Commit("good", file("one()", "old_test"))
	bad := h.Commit("bad", file("BAD()", "old_test"))
	h.Commit("later", gittest.Files{"README": "later\n"})
	h.Write(file("BAD()", "new_test"))
	laid, err := UncommittedTests(t.Context(), h.Open(), "cargo test", nil)
	if err != nil || len(laid.Units) != 1 || len(laid.Files) != 0 || laid.Others != 0 {
		t.Fatalf("%+v, %v", laid, err)
	}
	const test = "grep -q old_test src/a.rs && exit 125; if grep -q BAD src/a.rs && grep -q new_test src/a.rs; then echo new_test failed; exit 1; fi"
	if got := answer(t, h, Question{Test: test, Units: laid.Units}); got.Status != bisect.Proved || got.First != bad {
		t.Errorf("%s, %+v", got.Status, got.Runs)
	}
	h.Write(file("WORSE()", "new_test"))
	if laid, err = UncommittedTests(t.Context(), h.Open(), "cargo test", nil); err != nil || len(laid.Units) != 0 || laid.Others != 1 {
		t.Errorf("other changes, too: %+v, %v", laid, err)
	}
}

func TestFlakyTip(t *testing.T) {
	// Of a command that passes at the tip by chance, the run that fails there is shown.
	t.Parallel()
	h, _ := says(t, "", "", "--- FAIL: TestA (0.00s)\n", "--- FAIL: TestA (0.00s)\n")
	seen := filepath.Join(t.TempDir(), "seen")
	q := Question{Test: fmt.Sprintf("test -e %s || { touch %[1]s; exit 0; }; %s", seen, print)}
	q.Flaky = true
	if got := answer(t, h, q); got.Status != bisect.Proved || got.How != "fails (exit 1)" || len(got.Failing) != 1 {
		t.Errorf("%q %q, %s", got.How, got.Failing, got.Status)
	}
}

func TestAFailureOfChanceAtTheTip(t *testing.T) {
	// The first failure at the tip is one of chance, which no other commit has: the one that comes twice is looked for.
	t.Parallel()
	const bug = "--- FAIL: TestA (0.00s)\n"
	h, c := says(t, "", "", "", bug, bug, bug, bug)
	seen := filepath.Join(t.TempDir(), "seen")
	q := Question{Test: fmt.Sprintf("test -e %s || { touch %[1]s; echo '--- FAIL: TestNet (0.00s)'; echo FAIL; exit 1; }; %s", seen, print)}
	q.Flaky = true
	got := answer(t, h, q)
	if got.Status != bisect.Proved || got.First != c[3] || !slices.Equal(got.Failing, []string{"TestA"}) {
		t.Errorf("%q, %s at %s: %+v", got.Failing, got.Status, got.First, got.Runs)
	}
	atTip := 0
	for _, r := range got.Runs {
		if r.Commit == c[6] {
			atTip++
		}
	}
	if atTip < 3 || len(got.Notes) == 0 || !strings.Contains(got.Notes[len(got.Notes)-1], "at the tip the command first failed in another way: TestNet; ") {
		t.Errorf("%d runs at the tip, %q", atTip, got.Notes)
	}
}

// pytest returns the output of a failing test of pytest, with its error.
func pytest(test, place, text string, ran int) string {
	kind, _, _ := strings.Cut(text, ":")
	out := "=================================== FAILURES ===================================\n" +
		"____ " + test + " ____\n>       use()\nE       " + text + "\n\n" + place + ": " + kind + "\n" +
		"=========================== short test summary info ============================\n" +
		"FAILED tests/test_a.py::" + test + " - " + text + "\n"
	if ran > 1 {
		return out + fmt.Sprintf("1 failed, %d passed in 0.01s\n", ran-1)
	}
	return out + "1 failed in 0.01s\n"
}

func TestABugThatIsAsOldAsWhatIsTested(t *testing.T) {
	// A test of a function fails before the function exists, too. (more-itertools edb3346f835c: the
	// failure of numeric_range.__reversed__ begins with e08fff0833f6, which brought the method.)
	t.Parallel()
	before := pytest("test_reversed", "tests/test_a.py:3", "TypeError: 'itertools.takewhile' object is not reversible", 1)
	after := pytest("test_reversed", "src/more.py:9", "IndexError: out of range", 1)
	h, c := says(t, before, before, before, before, after, after, after)
	got := answer(t, h, Question{Test: print})
	if got.Status != bisect.Always || got.First != c[4] || len(got.Runs) > 5 || got.GitAgrees() {
		t.Errorf("%s at %s in %d runs: %+v", got.Status, got.First, len(got.Runs), got.Runs)
	}
	s := got.Culprit
	if s == nil || !strings.HasSuffix(s.Reason, "because they use what does not exist there: whether the bug is older is not known") || s.Confirmation.Status != suspect.Unclear ||
		!strings.Contains(s.Confirmation.Detail, c[3].Short()+" has tests that use what does not exist there (TypeError: 'itertools.takewhile' object is not reversible)") {
		t.Errorf("%+v", s)
	}
}

func TestOtherTestsThatFail(t *testing.T) {
	// If as many tests ran and the failing ones are others, those of the failure passed.
	t.Parallel()
	other := pytest("test_new", "src/more.py:9", "ValueError: x", 3)
	bug := pytest("test_old", "src/more.py:9", "IndexError: out of range", 3)
	h, c := says(t, "", other, other, other, bug, bug)
	got := answer(t, h, Question{Test: print})
	if got.Status != bisect.Proved || got.First != c[4] || got.GitAgrees() {
		t.Errorf("%s at %s: %+v", got.Status, got.First, got.Runs)
	}
	h, _ = says(t, "", pytest("test_new", "src/more.py:9", "ValueError: x", 2), bug, bug)
	if got := answer(t, h, Question{Test: print}); got.Status != bisect.Apart {
		t.Errorf("fewer tests ran: %s, %+v", got.Status, got.Runs)
	}
}

func TestALackHasACure(t *testing.T) {
	// Where the command cannot be judged at the tip, a note says how to get what is missing.
	t.Parallel()
	h, _ := says(t, "", "go: example.com/a@v1.0.0: module lookup disabled by GOPROXY=off\n")
	got := answer(t, h, Question{Test: print})
	if got.Status != bisect.Nothing || len(got.Notes) != 1 || got.Notes[0] != "this gets what is missing, at the top of the work tree: go mod download" {
		t.Errorf("%s, it %s: %q", got.Status, got.How, got.Notes)
	}
}

func TestOnlyTheTestIsNew(t *testing.T) {
	// A commit that changes nothing but the failing test is where the failure begins, and the bug may be older.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("good", gittest.Files{"n": "1\n"})
	bad := h.Commit("bad", gittest.Files{"n": "2\n"})
	h.Commit("more", gittest.Files{"m": "\n"})
	test := h.Commit("test n", gittest.Files{"tests/n.sh": "if grep 2 n; then exit 1; fi\n"})
	const run = "test ! -e tests/n.sh || sh tests/n.sh"
	const note = "the commit changes only tests, so that the bug may be older; --with=tests/n.sh lays its test over each commit"
	if got := answer(t, h, Question{Test: run}); got.First != test || !slices.Contains(got.Notes, note) {
		t.Errorf("first %s, notes %q", got.First, got.Notes)
	}
	over := []gitext.Overlay{{Path: "tests/n.sh", Mode: 0o100644, Content: []byte("if grep 2 n; then exit 1; fi\n")}}
	if got := answer(t, h, Question{Test: run, Over: over}); got.First != bad || slices.Contains(got.Notes, note) {
		t.Errorf("with the test: first %s, notes %q", got.First, got.Notes)
	}
}

func TestUnjudgedRunsHaveACure(t *testing.T) {
	// The note names the reason of most runs, however their lines differ, and says what lets the command run there.
	t.Parallel()
	h := gittest.New(t)
	tip := h.Commit("go.mod", gittest.Files{"go.mod": "module m\n"})
	unjudged := func(lines ...string) *Result {
		r := &Result{Answer: &bisect.Answer{Status: bisect.Always}}
		r.Question.Tip = tip
		for _, l := range lines {
			r.Runs = append(r.Runs, bisect.Run{Commit: tip, Outcome: bisect.Unknown, How: l})
		}
		return r
	}
	const module, bare, network, with = "needs Go modules that are not downloaded (exit 1): go: ",
		"needs another go.mod, go.sum or vendor folder (exit 1): go: cannot find main module", "--network lets", "--with=go.mod and"
	r := unjudged(module+"a", bare, bare, module+"b", module+"c")
	for _, online := range []bool{false, true} {
		r.Notes = nil
		r.noteUnjudged(t.Context(), h.Open(), online)
		all := strings.Join(r.Notes, "\n")
		if !strings.HasPrefix(all, "5 runs could not be judged (-v shows all); at "+tip.Short()+", it "+module) ||
			strings.Contains(all, network) == online || !strings.Contains(all, with) {
			t.Errorf("online %v: %q", online, r.Notes)
		}
	}
	r = unjudged(module+"a", bare, bare) // what the proof lacks is said, though others have another reason
	r.Runs[0].Commit = "culprit"
	r.Status, r.First, r.Parents = bisect.Apart, "culprit", []bisect.ParentRuns{{Commit: "parent", Tally: bisect.Tally{Old: 1}}}
	if r.noteUnjudged(t.Context(), h.Open(), true); !strings.Contains(r.Notes[0], "it "+module+"a") {
		t.Errorf("apart: %q", r.Notes)
	}
	r = unjudged(bare)
	r.Question.Over = []gitext.Overlay{{Path: "go.mod"}}
	if r.noteUnjudged(t.Context(), h.Open(), false); len(r.Notes) != 1 {
		t.Errorf("go.mod is laid over: %q", r.Notes)
	}
}

func TestExecutedLines(t *testing.T) {
	// The run at the tip tells which lines the failing test executes, or a whole script. A script beside two
	// files in C says nothing. If the command does not fail with the recorder, the run without it counts.
	t.Parallel()
	if _, err := sandbox.Program("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	h := gittest.New(t)
	h.Commit("c", gittest.Files{
		"a.c": "", "b.c": "", "drive.py": "import sys\nsys.exit(1)\n", "price.py": "def gross(n):\n    return n\n\n\ndef net(n):\n    return n\n",
		"test_price.py": "import unittest\n\nimport price\n\n\nclass T(unittest.TestCase):\n" +
			"    def test_gross(self):\n        self.assertEqual(price.gross(1), 2)\n",
	})
	e := &Engine{Repo: h.Open(), Trial: trial.Options{Sandbox: sandbox.None, Scratch: filepath.Join(t.TempDir(), "scratch")}}
	for command, want := range map[string]string{
		"python3 -m unittest -v test_price": "map[price.py:[{2 1 0}]]",
		"python3 drive.py":                  "map[drive.py:[{2 1 0}]]",
		"cat a.c b.c && python3 drive.py":   "",
		"test -n \"$GIT_AGENT_COVERAGE\" || python3 -m unittest -v test_price": "",
	} {
		q := Question{Test: command}
		q.Tip = h.Head()
		list, tip, err := e.Check(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if tip.executed != nil {
			got = fmt.Sprint(tip.executed.Files)
		}
		if got != want || list[0].Outcome != trial.Fails || tip.opened["price.py"] == strings.Contains(command, "drive") {
			t.Errorf("%s: executed %s, want %s; outcome %v, opened %v", command, got, want, list[0].Outcome, tip.opened)
		}
	}
}

func TestExecutedLinesOfGo(t *testing.T) {
	// The profile of go test tells the lines, of a panic, too. Its percentages are no words of the failure.
	t.Parallel()
	if _, err := sandbox.Program("go"); err != nil {
		t.Skip("go is not installed")
	}
	h := gittest.New(t)
	h.Commit("c", gittest.Files{
		"go.mod": "module example.org/price\n\ngo 1.21\n",
		"in/in.go": "package in\n\nfunc Gross(n int) int {\n\treturn n\n}\n\nfunc Net(n int) int {\n\treturn n\n}\n\n" +
			"func At(list []int, n int) int {\n\treturn list[n]\n}\n",
		"price_test.go": "package price\n\nimport (\n\t\"testing\"\n\n\t\"example.org/price/in\"\n)\n\n" +
			"func TestGross(t *testing.T) {\n\tif in.Gross(1) != 2 {\n\t\tt.Error(\"wrong\")\n\t}\n}\n\n" +
			"func TestAt(t *testing.T) {\n\tin.At(nil, 0)\n}\n",
	})
	e := &Engine{Repo: h.Open(), Trial: trial.Options{Sandbox: sandbox.None, Scratch: filepath.Join(t.TempDir(), "scratch")}}
	for test, want := range map[string]string{"Gross": "{4 1 0}", "At": "{12 1 0}"} {
		q := Question{Test: "go test -v -run " + test + " ."}
		q.Tip = h.Head()
		list, tip, err := e.Check(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if tip.executed == nil || list[0].Outcome != trial.Fails || bytes.Contains(tip.ending.Output, []byte("coverage: ")) || !bytes.Contains(tip.ending.Output, []byte("FAIL: Test"+test)) {
			t.Fatalf("%s: executed %v, outcome %v: %s", test, tip.executed, list[0].Outcome, tip.ending.Output)
		}
		if got := fmt.Sprint(tip.executed.Files); !strings.Contains(got, want) || strings.Contains(got, "{8 ") {
			t.Errorf("%s: executed %s, want %s", test, got, want)
		}
	}
}

func TestRecorderIsNoCulprit(t *testing.T) {
	// A command that fails only with the recorder passes at the tip. If the tip is the culprit, it fails there
	// without the recorder, too.
	t.Parallel()
	if _, err := sandbox.Program("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	const test = "import os\nimport unittest\n\nimport price\n\n\nclass T(unittest.TestCase):\n    def test_gross(self):\n"
	for check, want := range map[string]bisect.Status{
		"        self.assertNotIn('GIT_AGENT_COVERAGE', os.environ)\n": bisect.Nothing,
		"        self.assertEqual(price.gross(1), 2)\n":                bisect.Proved,
	} {
		h := gittest.New(t)
		for i, n := range []string{"n + 1", "1 + n", "n"} {
			h.Commit(fmt.Sprint(i), gittest.Files{"price.py": "def gross(n):\n    return " + n + "\n", "test_price.py": test + check})
		}
		got := answer(t, h, Question{Test: "python3 -m unittest -v test_price"})
		if got.Status != want || want == bisect.Proved && (got.First != h.Head() || len(got.Runs) != 3) {
			t.Errorf("%s: %s at %s with %d runs, want %s; notes %q", strings.TrimSpace(check), got.Status, got.First, len(got.Runs), want, got.Notes)
		}
	}
}

func TestEvidenceIsCode(t *testing.T) {
	// The culprit's evidence is a line of code, and neither a comment nor an import: a licence of
	// many lines has no mark on each (parson 6b3d6f42).
	t.Parallel()
	const code = "int price(void) {\n    return 1;\n}\n"
	h := gittest.New(t)
	h.Commit("add", gittest.Files{"price.c": code, "gone.c": code})
	culprit := h.Commit("license", gittest.Files{
		"price.c": "/*\n Price\n Permission is granted.\n*/\n#include <a.h>\n" + strings.Replace(code, "1", "2", 1),
		"gone.c":  "/*\n Gone\n*/\n" + strings.Replace(code, "    return 1;\n", "", 1),
		"note.c":  "/*\n Only words\n*/\n",
	})
	got := answer(t, h, Question{Test: "grep -q 1 price.c"})
	if got.First != culprit {
		t.Fatalf("%s at %s", got.Status, got.First)
	}
	var texts []string
	for _, e := range got.Culprit.Evidence {
		texts = append(texts, fmt.Sprintf("%s:%d %s", e.Path, e.Line, e.Text))
	}
	slices.Sort(texts)
	if want := "gone.c:2 - return 1;|note.c:2 + Only words|price.c:7 + return 2;"; strings.Join(texts, "|") != want {
		t.Errorf("%q", texts)
	}
}

func TestByChance(t *testing.T) {
	// Where a flaky command fails as often before as after each commit, the runs are counted.
	t.Parallel()
	const good = gitext.OID("1111111111111111111111111111111111111111")
	r := &Result{Answer: &bisect.Answer{Runs: []bisect.Run{{Outcome: bisect.New}, {Outcome: bisect.Old}, {Outcome: bisect.Old}}}}
	const want = "the command fails by chance, in 1 of 3 runs, before and after each commit since 111111111111: the runs do not tell which one began it"
	if got := r.ByChance(&bisect.OldError{Commit: good, Chance: true}); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
