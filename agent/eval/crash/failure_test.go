package crasheval

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"git-agent/agent/eval"
)

const gdbReport = "Program received signal %s.\n#0  0x01 in f (p=0x0) at a.c:3\n#1  0x02 in main () at a.c:9\n"

// The class of a crash depends on its report, not on its fields.
func TestFailureOf(t *testing.T) {
	asan := "==1==ERROR: AddressSanitizer: %s\n    #0 0x1 in f /build/a.c:3:9\n    #1 0x2 in main /build/a.c:9\n"
	for _, test := range []struct{ report, class string }{
		{fmt.Sprintf(gdbReport, "SIGABRT, Aborted"), "SIGABRT"},
		{fmt.Sprintf(gdbReport, "SIGFPE, Arithmetic exception"), "SIGFPE"},
		{fmt.Sprintf(asan, "SEGV on unknown address 0x000000000008 (pc 0x1 bp 0x2 sp 0x3 T0)"), "SIGSEGV, null"},
		{fmt.Sprintf(asan, "SEGV on unknown address 0x60200000eeee (pc 0x1 bp 0x2 sp 0x3 T0)"), "SIGSEGV, not null"},
		{fmt.Sprintf(asan, "heap-use-after-free on address 0x602000000010 at pc 0x1 bp 0x2 sp 0x3"), "no signal"},
		{"Exception in thread \"main\" java.lang.NullPointerException\n\tat p.A.f(A.java:3)\n", "no signal, null"},
		{"panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x1]\n\ngoroutine 1 [running]:\nmain.main()\n\t/x/main.go:3 +0x1\n", "SIGSEGV, null"},
		{"Traceback (most recent call last):\n  File \"x.py\", line 1, in f\nValueError: x\n", "no signal"},
		{"Nothing happened.\n", "unknown format"},
	} {
		if got := failureOf(test.report).class(); got != test.class {
			t.Errorf("%s for %s", got, test.report)
		}
	}
}

// A field that contradicts the report is listed in the row of the case, and counted. The stratum
// follows the report.
func TestContradictions(t *testing.T) {
	yes, no := true, false
	for _, test := range []struct {
		signal string
		null   *bool
		want   string
	}{{"", nil, ""}, {"SIGABRT", &no, ""}, {"SIGSEGV", nil, "signal"}, {"SIGABRT", &yes, "null_dereference"}, {"SIGSEGV", &yes, "signal null_dereference"}} {
		line, err := json.Marshal(Case{ID: "1", Repo: "o/r", CrashCommit: c40, FixFiles: []string{"a.c"}, Signal: test.signal, Null: test.null, Report: fmt.Sprintf(gdbReport, "SIGABRT, Aborted")})
		if err != nil {
			t.Fatal(err)
		}
		c, err := Task{}.ReadCase(line, "x.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		kept, _, err := Task{}.ReadKept(line, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []eval.Case{c, kept} {
			row := Task{}.Score(c, nil).Row.(scoreRow)
			if got := strings.Join(row.Contradicts, " "); got != test.want || row.Class != "SIGABRT" {
				t.Errorf("%q, %s for %+v", got, row.Class, test)
			}
			if n := Contradicted([]eval.Case{c}); (n == 1) != (test.want != "") {
				t.Errorf("%d are counted for %+v", n, test)
			}
		}
	}
	refers := Case{ReportLines: []int{1, 2}, Signal: "SIGSEGV"} // its report was read in the repository
	if row := (Task{}).Score(refers, Prediction{Failure: &failure{Signal: "SIGABRT"}}).Row.(scoreRow); row.Class != "SIGABRT" || len(row.Contradicts) != 1 {
		t.Errorf("%+v", row)
	}
	b, err := json.Marshal(scoreRow{Class: "SIGABRT"})
	if err != nil || string(b) != `{"rank":0,"suspect_rank":0,"traced":0,"class":"SIGABRT"}` {
		t.Errorf("%s, %v", b, err)
	}
}
