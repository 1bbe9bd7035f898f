package gitext

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"git-agent/gitext/gitcmd"
	"git-agent/gitext/quote"
)

// busyHistory has a file with functions that many commits touch, is renamed,
// and gets lines from another file; and a side branch.
func busyHistory(f *fixture) {
	body := func(a, b string) string {
		return "int first(int x)\n{\n\treturn " + a + ";\n}\n\nint second(int y)\n{\n\tint needle = " + b + ";\n\treturn needle;\n}\n"
	}
	f.write("a.c", body("1", "1"))
	f.write("other.c", "int other(void)\n{\n\treturn 0;\n}\n")
	f.commit("begin")
	f.write("a.c", body("2", "1"))
	f.commit("change first")
	f.git("checkout", "-q", "-b", "side")
	f.write("side.c", "needle\nneedle\n")
	f.commit("side work")
	f.git("checkout", "-q", "main")
	f.write("a.c", body("2", "2"))
	f.commit("change second")
	f.git("mv", "a.c", "b.c")
	f.commit("rename")
	f.write("b.c", body("3", "2")+"\nint other(void)\n{\n\treturn 0;\n}\n")
	f.write("other.c", "")
	f.commit("move other")
	f.clock += 60
	f.git("merge", "-q", "--no-ff", "-m", "merge side", "side")
	f.write("b.c", strings.ReplaceAll(body("3", "4"), "\t", "    ")+"\nint other(void)\n{\n    return 0;\n}\n")
	f.commit("spaces")
}

func TestLogsAreGits(t *testing.T) {
	// Every kind of listing gives the commits of plain git log, in its order.
	f := newFixture(t)
	busyHistory(f)
	r := f.open()
	head, second := f.oid("HEAD"), f.oid("HEAD~4")
	since, until := time.Unix(f.clock-180, 0), time.Unix(f.clock-60, 0)
	for name, c := range map[string]struct {
		opt  LogOptions
		args []string
	}{
		"all":     {LogOptions{Tip: head}, nil},
		"not":     {LogOptions{Tip: head, Not: []OID{second}}, []string{"^" + string(second)}},
		"path":    {LogOptions{Tip: head, Paths: []string{"b.c"}}, []string{"--", "b.c"}},
		"paths":   {LogOptions{Tip: head, Paths: []string{"b.c", "side.c"}}, []string{"--", "b.c", "side.c"}},
		"follow":  {LogOptions{Tip: head, Paths: []string{"b.c"}, Follow: true}, []string{"--follow", "--", "b.c"}},
		"since":   {LogOptions{Tip: head, Since: since}, []string{fmt.Sprint("--since=@", since.Unix())}},
		"until":   {LogOptions{Tip: head, Until: until}, []string{fmt.Sprint("--until=@", until.Unix())}},
		"max":     {LogOptions{Tip: head, Max: 3}, []string{"-3"}},
		"nomerge": {LogOptions{Tip: head, NoMerges: true, Files: true}, []string{"--no-merges"}},
		"none":    {LogOptions{Tip: head, Paths: []string{"no such file"}}, []string{"--", "no such file"}},
	} {
		got := entryOIDs(collect(t, r.Log(t.Context(), c.opt)))
		equal(t, name, got, oidLines(f.git(append([]string{"log", "--format=%H", string(head)}, c.args...)...)))
	}
}

func TestLogEntriesAreComplete(t *testing.T) {
	// An entry has the commit's metadata and, with Files, its changed files.
	f := newFixture(t)
	oddHistory(f)
	r := f.open()
	entries := collect(t, r.Log(t.Context(), LogOptions{Tip: f.oid("HEAD"), Files: true}))
	if len(entries) != 3 {
		t.Fatalf("%d entries", len(entries))
	}
	for i, e := range entries {
		c, err := r.Commit(t.Context(), e.OID)
		if err != nil || e.Subject != c.Subject() || e.AuthorName != c.Author.Name || e.AuthorEmail != c.Author.Email ||
			!e.AuthorTime.Equal(c.Author.Time) || !e.CommitTime.Equal(c.Committer.Time) || !slices.Equal(e.Parents, c.Parents) {
			t.Errorf("got %+v of %+v, %v", e, c, err)
		}
		var names []string
		for _, file := range e.Files {
			names = append(names, file.OldPath)
			if want := "RMA"[i]; file.Status != want {
				t.Errorf("%q has status %c, want %c", file.NewPath, file.Status, want)
			}
		}
		want := slices.Clone(oddPaths)
		slices.Sort(want)
		slices.Sort(names)
		equal(t, e.Subject, names, want)
	}
}

