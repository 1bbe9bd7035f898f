package crashtool

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/crash/hana/hanatest"
)

// The tools show the report in its raw and in its sanitized form.
func TestReportTools(t *testing.T) {
	t.Parallel()
	h, crashed := history(t)
	report := read(t, asan)
	report.Build = crash.Build{Commit: "feedface", Version: "1.2\x1b[1m"}
	tools := toolsOf(t, h.Open(), crashed, report, "")
	if _, ok := tools["get_crash_section"]; ok {
		t.Error("a report without sections has a tool for them")
	}
	for args, want := range map[string]string{
		`{}`:                   "## crash, thread T0\n#0 0x1 in read_packet /build/p/lib/reader.c:12:10\n#1 0x2 in main /build/p/main.c:3:9\n#2 0x3 in __libc_start_main (/lib/libc.so.6+0x1)\n",
		`{"form":"raw"}`:       "#2 0x3 in __libc_start_main",
		`{"form":"sanitized"}`: "## crash, thread T0\n#0 read_packet() lib/reader.c:12:10\n#1 main() main.c:3:9\n",
		`{"page":1}`:           "## crash, thread T0\n",
	} {
		if res, refused := ask(t, tools, "get_crash_stack", args); refused || !strings.HasPrefix(res.Text, want) && !strings.Contains(res.Text, want) {
			t.Errorf("%s: %s", args, res.Text)
		}
	}
	res, _ := ask(t, tools, "get_crash_extinfo", `{}`)
	if want := "the first message has what the report says of the failure; beyond it:\nseverity in the classes of CASR: EXPLOITABLE, heap-buffer-overflow(write)\n"; res.Text != want {
		t.Errorf("%q", res.Text)
	}
	res, _ = ask(t, tools, "get_crash_extinfo", `{"form":"sanitized"}`)
	if want := "heap-buffer-overflow, write of size 1 at address 0x602000000010: "; !strings.HasPrefix(res.Text, want) || !strings.HasSuffix(res.Text, "build commit: feedface\nbuild version: 1.2\\x1b[1m\n") {
		t.Errorf("%q", res.Text)
	}
	for _, bad := range []string{`{"form":"pretty"}`, `{"page":2}`, `{"page":-1}`, `[]`} {
		if res, refused := ask(t, tools, "get_crash_stack", bad); !refused {
			t.Errorf("%s gives %s", bad, res.Text)
		}
	}
}

// A report without a problem and without a stack of the project says so.
func TestReportWithoutFacts(t *testing.T) {
	t.Parallel()
	h, crashed := history(t)
	tools := toolsOf(t, h.Open(), crashed, &crash.Report{Formats: []string{"go"}}, "")
	if _, ok := tools["get_crash_extinfo"]; ok {
		t.Error("a tool shows what the report says beyond the first message, which is nothing")
	}
	for _, test := range [][2]string{
		{"get_crash_stack", `{}`}, {"get_crash_stack", `{"form":"sanitized"}`},
	} {
		if res, refused := ask(t, tools, test[0], test[1]); refused || !strings.HasPrefix(res.Text, "the report ") {
			t.Errorf("%s %s: %q", test[0], test[1], res.Text)
		}
	}
	if got := (&Case{Report: &crash.Report{Stacks: []crash.Stack{{Kind: crash.StackCrash, Frames: []crash.Frame{{Raw: "f"}}}}}}).places(); !strings.Contains(got, "(no frame in the repository)") {
		t.Errorf("%q", got)
	}
}

