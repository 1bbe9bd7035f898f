package fixtool

import (
	"fmt"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// numbers returns a file of n lines.
func numbers(n int) string {
	var t strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&t, "line %d\n", i)
	}
	return t.String()
}

// cat shows ranges, functions and directories, and names what a model may have meant.
func TestCat(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.Files{
		"a.txt": numbers(1000), "src/deep/only.go": "package deep\n\ntype T struct {\n\tx int\n}\n\nfunc (t T) Get() int { return t.x }\n\ntype U struct{}\n\nfunc (u U) Get() int {\n\treturn 2\n}\n",
		"empty": "", "bin.dat": "a\x00b", ".env": "TOKEN=hidden-value\n", "odd\tname": "x\n", "wide.txt": strings.Repeat("w", 5000) + "\n",
		"esc.txt": "\x1b[31mred\x1b[0m\n", "crlf.txt": "a\r\nb\r\n", "long.txt": strings.Repeat(strings.Repeat("v", 400)+"\n", 300),
	}, fix.Problem{}, Options{})
	inTree := b.space.Dir() + "/src/deep/only.go"
	for _, test := range []struct {
		args m
		want string // the whole answer if it ends in a line break, else a part of it
	}{
		{m{"path": "a.txt", "start": 5, "end": 6}, "a.txt, lines 5-6 of 1000\n   5|line 5\n   6|line 6\n"},
		{m{"path": "a.txt", "start": 999}, "a.txt, lines 999-1000 of 1000\n 999|line 999\n1000|line 1000\n"},
		{m{"path": "a.txt"}, " 400|line 400\n(go on with start=401, or give function)"},
		{m{"path": "a.txt", "start": 1, "end": 900}, " 400|line 400\n(go on with start=401, or give function)"},
		{m{"path": "a.txt", "start": 5000}, "there is no line 5000; these are the last ones\na.txt, lines 980-1000 of 1000\n"[:60]},
		{m{"path": "a.txt", "start": 7, "end": 3}, "a.txt, line 7 of 1000\n   7|line 7\n"},
		{m{"path": "./a.txt", "end": 1}, "a.txt, line 1 of 1000\n   1|line 1\n"},
		{m{"path": "b/a.txt", "end": 1}, "a.txt, line 1 of 1000\n   1|line 1\n"},
		{m{"path": inTree, "end": 1}, "src/deep/only.go, line 1 of 13\n   1|package deep\n"},
		{m{"path": "deep/only.go", "end": 1}, "src/deep/only.go, line 1 of 13\n   1|package deep\n"},
		{m{"path": "only.go", "end": 1}, "src/deep/only.go, line 1 of 13\n   1|package deep\n"},
		{m{"path": "src/deep/only.go", "function": "U.Get"}, "src/deep/only.go, lines 11-13 of 13\n  11|func (u U) Get() int {\n  12|\treturn 2\n  13|}\n"},
		{m{"path": "src/deep/only.go", "function": "Get"}, "src/deep/only.go, line 7 of 13\n   7|func (t T) Get() int { return t.x }\nsrc/deep/only.go, lines 11-13 of 13\n  11|func (u U) Get() int {\n  12|\treturn 2\n  13|}\n"},
		{m{"path": "src/deep/only.go", "function": "T"}, "src/deep/only.go, lines 3-5 of 13\n   3|type T struct {\n   4|\tx int\n   5|}\n"},
		{m{"path": "src/deep/only.go", "function": "Nope"}, "error: src/deep/only.go defines no \"Nope\"; search_definition finds where it is defined\n"},
		{m{"path": "empty"}, "empty is empty\n"},
		{m{"path": "bin.dat"}, "error: bin.dat is a binary file\n"},
		{m{"path": ".env"}, "error: .env is withheld: by its name it holds secrets\n"},
		{m{"path": "src"}, "src is a directory of 1 name\ndeep/\n"},
		{m{"path": "."}, ". is a directory of 10 names\nsrc/\n.env\na.txt\nbin.dat\ncrlf.txt\nempty\nesc.txt\nlong.txt\nodd\tname\nwide.txt\n"},
		{m{"path": "ally.go"}, "error: \"ally.go\" is not there; similar: src/deep/only.go\n"},
		{m{"path": "zzzzzz"}, "error: \"zzzzzz\" is not there; code_search finds text in files, and cat of a directory lists it\n"},
		{m{"path": "../x"}, "error: the path \"../x\" leads out of the repository; paths are relative to its top\n"},
		{m{"path": "/etc/passwd"}, "error: \"/etc/passwd\" is not there"},
		{m{"path": ".git/config"}, "error: \".git/config\" belongs to git; the git tools show the history\n"},
		{m{"path": "src/.GIT/x"}, "belongs to git"},
		{m{"path": "a\nb"}, "holds a line break"},
		{m{"path": "wide.txt"}, "wwww…(+4500)\n"[4:]},
		{m{"path": "esc.txt"}, `\x1b[31mred`},
		{m{"path": "crlf.txt"}, "crlf.txt, lines 1-2\n   1|a\n   2|b\n"},
		{m{"path": "long.txt"}, "(go on with start=74, or give function)\n"[:20]},
	} {
		got := b.call("cat", test.args)
		if strings.HasSuffix(test.want, "\n") && got != test.want && !strings.HasSuffix(got, test.want) || !strings.Contains(got, test.want) {
			t.Errorf("%v:\n%.400s\nwant:\n%s", test.args, got, test.want)
		}
		if len(got) > maxCatChars+1000 || strings.Contains(got, "hidden-value") {
			t.Errorf("%v: %d bytes", test.args, len(got))
		}
	}
}

