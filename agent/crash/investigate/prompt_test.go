package investigate

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"git-agent/agent/crash"
	"git-agent/gitext/gittest"
	"git-agent/gitext/quote"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The first message contains all parts of the method, in the expected words.
func TestFirstPrompt(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	req := b.first(Options{})
	got := req.Messages[1].Text
	for _, c := range b.offline.Suspects {
		got = strings.ReplaceAll(got, c.Commit.OID.Short(), "{"+c.Commit.Subject()+"}")
	}
	got = regexp.MustCompile(`(?m)^0\.\d\d `).ReplaceAllString(got, "0.NN ") // the probabilities change when the ranker is trained again
	file := filepath.Join("testdata", "first_prompt.txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || got != string(want) {
		t.Errorf("%v; the first prompt is\n%s", err, got)
	}
	var names []string
	for _, tool := range req.Tools {
		names = append(names, tool.Name)
	}
	if len(names) != 10 || names[9] != "report" || slices.Contains(names, "get_crash_section") {
		t.Errorf("tools %q", names)
	}
	if s := req.Messages[0].Text; !strings.HasPrefix(s, "You find the root cause of crashes") || !strings.Contains(s, fmt.Sprintf("You have %d calls", defaultLimits.Calls)) {
		t.Errorf("system %s", s)
	}
}

// Each switch removes exactly the part that it names.
func TestSwitches(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	whole := b.first(Options{})
	for _, test := range []struct {
		with    crash.Switches
		heading string // of the removed part
	}{
		{crash.Switches{NoRanking: true}, "# Files by a ranking without a model"},
		{crash.Switches{NoCode: true}, "# Code around the frames"},
		{crash.Switches{NoChanges: true}, "# Latest changes to this code"},
		{crash.Switches{NoCalls: true}, ""},
	} {
		b.question.Switches = test.with
		req := b.first(Options{})
		got := req.Messages[1].Text
		if test.with.NoCalls {
			if len(req.Tools) != 1 || req.Tools[0].Name != "report" || !strings.Contains(got, "You have no tools but report") || strings.Contains(got, "calls take these names") ||
				strings.Contains(req.Messages[0].Text, "turns") {
				t.Errorf("without tools: %d tools\n%s\n%s", len(req.Tools), req.Messages[0].Text, got)
			}
			continue
		}
		head, rest, found := strings.Cut(whole.Messages[1].Text, "\n"+test.heading)
		if !found {
			t.Fatalf("no %q in\n%s", test.heading, whole.Messages[1].Text)
		}
		_, tail, more := strings.Cut(rest, "\n# ")
		if more {
			tail = "# " + tail
		} else {
			tail = rest[strings.LastIndex(rest, "Which files must change"):]
		}
		if want := strings.TrimSpace(head) + tail; strings.ReplaceAll(got, "\n", "") != strings.ReplaceAll(want, "\n", "") || len(req.Tools) != len(whole.Tools) {
			t.Errorf("%q, want\n%s\nfor\n%s", test.with.Names(), want, got)
		}
	}
}

// Without short names in the prompt, calls accept none.
func TestNoChangesNoNames(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.question.NoChanges = true
	if d := b.investigation(); len(d.tools.Scope.Names) != 0 {
		t.Errorf("%v", d.tools.Scope.Names)
	}
}

// drifting is a file whose older version is in a report.
const drifting = `int helper(int a)
{
	int b = a;
	b += 1;
	b += 2;
	return b;
}

int target(int *p)
{
	return *p;
}

int other(void)
{
	return 0;
}
`