func TestPickaxe(t *testing.T) {
	// -S and -G list what plain git lists, for texts that look like options
	// and expressions too.
	f := newFixture(t)
	busyHistory(f)
	f.write("x", "--output=/x a.b (c\n")
	f.commit("odd texts")
	f.write("x", "\n")
	f.commit("without them")
	r := f.open()
	head := f.oid("HEAD")
	for _, needle := range []string{"needle", "needle = 2", "--output=/x", "a.b", "(c", "return", "\xff", "gone for good"} {
		opt := PickaxeOptions{LogOptions: LogOptions{Tip: head}, Needle: needle}
		got := entryOIDs(collect(t, r.LogS(t.Context(), opt)))
		equal(t, "-S"+needle, got, oidLines(f.git("log", "--format=%H", "-S"+needle, string(head))))
		if _, err := regexp.CompilePOSIX(needle); err != nil {
			continue
		}
		got = entryOIDs(collect(t, r.LogG(t.Context(), opt)))
		equal(t, "-G"+needle, got, oidLines(f.git("log", "--format=%H", "-G"+needle, string(head))))
	}
	opt := PickaxeOptions{LogOptions: LogOptions{Tip: head, Paths: []string{"side.c"}, Files: true}, Needle: "needle"}
	if got := collect(t, r.LogS(t.Context(), opt)); len(got) != 1 || len(got[0].Files) != 1 || got[0].Files[0].NewPath != "side.c" {
		t.Errorf("with a path: %+v", got)
	}
	for _, bad := range []string{"", "a\x00b"} {
		for _, err := range r.LogS(t.Context(), PickaxeOptions{LogOptions: LogOptions{Tip: head}, Needle: bad}) {
			if err == nil {
				t.Errorf("%q was accepted", bad)
			}
		}
	}
	for _, err := range r.LogG(t.Context(), PickaxeOptions{LogOptions: LogOptions{Tip: head}, Needle: "(open"}) {
		if !errors.As(err, new(*gitcmd.Error)) {
			t.Errorf("a broken expression: %v", err)
		}
	}
}

func TestLogL(t *testing.T) {
	// The history of a function or of lines is that of plain git log -L,
	// through the rename, with the same patch text.
	f := newFixture(t)
	busyHistory(f)
	r := f.open()
	head := f.oid("HEAD")
	for _, c := range []struct {
		opt LogLOptions
		arg string
	}{
		{LogLOptions{Start: 1, End: 4}, "1,4:b.c"},
		{LogLOptions{Function: "second"}, ":second:b.c"},
		{LogLOptions{Function: "first", Max: 2}, ":first:b.c"},
		{LogLOptions{Function: "^int second(int"}, ":^int second(int:b.c"},
	} {
		c.opt.Tip, c.opt.Path, c.opt.Patch = head, "b.c", true
		args := []string{"-c", "core.attributesFile=" + r.shadow.Attributes, "log", "--format=tformat:%x00%H", "-L" + c.arg, string(head)}
		if c.opt.Max > 0 {
			args = slices.Insert(args, 3, fmt.Sprint("-", c.opt.Max))
		}
		var want strings.Builder
		for record := range strings.SplitSeq(f.git(args...), "\x00") {
			want.WriteString(strings.Replace(record, "\n\n", "\n", 1)) // the break between head and patch
		}
		var got strings.Builder
		for _, e := range collect(t, r.LogL(t.Context(), c.opt)) {
			fmt.Fprintf(&got, "%s\n%s", e.OID, e.Patch)
		}
		if strings.TrimSpace(got.String()) != strings.TrimSpace(want.String()) {
			t.Errorf("%s:\n got %s\nwant %s", c.arg, got.String(), want.String())
		}
		c.opt.Patch = false
		for _, e := range collect(t, r.LogL(t.Context(), c.opt)) {
			if e.Patch != nil || e.Subject == "" {
				t.Errorf("without patch: %+v", e)
			}
		}
	}
	for _, opt := range []LogLOptions{{Path: "b.c", Function: "no such function"}, {Path: "gone.c", Start: 1, End: 2}, {Path: "b.c", Start: 1000, End: 1001}} {
		opt.Tip = head
		for _, err := range r.LogL(t.Context(), opt) {
			if !errors.Is(err, ErrNotExist) {
				t.Errorf("%+v: got %v, want ErrNotExist", opt, err)
			}
		}
	}
}