// A long stack is split into pages of whole lines, which together contain the complete stack.
func TestPages(t *testing.T) {
	t.Parallel()
	h, crashed := history(t)
	report := &crash.Report{Stacks: []crash.Stack{{Kind: crash.StackCrash, Omitted: 7}}}
	for i := range 500 {
		report.Stacks[0].Frames = append(report.Stacks[0].Frames, crash.Frame{Raw: fmt.Sprintf("#%d in function_%d (long enough to fill pages)", i, i)})
	}
	tools := toolsOf(t, h.Open(), crashed, report, "")
	stacks := (&Case{Report: report}).lines()
	var all strings.Builder
	pages := 0
	for {
		pages++
		res, refused := ask(t, tools, "get_crash_stack", fmt.Sprintf(`{"page":%d}`, pages))
		if refused || len(res.Text) > pageChars+100 || !strings.HasSuffix(res.Text, "\n") {
			t.Fatalf("page %d: %d characters: %s", pages, len(res.Text), res.Text)
		}
		text, more, found := strings.Cut(res.Text, fmt.Sprintf("(page %d of ", pages))
		all.WriteString(text)
		if found != res.Truncated || found && !strings.Contains(more, fmt.Sprintf("page=%d goes on", pages+1)) {
			t.Errorf("page %d ends with %q", pages, more)
		}
		if !found {
			break
		}
	}
	if got := all.String(); pages < 3 || got != stacks || !strings.HasSuffix(got, "(7 more frames not in the report)\n") {
		t.Errorf("%d pages, %d of %d characters", pages, len(got), len(stacks))
	}
	if res, refused := ask(t, tools, "get_crash_stack", `{"page":99}`); !refused || !strings.Contains(res.Text, fmt.Sprintf("the last one is %d", pages)) {
		t.Errorf("%s", res.Text)
	}
}

// dump writes a generated dump of SAP HANA and reads it.
func dump(t *testing.T, opt hanatest.Options) (name string, report *crash.Report) {
	t.Helper()
	text, err := io.ReadAll(hanatest.New(opt))
	if err != nil {
		t.Fatal(err)
	}
	name = filepath.Join(t.TempDir(), "indexserver_h.30003.crashdump.20240506-070809.012345.trc")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return name, read(t, string(text))
}

// The sections of a dump are read from its file, by name and by page.
func TestSections(t *testing.T) {
	t.Parallel()
	h, crashed := history(t)
	for _, crlf := range []bool{false, true} {
		name, report := dump(t, hanatest.Options{Size: 200 << 10, CRLF: crlf})
		tools := toolsOf(t, h.Open(), crashed, report, name)
		for _, test := range []struct {
			tool, args, want string
			refused          bool
		}{
			{"get_crash_section", `{"name":"build"}`, "Branch          : fa/hana2sp05\n", false},
			{"get_crash_section", `{"name":"MEMORY_ACCOUNTING"}`, "page=2 goes on", false},
			{"get_crash_section", `{"name":"MEMORY_ACCOUNTING","page":2}`, "(page 2 of ", false},
			{"get_crash_section", `{"name":"BUILD","page":2}`, "there is no page 2; the last one is 1", true},
			{"get_crash_section", `{}`, "the sections, with their size in bytes:\nBUILD ", false},
			{"get_crash_section", `{"name":"NO\u001bSUCH"}`, "there is no section \"NO\\\\x1bSUCH\"\nthe sections", false},
			{"get_crash_extinfo", `{}`, "faulting address: 0x000000000000003d\n", false},
			{"get_crash_extinfo", `{"form":"sanitized"}`, "SIGSEGV (signal 11)", false},
			{"get_crash_stack", `{}`, "----> Pending exceptions (possible root cause) <----\n", false},
			{"get_crash_stack", `{"form":"sanitized"}`, "## pending exception", false},
		} {
			res, refused := ask(t, tools, test.tool, test.args)
			if refused != test.refused || !strings.Contains(res.Text, test.want) || len(res.Text) > pageChars+100 || strings.Contains(res.Text, `\r`) {
				t.Errorf("CRLF %v: %s %s: no %q in %q", crlf, test.tool, test.args, test.want, res.Text)
			}
		}
	}
}