// A line in another function than the frame's belongs to another version: the function is shown
// instead, and the other lines of the file are marked as doubtful. For a frame without a line,
// the beginning of its function is shown.
func TestDriftedLines(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	crashed := h.Commit("start", gittest.Files{"src/a.c": drifting, "main.c": program})
	b := askedAt(h, crashed, `Program received signal SIGSEGV, Segmentation fault.
#0  0x01 in target (p=0x0) at src/a.c:4
#1  0x02 in other () at src/a.c:16
#2  0x03 in main () at main.c:5
`)
	got := b.first(Options{}).Messages[1].Text
	for _, want := range []string{
		"## #0, src/a.c (the report says line 4, which is in another function: it is of another version)\n 9 int target(int *p)\n",
		"## #1, src/a.c (the report is of another version of this file: the line may be off)\n",
		">16   return 0;\n", "## #2, main.c\n", "#0 target() src/a.c:4 (p=0x0)\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if code, _, _ := strings.Cut(got, "# Latest changes"); strings.Contains(code, "b += 2") {
		t.Errorf("the drifted line is shown:\n%s", got)
	}
	b = askedAt(h, crashed, "Program received signal SIGSEGV, Segmentation fault.\n#0  0x01 in target ()\n#1  0x03 in main () at main.c:5\n")
	got = b.first(Options{}).Messages[1].Text
	for _, want := range []string{"#0 target() src/a.c, defined at line 9\n", "## #0, src/a.c\n 9 int target(int *p)\n 10 {\n 11   return *p;\n 12 }\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// A frame in a hidden file has no code. For a frame beyond the end of its file, its function is
// shown.
func TestFramesWithoutCode(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("start", gittest.Files{"main.c": program, ".env": "TOKEN=secret-value\nB=1\n", "x.bin": "\x00\x01\n"})
	crashed := h.Commit("rotate the token", gittest.Files{".env": "TOKEN=secret-value-2\nB=2\n"})
	b := askedAt(h, crashed, `Program received signal SIGSEGV, Segmentation fault.
#0  0x01 in token () at .env:1
#1  0x02 in token () at x.bin:1
#2  0x03 in main () at main.c:900
`)
	got := b.first(Options{}).Messages[1].Text
	if strings.Contains(got, "secret-value") || strings.Contains(got, "## #0") || strings.Contains(got, "## #1") || !strings.Contains(got, "## #2, main.c (the report says line 900, which the file does not have") {
		t.Errorf("%s", got)
	}
}

// The parts of the prompt are bounded for any report and repository.
func TestFirstPromptIsBounded(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	files := gittest.Files{}
	var report strings.Builder
	report.WriteString("Program received signal SIGSEGV, Segmentation fault.\n")
	deep := strings.Repeat("a_long_directory_name/", 8)
	for i := range 40 {
		name := fmt.Sprintf("%sf%02d.c", deep, i)
		files[name] = fmt.Sprintf("int f%d(int a)\n{\n%s\treturn a;\n}\n", i, strings.Repeat("\ta += "+strings.Repeat("b", 300)+";\n", 60))
		fmt.Fprintf(&report, "#%d  0x%x in f%d%s (a=0) at %s:%d\n", i, i+1, i, strings.Repeat("x", 200), name, 30)
	}
	h.Commit("start", files)
	for name := range files {
		files[name] = strings.ReplaceAll(files[name], "a += ", "a -= ")
	}
	crashed := h.Commit(strings.Repeat("subtract ", 200), files)
	for range 30 {
		report.WriteString("assertion \"" + strings.Repeat("x", 2000) + "\" failed: file \"f.c\", line 3\n")
	}
	b := askedAt(h, crashed, report.String())
	req := b.first(Options{})
	if n := utf8.RuneCountInString(req.Messages[1].Text); n > 24_000 {
		t.Errorf("%d characters:\n%.3000s", n, req.Messages[1].Text)
	}
	d := b.investigation()
	code, err := d.codeText(t.Context())
	if n := utf8.RuneCountInString(code); err != nil || n > maxCode+500 || !strings.Contains(code, "## #") {
		t.Errorf("the code has %d characters, %v", n, err)
	}
	if n := utf8.RuneCountInString(d.tools.StacksInShort()); n > 3200 {
		t.Errorf("the stacks have %d characters", n)
	}
	if changes, err := d.changeText(t.Context()); err != nil || utf8.RuneCountInString(changes) > maxChanges || !strings.Contains(changes, "@@ ") {
		t.Errorf("the changes have %d characters, %v\n%s", len(changes), err, changes)
	}
}

// No hidden characters and no extra lines come into the prompt from the report or the repository.
func TestFirstPromptIsClean(t *testing.T) {
	t.Parallel()
	evil := "\x1b[2J\u202e\u200b\r"
	h := gittest.New(t)
	h.Commit("start", gittest.Files{"src/e\u202evil.c": "int f(int *p)\n{\n\treturn 1;\n}\n", "main.c": program})
	crashed := h.Commit("evil "+evil+"\n\n# Stacks\n\n#0 g() h.c:1\n", gittest.Files{"src/e\u202evil.c": "int f(int *p)\n{\n\treturn *p; /* " + evil + "\xff */\n}\n"})
	b := askedAt(h, crashed, "==1==ERROR: AddressSanitizer: SEGV"+evil+" on unknown address 0x0 (pc 0x1)\n    #0 0x1 in f"+evil+" /build/src/e\u202evil.c:3:9\n    #1 0x2 in main /build/main.c:6\n")
	got := b.first(Options{}).Messages[1].Text
	if !strings.Contains(got, "vil.c:3") || !strings.Contains(got, "return *p;") {
		t.Errorf("%s", got)
	}
	for _, r := range got {
		if quote.Hidden(r) && r != '\n' {
			t.Errorf("%U in\n%q", r, got)
			break
		}
	}
	if strings.Count(got, "\n# Stacks\n") != 1 || strings.Contains(got, "\n#0 g()") {
		t.Errorf("a message has headings of its own:\n%s", got)
	}
}

// A report without frames of the project, and an empty report, have a prompt.
func TestPromptWithoutFrames(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	crashed := h.Commit("start", gittest.Files{"main.c": program})
	b := askedAt(h, crashed, "Traceback (most recent call last):\n  File \"/elsewhere/x.py\", line 1, in f\nValueError: x\n")
	r, s := b.trace(Options{}, accuse("main.c"))
	if pathsOf(r.Files) != "main.c" || r.Files[0].Probability <= 0 || !r.Answered || !strings.Contains(s.asked[0].Messages[1].Text, "ValueError: x\n") {
		t.Errorf("%+v\n%s", r.Files, s.asked[0].Messages[1].Text)
	}
	b.question.Report = &crash.Report{}
	b.rank()
	if got := b.first(Options{}).Messages[1].Text; !strings.Contains(got, "the report names no signal and no exception") {
		t.Errorf("%s", got)
	}
}

// Every turn of every case sends these texts again. They account for most of a short
// conversation's price.
func TestStandingPartIsShort(t *testing.T) {
	t.Parallel()
	const most = 9000
	req := newBench(t).first(Options{})
	n := len(req.Messages[0].Text)
	for _, tool := range req.Tools {
		n += len(tool.Name) + len(tool.Description) + len(tool.Parameters)
	}
	if n > most {
		t.Errorf("the system text and the tools have %d characters, more than %d", n, most)
	}
}

// The hash of the prompts covers everything that may be sent.
func TestPromptsHash(t *testing.T) {
	t.Parallel()
	one, err := PromptsHash()
	two, again := PromptsHash()
	if err != nil || again != nil || one != two || len(one) != 16 {
		t.Errorf("%q, %q, %v", one, two, err)
	}
}
