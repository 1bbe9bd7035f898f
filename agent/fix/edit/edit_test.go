package edit

import (
	"errors"
	"strings"
	"testing"
)

const goFile = `package calc

// Add adds.
func Add(a, b int) int {
	if a == 0 {
		return b
	}
	return a - b
}

func Mul(a, b int) int {
	if a == 0 {
		return 0
	}
	return a * b
}
`

// replaced makes an edit that must work and returns the new text.
func replaced(t *testing.T, content, old, new string, opt Options, want Match) string {
	t.Helper()
	res, err := Replace("calc.go", []byte(content), old, new, opt)
	if err != nil {
		t.Fatalf("%q: %v", old, err)
	}
	if res.Match != want {
		t.Errorf("%q was found as %q, not %q", old, res.Match, want)
	}
	return string(res.Content)
}

// Each grade finds texts that the previous one does not find, and changes only the intended
// text.
func TestReplaceFindsTextInGrades(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, content, old, new, want string
		match                         Match
	}{
		{"as it is", "a\nb\nc\n", "b", "x", "a\nx\nc\n", Exact},
		{"part of a line", "a foo(1) b\n", "foo(1)", "foo(2)", "a foo(2) b\n", Exact},
		{"removes a line", "a\nb\nc\n", "b", "", "a\nc\n", Exact},
		{"removes a line with its break", "a\nb\nc\n", "b\n", "", "a\nc\n", Exact},
		{"removes a part of a line", "a b c\n", " b", "", "a c\n", Exact},
		{"keeps lines apart", "a\nb\nc\n", "b\n", "x", "a\nx\nc\n", Exact},
		{"adds no empty line", "a\nb\nc\n", "b", "x\n", "a\nx\nc\n", Exact},
		{"adds an empty line on purpose", "a\nb\nc\n", "b", "b\n", "a\nb\n\nc\n", Exact},
		{"joins parts of lines", "a b\nc\n", "b\n", "b ", "a b c\n", Exact},
		{"no break at the end of the file", "a\nb", "b\n", "x\ny\n", "a\nx\ny", Exact},
		{"trailing space in the file", "a  \nb\t\nc\n", "a\nb\n", "a\nx\n", "a  \nx\nc\n", Trailing},
		{"trailing space in the text", "a\nb\nc\n", "a \nb \n", "a \nx\n", "a\nx\nc\n", Trailing},
		{"first line less indented", "\t\tif a {\n\t\t\tb()\n\t\t}\n", "\tif a {\n\t\t\tb()\n\t\t}\n", "\tif x {\n\t\t\tb()\n\t\t}\n", "\t\tif x {\n\t\t\tb()\n\t\t}\n", Indentation},
		{"blank lines around the text", "a\nb\nc\n", "\n\na\nb\n\n", "\n\na\nx\n\n", "a\nx\nc\n", Trailing},
		{"no indentation", "\tif x {\n\t\ty()\n\t}\n", "if x {\n\ty()\n}\n", "if x {\n\ty()\n\tz()\n}\n", "\tif x {\n\t\ty()\n\t\tz()\n\t}\n", Indentation},
		{"too much indentation", "if x {\n\ty()\n}\n", "\t\tif x {\n\t\t\ty()\n\t\t}\n", "\t\tif z {\n\t\t\ty()\n\t\t\tz()\n\t\t}\n", "if z {\n\ty()\n\tz()\n}\n", Indentation},
		{"spaces for tabs", "\tif x {\n\t\ty()\n\t}\n", "    if x {\n        y()\n    }\n", "    if x {\n        if y() {\n            z()\n        }\n    }\n", "\tif x {\n\t\tif y() {\n\t\t\tz()\n\t\t}\n\t}\n", Indentation},
		{"two spaces for tabs", "\tif x {\n\t\ty()\n\t}\n", "  if x {\n    y()\n  }\n", "  if x {\n    if y() {\n      z()\n    }\n  }\n", "\tif x {\n\t\tif y() {\n\t\t\tz()\n\t\t}\n\t}\n", Indentation},
		{"tabs for spaces", "    if x:\n        y()\n", "\tif x:\n\t\ty()\n", "\tif x:\n\t\ty()\n\t\tif z:\n\t\t\tw()\n", "    if x:\n        y()\n        if z:\n            w()\n", Indentation},
		{"less indentation than any line", "        y()\n        z()\n", "    y()\n    z()\n", "    y()\nz()\n", "        y()\n    z()\n", Indentation},
		{"trailing space in all of the text", "a\nb\nc\n", "a \nb ", "a \nx \ny ", "a\nx\ny\nc\n", Trailing},
		{"no indentation in the old text only", "\tif x {\n\t\ty()\n\t}\n", "if x {\ny()\n}", "\tif x {\n\t\tz()\n\t}", "\tif x {\n\t\tz()\n\t}\n", Indentation},
		{"one line without its indentation", "\t\ty()\nb\n", "y()", "if x {\n\ty()\n}", "\t\tif x {\n\t\t\ty()\n\t\t}\nb\n", Exact},
		{"one line without its indentation, and a whole new text", "\t\ty()\nb\n", "y()", "if x {\n\t\t\ty()\n\t\t}", "\t\tif x {\n\t\t\ty()\n\t\t}\nb\n", Exact},
		{"one line without its indentation, which the new text has", "\t\ty()\nb\n", "y()", "\t\tif x {\n\t\t\ty()\n\t\t}", "\t\tif x {\n\t\t\ty()\n\t\t}\nb\n", Exact},
		{"a directive below a line without its indentation", "\ty()\n", "y()", "z()\n#if X\ny()\n#endif", "\tz()\n#if X\n\ty()\n#endif\n", Exact},
		{"line numbers", "a\nfoo\nbar\n", "   2|foo\n   3|bar\n", "   2|foo\n   3|baz\n", "a\nfoo\nbaz\n", Exact},
		{"line numbers in the old text only", "a\nfoo\nbar\n", "2\tfoo\n3\tbar", "foo\nbaz", "a\nfoo\nbaz\n", Exact},
		{"line numbers choose a place", "foo\na\nfoo\nb\n", "   3|foo", "bar", "foo\na\nbar\nb\n", Exact},
		{"a numbered line with blanks", "a\n\tfoo\n\tbar\n", " >  2  \tfoo\n    3  \tbar\n", " >  2  \tfoo\n    3  \tbaz\n", "a\n\tfoo\n\tbaz\n", Exact},
		{"CRLF", "a\r\nb\r\nc\r\n", "a\nb\n", "a\nx\ny\n", "a\r\nx\r\ny\r\nc\r\n", Exact},
		{"CRLF in both", "a\r\nb\r\nc\r\n", "a\r\nb", "a\r\nx", "a\r\nx\r\nc\r\n", Exact},
		{"CRLF in the text only", "a\nb\nc\n", "a\r\nb", "a\r\nx", "a\nx\nc\n", Exact},
		{"CRLF in some lines", "a\r\nb\r\nc\nd\n", "a\nb\n", "a\nx\n", "a\r\nx\r\nc\nd\n", Trailing},
		{"typographic quotes", "say(\"it's\")\nb\n", "say(“it’s”)\nb", "say(“it’s”)\nc", "say(\"it's\")\nc\n", Shown},
		{"escapes", "x = \"\x1b[0m\"\nb\n", "x = \"\\x1b[0m\"\nb", "x = \"\\x1b[0m\"\nc", "x = \"\x1b[0m\"\nc\n", Shown},
	}
	for _, test := range tests {
		if test.name == "escapes" {
			test.old, test.new = strings.ReplaceAll(test.old, `\x1b`, asShown("\x1b")), strings.ReplaceAll(test.new, `\x1b`, asShown("\x1b"))
		}
		if got := replaced(t, test.content, test.old, test.new, Options{}, test.match); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

// A line with a secret was shown without the secret; the edit keeps the secret.
func TestReplaceKeepsMaskedLines(t *testing.T) {
	t.Parallel()
	as := func(line string) string { return strings.ReplaceAll(line, "hunter2", "<secret:1>") }
	got := replaced(t, "key = hunter2\nb = 1\n", "key = <secret:1>\nb = 1", "key = <secret:1>\nb = 2", Options{As: as}, Shown)
	if got != "key = hunter2\nb = 2\n" {
		t.Errorf("got %q", got)
	}
}

// All replaces each place; the result shows the first ones with their new numbers.
func TestReplaceAll(t *testing.T) {
	t.Parallel()
	res, err := Replace("calc.go", []byte(goFile), "if a == 0 {", "if a == 0 || b == 0 {", Options{All: true})
	if err != nil || res.Count != 2 || res.Start != 5 || res.End != 5 || strings.Count(string(res.Content), "|| b == 0") != 2 {
		t.Fatalf("%+v, %v", res, err)
	}
	want := `   2|
   3|// Add adds.
   4|func Add(a, b int) int {
   5|	if a == 0 || b == 0 {
   6|		return b
   7|	}
   8|	return a - b
   9|}
  10|
  11|func Mul(a, b int) int {
  12|	if a == 0 || b == 0 {
  13|		return 0
  14|	}
  15|	return a * b
`
	if res.Shown != want {
		t.Errorf("shown:\n%s", res.Shown)
	}
}

// The shown part of long or many changes has a bound.
func TestShownIsBounded(t *testing.T) {
	t.Parallel()
	res, err := Replace("x", []byte("a\n"), "a", strings.Repeat("b\n", 1000), Options{})
	if err != nil || res.Start != 1 || res.End != 1000 || strings.Count(res.Shown, "\n") > 70 || !strings.Contains(res.Shown, "… (938 lines)\n") {
		t.Errorf("%d-%d, %v\n%s", res.Start, res.End, err, res.Shown)
	}
	res, err = Replace("x", []byte(strings.Repeat("a\n\n\n\n\n\n\n\n\n\n", 100)), "a", "b", Options{All: true})
	if err != nil || res.Count != 100 || strings.Count(res.Shown, "\n") > 30 || !strings.HasSuffix(res.Shown, "… and 97 more places\n") {
		t.Errorf("%d, %v\n%s", res.Count, err, res.Shown)
	}
}

// The error of an impossible edit is a short reason.
func TestReplaceSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("x := 1\n", 30)
	tests := []struct {
		name, content, old, new string
		reason                  Reason
		want                    string
	}{
		{"nothing to look for", goFile, "", "x", Empty,
			"old is empty: give the lines of calc.go that are to be replaced; to insert, repeat a line next to the place in old and in new"},
		{"equal texts", goFile, "x", "x", Same, "no change: with this edit calc.go would be as it is"},
		{"no change but numbers", "a\nb\n", "1|a\n2|b", "a\nb", Same, "no change: with this edit calc.go would be as it is"},
		{"twice", goFile, "if a == 0 {", "if b == 0 {", Ambiguous,
			"the text is in calc.go 2 times, at lines 5, 12; give more of the lines around the one that is meant, or all=true to replace each"},
		{"twice apart from white space", goFile, "  if a == 0 {\n", "  if b == 0 {\n", Ambiguous,
			"the text is in calc.go 2 times (apart from white space), at lines 5, 12; give more of the lines around the one that is meant, or all=true to replace each"},
		{"often", many, "x := 1", "x := 2", Ambiguous,
			"the text is in calc.go 30 times, at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 20 more; give more of the lines around the one that is meant, or all=true to replace each"},
		{"already applied", goFile, "	return a + b + c\n", "	return a - b\n}\n\nfunc Mul", Applied,
			"already applied: the new text is lines 8-11 of calc.go; nothing was changed"},
		{"the new text is elsewhere", goFile, "	return a *b\n", "	return a - b\n", NotFound,
			"the text is not in calc.go; most like it: line 15. The first difference: line 1 of old has `return a *b`, and line 15 of the file `return a * b`:\n  15|	return a * b\nThe new text is there already: line 8"},
		{"already inserted", goFile, "// Add adds.\n", "// Add adds.\nfunc Add(a, b int) int {\n", Applied,
			"already applied: the new text is lines 3-4 of calc.go; nothing was changed"},
		{"already replaced", goFile, "	return a + b\n}\n\nfunc", "	return a - b\n}\n\nfunc Mul(a, b int) int {", Applied,
			"already applied: the new text is lines 8-11 of calc.go; nothing was changed"},
		{"a line that is to be removed is there", goFile, "	return a + b + c\n}\n\n// Mul\nfunc Mul(a, b int) int {\n", "	return a - b\n}\n", NotFound, ""},
		{"a wrong line", goFile, "func Add(a, b int) int {\n	if a == 0 {\n		return a\n	}\n", "x", NotFound,
			"the text is not in calc.go; most like it: lines 4-7. The first difference: line 3 of old has `return a`, and line 6 of the file `return b`:\n   4|func Add(a, b int) int {\n   5|	if a == 0 {\n   6|		return b\n   7|	}"},
		{"a line too few", goFile, "func Add(a, b int) int {\n		return b\n	}\n	return a - b\n", "x", NotFound,
			"the text is not in calc.go; most like it: lines 4-7. The first difference: line 2 of old has `return b`, and line 5 of the file `if a == 0 {`:\n   4|func Add(a, b int) int {\n   5|	if a == 0 {\n   6|		return b\n   7|	}"},
		{"other words", goFile, "func Mul(x, y int) int {", "x", NotFound,
			"the text is not in calc.go; most like it: line 11. The first difference: line 1 of old has `func Mul(x, y int) int {`, and line 11 of the file `func Mul(a, b int) int {`:\n  11|func Mul(a, b int) int {"},
		{"nothing like it", goFile, "completely different", "x", NotFound,
			"the text is not in calc.go, and nothing there is like it; look at the file first"},
		{"an empty file", "", "foo", "x", NotFound, "the text is not in calc.go, which is empty"},
		{"beyond the end", "alpha one\nbeta two\n", "beta two\ngamma three\n", "x", NotFound,
			"the text is not in calc.go; most like it: line 2. The first difference: line 2 of old has `gamma three`, and the file ends after line 2:\n   2|beta two"},
		{"lines left out", goFile, "	return a - b", "	// ... rest of the function ...\n	return a + b", Elided,
			"line 1 of the new text, `// ... rest of the function ...`, stands for lines that are left out: write them, or edit less at a time"},
		{"a number that belongs to the text", "x\n2 apples\n", "3 apples", "4 apples", NotFound,
			"the text is not in calc.go; most like it: line 2. The first difference: line 1 of old has `3 apples`, and line 2 of the file `2 apples`:\n   2|2 apples"},
	}
	for _, test := range tests {
		res, err := Replace("calc.go", []byte(test.content), test.old, test.new, Options{})
		var e *MatchError
		if !errors.As(err, &e) || res.Content != nil {
			t.Errorf("%s: %v, %q", test.name, err, res.Content)
			continue
		}
		if e.Reason != test.reason || test.want != "" && e.Error() != test.want {
			t.Errorf("%s: %s\n%s", test.name, e.Reason, e)
		}
	}
}

