package classic

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/agent/szz"
	"git-agent/agent/szz/szztest"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// Every variant blames the lines that the fix deletes or modifies, in all files except
// those that it creates, and nothing else.
func TestDeletedLinesAreBlamed(t *testing.T) {
	h := newHistory(t)
	h.Commit("one", gittest.Files{"a.c": gittest.Lines("int a;", "int b;", "int c;"), "b.c": gittest.Lines("x();")})
	h.Commit("two", gittest.Files{"a.c": gittest.Lines("int a;", "long b;", "int c;")})
	h.Commit("three", gittest.Files{"b.c": gittest.Lines("y();")})
	h.Commit("fix", gittest.Files{"a.c": gittest.Lines("int a;", "char b;", "int c;"), "b.c": gittest.Gone, "new.c": gittest.Lines("x();")})
	h.head("b ag ma ra: three two; r: three")
}

// From a fix of very many files some are left out, and a note says so. Files without a
// deleted line do not count.
func TestFixOfManyFiles(t *testing.T) {
	h := newHistory(t)
	h.Commit("one", gittest.Files{"a.c": gittest.Lines("int a;"), "b.c": gittest.Lines("int b;"), "c.c": gittest.Lines("int c;"), "d.c": gittest.Lines("int d;")})
	fix := h.Commit("fix", gittest.Files{"a.c": gittest.Lines("int a;", "int e;"), "b.c": gittest.Lines("long b;"), "c.c": gittest.Lines("long c;"), "d.c": gittest.Lines("long d;")})
	repo, err := gitext.Open(t.Context(), gitext.OpenOptions{Dir: h.Dir, DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	fc, err := szz.NewContext(t.Context(), repo, fix, szz.ContextOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for most, want := range map[int]string{1: "only the first 1 changed file is traced; name paths after -- to trace others of the 3", 3: ""} {
		tr := newTracer(repo, fc, variants["b"])
		tr.most = most
		if err := tr.trace(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(tr.notes, "\n"); got != want || len(tr.files) != most || tr.files[0].path != "b.c" {
			t.Errorf("%d at most: %d files, notes %q", most, len(tr.files), got)
		}
	}
}

// A fix that only adds lines has no answer, and a note says so.
func TestGhostFix(t *testing.T) {
	h := newHistory(t)
	h.Commit("one", gittest.Files{"a.c": gittest.Lines("int a;")})
	h.Commit("fix", gittest.Files{"a.c": gittest.Lines("int a;", "int b;")})
	h.head("b ag ma r l ra:")
}

// ag and the variants made from it leave out comments and blank lines; b does not.
func TestCommentsAndBlankLines(t *testing.T) {
	h := newHistory(t)
	h.Commit("code", gittest.Files{"a.c": gittest.Lines("x();", "y();")})
	h.Commit("comment", gittest.Files{"a.c": gittest.Lines("/* says", " * nothing", " */", "x();", "y();")})
	h.Commit("blank", gittest.Files{"a.c": gittest.Lines("/* says", " * nothing", " */", "x();", "", "y();")})
	h.Commit("beside", gittest.Files{"a.c": gittest.Lines("/* says", " * nothing", " */", "/* c */ x();", "", "y();")})
	h.Commit("fix", gittest.Files{"a.c": gittest.Lines("z();")})
	h.head("b: beside blank code comment; ag ma ra: beside code")
}

// A fix of comments only has nothing to trace.
func TestCommentOnlyFix(t *testing.T) {
	h := newHistory(t)
	h.Commit("one", gittest.Files{"a.py": gittest.Lines("# wrong", "x()")})
	h.Commit("fix", gittest.Files{"a.py": gittest.Lines("# right", "x()")})
	h.head("b: one; ag ma r l ra:")
}

// All variants but b look through re-indenting, by -w.
func TestReindented(t *testing.T) {
	h := newHistory(t)
	h.Commit("origin", gittest.Files{"a.c": gittest.Lines("if (a)", "x();", "y();")})
	h.Commit("indent", gittest.Files{"a.c": gittest.Lines("if (a)", "    x();", "y();")})
	h.Commit("fix", gittest.Files{"a.c": gittest.Lines("if (a)", "    z();", "y();")})
	h.head("b: indent; ag ma r l ra: origin")
}

// Blame looks through a commit that only breaks lines differently.
func TestReformatted(t *testing.T) {
	h := newHistory(t)
	h.Commit("origin", gittest.Files{"a.c": gittest.Lines("begin();", "if (first_condition) { compute_it(first_argument, second_argument); }", "end();")})
	h.Commit("format", gittest.Files{"a.c": gittest.Lines("begin();", "if (first_condition) {", "    compute_it(first_argument, second_argument);", "}", "end();")})
	h.Commit("fix", gittest.Files{"a.c": gittest.Lines("begin();", "if (first_condition) {", "    compute_it(first_argument, third);", "}", "end();")})
	h.head("b: format; ag ma r l ra: origin")
}

// Line ends are format: a fix that changes them and one line has one traced line.
func TestLineEndsOnly(t *testing.T) {
	h := newHistory(t)
	h.Commit("origin", gittest.Files{"a.c": "a();\nb();\nc();\n"})
	h.Commit("more", gittest.Files{"a.c": "a();\nb();\nc();\nd();\n"})
	h.Commit("fix", gittest.Files{"a.c": "a();\r\nb();\r\nc();\r\nd();\r\n"})
	h.head("b: more origin; ag ma r l ra:")
}

// If indentation is syntax, indenting can be the fix.
func TestIndentationFix(t *testing.T) {
	h := newHistory(t)
	h.Commit("origin", gittest.Files{"a.py": gittest.Lines("if a:", "    x()", "y()")})
	h.Commit("fix", gittest.Files{"a.py": gittest.Lines("if a:", "    x()", "    y()")})
	h.head("b ag ma r l: origin")
}

// mass writes n files and the text of a.c.
func mass(n int, text string) gittest.Files {
	f := gittest.Files{"a.c": text}
	for i := 1; i < n; i++ {
		f[fmt.Sprintf("m/%d.c", i)] = text
	}
	return f
}

// A commit of more than 20 files is looked through, one of 20 is not.
func TestMassCommits(t *testing.T) {
	for n, want := range map[int]string{20: "b ag ma: mass", 21: "b: mass; ag ma r l ra: origin"} {
		h := newHistory(t)
		h.Commit("origin", mass(n, "first(argument_one, argument_two);\n"))
		h.Commit("again", gittest.Files{"a.c": "first(argument_one, argument_two, argument_three);\n"})
		h.Commit("origin", gittest.Files{"a.c": "second(argument_one, argument_two, argument_three);\n"})
		h.Commit("mass", mass(n, "second(argument_one, argument_2, argument_three);\n"))
		h.Commit("fix", gittest.Files{"a.c": "third();\n"})
		h.head(want)
	}
}

// A line that git still blames on a mass commit has no answer.
func TestMassCommitIsNoAnswer(t *testing.T) {
	h := newHistory(t)
	h.Commit("import", mass(30, "x();\n"))
	h.Commit("fix", gittest.Files{"a.c": "y();\n"})
	h.head("b: import; ag ma r l ra:")
}

var block = []string{
	"int compute_the_answer(int first, int second) {",
	"    int answer = first * second + first;",
	"    return answer - second;",
	"}",
}

// A block moved inside its file is followed by ma, not by ag.
func TestMovedInFile(t *testing.T) {
	h := newHistory(t)
	rest := []string{"void unrelated_function(void) {", "    do_something_else();", "}"}
	h.Commit("origin", gittest.Files{"a.c": gittest.Lines(append(block[:4:4], rest...)...)})
	h.Commit("move", gittest.Files{"a.c": gittest.Lines(append(rest[:3:3], block...)...)})
	h.Commit("fix", gittest.Files{"a.c": gittest.Lines(append(rest[:3:3], block[0], "    int answer = first;", block[2], block[3])...)})
	h.head("ma r l ra: origin")
	if got := szztest.Subjects(h.trace(h.Head(), "ag")); len(got) != 1 {
		t.Errorf("ag: %q", got)
	}
}

// A block moved to another file in one commit is followed by ma if the blamed lines have
// the 40 letters and digits that git's -C needs. ra needs 40 in the block, for any blamed
// lines of it.
func TestMovedBetweenFiles(t *testing.T) {
	h := newHistory(t)
	h.Commit("origin", gittest.Files{"a.c": gittest.Lines(append(block[:4:4], "int keep;")...), "b.c": gittest.Lines("int b;")})
	h.Commit("move", gittest.Files{"a.c": gittest.Lines("int keep;"), "b.c": gittest.Lines(append([]string{"int b;"}, block...)...)})
	h.Commit("fix", gittest.Files{"b.c": gittest.Lines("int b;", block[0], "    int answer = first;", block[2], block[3])})
	h.head("b ag ma r l: move; ra: origin")
	h.Git("reset", "-q", "--hard", "HEAD^")
	h.Commit("fix", gittest.Files{"b.c": gittest.Lines("int b;", block[0], "    return first;", block[3])})
	h.head("b ag: move; ma r l ra: origin")
}

// A merge that changes lines itself is looked through and is never ma's answer.
//
//	one --- left --- merge (edits the line) --- fix
//	   \___ right ___/
func TestMergeCommit(t *testing.T) {
	h := newHistory(t)
	h.Commit("one", gittest.Files{"a.c": gittest.Lines("first(argument_one, argument_two);"), "b.c": gittest.Lines("b();")})
	h.Git("checkout", "-q", "-b", "side")
	h.Commit("right", gittest.Files{"b.c": gittest.Lines("bb();")})
	h.Git("checkout", "-q", "main")
	h.Commit("left", gittest.Files{"c.c": gittest.Lines("c();")})
	h.Git("merge", "-q", "--no-ff", "--no-commit", "side")
	h.Commit("merge", gittest.Files{"a.c": gittest.Lines("first(argument_one, argument_2);")})
	h.Commit("fix", gittest.Files{"a.c": gittest.Lines("z();")})
	h.head("b ag: merge; ma r l ra: one")
}

// A merge fix is read against its first parent.
func TestMergeFix(t *testing.T) {
	h := newHistory(t)
	h.Commit("one", gittest.Files{"a.c": gittest.Lines("a();"), "b.c": gittest.Lines("b();")})
	h.Git("checkout", "-q", "-b", "side")
	h.Commit("right", gittest.Files{"b.c": gittest.Lines("bb();")})
	h.Git("checkout", "-q", "main")
	h.Commit("left", gittest.Files{"a.c": gittest.Lines("aa();")})
	h.Git("merge", "-q", "--no-ff", "-m", "fix", "side")
	h.head("b ag ma r l ra: one")
}

// Blame looks through commits that rename the file or change its mode, if the line is
// older. These commits keep the lines that they wrote.
func TestMetaCommits(t *testing.T) {
	body := []string{"void keep_one(void);", "void keep_two(void);", "void keep_three(void);"}
	h := newHistory(t)
	h.Commit("origin", gittest.Files{"a.c": gittest.Lines(append(body[:3:3], "first(argument_one, argument_two);")...)})
	h.Git("mv", "a.c", "b.c")
	h.Commit("rename", gittest.Files{"b.c": gittest.Lines(append(body[:3:3], "first(argument_one, argument_2);")...)})
	h.Commit("fix", gittest.Files{"b.c": gittest.Lines(append(body[:3:3], "last();")...)})
	h.head("b ag: rename; ma r l ra: origin")

	h.Git("reset", "-q", "--hard", "HEAD^")
	h.Git("update-index", "--chmod=+x", "b.c")
	h.Git("config", "core.fileMode", "false")
	h.Commit("mode", gittest.Files{"b.c": gittest.Lines(append(body[:3:3], "first(argument_one, argument_II);")...)})
	h.Commit("fix", gittest.Files{"b.c": gittest.Lines(append(body[:3:3], "last();")...)})
	h.head("b ag: mode; ma r l ra: origin")
}

// A revert is a commit like any other: no variant looks through it.
func TestReverts(t *testing.T) {
	h := newHistory(t)
	h.Commit("origin", gittest.Files{"a.c": gittest.Lines("first(argument_one, argument_two);", "end();")})
	h.Commit("change", gittest.Files{"a.c": gittest.Lines("first(argument_one, argument_2);", "end();")})
	h.Git("revert", "--no-edit", "HEAD")
	h.Commit("fix", gittest.Files{"a.c": gittest.Lines("last();", "end();")})
	h.head(`b ma r l: Revert "change"`)
}

// r takes the latest, l the largest by lines over all files.
func TestPicks(t *testing.T) {
	h := newHistory(t)
	h.Commit("large", gittest.Files{"a.c": gittest.Lines("a();", "b();", "c();"), "other.c": strings.Repeat("x();\n", 50)})
	h.Commit("small", gittest.Files{"a.c": gittest.Lines("aa();", "b();", "c();")})
	h.Commit("latest", gittest.Files{"a.c": gittest.Lines("aa();", "b();", "cc();")})
	h.Commit("fix", gittest.Files{"a.c": gittest.Lines("z();")})
	h.head("ma: large latest small; r: latest; l: large")
	v := h.trace(h.Head(), "r")
	if len(v.Candidates) != 3 {
		t.Errorf("r: candidates before the pick: %v", v.Candidates)
	}
}

// Among commits made in the same second the descendant is r's latest.
func TestTiesByTopology(t *testing.T) {
	h := newHistory(t)
	h.Commit("root", gittest.Files{"keep.c": gittest.Lines("k();")})
	h.Commit("first", gittest.Files{"a.c": gittest.Lines("a();", "b();")})
	for _, s := range []string{"second", "third"} {
		h.Time -= 60
		h.Commit(s, gittest.Files{"a.c": gittest.Lines("a();", s+"();")})
	}
	h.Commit("fix", gittest.Files{"a.c": gittest.Lines("z();")})
	h.head("r: third; ma: first third")
}

// A file that the fix renames is blamed under its old name, and every line of a file that
// it deletes is blamed. Binary files and submodules are not.
func TestKindsOfFiles(t *testing.T) {
	h := newHistory(t)
	sub := newHistory(t)
	sub.Commit("s1", gittest.Files{"s.c": gittest.Lines("s();")})
	body := gittest.Lines("void keep_one(void);", "void keep_two(void);", "void keep_three(void);")
	h.Commit("renamed", gittest.Files{"old.c": body + "bug();\n"})
	h.Commit("deleted", gittest.Files{"dead.c": gittest.Lines("dead();")})
	h.Commit("binary", gittest.Files{"a.bin": "a\x00b\n"})
	h.Git("submodule", "--quiet", "add", sub.Dir, "sub")
	h.Commit("submodule", nil)
	sub.Commit("s2", gittest.Files{"s.c": gittest.Lines("ss();")})
	h.Git("-C", "sub", "pull", "-q")
	h.Git("mv", "old.c", "new.c")
	h.Commit("fix", gittest.Files{"new.c": body + "fixed();\n", "dead.c": gittest.Gone, "a.bin": "a\x00c\n"})
	h.head("b ag ma: deleted renamed; r: deleted; l: renamed")
}

// A root commit has no parent to blame at.
func TestRootFix(t *testing.T) {
	h := newHistory(t)
	h.Commit("fix", gittest.Files{"a.c": gittest.Lines("a();")})
	h.head("b ag ma r l ra:")
}

// The commands of the evidence can be pasted into a shell, with any file names, and show
// the suspect.
func TestEvidenceCommands(t *testing.T) {
	for _, name := range []string{"a b.c", "-L.c", "it's.c", "a;touch X;.c", "é.c", "$(touch X).c"} {
		h := newHistory(t)
		h.Commit("origin", gittest.Files{name: gittest.Lines("a();", "b();")})
		h.Commit("bug", gittest.Files{name: gittest.Lines("a();", "bug();")})
		fix := h.Commit("fix", gittest.Files{name: gittest.Lines("a();", "fixed();")})
		for _, variant := range []string{"b", "ag", "ma"} {
			v := h.trace(fix, variant)
			if len(v.Suspects) != 1 || len(v.Suspects[0].Evidence) != 1 {
				t.Fatalf("%q %s: %+v", name, variant, v)
			}
			e := v.Suspects[0].Evidence[0]
			if e.Path != name || e.Line != 2 || e.Text != "bug();" {
				t.Errorf("%q %s: evidence %+v", name, variant, e)
			}
			cmd := exec.Command("sh", "-c", e.Command)
			cmd.Dir = h.Dir
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.HasPrefix(string(out), v.Suspects[0].Commit.OID.Short()[:8]) {
				t.Errorf("%s: %v\n%s", e.Command, err, out)
			}
		}
		if _, err := os.Stat(filepath.Join(h.Dir, "X")); err == nil {
			t.Errorf("%q: a file name was run", name)
		}
	}
}

// If the clone lacks a blob, the lines of its file are left out and a note names it.
func TestMissingBlob(t *testing.T) {
	h := newHistory(t)
	h.Commit("one", gittest.Files{"a.c": gittest.Lines("a();"), "b.c": gittest.Lines("b();")})
	lost := h.Git("rev-parse", "HEAD:a.c")
	h.Commit("two", gittest.Files{"a.c": gittest.Lines("aa();"), "b.c": gittest.Lines("bb();")})
	h.Commit("keep", gittest.Files{"a.c": gittest.Lines("aa();", "keep();")})
	h.Commit("three", gittest.Files{"a.c": gittest.Lines("aa();", "keep();", "aaa();")})
	fix := h.Commit("fix", gittest.Files{"a.c": gittest.Lines("z();", "keep();"), "b.c": gittest.Lines("z();")})
	if err := os.Remove(filepath.Join(h.Dir, ".git/objects", lost[:2], lost[2:])); err != nil {
		t.Fatal(err)
	}
	for _, variant := range []string{"b", "ag", "ma", "ra"} {
		v := h.trace(fix, variant)
		if got := strings.Join(szztest.Subjects(v), " "); got != "three two" {
			t.Errorf("%s: got %q, want three and two", variant, got)
		}
		if notes := strings.Join(v.Notes, "\n"); !strings.Contains(notes, lost[:12]) {
			t.Errorf("%s: the lost object is not named: %q", variant, notes)
		}
	}
}

// git blames all lines older than a shallow clone on its boundary commits. They are never
// the answer.
func TestShallow(t *testing.T) {
	h := newHistory(t)
	h.Commit("one", gittest.Files{"a.c": gittest.Lines("a();")})
	h.Commit("two", gittest.Files{"b.c": gittest.Lines("b();")})
	h.Commit("three", gittest.Files{"b.c": gittest.Lines("bb();")})
	fix := h.Commit("fix", gittest.Files{"a.c": gittest.Lines("z();"), "b.c": gittest.Lines("z();")})
	s := &history{&szztest.History{History: &gittest.History{T: t, Dir: filepath.Join(t.TempDir(), "s"), Time: h.Time}}}
	h.Git("clone", "-q", "--depth", "3", "file://"+h.Dir, s.Dir)
	if got := strings.Join(szztest.Subjects(s.trace(fix, "b")), " "); got != "three" {
		t.Errorf("b: %q, want three", got)
	}
}
