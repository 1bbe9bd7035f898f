package gittool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/condense"
)

// longHistory has a long file, a large commit, and many commits on one
// function.
func longHistory(t *testing.T) *fixture {
	f := newFixture(t)
	body := func(i int) string {
		var b strings.Builder
		b.WriteString("int work(int x)\n{\n")
		for n := range 60 {
			fmt.Fprintf(&b, "\tx += step(%d, \"a line of some length\", %d);\n", n, i*(n%3))
		}
		b.WriteString("\treturn x;\n}\n")
		return b.String()
	}
	for i := range 12 {
		f.write("work.c", body(i))
		for n := range 40 {
			if i == 0 || i == 5 && n%2 == 0 {
				f.write(fmt.Sprintf("part/f%02d.c", n), fmt.Sprintf("int f%d(void)\n{\n\treturn step(%d, \"again a line of some length\", 0);\n}\n", n, i))
			}
		}
		f.commit(fmt.Sprintf("c%d", i), fmt.Sprintf("work: change number %d\n\nBecause of reason %d.\n", i, i))
	}
	return f
}

// condensed holds one call for each rule of condensation.
var condensed = [][2]string{
	{"git_blame", `{"path":"work.c"}`},
	{"git_show", `{"commit":"{c5}"}`},
	{"git_show", `{"commit":"{c0}"}`},
	{"git_show", `{"commit":"{c3}"}`},
	{"git_log_search", `{"pattern":"step","mode":"G"}`},
	{"git_log_function", `{"path":"work.c","function":"work"}`},
	{"git_grep", `{"pattern":"step"}`},
}

func TestCondensed(t *testing.T) {
	// Each tool condenses long answers by its own rule.
	f := longHistory(t)
	box := f.toolbox(Scope{Tip: f.oid["c11"]}, Options{})
	golden(t, "condensed.golden", f.transcript(box, condensed))
}

func TestEveryLevelIsShorter(t *testing.T) {
	// The levels of each tool shrink, name their omissions, and end; the last one too is
	// cut to its bound; the pages hold the omitted parts.
	f := longHistory(t)
	box := f.toolbox(Scope{Tip: f.oid["c11"]}, Options{})
	for _, c := range condensed {
		args := f.expand(c[1])
		res, err := box.Call(context.Background(), c[0], json.RawMessage(args))
		if err != nil {
			t.Fatal(err)
		}
		if !res.Truncated {
			t.Errorf("%s is not condensed", c)
			continue
		}
		body, notice, _ := strings.Cut(res.Text, "[condensed: ")
		room := condense.Room + 1000 // the legend's own room
		if c[0] == "git_log_function" {
			room = hitsRoom + bodyRoom
		}
		if condense.Runes(body) > room {
			t.Errorf("%s: %d characters", c, condense.Runes(body))
		}
		if strings.HasPrefix(notice, ".") || !strings.Contains(notice, "page=1") {
			t.Errorf("%s: the notice is %q", c, notice)
		}
		whole := ""
		for page := 1; ; page++ {
			paged := strings.TrimSuffix(args, "}") + fmt.Sprintf(`,"page":%d}`, page)
			res, err := box.Call(context.Background(), c[0], json.RawMessage(paged))
			if err != nil {
				t.Fatal(err)
			}
			whole += res.Text
			if !strings.Contains(res.Text, fmt.Sprintf("; page=%d goes on]", page+1)) {
				break
			}
		}
		if len(whole) <= len(body) {
			t.Errorf("%s: the pages hold %d bytes, the condensed form %d", c, len(whole), len(body))
		}
		checkLevels(t, c[0], res.Value)
	}
}

