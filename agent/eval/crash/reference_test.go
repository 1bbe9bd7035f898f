package crasheval

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/eval"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// A case that refers to lines of a message is read, and its question is the reference.
func TestReadReference(t *testing.T) {
	line := `{"repo":"o/r","crash_commit":"` + c40 + `","fix":"` + b40 + `","report_lines":[3,5],"fix_files":["a.c"]}`
	got, err := Task{}.ReadCase([]byte(line), "x.jsonl")
	if err != nil || !slices.Equal(got.(Case).ReportLines, []int{3, 5}) {
		t.Fatalf("%+v, %v", got, err)
	}
	other := got.(Case)
	other.ReportLines = []int{3, 6}
	if other.Head().Question == got.Head().Question {
		t.Error("other lines are the same question")
	}
	for _, c := range []struct{ fields, want string }{
		{`"report_lines":[3,5]`, `"fix" is missing`},
		{`"fix":"` + b40 + `","report":"r","report_lines":[3,5]`, `both the fields`},
		{`"fix":"` + b40 + `","report_lines":[5,3]`, `is [5 3], not the numbers`},
		{`"fix":"` + b40 + `","report_lines":[0,3]`, `not the numbers`},
		{`"fix":"` + b40 + `","report_lines":[3]`, `not the numbers`},
		{`"fix":"` + b40 + `"`, `and so is "report_lines"`},
	} {
		line := `{"repo":"o/r","crash_commit":"` + c40 + `","fix_files":["a"],` + c.fields + `}`
		if _, err := (Task{}).ReadCase([]byte(line), "x.jsonl"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s gives %v, want %q", c.fields, err, c.want)
		}
	}
}

// A session reads the report of such a case from the message of the fix, and only from these
// lines.
func TestReferredReport(t *testing.T) {
	h := gittest.New(t)
	crashed := h.Commit("start", gittest.Files{"src/copy.c": "int copy(char *to)\n{\n\treturn *to;\n}\n", "src/other.c": "int other;\n"})
	message := "copy: check the pointer\n\n" +
		"Program received signal SIGSEGV, Segmentation fault.\n#0  0x01 in copy (to=0x0) at src/copy.c:3\n" +
		"#1  0x02 in other () at src/other.c:1\n\nThat is all.\n"
	fix := h.Commit(message, gittest.Files{"src/copy.c": "int copy(char *to)\n{\n\treturn to ? *to : 0;\n}\n"})
	s, err := Open(Options{})(t.Context(), h.Dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := Case{ID: "1", CrashCommit: crashed, Fix: fix, ReportLines: []int{3, 4}, FixFiles: []string{"src/copy.c"}}
	ask, _, err := s.Begin(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	a, err := ask(t.Context(), "baseline1")
	if err != nil {
		t.Fatal(err)
	}
	if score := (Task{}).Score(c, a); !score.Right || score.Row.(scoreRow).Traced != 1 {
		t.Errorf("%+v for %+v", score, a)
	}
	c.ReportLines = []int{3, 9}
	if _, _, err := s.Begin(t.Context(), c); err == nil || !strings.Contains(err.Error(), "names line 9") {
		t.Errorf("lines that the message does not have: %v", err)
	}
	c.Fix = gitext.OID(strings.Repeat("1", len(fix)))
	if _, _, err := s.Begin(t.Context(), c); !errors.As(err, new(*eval.AbsentError)) {
		t.Errorf("an absent fix: %v", err)
	}
}