// Of a long file with functions, the beginning and a list of the functions is shown.
func TestCatOutlines(t *testing.T) {
	t.Parallel()
	text := "package a\n"
	for i := range 50 {
		text += fmt.Sprintf("\nfunc F%d(a int) int {\n%s\treturn a\n}\n", i, strings.Repeat("\ta++\n", 8))
	}
	b := newBench(t, gittest.Files{"a.go": text, "b.txt": numbers(500)}, fix.Problem{}, Options{})
	got := b.call("cat", m{"path": "a.go"})
	if !strings.HasPrefix(got, "a.go, lines 1-40 of 601\n   1|package a\n") ||
		!strings.Contains(got, "\nfunctions of the whole file (give start and end, or function):\n3-13 func F0(a int) int\n15-25 func F1(a int) int\n") ||
		!strings.HasSuffix(got, "591-601 func F49(a int) int\n") {
		t.Errorf("%s", got)
	}
	if got := b.call("cat", m{"path": "a.go", "start": 1}); !strings.Contains(got, " 400|") {
		t.Errorf("%s", got)
	}
	if got := b.call("cat", m{"path": "b.txt"}); !strings.Contains(got, " 400|") {
		t.Errorf("%s", got)
	}
}

// A directory with very many files is listed in part.
func TestCatOfALargeDirectory(t *testing.T) {
	t.Parallel()
	files := gittest.Files{}
	for i := range 250 {
		files[fmt.Sprintf("d/%03d", i)] = "x\n"
	}
	b := newBench(t, files, fix.Problem{}, Options{})
	res := b.result("cat", m{"path": "d"})
	if !strings.HasPrefix(res.Text, "d is a directory of 250 names\n000\n001\n") || !strings.HasSuffix(res.Text, "199\n(50 more)\n") || !res.Truncated {
		t.Errorf("%.100s … %s", res.Text, res.Text[len(res.Text)-50:])
	}
}

