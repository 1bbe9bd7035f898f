package offline

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"git-agent/agent/crash"
	"git-agent/agent/crash/format"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

func init() { pastTime = time.Minute }

// crlfmt is the stack of crlfmt's issue 8, of a repository without tags.
const crlfmt = `panic: runtime error: invalid memory address or nil pointer dereference

goroutine 1 [running]:
main.checkPath(0xc42006a0c0, 0x12)
        /go/src/github.com/cockroachdb/crlfmt/main.go:%d +0x2f9
main.walk(0xc42006a0c0, 0x12)
        /go/src/github.com/cockroachdb/crlfmt/main.go:%d +0xbd
main.main()
        /go/src/github.com/cockroachdb/crlfmt/main.go:%d +0x28f
`

const crlfmtMain = `package main

func checkPath(path string) {
	for _, b := range fn.Body.List {
		check(b)
	}
}

func walk(path string) {
	checkPath(path)
}

func main() {
	walk(".")
}
`

// Of a report that tells no version, and of a repository whose releases do not fit or that has none, the newest change of
// the files is read that has all lines, and not the repair behind it.
func TestChangeThatFits(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	down := func(n int) string {
		return strings.Replace(crlfmtMain, "func checkPath", strings.Repeat("// crlfmt\n", n)+"func checkPath", 1)
	}
	h.Commit("one", gittest.Files{"main.go": crlfmtMain})
	h.Commit("print help", gittest.Files{"main.go": down(3)})
	culprit := h.Commit("walk all functions", gittest.Files{"main.go": down(5)})
	h.Commit("Fix panic on forward declaration", gittest.Files{"main.go": strings.Replace(down(5), "range fn", "range body(fn)", 1)})
	onlyRepair := h.Commit("fix the help", gittest.Files{"main.go": down(9)})
	h.Commit("move it", gittest.Files{"main.go": gittest.Gone, "cmd/crlfmt/main.go": down(20)})
	head := h.Commit("more", gittest.Files{"cmd/crlfmt/main.go": down(30)})
	repo := h.Open()
	at := func(n int) string { return fmt.Sprintf(crlfmt, 4+n, 10+n, 14+n) }
	for name, test := range map[string]struct {
		text string
		want gitext.OID
	}{
		"before the repair":        {at(5), culprit},
		"the only one is a repair": {at(9), onlyRepair},
		"HEAD":                     {at(30), head},
		"no change":                {at(12), head},
		"one line":                 {strings.Join(strings.SplitAfter(at(5), "\n")[:5], ""), head},
	} {
		report, err := format.Read(strings.NewReader(test.text))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Rank(t.Context(), repo, crash.Question{Report: report})
		if err != nil {
			t.Fatal(err)
		}
		noted := strings.Contains(strings.Join(got.Notes, "\n"), "the newest such change of these files")
		if got.Commit != test.want || noted != (test.want != head) {
			t.Errorf("%s: at %s (%s), want %s; fit %+v, notes %q", name, got.Commit.Short(), got.CommitFrom, test.want.Short(), got.Fit, got.Notes)
		}
	}
}