// languages has, for each of our drivers, a file, the name of a function in the
// file, and the function's number of lines.
var languages = []struct {
	file, text, function string
	lines                int
}{
	{"a.js", "const x = 1;\nfunction foo(a) {\n  if (a) {\n    b();\n  }\n}\nclass K {\n  bar(x, y) {\n    return x;\n  }\n  async baz() {\n    z();\n  }\n}\nconst arrow = async (q) => {\n  q();\n};\n", "bar", 3},
	{"b.js", "const x = 1;\nfunction foo(a) {\n  if (a) {\n    b();\n  }\n}\nvar o = {\n  run: function (a) {\n    return a;\n  },\n};\n", "foo", 6},
	{"c.mjs", "const arrow = async (q) => {\n  if (q) {\n    q();\n  }\n};\nexport default function main() {\n}\n", "arrow", 5},
	{"a.ts", "export class K<T> {\n  private async foo(a: number): Promise<void> {\n    if (a) {\n      return;\n    }\n  }\n  bar<T>(x: T): T {\n    return x;\n  }\n}\n", "foo", 5},
	{"b.tsx", "export interface P {\n  a: string;\n}\nexport const View = (p: P): Node => {\n  return p;\n};\n", "View", 3},
	{"a.lua", "local x = 1\nlocal function foo(a)\n  return a\nend\nM.bar = function(b)\n  return b\nend\n", "foo", 3},
	{"a.swift", "class K {\n  private func foo(a: Int) -> Int {\n    return a\n  }\n  func bar() {\n  }\n}\n", "foo", 3},
	{"a.scala", "object K {\n  def foo(a: Int): Int = {\n    a\n  }\n  def bar = 1\n}\n", "foo", 3},
	{"a.groovy", "class K {\n  def foo(a) {\n    return a\n  }\n  void bar(int b) {\n  }\n}\n", "foo", 3},
	{"a.dart", "class K {\n  int foo(int a) {\n    return a;\n  }\n  void bar() {\n  }\n}\n", "foo", 3},
	{"a.zig", "pub fn foo(a: i32) i32 {\n    return a;\n}\nfn bar() void {\n}\n", "foo", 3},
	{"a.erl", "foo(A) ->\n    A.\n\nbar(B) ->\n    B.\n", "foo", 3},
	{"a.hs", "foo :: Int -> Int\nfoo a = a\n\nbar :: Int\nbar = 1\n", "foo", 3},
	{"a.R", "foo <- function(a) {\n  a\n}\nbar <- function(b) b\n", "foo", 3},
	{"a.tcl", "proc foo {a} {\n  return $a\n}\nproc bar {} {}\n", "foo", 3},
	{"a.ps1", "function Foo-Bar {\n  1\n}\nfunction Other {\n}\n", "Foo-Bar", 3},
	{"CMakeLists.txt", "function(foo a)\n  bar()\nendfunction()\nmacro(other)\nendmacro()\n", "foo", 3},
	{"Makefile", "X := 1\nall: foo\n\tcc\n\nclean:\n\trm\n", "all", 3},
	{"a.toml", "[one]\na = 1\n[two]\nb = 2\n", "one", 2},
	{"a.proto", "message A {\n  int32 a = 1;\n}\nmessage B {\n}\n", "A", 3},
	{"a.sol", "contract K {\n  function foo(uint a) public {\n    a;\n  }\n  function bar() public {\n  }\n}\n", "foo", 3},
	{"a.ml", "let foo a =\n  a\n\nlet bar = 1\n", "foo", 3},
	{"a.vim", "function! Foo(a)\n  return a:a\nendfunction\nfunction! Bar()\nendfunction\n", "Foo", 3},
	{"a.sql", "CREATE TABLE foo (\n  a int\n);\nCREATE TABLE bar (\n  b int\n);\n", "foo", 3},
	{"a.cpp", "int K::foo(int a)\n{\n\treturn a;\n}\n\nint K::bar(int b)\n{\n\treturn b;\n}\n", "K::foo", 5},
	{"colon:in:name.c", "int foo(int a)\n{\n\treturn a;\n}\n\nint bar(int b)\n{\n\treturn b;\n}\n", "bar", 4},
	{"a.py", "class K:\n    def foo(self):\n        return 1\n\n    def bar(self):\n        pass\n", "foo", 3},
	{"a.rb", "class K\n  def foo\n    1\n  end\n  def bar\n  end\nend\n", "foo", 3},
	{"a.php", "<?php\nclass K {\n    public function foo() {\n        return 1;\n    }\n    public function bar() {\n    }\n}\n", "foo", 3},
	{"a.go", "package a\n\nfunc foo() {\n\tx()\n}\n\nfunc bar() {}\n", "foo", 4},
	{"a.rs", "impl K {\n    pub fn foo(&self) -> i32 {\n        1\n    }\n    fn bar() {}\n}\n", "foo", 3},
	{"A.java", "class A {\n    public int foo(int a) {\n        return a;\n    }\n    void bar() {\n    }\n}\n", "foo", 3},
}

