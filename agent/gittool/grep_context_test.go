package gittool

import (
	"fmt"
	"strings"
	"testing"
)

func TestGrepContext(t *testing.T) {
	// Lines around a match and the heading of its function are shown, each line once.
	t.Parallel()
	f := calcHistory(t)
	box := f.toolbox(Scope{}, Options{})
	got := f.answer(box, "git_grep", `{"pattern":"return","path":"src/calc.c","context":1}`)
	expects(t, got, "L4- {\n  L5: ", "L6- }", "in L8: int divide(int a, int b)\n")
	if strings.Count(got, "L11-") > 1 || strings.Count(got, "L6-") != 1 {
		t.Errorf("a line stands twice: %s", got)
	}
	expects(t, f.answer(box, "git_grep", `{"pattern":"add a","context":10}`), "no lines found")
	expects(t, f.answer(box, "git_grep", `{"pattern":"needle","context":10}`), "needle")
}

func TestGrepContextIsBounded(t *testing.T) {
	// Only the first of many matches get lines around them, and the answer says so.
	t.Parallel()
	f := newFixture(t)
	f.write("a.txt", strings.Repeat("hit\nother\nmiss\n", 1000))
	f.commit("one", "one")
	got := f.answer(f.toolbox(Scope{Tip: f.oid["one"]}, Options{}), "git_grep", `{"pattern":"hit","context":10,"max":1000}`)
	expects(t, got, "only 60 of the lines have context")
	if len(got) > 8000 {
		t.Errorf("the answer has %d bytes", len(got))
	}
}

func TestGrepShowsSomeFilesFirst(t *testing.T) {
	// The files that the caller names come first, and keep more of their lines in a short answer.
	t.Parallel()
	f := newFixture(t)
	for i := range 40 {
		f.write(fmt.Sprintf("a%02d.c", i), strings.Repeat(fmt.Sprintf("int hit%02d = use();\nint x;\n", i), 1)+strings.Repeat("hit(a, b, c, d, e, f);\nother();\n", 10))
	}
	var lines strings.Builder
	for i := range 25 {
		fmt.Fprintf(&lines, "hit(%d);\nother();\n", i)
	}
	f.write("z.c", lines.String())
	f.commit("one", "one")
	for _, first := range [][]string{nil, {"gone.c", "z.c"}} {
		got := f.answer(f.toolbox(Scope{Tip: f.oid["one"]}, Options{First: first}), "git_grep", `{"pattern":"hit","max":1000}`)
		at, shown := strings.Index(got, "\nz.c"), strings.Count(got, ": hit(")
		if begins := at > 0 && at < strings.Index(got, "\na00.c"); begins != (first != nil) || first != nil && !strings.Contains(got, "L5: hit(2);") {
			t.Errorf("%q first: z.c at %d, %d lines of it shown:\n%.1500s", first, at, shown, got)
		}
	}
}

func TestShowPattern(t *testing.T) {
	// Only hunks with the text are shown, without the message, and the others are
	// counted.
	t.Parallel()
	f := newFixture(t)
	text := strings.Repeat("line\n", 30)
	f.write("a.c", "first\n"+text+"last\n")
	f.write("b.c", "b\n")
	f.commit("one", "one")
	f.write("a.c", "first one\n"+text+"last one\n")
	f.write("b.c", "bb\n")
	f.commit("two", "two\n\nThe whole story.\n")
	box := f.toolbox(Scope{Tip: f.oid["two"]}, Options{})
	got := f.answer(box, "git_show", `{"commit":"{two}","pattern":"last"}`)
	expects(t, got, "+last one", "only hunks with 'last' are shown; 2 other hunk(s) are not, and 1 file(s) have none")
	if strings.Contains(got, "+first one") || strings.Contains(got, "whole story") {
		t.Errorf("too much in %s", got)
	}
	expects(t, f.answer(box, "git_show", `{"commit":"{two}","pattern":"-nowhere"}`), "no line of the 3 hunk(s) in 2 file(s)")
	expects(t, f.answer(box, "git_show", `{"commit":"{two}","pattern":"a","stat":true}`), "not both")
	expects(t, f.answer(box, "git_show", `{"commit":"{two}","pattern":"a\nb"}`), "must be one line")
}

// In a hunk that is too long to be shown, the lines with the text are shown, and those around them.
func TestShowPatternInALongHunk(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("a.c", "first\n")
	f.commit("one", "one")
	var b strings.Builder
	for i := range 900 {
		fmt.Fprintf(&b, "\tanother(%d, \"a line of some length\");\n", i)
		if i == 500 {
			b.WriteString("\tneedle(1);\n")
		}
	}
	f.write("a.c", "first\n"+b.String())
	f.commit("two", "two")
	got := f.answer(f.toolbox(Scope{Tip: f.oid["two"]}, Options{}), "git_show", `{"commit":"{two}","pattern":"needle"}`)
	expects(t, got, "+\tneedle(1);", "another(499,", "another(501,", "more changed lines)", "lines away from 'needle' left out")
	if strings.Contains(got, "another(1,") {
		t.Errorf("lines far away are shown in %s", got)
	}
}