// The text of a line is enough if the report has only one frame in the repository, as MuckRock/muckrock#151 and craibo/ha_strava#157.
func TestQuotedLineThatFits(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	tasks := func(before int, line string) string {
		return strings.Repeat("import os\n", before) + "def upload(doc):\n    params = {\n        'related_article': (URL +\n" + line + "    }\n"
	}
	const link = "            doc.get_foia().get_absolute_url()).encode('utf8'),\n"
	h.Commit("one", gittest.Files{"foia/tasks.py": tasks(1, link)})
	want := h.Commit("two", gittest.Files{"foia/tasks.py": tasks(5, link)})
	h.Commit("three", gittest.Files{"foia/tasks.py": tasks(7, link)})
	head := h.Commit("four", gittest.Files{"foia/tasks.py": tasks(5, "            doc.url(),\n")})
	repo := h.Open()
	for line, commit := range map[int]gitext.OID{9: want, 30: head} {
		report, err := format.Read(strings.NewReader(fmt.Sprintf(
			"Traceback (most recent call last):\n  File \"/app/foia/tasks.py\", line %d, in upload\n"+
				"    doc.get_foia().get_absolute_url()).encode('utf8'),\nAttributeError: 'NoneType' object has no attribute 'get_absolute_url'\n",
			line,
		)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Rank(t.Context(), repo, crash.Question{Report: report})
		if err != nil {
			t.Fatal(err)
		}
		if got.Commit != commit {
			t.Errorf("line %d: at %s (%s), want %s; fit %+v, notes %q", line, got.Commit.Short(), got.CommitFrom, commit.Short(), got.Fit, got.Notes)
		}
	}
}

// If a repair fits, and the search ends before all older changes are compared, it says so.
func TestRepairThatFitsBeforeTheSearchIsCut(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("one", gittest.Files{"main.go": "\n" + crlfmtMain})
	culprit := h.Commit("two", gittest.Files{"main.go": "// Crlfmt formats Go.\n" + crlfmtMain})
	repair := h.Commit("fix the check", gittest.Files{"main.go": "// Crlfmt formats Go code.\n" + crlfmtMain})
	report, err := format.Read(strings.NewReader(fmt.Sprintf(crlfmt, 5, 11, 15)))
	if err != nil {
		t.Fatal(err)
	}
	for left, want := range map[int]struct {
		state gitext.OID
		cut   bool
	}{1: {repair, true}, 2: {culprit, false}} {
		s := pastSearch{ctx: t.Context(), repo: h.Open(), report: report, tip: repair, files: 1, left: left}
		state, err := s.newest()
		if state != want.state || s.cut != want.cut || err != nil {
			t.Errorf("%d changes: %s, cut off: %t, %v; want %s, %t", left, state.Short(), s.cut, err, want.state.Short(), want.cut)
		}
	}
}

// A report with a day is read at the last commit before that day, also if the code of HEAD has its lines by chance: what
// was committed on the day may be the repair, as in xcode-plugin's pull request 41 and in heminetwork's issue 191. If a line is elsewhere
// before the day, it is of a commit of the day.
func TestCommitBeforeTheDay(t *testing.T) {
	t.Parallel()
	const day = 24 * 3600
	h := gittest.New(t)
	h.Commit("one", gittest.Files{"main.go": crlfmtMain})
	h.Time += 10 * day
	before := h.Commit("walk", gittest.Files{"main.go": "// Crlfmt formats Go.\n" + crlfmtMain})
	h.Time += 10 * day
	h.Commit("Check for no body", gittest.Files{"main.go": "// Crlfmt formats Go.\n" + strings.Replace(crlfmtMain, "range fn", "range body(fn)", 1)})
	longer := h.Commit("longer", gittest.Files{"main.go": "// Crlfmt formats Go.\n\n\n" + crlfmtMain})
	h.Time += 10 * day
	head := h.Commit("other", gittest.Files{"main.go": "// Crlfmt formats Go.\n" + strings.Replace(crlfmtMain, "range fn", "range body(fn)", 1)})
	repo := h.Open()
	posted := time.Unix(int64(h.Time-10*day), 0).UTC().Format("Jan 2, 2006")
	for name, test := range map[string]struct {
		text string
		want gitext.OID
	}{
		"before the day": {"egorse opened this issue on " + posted + "\n" + fmt.Sprintf(crlfmt, 5, 11, 15), before},
		"of the day":     {"egorse opened this issue on " + posted + "\n" + fmt.Sprintf(crlfmt, 7, 13, 17), longer},
		"no day":         {fmt.Sprintf(crlfmt, 5, 11, 15), head},
	} {
		report, err := format.Read(strings.NewReader(test.text))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Rank(t.Context(), repo, crash.Question{Report: report})
		if err != nil {
			t.Fatal(err)
		}
		if got.Commit != test.want {
			t.Errorf("%s: at %s (%s), want %s; fit %+v, notes %q", name, got.Commit.Short(), got.CommitFrom, test.want.Short(), got.Fit, got.Notes)
		}
	}
}

// Frames without places are read at the last commit before the day, too, as in StackTraceExplorer's issue 5: at HEAD, the innermost
// method has another name. A time from which no commit has as many of the functions is that of something else.
func TestNamesOfTheDay(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	const text = "class CustomText\n{\n    protected override void OnMouseDown(EventArgs e)\n    {\n        ClickFunction(Link);\n    }\n}\n"
	h.Commit("one", gittest.Files{"README": "links\n"})
	h.Time += 10 * 24 * 3600
	before := h.Commit("two", gittest.Files{
		"ClickHelper.cs": "static class ClickHelper\n{\n    public static bool HandleLink(string[] input)\n    {\n        return true;\n    }\n}\n",
		"CustomText.cs":  text,
	})
	h.Time += 10 * 24 * 3600
	head := h.Commit("three", gittest.Files{
		"ClickHelper.cs": "static class ClickHelper\n{\n    public static bool HandleMember(string[] input)\n    {\n        return true;\n    }\n}\n",
	})
	repo := h.Open()
	for days, want := range map[int]gitext.OID{5: before, 15: head} {
		report, err := format.Read(strings.NewReader(fmt.Sprintf(
			"me opened this issue on %s\nException Info: System.IO.FileNotFoundException\n   at Explorer.ClickHelper.HandleLink(System.String[])\n"+
				"   at Explorer.CustomText.OnMouseDown(System.EventArgs)\n",
			time.Unix(int64(h.Time-days*24*3600), 0).UTC().Format("Jan 2, 2006"),
		)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Rank(t.Context(), repo, crash.Question{Report: report})
		if err != nil {
			t.Fatal(err)
		}
		if got.Commit != want {
			t.Errorf("%d days before: at %s (%s), want %s; notes %q", days, got.Commit.Short(), got.CommitFrom, want.Short(), got.Notes)
		}
	}
}

// The code of a report may be what a merge made of two branches, as in Parisson/TimeSide#90: no change has its lines at their places.
func TestMergeThatFits(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("one", gittest.Files{"main.go": crlfmtMain})
	h.Git("checkout", "-q", "-b", "side")
	h.Commit("say what it is", gittest.Files{"main.go": "// Crlfmt formats Go.\n" + crlfmtMain})
	h.Git("checkout", "-q", "-")
	h.Commit("check all lists", gittest.Files{"main.go": strings.Replace(crlfmtMain, "\nfunc walk", "\n// walk walks.\nfunc walk", 1)})
	h.Git("merge", "-q", "--no-ff", "-m", "Merge branch 'side'", "side")
	want := h.Head()
	h.Commit("check for no body", gittest.Files{"main.go": strings.Replace(crlfmtMain, "range fn", "range body(fn)", 1)})
	report, err := format.Read(strings.NewReader(fmt.Sprintf(crlfmt, 5, 12, 16)))
	if err != nil {
		t.Fatal(err)
	}
	got, err := Rank(t.Context(), h.Open(), crash.Question{Report: report})
	if err != nil {
		t.Fatal(err)
	}
	if got.Commit != want {
		t.Errorf("at %s (%s), want %s; fit %+v, notes %q", got.Commit.Short(), got.CommitFrom, want.Short(), got.Fit, got.Notes)
	}
}

// A report with a day is read at that day if HEAD has none of its files, as of TotalFreedomMod's issue 549: the package
// has another name now. Its lines are those of an older commit, which has moved them.
func TestPackageOfTheDay(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	const old, now = "src/me/StevenLawson/TFM_UuidManager.java", "src/me/totalfreedom/UuidManager.java"
	manager := strings.NewReplacer("AbstractCharInputReader", "TFM_UuidManager", "com.univocity.parsers.common", "me.StevenLawson").Replace(charReader)
	fits := h.Commit("one", gittest.Files{old: manager})
	moved := h.Commit("longer", gittest.Files{old: strings.Replace(manager, "public class", "\n\n\n\npublic class", 1)})
	h.Time += 400 * 24 * 3600
	head := h.Commit("rename the package", gittest.Files{old: gittest.Gone, now: "package me.totalfreedom;\n\nclass UuidManager {\n}\n"})
	repo := h.Open()
	const stack = "java.lang.NullPointerException\nat me.StevenLawson.TFM_UuidManager.getString(TFM_UuidManager.java:%d)\n" +
		"at me.StevenLawson.TFM_UuidManager.parseRecord(TFM_UuidManager.java:%d)\nat me.StevenLawson.TFM_UuidManager.parseNext(TFM_UuidManager.java:%d)\n"
	for name, test := range map[string]struct {
		text string
		want gitext.OID
	}{
		"the day":       {fmt.Sprintf("2020-10-01 15:59:23 "+stack, 9, 16, 20), moved},
		"before it":     {fmt.Sprintf("2020-10-01 15:59:23 "+stack, 5, 12, 16), fits},
		"another":       {fmt.Sprintf("2020-10-01 15:59:23 "+stack, 6, 14, 18), moved},
		"without one":   {fmt.Sprintf(stack, 5, 12, 16), fits},
		"no such class": {strings.ReplaceAll(fmt.Sprintf(stack, 5, 12, 16), "StevenLawson.", "Steven."), head},
	} {
		report, err := format.Read(strings.NewReader(test.text))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Rank(t.Context(), repo, crash.Question{Report: report})
		if err != nil {
			t.Fatal(err)
		}
		if got.Commit != test.want {
			t.Errorf("%s: at %s (%s), want %s; fit %+v, notes %q", name, got.Commit.Short(), got.CommitFrom, test.want.Short(), got.Fit, got.Notes)
		}
	}
}

// A time in a report may be that of something else, as of a test's data: code of which no line can be compared is no better than
// code that has the lines.
func TestCodeOfAnotherTime(t *testing.T) {
	for _, test := range []struct {
		day, found crash.Fit
		want       bool
	}{
		{crash.Fit{}, crash.Fit{Same: 2}, false},
		{crash.Fit{Same: 2}, crash.Fit{Same: 2}, true},
		{crash.Fit{}, crash.Fit{}, true},
		{crash.Fit{}, crash.Fit{Same: 2, Moved: 1}, true},
		{crash.Fit{Same: 3, Moved: 1}, crash.Fit{Same: 2, Moved: 2}, false},
	} {
		if got := (dayCommit{commit: "1", fit: test.day}).fits(test.found); got != test.want {
			t.Errorf("%+v where another has %+v: %v", test.day, test.found, got)
		}
	}
	if (dayCommit{}).fits(crash.Fit{}) {
		t.Error("no commit fits")
	}
}

// A panic of Rust without a stack is read at the newest change where its line has the text of its message, as in nushell/nushell#13118.
func TestChangeWithTheMessage(t *testing.T) {
	t.Parallel()
	const text = "fn get_span(&self) -> Span {\n    self.spans.get(0).expect(\"internal error: missing span\")\n}\n"
	h := gittest.New(t)
	h.Commit("one", gittest.Files{"engine.rs": strings.Replace(text, ".expect(\"internal error: missing span\")", ".unwrap()", 1)})
	want := h.Commit("span ids", gittest.Files{"engine.rs": text})
	h.Commit("another version", gittest.Files{"engine.rs": "fn other() {\n    1\n}\n\n" + text})
	report, err := format.Read(strings.NewReader("Error:   × Main thread panicked.\n  ├─▶ at engine.rs:2:14\n  ╰─▶ internal error: missing span\n"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := Rank(t.Context(), h.Open(), crash.Question{Report: report, Suspects: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got.Commit != want || len(got.Suspects) != 1 || got.Suspects[0].Commit.OID != want {
		t.Errorf("at %s from %q, suspects %+v; want %s", got.Commit.Short(), got.CommitFrom, got.Suspects, want.Short())
	}
}
