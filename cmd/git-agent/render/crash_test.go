package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/agent/crash/input"
	"git-agent/agent/suspect"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
)

// crashAnswer is an answer about a report with hostile text in each field.
func crashAnswer() (*crash.Report, *crash.Answer) {
	evil := "\x1b[2J\u202e[x](http://evil) {0}"
	report := &crash.Report{
		Problems: []crash.Problem{{Kind: "heap-use-after-free" + evil, Message: "two\nlines" + evil}},
		Stacks: []crash.Stack{
			{Kind: crash.StackCrash, Thread: "T0", Frames: []crash.Frame{
				{Function: "strlen", Module: "/lib/libc.so" + evil},
				{Function: "parse" + evil, File: "/src/a b:c.c", Line: 12, Column: 7, Path: "src/a b:c.c"},
				{Function: "main", Path: "main.c", DefinedAt: 3},
				{Raw: "??" + evil},
			}},
			{Kind: crash.StackFree, Frames: []crash.Frame{{Function: "drop", File: "a b:c.c", Line: 40, Path: "src/a b:c.c"}}},
		},
	}
	ranking := &crash.Answer{
		Commit: gitext.OID(strings.Repeat("c", 40)), CommitFrom: "HEAD", Algorithm: "rank", Answered: true,
		Files: []crash.File{
			{Path: "src/a b:c.c", Score: 1, Probability: 0.73, Reasons: []string{"innermost frame of the project", "freed the memory"}, Frames: []crash.FrameRef{{Stack: 0, Frame: 1}, {Stack: 1, Frame: 0}}},
			{Path: "main.c", Probability: 0.2, Reasons: []string{"1 frame from the innermost of the project"}, Frames: []crash.FrameRef{{Stack: 0, Frame: 2}}},
			{Path: "src/\xff.h", Related: true, Reasons: []string{"changed with the files above in 3 commits"}},
		},
		Suspects: []suspect.Suspect{{Commit: gitext.Commit{OID: gitext.OID(strings.Repeat("a", 40)), Message: "evil" + evil + "\n"}, Probability: 0.5, Reason: "because"}},
	}
	return report, ranking
}