// If the count of matches stops early, the count of files is a lower bound, too.
func TestGrepCountsNoMoreThanItRead(t *testing.T) {
	t.Parallel()
	v := &Grep{Pattern: "x", More: true, Total: maxGrepCount, Files: 12, Matches: []GrepMatch{{Path: "a"}}}
	if got, want := v.head(1), "1 line(s) in 1 file(s) (of 10000 or more in 12 or more: raise max, or give path)"; !strings.Contains(got, want) {
		t.Errorf("%q lacks %q", got, want)
	}
}

func TestGrepSharesItsAnswer(t *testing.T) {
	// If there are more lines than an answer has, a folder late in the alphabet is not lost, the folder
	// of a file that comes first has more of them, and the head says which folders to give.
	t.Parallel()
	f := newFixture(t)
	hits := strings.Repeat("hit(a);\n", 300)
	for _, p := range []string{"api/a.c", "api/b.c", "bin/c.c", "web/near.c", "web/trace.c", "zoo/z.c"} {
		f.write(p, fmt.Sprintf("int of_%s;\n", p[4:5])+hits)
	}
	f.write("lib/one.c", "hit(one);\n")
	f.commit("one", "one")
	count := func(got, file string) int { return strings.Count(got, string(f.oid["one"])+":"+file+":") }
	for _, first := range [][]string{nil, {"web/trace.c"}} {
		got := f.answer(f.toolbox(Scope{Tip: f.oid["one"]}, Options{First: first, Plain: true}), "git_grep", `{"pattern":"hit"}`)
		want := map[string]int{"api/a.c": 25, "api/b.c": 25, "bin/c.c": 50, "web/near.c": 25, "web/trace.c": 25, "zoo/z.c": 50, "lib/one.c": 1}
		if first != nil {
			want = map[string]int{"api/a.c": 13, "api/b.c": 12, "bin/c.c": 25, "web/near.c": 0, "web/trace.c": 125, "zoo/z.c": 24, "lib/one.c": 1}
		}
		for file, n := range want {
			if has := count(got, file); has < n-1 || has > n+1 {
				t.Errorf("%q first: %d lines of %s, want %d", first, has, file, n)
			}
		}
		if strings.Count(got, "hit(a);") < 190 {
			t.Errorf("%q first: a line has no text:\n%.500s", first, got)
		}
	}
	got := f.answer(f.toolbox(Scope{Tip: f.oid["one"]}, Options{}), "git_grep", `{"pattern":"hit"}`)
	expects(t, got, "(of 1801 in 7: raise max, or give path; a share of each folder is here, left out are 550 in api/, 550 in web/, ")
}

// TestGrepKeepsContextOfFewMatches has the table of users in the scripts of seven databases, as in
// Openfire, whose lines around the seven matches do not fit an answer.
func TestGrepKeepsContextOfFewMatches(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, db := range strings.Fields("db2 hsqldb mysql oracle postgresql sqlserver sybase") {
		text := "# the tables\n\n\nCREATE TABLE ofUser (\n"
		for i := range 12 {
			text += fmt.Sprintf("  column%02d            VARCHAR(64)     NOT NULL, -- %s\n", i, strings.Repeat(db, 4))
		}
		f.write("src/database/openfire_"+db+".sql", text+");\n")
	}
	f.commit("one", "one")
	got := f.answer(f.toolbox(Scope{Tip: f.oid["one"]}, Options{}), "git_grep", `{"pattern":"CREATE TABLE ofUser ","context":8,"path":"src/database"}`)
	expects(t, got, "openfire_db2.sql\n  L1- # the tables", "L12-   column07", "openfire_sybase.sql\n  L4: CREATE TABLE ofUser (",
		"[condensed: the lines around ", " of 7 line(s)", "To see more, give word=true, or a rarer pattern; page=1")
	if n := strings.Count(got, "column07"); n < 2 || len(got) > 3400 || strings.Contains(got, "give path") {
		t.Errorf("%d matches in context, %d bytes:\n%s", n, len(got), got)
	}
}

// TestGrepShowsShortLinesOfManyFiles has 39 short lines in 28 files, as the subclasses of JMenu in jitsi.
func TestGrepShowsShortLinesOfManyFiles(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i := range 28 {
		text := strings.Repeat("//\n", 20+i) + fmt.Sprintf("class Menu%02d extends JMenu\n", i)
		if i < 11 {
			text += "new JMenu(" + strings.Repeat("x", 40) + ")\n"
		}
		f.write(fmt.Sprintf("src/net/java/communicator/impl/gui/main/Menu%02d.java", i), text)
	}
	f.commit("one", "one")
	got := f.answer(f.toolbox(Scope{Tip: f.oid["one"]}, Options{}), "git_grep", `{"pattern":"(extends|new) JMenu","regex":true}`)
	expects(t, got, "39 line(s) in 28 file(s)")
	if n := strings.Count(got, " extends JMenu"); n < 12 || len(got) > 3400 || !strings.Contains(got, "Menu27.java") {
		t.Errorf("%d lines, %d bytes:\n%s", n, len(got), got)
	}
}