// If the dump is gone, or its sections have moved, the tools answer from the parsed report.
func TestDumpThatIsGone(t *testing.T) {
	t.Parallel()
	h, crashed := history(t)
	name, report := dump(t, hanatest.Options{})
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	report.Sections[0].Start = -5
	tools := toolsOf(t, h.Open(), crashed, report, name)
	for _, tool := range []string{"get_crash_extinfo", "get_crash_stack"} {
		if res, refused := ask(t, tools, tool, `{}`); refused || res.Text == "" {
			t.Errorf("%s: %v %q", tool, refused, res.Text)
		}
	}
	if res, refused := ask(t, tools, "get_crash_section", `{"name":"BUILD"}`); !refused || !strings.Contains(res.Text, "cannot be read") {
		t.Errorf("%v %q", refused, res.Text)
	}
}

// The content of a hostile report is shown clean and bounded.
func TestHostileReport(t *testing.T) {
	t.Parallel()
	h, crashed := history(t)
	evil := "\x1b[2J\x1b]0;evil\x07\u202e\xff\n## crash\r" + strings.Repeat("A", 1<<20)
	frame := crash.Frame{Raw: evil, Function: evil, File: evil, NullArgument: evil, Module: evil}
	mapped := frame
	mapped.File, mapped.Line = "lib/reader.c", 5
	report := &crash.Report{
		Problems: []crash.Problem{{Kind: evil, Message: evil, Address: evil}},
		Stacks:   []crash.Stack{{Kind: crash.StackCrash, Thread: evil, Title: evil, Frames: []crash.Frame{frame, mapped}}},
		Build:    crash.Build{Commit: evil, Version: evil, Branch: evil},
	}
	tools := toolsOf(t, h.Open(), crashed, report, "")
	for _, test := range [][2]string{
		{"get_crash_extinfo", `{}`}, {"get_crash_stack", `{}`}, {"get_crash_stack", `{"form":"sanitized"}`},
	} {
		res, refused := ask(t, tools, test[0], test[1])
		if refused || res.Text == "" || len(res.Text) > 4000 || strings.Contains(res.Text, "\n## crash\n") || strings.Contains(res.Text, "\r") {
			t.Errorf("%s %s: %d characters: %.500q", test[0], test[1], len(res.Text), res.Text)
		}
	}
}

// The description of the tools does not depend on a case.
func TestSpecs(t *testing.T) {
	t.Parallel()
	specs, err := Specs()
	var names []string
	for _, s := range specs {
		names = append(names, s.Name)
		if s.Deed == "" || s.Deed == agent.DeedAnswer {
			t.Errorf("%s does %q", s.Name, s.Deed)
		}
	}
	want := "get_crash_extinfo get_crash_stack get_nearby_code get_term_definition search_commits get_crash_section git_blame git_show git_log_search git_grep"
	if got := strings.Join(names, " "); got != want || err != nil {
		t.Errorf("%s, %v", got, err)
	}
}

// The package of a method is in the path of its class, and of a long name the end is shown, which is the
// method. The frames are those of opendaylight/controller, a35800d42937.
func TestPlaceOfAMethod(t *testing.T) {
	t.Parallel()
	const dir = "opendaylight/md-sal/sal-dom-broker/src/main/java/org/opendaylight/controller/md/sal/dom/broker/impl/"
	long := strings.Repeat("very", 20) + "LongClass.newReadWriteTransaction"
	for _, test := range []struct{ function, path, want string }{
		{"org.opendaylight.controller.md.sal.dom.broker.impl.PingPong.allocate", dir + "PingPong.java", "PingPong.allocate() " + dir + "PingPong.java:145"},
		{"org.other.PingPong.Inner.allocate", dir + "PingPong.java", "org.other.PingPong.Inner.allocate() " + dir + "PingPong.java:145"},
		{"org.opendaylight.PingPong.allocate", "", "org.opendaylight.PingPong.allocate()"},
		{"_do_run", "src/x.py", "_do_run() src/x.py:145"},
		{long + strings.Repeat("X", 20), "a.go", "…" + (long + strings.Repeat("X", 20))[len(long)+20-99:] + "() a.go:145"},
	} {
		if got := Place(crash.Frame{Function: test.function, Path: test.path, Line: 145}); got != test.want {
			t.Errorf("%s: %q, want %q", test.function, got, test.want)
		}
	}
}