// A message quotes no more than a part of a long line, and of long texts.
func TestMessagesAreShort(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 2000)
	old := strings.Repeat(long+"x\n", 10)
	_, err := Replace("x", []byte(strings.Repeat(long+"y\n", 10)), old, "z", Options{})
	if err == nil || len(err.Error()) > 8000 || !strings.Contains(err.Error(), "`…") {
		t.Errorf("%d bytes: %.300s", len(err.Error()), err)
	}
}

// Hostile texts cost bounded time: this takes minutes if any step is quadratic.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	same := strings.Repeat("a\n", 200_000)
	for name, test := range map[string][2]string{
		"equal lines":    {same, strings.Repeat("a\n", 30_000) + "b\n"},
		"one long line":  {strings.Repeat("ab", 2<<20), strings.Repeat("ab", 30_000) + "c"},
		"equal words":    {strings.Repeat("alpha beta gamma delta\n", 100_000), "alpha beta gamma epsilon\n"},
		"bytes":          {strings.Repeat("\xff\xfe\x00\n", 100_000), "\xff\xfe\x01\n"},
		"nested borders": {strings.Repeat(strings.Repeat("a\n", 50)+"b\n", 4000), strings.Repeat(strings.Repeat("a \n", 50)+"b\n", 500) + "c\n"},
	} {
		if _, err := Replace("x", []byte(test[0]), test[1], "new text here", Options{}); err == nil {
			t.Errorf("%s: found", name)
		}
	}
	res, err := Replace("x", []byte(same), "a", "b", Options{All: true})
	if err != nil || res.Count != maxFound {
		t.Errorf("%d places, %v", res.Count, err)
	}
}

func FuzzReplace(f *testing.F) {
	f.Add("a\r\nb\n\n", " a\nb", "c\n", true)
	f.Add(goFile, "   5|if a == 0 {\n   6|return", "x", false)
	f.Add("\xff\t\n", "\xff", "", false)
	f.Fuzz(func(t *testing.T, content, old, new string, all bool) {
		// For every text, an edit only fails with a message, and the place of a result is
		// inside of the text.
		res, err := Replace("x", []byte(content), old, new, Options{All: all})
		if err != nil {
			if e := matchError(err); e == nil || e.Error() == "" {
				t.Errorf("%v", err)
			}
			return
		}
		if n := len(Split(res.Content)); res.Start < 1 || res.End < res.Start-1 || res.End > n || string(res.Content) == content {
			t.Errorf("lines %d-%d of %d", res.Start, res.End, n)
		}
	})
}

func matchError(err error) *MatchError {
	var e *MatchError
	errors.As(err, &e)
	return e
}