func TestFunctionsInEveryLanguage(t *testing.T) {
	// log -L :function: and -W find functions in languages without a driver in
	// this git, or without a driver in .gitattributes.
	f := newFixture(t)
	for _, l := range languages {
		f.write(l.file, l.text)
	}
	f.commit("all languages")
	r := f.open()
	head := f.oid("HEAD")
	for _, l := range languages {
		var got []LogLEntry
		for e, err := range r.LogL(t.Context(), LogLOptions{Tip: head, Path: l.file, Function: l.function, Patch: true}) {
			if err != nil {
				t.Errorf("%s: %v", l.file, err)
				continue
			}
			got = append(got, e)
		}
		if len(got) != 1 {
			continue
		}
		if n := strings.Count(string(got[0].Patch), "\n+") - 1; n != l.lines { // less the +++ line
			t.Errorf("%s: %s has %d lines, want %d:\n%s", l.file, l.function, n, l.lines, got[0].Patch)
		}
	}
}

func TestBlameIsGits(t *testing.T) {
	// Every combination of options gives the lines of git blame --porcelain.
	f := newFixture(t)
	busyHistory(f)
	r := f.open()
	head := f.oid("HEAD")
	for _, c := range []struct {
		opt  BlameOptions
		args []string
	}{
		{BlameOptions{}, nil},
		{BlameOptions{IgnoreSpace: true}, []string{"-w"}},
		{BlameOptions{Moves: true}, []string{"-M"}},
		{BlameOptions{Copies: 2, IgnoreSpace: true}, []string{"-C", "-C", "-w"}},
		{BlameOptions{Ranges: []LineRange{{2, 3}, {8, 8}}}, []string{"-L2,3", "-L8,8"}},
		{BlameOptions{IgnoreRevs: []OID{head}}, []string{"--ignore-rev", string(head)}},
	} {
		got, err := r.Blame(t.Context(), head, "b.c", c.opt)
		if err != nil {
			t.Fatal(err)
		}
		compareBlame(t, got, f.git(append([]string{"blame", "--line-porcelain", "--root"}, append(c.args, string(head), "--", "b.c")...)...))
	}
}

// compareBlame reads git's longer format, which repeats all headers for each
// line.
func compareBlame(t *testing.T, got []BlameLine, porcelain string) {
	t.Helper()
	i := 0
	var want BlameLine
	for line := range strings.Lines(porcelain) {
		line = strings.TrimSuffix(line, "\n")
		key, value, _ := strings.Cut(line, " ")
		switch {
		case strings.HasPrefix(line, "\t"):
			if i >= len(got) {
				t.Fatalf("only %d lines", len(got))
			}
			want.Text = []byte(line[1:])
			if g := got[i]; g.Commit != want.Commit || g.Path != want.Path || g.Line != want.Line || g.OrigLine != want.OrigLine ||
				string(g.Text) != line[1:] || g.Previous != want.Previous || g.PreviousPath != want.PreviousPath {
				t.Errorf("line %d:\n got %+v\nwant %+v", i, g, want)
			}
			i++
		case key == "filename":
			want.Path, _ = quote.Unquote(value)
		case key == "previous":
			oid, path, _ := strings.Cut(value, " ")
			want.Previous = OID(oid)
			want.PreviousPath, _ = quote.Unquote(path)
		case OID(key).valid() == nil:
			want = BlameLine{Commit: OID(key)}
			fmt.Sscan(value, &want.OrigLine, &want.Line)
		}
	}
	if i != len(got) {
		t.Errorf("%d lines, git has %d", len(got), i)
	}
}

