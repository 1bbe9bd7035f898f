package fixeval

import (
	"context"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext/gittest"
)

// The engines get a case's crash report only with --report, together with the files and commits
// behind the crash, as of before the fix.
func TestCrashReportOfACase(t *testing.T) {
	h := gittest.New(t)
	source := func(body string) gittest.Files { return gittest.Files{"add.c": "int add(int *a)\n{\n" + body + "}\n"} }
	h.Commit("start", source("\treturn a ? *a : 0;\n"))
	base := h.Commit("shorter", source("\treturn *a;\n"))
	fixed := h.Commit("fix", source("\treturn a ? *a : 0;\n"))
	b := &bug{History: h, c: Case{ID: "c", Repo: "o/r", Base: base, Fix: fixed, SrcFiles: []string{"add.c"}, TestCmd: "grep -q 'a ?' add.c",
		CrashReport: "Program received signal SIGSEGV, Segmentation fault.\n#0  0x01 in add (a=0x0) at add.c:3\n#1  0x02 in main () at main.c:3\n"}}
	for _, report := range []bool{false, true} {
		var p fix.Problem
		_, ask := b.begin(Options{Trial: local, Report: report, Repair: func(_ context.Context, in Inquiry) (*fix.Answer, error) {
			p = in.Problem
			return &fix.Answer{}, nil
		}})
		if _, err := ask(t.Context(), "agent-none"); err != nil {
			t.Fatal(err)
		}
		switch {
		case !report && (p.Crash != nil || p.Files != nil || p.Suspects != nil):
			t.Errorf("it is told without --report: %+v", p)
		case report && (p.Crash == nil || len(p.Files) == 0 || p.Files[0].Path != "add.c" || len(p.Suspects) == 0 || p.Suspects[0].Commit.OID != base):
			t.Errorf("crash %+v, files %+v, suspects %+v", p.Crash, p.Files, p.Suspects)
		}
	}
	b.c.CrashReport = "it crashed"
	s, err := Open(Options{Trial: local, Report: true})(t.Context(), b.Dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, _, err := s.Begin(t.Context(), b.c); err == nil || !strings.Contains(err.Error(), "crash_report") {
		t.Errorf("a report that holds no crash: %v", err)
	}
}