// Searches see the files that the problem lays over the commit, and edits; they show few
// lines of five files and count the others.
func TestCodeSearch(t *testing.T) {
	t.Parallel()
	files := gittest.Files{"zz.go": "package calc\n\n// CamelCase\n// CamelCase\n", "calc_test.go": "package calc\n\nfunc TestNeedle() {}\n", "notes.md": "needle\n", ".env": "needle=1\n",
		"old.go": "package calc\n\nvar needle = 1\n", "gone.go": "var needle int\n", "case.go": "package calc\n\nfunc CamelCase() { needleless }\n"}
	for i := range 8 {
		files[fmt.Sprintf("f%d.go", i)] = "package calc\n\nfunc F" + fmt.Sprint(i) + "() {\n" + strings.Repeat("\tneedle()\n", i+1) + "}\n"
	}
	over := []gitext.Overlay{{Path: "old.go", Mode: 0o100644, Content: []byte("package calc\n\nvar other = 1\n")}, {Path: "gone.go"}, {Path: "new.go", Mode: 0o100644, Content: []byte("package calc\n\nvar fresh = 1\n")}}
	b := newBench(t, files, fix.Problem{Tree: fix.Tree{Over: over}}, Options{})
	b.call("edit", m{"path": "f0.go", "old": "needle()", "new": "haystack()"})
	golden := `"needle(": 35 lines in 7 files
f7.go
  in func F7() { (3-12)
    4|  needle()
    5|  needle()
    6|  needle()
    7|  needle()
    8|  needle()
    9|  needle()
   10|  needle()
   11|  needle()
`
	got := b.call("code_search", m{"pattern": "needle("})
	if !strings.HasPrefix(got, golden) || !strings.HasSuffix(got, "also in f2.go (3), f1.go (2); give path to see their lines\n") {
		t.Errorf("%s", got)
	}
	for _, test := range []struct {
		args      m
		want, not string
	}{
		{m{"pattern": "needle"}, "\"needle\": 37 lines in 9 files\nf7.go\n", ""},
		{m{"pattern": "F2"}, "\"F2\": 1 line in 1 file\nf2.go\n    3|func F2() {\n", ""},
		{m{"pattern": "CamelCase"}, "\"CamelCase\": 3 lines in 2 files\ncase.go\n    3|func CamelCase() { needleless }\nzz.go\n", ""},
		{m{"pattern": "fresh"}, "new.go\n    3|var fresh = 1\n", ""},
		{m{"pattern": "haystack"}, "\"haystack\": 1 line in 1 file\nf0.go\n  in func F0() { (3-5)\n    4|  haystack()\n", ""},
		{m{"pattern": "var needle int"}, "no line has \"var needle int\"\n", "gone.go"},
		{m{"pattern": "needle = 1"}, "no line has \"needle = 1\"\n", "old.go"},
		{m{"pattern": "needle", "path": "f3.go"}, "\"needle\": 4 lines in 1 file in f3.go\n", "f4.go"},
		{m{"pattern": "needle", "path": "notes.md"}, "notes.md\n    1|needle\n", "f4.go"},
		{m{"pattern": "nothing here", "path": "f3.go"}, "no line has \"nothing here\" in f3.go\n(without path the whole repository is searched)\n", ""},
		{m{"pattern": "needle=1"}, "no line has \"needle=1\"\n", "env"},
		{m{"pattern": "camelcase"}, "note: upper and lower case differ\n\"camelcase\": 3 lines", ""},
		{m{"pattern": "CamelCase.*less }$"}, "note: taken as a regular expression\n", ""},
		{m{"pattern": "needleless CamelCase"}, "note: no line has the text as it is; these have all its words\n", ""},
		{m{"pattern": `^func (F1|F2)\(`, "regex": true}, "2 lines in 2 files\n", "f3.go"},
		{m{"pattern": `(?i)func CAMELcase`, "regex": true}, "1 line in 1 file\n", ""},
		{m{"pattern": `F\d\(\)`, "regex": true}, "8 lines in 8 files\n", ""},
		{m{"pattern": `(needle|\d)`, "regex": true}, "error: \"(needle|\\\\d)\" may match lines that have no text in common; give at least 2 characters", ""},
		{m{"pattern": `func F\d`, "regex": true}, "8 lines in 8 files\n", ""},
		{m{"pattern": `(`, "regex": true}, "error: \"(\" is not a regular expression: missing closing ): `(`\n", ""},
		{m{"pattern": `(ab{1,900}){1,9}`, "regex": true}, "is not a regular expression: invalid repeat count", ""},
		{m{"pattern": `[a-z]{900}xyz`, "regex": true}, "error: the pattern repeats too much", ""},
		{m{"pattern": `\w+`, "regex": true}, "give at least 2 characters that each line has", ""},
		{m{"pattern": "a\nb"}, "error: the pattern must be one line\n", ""},
		{m{"pattern": "  "}, "error: the pattern is blank\n", ""},
		{m{"pattern": strings.Repeat("x", 600)}, "error: the pattern has 600 bytes", ""},
		{m{"pattern": "needle", "path": "nowhere"}, "error: \"nowhere\" is not there", ""},
	} {
		got := b.call("code_search", test.args)
		if !strings.Contains(got, test.want) || test.not != "" && strings.Contains(got, test.not) {
			t.Errorf("%v:\n%s\nwant:\n%s", test.args, got, test.want)
		}
	}
}