func TestProblemText(t *testing.T) {
	// The heading of a sanitizer only repeats the fields. Other messages do not.
	t.Parallel()
	for want, p := range map[string]crash.Problem{
		"heap-use-after-free on read at 0x60":                {Kind: "heap-use-after-free", Access: "read", Address: "0x60", Message: "AddressSanitizer: heap-use-after-free on address 0x60 at pc 0x4 bp 0x7 sp 0x7"},
		"invalid write at 0xb: Invalid write of size 8":      {Kind: "invalid write", Access: "write", Address: "0xb", Message: "Invalid write of size 8"},
		"SEGV at 0x8: AddressSanitizer: SEGV is hidden here": {Kind: "SEGV", Address: "0x8", Message: "AddressSanitizer: SEGV is hidden here"},
	} {
		if got := problemText(p); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A log repeats a failure, as jellyfin/jellyfin-plugin-playbackreporting#77 does: its heading names it once.
func TestRepeatedProblems(t *testing.T) {
	t.Parallel()
	again := crash.Problem{Kind: "System.ArgumentOutOfRangeException", Message: "Index was out of range.", Line: 10}
	report := &crash.Report{Problems: []crash.Problem{again, {Kind: "SIGABRT"}, again, again}}
	report.Problems[2].Line = 19
	if got := problemTexts(report); len(got) != 2 || got[1] != "SIGABRT" {
		t.Errorf("%q", got)
	}
}

func TestSymbolColumn(t *testing.T) {
	// The places are in one column, as far to the left as the shown functions allow.
	t.Parallel()
	s := crash.Stack{Frames: []crash.Frame{
		{Function: "f", File: "a.c", Path: "a.c", Line: 1}, {Function: strings.Repeat("folded", 9)}, {Function: "main", File: "b.c", Path: "b.c", Line: 2},
	}}
	var b bytes.Buffer
	r := &CrashHuman{Width: 80, Place: func(p string) string { return p }}
	r.frames(&b, s)
	if want := "  ▸ f     a.c:1\n    … 1 frame outside the project\n  ▸ main  b.c:2\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

// Each placeholder of the table is accepted, gives its value, and shows no characters of a report
// that control a terminal.
func TestCrashPlaceholders(t *testing.T) {
	report, ranking := crashAnswer()
	row := crashRow{name: "r.log", report: report, ranking: ranking, rank: 1, file: ranking.Files[0]}
	expand := func(format string, row crashRow) string {
		pieces, err := ParseCrashFormat(format)
		if err != nil {
			t.Fatalf("%q: %v", format, err)
		}
		return lineOf(pieces, row, false, false)
	}
	for format, want := range map[string]string{
		"%(path):%(line) %(rank) %(prob) %(found) %(report)": "src/a b:c.c:12 1 0.7300 stack r.log",
		"%(reasons)|%(commit:short)|%(commit:from)":          "innermost frame of the project; freed the memory|cccccccccccc|HEAD",
		"%(suspect:short) %(algorithm) %%%x41%n":             "aaaaaaaaaaaa rank %A\n",
		"%(signature)":                                       input.SignatureOf(report).ID(),
	} {
		if got := expand(format, row); got != want {
			t.Errorf("%q gives %q, want %q", format, got, want)
		}
	}
	related := row
	related.file = ranking.Files[2]
	if got := expand("%(line)|%(function)|%(prob)|%(found)", related); got != "|||related" {
		t.Errorf("a related file gives %q", got)
	}
	for _, p := range CrashPlaceholders {
		if p.value == nil {
			continue
		}
		got := expand("<%"+p.Name+">", row)
		if got != "<"+p.value(row)+">" || strings.ContainsAny(got, "\x1b\u202e") {
			t.Errorf("%%%s gives %q", p.Name, got)
		}
		expand("%"+p.Name, crashRow{report: &crash.Report{}, ranking: &crash.Answer{}}) // of nothing
	}
	if _, err := ParseCrashFormat("%(fix)"); err == nil || !strings.Contains(err.Error(), `unknown placeholder "%(fix)"`) {
		t.Errorf("%v", err)
	}
}

// The log has all parts required by SARIF 2.1.0 and GitHub's code scanning.
func TestCrashSARIF(t *testing.T) {
	report, ranking := crashAnswer()
	var b bytes.Buffer
	log := &CrashSARIF{W: &b, End: "\n", Version: "1.2.3", Max: 5}
	for _, name := range []string{"a.log", "b.log"} {
		if err := log.Crash(name, report, ranking); err != nil {
			t.Fatal(err)
		}
	}
	log.Failed(errors.New("c.log: no crash report was found"))
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsFunc(b.String(), layoutHides) {
		t.Errorf("hidden characters in %q", b.String())
	}
	var got struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct{ Name, Version string }
			}
			Invocations []struct {
				ExecutionSuccessful        bool
				ToolExecutionNotifications []any
			}
			Results []map[string]any
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Version != "2.1.0" || len(got.Runs) != 1 || got.Runs[0].Tool.Driver.Version != "1.2.3" || len(got.Runs[0].Results) != 6 {
		t.Fatalf("%+v", got)
	}
	if in := got.Runs[0].Invocations[0]; in.ExecutionSuccessful || len(in.ToolExecutionNotifications) != 1 {
		t.Errorf("invocation %+v", in)
	}
	var whole any
	if err := json.Unmarshal(b.Bytes(), &whole); err != nil {
		t.Fatal(err)
	}
	checkSARIF(t, "", whole)
	for i, want := range []string{
		`"uri":"src/a%20b%3Ac.c","uriBaseId":"SRCROOT"},"region":{"startColumn":7,"startLine":12}`,
		`"uri":"main.c","uriBaseId":"SRCROOT"},"region":{"startLine":3}`,
		`"uri":"src/%FF.h","uriBaseId":"SRCROOT"},"region":{"startLine":1}`,
	} {
		text, err := json.Marshal(got.Runs[0].Results[i]["locations"])
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("result %d is at %s, want %s", i, text, want)
		}
		if level, want := got.Runs[0].Results[i]["level"], []string{"error", "warning", "note"}[i]; level != want {
			t.Errorf("result %d has level %v, want %s", i, level, want)
		}
	}
	first := got.Runs[0].Results[0]
	if message := first["message"].(map[string]any)["text"].(string); !strings.Contains(message, "73% likely") || !strings.Contains(message, `\[x\](http://evil) {{0}}`) {
		t.Errorf("message %q", message)
	}
	if n := len(first["stacks"].([]any)); n != 2 || len(first["relatedLocations"].([]any)) != 2 {
		t.Errorf("%d stacks; %v", n, first["relatedLocations"])
	}
}

func layoutHides(r rune) bool { return r > 0x7e || r < 0x20 && r != '\n' }

// relative matches a URI relative to the top of a work tree.
var relative = regexp.MustCompile(`^[\w.~%!$&'()*+,;=@-]+(/[\w.~%!$&'()*+,;=@:-]+)*$`)

// checkSARIF checks the names of properties in an object and below it by the rules of the schema
// and of GitHub.
func checkSARIF(t *testing.T, name string, v any) {
	t.Helper()
	switch v := v.(type) {
	case []any:
		seen := map[string]bool{}
		for _, item := range v {
			checkSARIF(t, strings.TrimSuffix(name, "s"), item)
			text, _ := json.Marshal(item) // it was JSON before
			if seen[string(text)] && (name == "stacks" || name == "relatedLocations" || name == "rules" || name == "tags") {
				t.Errorf("%s holds %s twice", name, text)
			}
			seen[string(text)] = true
		}
	case map[string]any:
		for _, field := range sarifRequired[name] {
			if v[field] == nil {
				t.Errorf("a %s has no %s: %v", name, field, v)
			}
		}
		for key, item := range v {
			if key != "properties" {
				checkSARIF(t, key, item)
			}
		}
	case string:
		switch {
		case name == "uri" && !relative.MatchString(v):
			t.Errorf("uri %q", v)
		case name == "level" && !strings.Contains(" none note warning error ", " "+v+" "):
			t.Errorf("level %q", v)
		case name == "text" && v == "":
			t.Errorf("an empty text")
		}
	case float64:
		if (name == "startLine" || name == "startColumn") && v < 1 || name == "rank" && (v < -1 || v > 100) {
			t.Errorf("%s is %v", name, v)
		}
	}
}

// sarifRequired names the properties required by the schema or by GitHub.
var sarifRequired = map[string][]string{
	"": {"$schema", "version", "runs"}, "run": {"tool", "results"}, "tool": {"driver"}, "driver": {"name", "version", "rules"},
	"rule": {"id", "shortDescription", "fullDescription", "help"}, "invocation": {"executionSuccessful"}, "toolExecutionNotification": {"message"},
	"result":           {"ruleId", "message", "locations", "partialFingerprints", "level"},
	"message":          {"text"},
	"artifactLocation": {"uri", "uriBaseId"}, "physicalLocation": {"artifactLocation", "region"}, "region": {"startLine"},
	"stack": {"frames"}, "frame": {"location"}, "relatedLocation": {"id", "physicalLocation", "message"},
	"partialFingerprints": {"primaryLocationLineHash", "crashSignature/v1"},
}

// GitHub refuses a log with more than 25,000 results.
func TestCrashSARIFIsBounded(t *testing.T) {
	report, ranking := crashAnswer()
	log := &CrashSARIF{Max: 3, results: make([]sarifResult, sarifResults-5)} // as many as of other reports before
	for i := range 10 {
		if err := log.Crash(fmt.Sprint(i), report, ranking); err != nil {
			t.Fatal(err)
		}
	}
	if len(log.results) != sarifResults || len(log.warnings) == 0 {
		t.Errorf("%d results, %d warnings", len(log.results), len(log.warnings))
	}
}

func TestCrashGroups(t *testing.T) {
	_, ranking := crashAnswer()
	groups := []CrashGroup{
		{Summary: input.Summary{
			ID: "0123456789abcdef", Count: 7, Names: strings.Fields("a b c d e f g"),
			Problems: []input.KindCount{{Kind: "SIG\x1b[1m", Count: 5}, {Kind: "abort", Count: 2}}, Members: strings.Fields("1 2 3 4 5 6 7"),
		}, Answer: ranking},
		{Summary: input.Summary{ID: "x", Count: 1, Members: []string{"z"}}},
	}
	var human bytes.Buffer
	r := &CrashGroups{W: &human, Color: ui.Palette{}, Width: 80, Max: 2, Place: func(p string) string { return p }}
	if err := r.Groups(groups); err != nil {
		t.Fatal(err)
	}
	want := `group 1: 7 reports  0123456789abcdef
    SIG\x1b[1m (5), abort (2)
    a < b < c < d < e < and 2 more
    1, 2, 3, 4, 5, and 2 more
      1.   73%  src/a b:c.c
      2.   20%  main.c

group 2: 1 report  x
    z

8 reports in 2 groups
`
	if human.String() != want {
		t.Errorf("%s", human.String())
	}
	var line bytes.Buffer
	if err := WriteCrashGroupsJSON(&line, groups, 1, "\n"); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`{"schema":"git-agent/crash-groups/1","reports":8,"groups":[{"id":"0123456789abcdef","signature":["a",`, `"answered":true,"files":[{"path":"src/a b:c.c"`, `"answered":false,"files":[]}]}`} {
		if !strings.Contains(line.String(), part) {
			t.Errorf("no %s in %s", part, line.String())
		}
	}
}

func TestTheTestedFileIsFirst(t *testing.T) {
	// A file that no stack names is the first one, and those of the stacks follow: that must be said.
	t.Parallel()
	report, ranking := crashAnswer()
	tested := crash.File{Path: "src/urls.py", Score: 1, Related: true, Reasons: []string{"the test test_urls.py is named after it"}}
	ranking.Files = append([]crash.File{tested}, ranking.Files...)
	var b bytes.Buffer
	if err := (&CrashHuman{W: &b, Max: 10, Width: 100, Place: func(p string) string { return p }}).Crash("a.txt", report, ranking); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"the first file is the one that a test is named after", " 1.  src/urls.py", "the test test_urls.py is named after it", " 2.   73%"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "no frame is in a file of this repository") {
		t.Error("frames are in files of this repository")
	}
}