func TestBlameOfOddFiles(t *testing.T) {
	// The files have odd names, no line break at the end, CRLF, NUL or no lines.
	f := newFixture(t)
	oddHistory(f)
	f.write("end", "a\nb")
	f.write("crlf", "a\r\n\r\n")
	f.write("nul", "a\x00b\n")
	f.write("empty", "")
	f.write("long", strings.Repeat("y", 300_000)+"\n")
	head := f.commit("odd contents")
	r := f.open()
	for _, p := range oddPaths {
		lines, err := r.Blame(t.Context(), head, p+".moved", BlameOptions{})
		changed := len(lines) - 4 // the name is in the first line, or two
		if err != nil || len(lines) < 6 || lines[0].Path != p || lines[0].Commit != f.oid("HEAD~3") || lines[changed].PreviousPath != p {
			t.Errorf("%q: %+v, %v", p, lines, err)
		}
	}
	for path, want := range map[string][]string{"end": {"a", "b"}, "crlf": {"a\r", "\r"}, "nul": {"a\x00b"}, "empty": nil, "long": {strings.Repeat("y", 300_000)}} {
		lines, err := r.Blame(t.Context(), head, path, BlameOptions{})
		var got []string
		for _, l := range lines {
			got = append(got, string(l.Text))
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %d lines, %v", path, len(got), err)
		}
	}
	for _, path := range []string{"nope", "../x", "", "/etc/passwd", "a b", "--contents=/etc/passwd"} {
		if lines, err := r.Blame(t.Context(), head, path, BlameOptions{}); err == nil || path != "" && !errors.Is(err, ErrNotExist) {
			t.Errorf("%q: %d lines, %v", path, len(lines), err)
		}
	}
	for _, span := range []LineRange{{0, 1}, {2, 1}, {-1, 5}, {100, 200}} {
		if _, err := r.Blame(t.Context(), head, "end", BlameOptions{Ranges: []LineRange{span}}); err == nil || errors.Is(err, ErrNotExist) {
			t.Errorf("%v: %v", span, err)
		}
	}
}

func TestGrepIsGits(t *testing.T) {
	// Matches are ordered by path and line as in git grep, in files of any name
	// and content; an odd pattern is not an option.
	f := newFixture(t)
	oddHistory(f)
	f.write("bin", "x\x00needle\n")
	f.write("more", "Needle needles\nneedle\n--open-files-in-pager=x\n-e\n(\n")
	f.write("long", strings.Repeat("z", 200_000)+"needle\n")
	head := f.commit("more")
	r := f.open()
	if got, err := r.Grep(t.Context(), head, GrepOptions{Pattern: "^3$"}); err != nil || len(got) != len(oddPaths) || got[0].Line != 3 || got[0].Path != " leading.moved" {
		t.Errorf("odd names: %d, %v", len(got), err)
	}
	for _, c := range []struct {
		opt  GrepOptions
		want int
	}{
		{GrepOptions{Pattern: "needle", Fixed: true}, 4},
		{GrepOptions{Pattern: "needle", Word: true}, 2},
		{GrepOptions{Pattern: "NEEDLE", IgnoreCase: true}, 4},
		{GrepOptions{Pattern: "needle|--open", Paths: []string{"more"}}, 3},
		{GrepOptions{Pattern: "--open-files-in-pager=x", Fixed: true}, 1},
		{GrepOptions{Pattern: "-e", Fixed: true}, 1},
		{GrepOptions{Pattern: "(", Fixed: true}, 2},
		{GrepOptions{Pattern: "needle", Max: 2}, 2},
		{GrepOptions{Pattern: "nowhere at all"}, 0},
		{GrepOptions{Pattern: "needle", Paths: []string{"*"}}, 0},
	} {
		got, err := r.Grep(t.Context(), head, c.opt)
		if err != nil || len(got) != c.want {
			t.Errorf("%+v: %d matches, %v", c.opt, len(got), err)
		}
		for _, m := range got {
			if len(m.Text) > maxGrepLine {
				t.Errorf("%q: a line of %d bytes", m.Path, len(m.Text))
			}
		}
	}
	if got, err := r.Grep(t.Context(), head, GrepOptions{Pattern: "needle", Word: true, Texts: 1}); err != nil || len(got) != 2 || len(got[0].Text) == 0 || len(got[1].Text) > 0 {
		t.Errorf("one text: %v, %v", got, err)
	}
	if _, err := r.Grep(t.Context(), head, GrepOptions{Pattern: "("}); !errors.As(err, new(*gitcmd.Error)) {
		t.Errorf("a broken expression: %v", err)
	}
	if _, err := r.Grep(t.Context(), head, GrepOptions{}); err == nil {
		t.Error("an empty pattern was accepted")
	}
}