// A definition is shown as the work tree has it, and one that an edit made is found.
func TestSearchDefinition(t *testing.T) {
	t.Parallel()
	b := newBench(t, calcFiles, fix.Problem{}, Options{})
	b.call("edit", m{"path": "calc.go", "old": "// Mul multiplies.\n", "new": "func fresh() int {\n\treturn 7\n}\n\n// Mul multiplies.\n"})
	for _, test := range []struct {
		args m
		want string
	}{
		{m{"name": "Mul"}, "function Mul: calc.go:13\n  13|func Mul(a, b int) int {\n  14|\treturn a * b\n  15|}\n"},
		{m{"name": "fresh"}, "definition fresh: calc.go:8\n   8|func fresh() int {\n   9|\treturn 7\n  10|}\n"},
		{m{"name": "g", "path": "lib/x.py", "line": 4}, "function g: lib/x.py:4\n   4|def g(x):\n   5|    return f(x) + 1\n"},
		{m{"name": "Mul", "path": "calx.go"}, "looked in the whole repository\nfunction Mul: calc.go:13\n"},
		{m{"name": "nowhere_defined"}, "no definition of nowhere_defined is found in the repository; it may be in a library, or made by a macro: code_search finds its uses\n"},
		{m{"name": "a + b"}, "error: \"a + b\" is not a name; give an identifier, such as f, T::f or obj->field\n"},
	} {
		if got := b.call("search_definition", test.args); !strings.HasSuffix(got, test.want) && !strings.Contains(got, test.want) {
			t.Errorf("%v:\n%s\nwant:\n%s", test.args, got, test.want)
		}
	}
}

// Of methods with one name in several classes, the file of one of them selects it.
func TestSearchDefinitionInAFile(t *testing.T) {
	t.Parallel()
	class := func(name string) string {
		return "class " + name + " {\n    String validate(String value) {\n        return value;\n    }\n}\n"
	}
	b := newBench(t, gittest.Files{"a/Code.java": class("Code"), "a/Regex.java": class("Regex"), "a/Url.java": class("Url")}, fix.Problem{}, Options{})
	got := b.call("search_definition", m{"name": "validate", "path": "a/Regex.java"})
	if !strings.Contains(got, "a/Regex.java:2\n") || strings.Contains(got, "a/Code.java") || !strings.Contains(got, "(2 more definitions left out") {
		t.Errorf("%s", got)
	}
	if got := b.call("search_definition", m{"name": "validate"}); !strings.Contains(got, "a/Code.java") || !strings.Contains(got, "a/Url.java") {
		t.Errorf("%s", got)
	}
}

// The history ends at the commit under repair, and its tools name code_search, which is
// there, and not git_grep, which is not.
func TestHistory(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("First\n\nhunter", gittest.Files{"a.go": "package a\n\nvar x = 1\n"})
	tip := h.Commit("Second", gittest.Files{"a.go": "package a\n\nvar x = 2\n"})
	later := h.Commit("Third: the fix", gittest.Files{"a.go": "package a\n\nvar x = 3\n"})
	b := benchAt(t, h, tip, fix.Problem{}, Options{})
	for _, test := range []struct {
		tool, want, not string
		args            m
	}{
		{"search_commits", " Second\n", "Third", m{"pattern": "."}},
		{"search_commits", " First\n    hunter\n", "Second", m{"pattern": "hunter"}},
		{"search_commits", " Second\n    in a.go\n", "Third", m{"pattern": "x = [0-9]", "in": "diff", "path": "a.go"}},
		{"search_commits", "\"in\" must be one of message, diff", "", m{"pattern": "x", "in": "body"}},
		{"git_show", "cannot be seen", "x = 3", m{"commit": string(later)}},
		{"git_log_search", "Second", "Third", m{"pattern": "x = 2"}},
		{"git_log_function", "code_search finds where it is", "git_grep", m{"path": "a.go", "function": "nope"}},
		{"git_blame", "x = 2", "x = 3", m{"path": "a.go"}},
	} {
		got := b.call(test.tool, test.args)
		if !strings.Contains(got, test.want) || test.not != "" && strings.Contains(got, test.not) {
			t.Errorf("%s %v:\n%s\nwant:\n%s", test.tool, test.args, got, test.want)
		}
	}
}
