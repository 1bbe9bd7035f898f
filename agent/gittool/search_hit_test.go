package gittool

import (
	"fmt"
	"strings"
	"testing"
)

// answer returns the answer to one call.
func (f *fixture) answer(box *Toolbox, tool, args string) string {
	f.t.Helper()
	return f.transcript(box, [][2]string{{tool, args}})
}

// expects checks that an answer has the texts.
func expects(t *testing.T, got string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
}

func TestSearchCollapsesTranslations(t *testing.T) {
	// A change of many translations takes one line, even if there are more of them than
	// files are read, and program text beside them is shown.
	t.Parallel()
	f := newFixture(t)
	f.commit("first", "start")
	for i := range 2 * maxHitFiles {
		f.write(fmt.Sprintf("po/l%03d.po", i), fmt.Sprintf("msgid \"quota\"\nmsgstr \"%d\"\n", i))
	}
	f.write("src/a.c", "_(\"quota\");\n")
	f.commit("two", "add the quota")
	got := f.answer(f.toolbox(Scope{Tip: f.oid["two"]}, Options{}), "git_log_search", `{"pattern":"quota"}`)
	expects(t, got, `+ po/l000.po:1: msgid "quota"`, `+ src/a.c:1: _("quota");`, "(and 399 more translations)")
	if strings.Contains(got, "l001.po:") {
		t.Errorf("a second translation in %s", got)
	}
}

func TestSearchGathersEqualLines(t *testing.T) {
	// The same line in many files is shown once, with their number.
	t.Parallel()
	f := newFixture(t)
	f.commit("first", "start")
	for i := range 20 {
		f.write(fmt.Sprintf("d%d/a.c", i), "limit = 9;\n")
	}
	f.commit("two", "limit")
	expects(t, f.answer(f.toolbox(Scope{Tip: f.oid["two"]}, Options{}), "git_log_search", `{"pattern":"limit"}`), "limit = 9; (and in 19 more files)")
}

func TestSearchMarksMoves(t *testing.T) {
	// A commit that only moves the lines, and a file renamed from outside the path, are
	// distinguished from changes.
	t.Parallel()
	f := newFixture(t)
	f.write("a.c", "one\nlimit = 9;\ntwo\nthree\nfour\n")
	f.write("b.c", "x\n")
	f.commit("one", "one")
	f.write("a.c", "one\ntwo\nthree\nfour\n")
	f.write("b.c", "x\nlimit = 9;\n")
	f.commit("two", "two")
	f.git("mv", "a.c", "c.c")
	f.commit("three", "three")
	f.write("sub/x", "x")
	f.git("mv", "c.c", "sub/c.c")
	f.commit("four", "four")
	box := f.toolbox(Scope{Tip: f.oid["four"]}, Options{})
	expects(t, f.answer(box, "git_log_search", `{"pattern":"limit"}`), "two (only moved: the same lines go from a.c to b.c)")
	expects(t, f.answer(box, "git_log_search", `{"pattern":"three","path":"sub"}`), "(renames c.c => sub/c.c, 100% alike)")
	if got := f.answer(box, "git_log_search", `{"pattern":"one","path":"a.c"}`); strings.Contains(got, "one (only moved") {
		t.Errorf("the first commit moves lines: %s", got)
	}
}

func TestPatternIsEchoedAsItRan(t *testing.T) {
	// The answers repeat a pattern in the form that git got, with its kind.
	t.Parallel()
	f := calcHistory(t)
	box := f.toolbox(Scope{}, Options{})
	for _, test := range [][3]string{
		{"git_log_search", `{"pattern":"divide\\(","mode":"G"}`, `-G 'divide\(' (regular expression)`},
		{"git_log_search", `{"pattern":"divide\\("}`, `-S 'divide\(' (literal)`},
		{"git_log_search", `{"pattern":"int b)\n{"}`, `-S 'int b)⏎{' (literal)`},
		{"git_log_search", `{"pattern":"--all","mode":"G"}`, `-G '--all' (regular expression)`},
		{"git_grep", `{"pattern":"a\\.b","regex":true}`, `grep 'a\.b' (regular expression)`},
		{"git_grep", `{"pattern":"--and"}`, `grep '--and' (literal)`},
	} {
		expects(t, f.answer(box, test[0], test[1]), test[2])
	}
}

func TestLogOfADirectory(t *testing.T) {
	// Without a pattern a search lists the commits of a path with counts, at most max.
	t.Parallel()
	f := calcHistory(t)
	box := f.toolbox(Scope{}, Options{})
	got := f.answer(box, "git_log_search", `{"path":"src","max":2}`)
	expects(t, got, "commits in src", "calc: scale by nothing +2 -2 [src/calc.c]", "there are older ones")
	if n := strings.Count(got, "[src/calc.c]"); n != 2 {
		t.Errorf("%d commits in %s", n, got)
	}
	expects(t, f.answer(box, "git_log_search", `{"path":"src/calc.c"}`), "add a calculator", "renames lib/calc.c => src/calc.c")
	expects(t, f.answer(box, "git_log_search", `{}`), "give pattern, or path for the log")
	expects(t, f.answer(box, "git_log_search", `{"path":":(top)*"}`), "is not in")
}

func TestPathThatWasADirectory(t *testing.T) {
	// The log of a path that was a file and is a directory has the commits of both.
	t.Parallel()
	f := newFixture(t)
	f.write("x", "old\n")
	f.commit("one", "a file")
	f.git("rm", "-q", "x")
	f.write("x/y", "new\n")
	f.commit("two", "a directory")
	f.write("\xffz/é", "odd\n")
	f.commit("three", "an odd path")
	box := f.toolbox(Scope{Tip: f.oid["three"]}, Options{})
	expects(t, f.answer(box, "git_log_search", `{"path":"x"}`), "a directory", "a file")
	expects(t, f.answer(box, "git_log_search", `{"path":"x","pattern":"old"}`), "a directory", "a file")
	expects(t, f.answer(box, "git_grep", `{"pattern":"odd","context":2}`), "odd")
	expects(t, f.answer(box, "git_log_search", `{"pattern":"odd"}`), "an odd path")
}