func checkLevels(t *testing.T, tool string, value any) {
	t.Helper()
	teller := value.(interface{ render(int) condense.Layout })
	last := lengthOf(teller.render(condense.Full))
	for level := condense.Full + 1; ; level++ {
		v := teller.render(level)
		n := lengthOf(v)
		// Blame keeps either few lines or narrow ones, and finally lists by commit:
		// neither of these levels is always the shorter one.
		if n > last && tool != "git_blame" {
			t.Errorf("%s: level %d has %d characters, the one before %d", tool, level, n, last)
		}
		if v.Missing == "" || v.Unit == "" {
			t.Errorf("%s: level %d does not say what it leaves out", tool, level)
		}
		if last = n; v.Last {
			return
		}
	}
}

func TestAskedRangeIsShown(t *testing.T) {
	// Blame of a requested range omits no line and cuts none.
	f := newFixture(t)
	var text strings.Builder
	for n := range 300 {
		fmt.Fprintf(&text, "\t\tx += step(%d, \"a line of some more length than sixty characters, %d\");\n", n, n)
		if n == 150 {
			f.write("work.c", text.String())
			f.commit("c0", "work: first half")
		}
	}
	f.write("work.c", text.String())
	f.commit("c1", "work: second half")
	box := f.toolbox(Scope{Tip: f.oid["c1"]}, Options{})
	res, err := box.Call(context.Background(), "git_blame", json.RawMessage(`{"path":"work.c","start":120,"end":190}`))
	if err != nil {
		t.Fatal(err)
	}
	for n := 119; n < 190; n++ {
		if line := fmt.Sprintf("| x += step(%d, \"a line of some more length than sixty characters, %d\");\n", n, n); !strings.Contains(res.Text, line) {
			t.Errorf("line %d is not shown", n+1)
		}
	}
	if !strings.Contains(res.Text, "give a shorter range") || strings.Contains(res.Text, "give start and end") {
		t.Errorf("the answer is\n%s", res.Text)
	}
}

func TestLongAskedRangeIsShownFromItsStart(t *testing.T) {
	// For a range that is too long, blame shows the first lines without a hole, names the
	// commits of the others, and says how to see them.
	f := newFixture(t)
	var text strings.Builder
	for n := range 600 {
		fmt.Fprintf(&text, "x += step(%d, \"a line of some length\");\n", n)
		if n == 549 {
			f.write("work.c", text.String())
			f.commit("c0", "work: most of it")
		}
	}
	f.write("work.c", text.String())
	f.commit("c1", "work: the end")
	box := f.toolbox(Scope{Tip: f.oid["c1"]}, Options{})
	next := 2
	for range 3 {
		res, err := box.Call(context.Background(), "git_blame", json.RawMessage(fmt.Sprintf(`{"path":"work.c","start":%d,"end":600}`, next)))
		if err != nil {
			t.Fatal(err)
		}
		if n := condense.Runes(res.Text); n > rangeRoom+1000 {
			t.Errorf("from line %d: %d characters", next, n)
		}
		first := next
		for strings.Contains(res.Text, fmt.Sprintf("| x += step(%d, \"a line of some length\");\n", next-1)) {
			next++
		}
		if next < first+180 && next < 600 {
			t.Errorf("only lines %d-%d are shown", first, next-1)
		}
		if next == 601 {
			return
		}
		for _, want := range []string{fmt.Sprintf("the code from L%d on", next), fmt.Sprintf("give start=%d and end=600", next),
			fmt.Sprintf("L%d-L550: %s\n", next, f.oid["c0"][:8]), fmt.Sprintf("L551-L600: %s\n", f.oid["c1"][:8])} {
			if !strings.Contains(res.Text, want) {
				t.Errorf("%q is missing in\n%s", want, res.Text)
			}
		}
	}
	t.Errorf("three calls end before line %d", next)
}

