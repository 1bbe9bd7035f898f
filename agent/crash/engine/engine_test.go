package engine

import (
	"fmt"
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/agent/crash/format"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

const asan = `==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x1 bp 0x2 sp 0x3
READ of size 4 at 0x602000000010 thread T0
    #0 0x1 in use /build/p/src/use.c:3:9
    #1 0x2 in xabort /build/p/src/die.c:2:1
    #2 0x3 in main /build/p/src/main.c:4:3

0x602000000010 is located 0 bytes inside of 4-byte region
freed by thread T0 here:
    #0 0x4 in free (/lib/libc.so.6+0x1)
    #1 0x5 in drop /build/p/src/own.c:2:2
`

// program makes a small history and returns it with the commit that crashes.
func program(t *testing.T) (*gittest.History, gitext.OID) {
	h := gittest.New(t)
	crashed := h.Commit("one", gittest.Files{
		"src/use.c":  "int use(int *p)\n{\n\treturn *p;\n}\n",
		"src/own.c":  "void drop(int *p) {\n\tfree(p);\n}\n",
		"src/die.c":  "void xabort(void) {\n}\n",
		"src/main.c": "int main(void)\n{\n\tint *p = 0;\n\treturn use(p);\n}\n",
	})
	h.Git("tag", "v1.2")
	h.Commit("two", gittest.Files{"src/other.c": "int other;\n"})
	return h, crashed
}

func read(t *testing.T, text string) *crash.Report {
	t.Helper()
	r, err := format.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func paths(files []crash.File) (out []string) {
	for _, f := range files {
		out = append(out, f.Path)
	}
	return out
}

func TestAnswerOrdersFiles(t *testing.T) {
	// The baselines keep the stack's order. The model ranks a helper after its caller. Every file
	// of a stack is in the answer, with its frames.
	t.Parallel()
	h, crashed := program(t)
	e := &Engine{Repo: h.Open()}
	for algorithm, want := range map[string]string{
		"baseline1": "src/use.c src/die.c src/main.c src/own.c",
		"baseline2": "src/use.c src/die.c src/main.c src/own.c",
	} {
		got, err := e.Rank(t.Context(), crash.Question{Report: read(t, asan), Commit: crashed, Algorithm: algorithm})
		if err != nil || strings.Join(paths(got.Files), " ") != want {
			t.Errorf("%s: %v, %v", algorithm, paths(got.Files), err)
		}
	}
	q := crash.Question{Report: read(t, asan), Commit: crashed}
	got, err := e.Rank(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	list := paths(got.Files)
	if len(list) != 4 || list[3] != "src/die.c" && list[2] != "src/die.c" || got.Algorithm != "rank" || !got.Answered {
		t.Errorf("%v", list)
	}
	for _, f := range got.Files {
		if len(f.Frames) != 1 || f.Probability <= 0 || f.Probability >= 1 || len(f.Reasons) == 0 {
			t.Errorf("%+v", f)
		}
		if path := q.Report.At(f.Frames[0]).Path; path != f.Path {
			t.Errorf("frame of %s in %s", path, f.Path)
		}
	}
}

func TestCrashCommit(t *testing.T) {
	// The commit is the given one, else the build's commit, else the version's tag, else HEAD
	// with a note. A report cannot select a branch or the stash.
	t.Parallel()
	h, crashed := program(t)
	h.Git("branch", "private", "HEAD~1")
	h.Git("branch", "feedbeef1", "HEAD~1")
	h.Git("update-ref", "refs/stash", "HEAD~1")
	e := &Engine{Repo: h.Open()}
	head := gitext.OID(h.Git("rev-parse", "HEAD"))
	for _, test := range []struct {
		given gitext.OID
		build crash.Build
		want  gitext.OID
		from  string
		notes int
	}{
		{crashed, crash.Build{Commit: string(head)}, crashed, "given", 0},
		{"", crash.Build{Commit: string(crashed)[:10]}, crashed, "the report's build", 0},
		{"", crash.Build{Version: "v1.2"}, crashed, "the report's version", 0},
		{"", crash.Build{Commit: "feedfacefeedface", Version: "1.2"}, crashed, "the report's version", 0},
		{"", crash.Build{}, head, "HEAD", 0},
		{"", crash.Build{Commit: "feedfacefeedface", Version: "9.9"}, head, "HEAD", 1},
		{"", crash.Build{Version: ":/two"}, head, "HEAD", 1},
		{"", crash.Build{Commit: "private", Version: "private"}, head, "HEAD", 1},
		{"", crash.Build{Commit: "refs/stash", Version: "stash"}, head, "HEAD", 1},
		{"", crash.Build{Commit: "feedbeef1", Version: "HEAD~1"}, head, "HEAD", 1},
		{"", crash.Build{Commit: "v1.2"}, head, "HEAD", 1},
		{"", crash.Build{Commit: strings.ToUpper(string(crashed))}, crashed, "the report's build", 0},
		{"", crash.Build{Version: "../heads/private"}, head, "HEAD", 1},
	} {
		report := read(t, asan)
		report.Build = test.build
		got, err := e.Rank(t.Context(), crash.Question{Report: report, Commit: test.given})
		if err != nil || got.Commit != test.want || got.CommitFrom != test.from || len(got.Notes) != test.notes {
			t.Errorf("%+v: %s from %s, notes %q, %v", test.build, got.Commit, got.CommitFrom, got.Notes, err)
		}
	}
}

func TestNoFrameOfTheProject(t *testing.T) {
	t.Parallel()
	h, crashed := program(t)
	got, err := (&Engine{Repo: h.Open()}).Rank(t.Context(), crash.Question{
		Report: read(t, "Traceback (most recent call last):\n  File \"/elsewhere/x.py\", line 1, in f\nValueError: x\n"), Commit: crashed,
	})
	if err != nil || got.Answered || len(got.Files) != 0 || got.Main != -1 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestUnknownAlgorithm(t *testing.T) {
	t.Parallel()
	h, crashed := program(t)
	if _, err := (&Engine{Repo: h.Open()}).Rank(t.Context(), crash.Question{Report: read(t, asan), Commit: crashed, Algorithm: "x"}); err == nil {
		t.Error("an unknown algorithm was accepted")
	}
}

func TestHostileNames(t *testing.T) {
	// Names of functions and files with special characters of expressions, a shell or git do not
	// end the answer, and are not searched.
	t.Parallel()
	h := gittest.New(t)
	files := gittest.Files{"src/g++.c": "int a;\n", "src/a(b.c": "int b;\n", "src/main.c": "int main;\n", "src/-x.c": "int x;\n"}
	crashed := h.Commit("one", files)
	for _, function := range []string{"c++", "a(b", "[x", "x\\", "*", "operator()", "operator+", "-e", "--output=x", "$(touch x)", "a|b", "<T as U>::f", "\u202e"} {
		text := "Program received signal SIGSEGV, Segmentation fault.\n"
		for i, name := range []string{"src/g++.c", "src/a(b.c", "src/main.c", "src/-x.c"} {
			text += fmt.Sprintf("#%d  0x%x in %s at %s:1\n", i, i+1, function, name)
		}
		got, err := (&Engine{Repo: h.Open()}).Rank(t.Context(), crash.Question{Report: read(t, text), Commit: crashed, Suspects: 3})
		if err != nil || len(got.Files) < 3 {
			t.Errorf("%q: %v, %v", function, got, err)
		}
	}
}

func TestSinceAfterTheCrash(t *testing.T) {
	// A commit that contains the one that crashed leaves nothing to bisect, and the
	// answer says so.
	t.Parallel()
	h, crashed := program(t)
	e := &Engine{Repo: h.Open()}
	for _, good := range []gitext.OID{crashed, h.Head()} {
		got, err := e.Answer(t.Context(), crash.Question{Report: read(t, asan), Commit: crashed, Since: good}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(got.Answer.Notes, "; "); got.Answer.Since != "" || !strings.Contains(notes, "no commit is between them") {
			t.Errorf("since %s: %q, %s", good.Short(), got.Answer.Since, notes)
		}
	}
}