func TestEachHunkOfAPathIsShown(t *testing.T) {
	// For a file of any number of hunks, a call with path shows a part of each, in order
	// and under the head of its function.
	f := newFixture(t)
	body := func(step int) string {
		var b strings.Builder
		for n := range 25 {
			fmt.Fprintf(&b, "int f%02d(int x)\n{\n\tint y = 0;\n\tint z = 0;\n\n\tx++;\n", n)
			for l := range 12 {
				fmt.Fprintf(&b, "\tx += step(%d, \"%d of %d in a line of some length\");\n", step, l, n)
			}
			b.WriteString("\tz++;\n\ty++;\n\treturn x;\n}\n\n")
		}
		return b.String()
	}
	f.write("work.c", body(1))
	f.commit("c0", "work: begin")
	f.write("work.c", body(2))
	f.commit("c1", "work: step by two")
	box := f.toolbox(Scope{Tip: f.oid["c1"]}, Options{})
	res, err := box.Call(context.Background(), "git_show", json.RawMessage(fmt.Sprintf(`{"commit":%q,"path":"work.c"}`, f.oid["c1"])))
	if err != nil {
		t.Fatal(err)
	}
	last := 0
	for n := range 25 {
		at := strings.Index(res.Text, fmt.Sprintf("@@ int f%02d(int x)\n-\tx += step(1, \"0 of %d", n, n))
		if at <= last {
			t.Fatalf("hunk %d stands at %d of\n%s", n, at, res.Text)
		}
		last = at
	}
}

func TestFileOfAPathIsShown(t *testing.T) {
	// With the path of one file, 200 changed lines are shown whole. From more lines, the
	// first ones are shown without a hole.
	for _, test := range []struct{ lines, shown int }{{200, 200}, {600, 200}} {
		f := newFixture(t)
		f.write("other.c", "int x;\n")
		var text strings.Builder
		for n := range test.lines {
			fmt.Fprintf(&text, "int value%d = step(%d, \"a line\");\n", n, n)
		}
		f.write("work.c", text.String())
		f.commit("c0", "work: begin")
		box := f.toolbox(Scope{Tip: f.oid["c0"]}, Options{})
		res, err := box.Call(context.Background(), "git_show", json.RawMessage(fmt.Sprintf(`{"commit":%q,"path":"work.c"}`, f.oid["c0"])))
		if err != nil {
			t.Fatal(err)
		}
		shown := 0
		for strings.Contains(res.Text, fmt.Sprintf("\n+int value%d = ", shown)) {
			shown++
		}
		if shown < test.shown {
			t.Errorf("of %d lines %d are shown", test.lines, shown)
		}
		rest := test.lines - strings.Count(res.Text, "\n+int value")
		if more := fmt.Sprintf("\n... (+%d -0 more)\n", rest); rest > 0 && !strings.Contains(res.Text, more) {
			t.Errorf("%q is missing in\n%s", more, res.Text)
		}
		if rest > 0 != res.Truncated {
			t.Errorf("of %d lines %d are left out, truncated is %v", test.lines, rest, res.Truncated)
		}
	}
}

func TestSearchKeepsALineOfEachCommit(t *testing.T) {
	// A list of many commits still shows the change of the pattern in each.
	f := newFixture(t)
	for n := range 18 {
		f.write(fmt.Sprintf("lib/part/number%02d.c", n), fmt.Sprintf("int value%02d = step(%d, \"a line of a length that is above the average of lines\");\n", n, n))
		f.commit(fmt.Sprintf("c%d", n), fmt.Sprintf("lib: the part with the number %d has its value, and this subject is long", n))
	}
	box := f.toolbox(Scope{Tip: f.oid["c17"]}, Options{})
	res, err := box.Call(context.Background(), "git_log_search", json.RawMessage(`{"pattern":"step.[0-9]","mode":"G","path":"lib"}`))
	if err != nil {
		t.Fatal(err)
	}
	for n := range 18 {
		if line := fmt.Sprintf("+ lib/part/number%02d.c:1: int value%02d = step(%d", n, n, n); !strings.Contains(res.Text, line) {
			t.Errorf("%q is missing in\n%s", line, res.Text)
		}
	}
	if !res.Truncated {
		t.Error("nothing is left out")
	}
}

func TestFunctionIsShownWhereItWasCreated(t *testing.T) {
	// The answer has the body that a commit created, and some of the changed lines of the
	// newest and of the oldest change to it.
	f := newFixture(t)
	body := func(step int) string {
		var b strings.Builder
		b.WriteString("int work(int x)\n{\n")
		for n := range 50 {
			fmt.Fprintf(&b, "\tx += step%d(%d, \"a line of some length\");\n", step*(1-n%2), n)
		}
		b.WriteString("\treturn x;\n}\n")
		return b.String()
	}
	for i := range 20 {
		f.write("work.c", body(i))
		f.commit(fmt.Sprintf("c%d", i), fmt.Sprintf("work: a subject of some length for number %d", i))
	}
	box := f.toolbox(Scope{Tip: f.oid["c19"]}, Options{})
	res, err := box.Call(context.Background(), "git_log_function", json.RawMessage(`{"path":"work.c","function":"work"}`))
	if err != nil {
		t.Fatal(err)
	}
	_, created, _ := strings.Cut(res.Text, "(created here)\n")
	for n := range 50 {
		if line := fmt.Sprintf("+\tx += step0(%d, ", n); !strings.Contains(created, line) {
			t.Errorf("%q is missing where the function was created", line)
		}
	}
	for _, change := range [][2]int{{18, 19}, {0, 1}} {
		for _, n := range []int{0, 2, 4, 6} {
			for at, op := range []string{"-", "+"} {
				if line := fmt.Sprintf("\n%s\tx += step%d(%d, ", op, change[at], n); !strings.Contains(res.Text, line) {
					t.Errorf("%q is missing", line)
				}
			}
		}
	}
	if t.Failed() {
		t.Log(res.Text)
	}
}

func TestPagesOfAFunctionRepeatNoBody(t *testing.T) {
	// For all commits except the newest, the pages show only the lines near a change.
	h := Hunk{OldStart: 5, OldLines: 9, NewStart: 5, NewLines: 9,
		Lines: []string{" a", " b", " c", " d", "-e", "+E", " f", " g", " h", " i"}}
	v := &FunctionLog{Path: "work.c", Function: "a", Hits: []FunctionHit{{Hunks: []Hunk{h}}, {Hunks: []Hunk{h}}}}
	var got []string
	for _, b := range v.render(condense.Full).Blocks {
		if !strings.HasSuffix(b.Text, " +0 -0") {
			got = append(got, b.Text)
		}
	}
	want := append(append([]string{"@@ -5,9 +5,9 @@"}, h.Lines...), "@@ -6,7 +6,7 @@", " b", " c", " d", "-e", "+E", " f", " g", " h")
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFunctionLogSaysWhatItFollowed(t *testing.T) {
	// Git may take the head of a function for the whole function, and the answer must say
	// so.
	for _, test := range []struct {
		lines []string
		want  string
	}{
		{[]string{"+class A:", "+    x = 1"}, "\nnote: followed only lines 7-8, as of the newest of them; give start and end for a body"},
		{[]string{" class A:", "+    x = 1", "     y = 2", "     z = 3"}, "; followed lines 7-10, as of the newest of them"},
		{nil, ""},
	} {
		h := Hunk{OldStart: 7, NewStart: 7, NewLines: len(test.lines), Lines: test.lines}
		v := &FunctionLog{Function: "A", Hits: []FunctionHit{{Hunks: []Hunk{h}}}}
		if got := v.followed(); got != test.want {
			t.Errorf("%q: got %q, want %q", test.lines, got, test.want)
		}
	}
}

// lengthOf counts the characters of a layout without a legend.
func lengthOf(v condense.Layout) int {
	n := condense.Runes(v.Head) + 1
	for _, b := range v.Blocks {
		n += condense.Runes(b.Text) + 1
	}
	return n
}
