package localize

import (
	"bytes"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext/gittest"
)

// A function with the words of the report comes before one without, and the ground
// names the words.
func TestWordsOfTheReport(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("p", gittest.Files{"p.go": "package p\n\nfunc first() {\n\tx := 1\n}\n\n// second writes the trailing comma.\nfunc second() {\n\tx := 1\n}\n\nfunc third() {\n\tx := 1\n}\n"})
	l := localize(t, h, Input{Problem: fix.Problem{Report: "Since last week a comma trails each list."}})
	if got := names(l); got != "second" {
		t.Fatalf("order: %s", got)
	}
	if g := l.Locations[0].Grounds[0]; g.Source != fix.SourceReport || !strings.HasPrefix(g.Text, "the report speaks of ") || !strings.Contains(g.Text, "comma") {
		t.Errorf("ground: %+v", g)
	}
}

// A keyword that all code has is no word that a test speaks of: "the failing test speaks of def" was
// the ground of a function of Python.
func TestWordsAreNoKeywords(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("m", gittest.Files{
		"m.py":      "def a():\n    return 2\n\ndef b():\n    return a()\n",
		"test_m.py": "import m\ndef test_b():\n    assert m.b() == 1\n",
	})
	l := localize(t, h, Input{
		Problem:      fix.Problem{Test: "python3 -m pytest test_m.py"},
		Reproduction: fix.Reproduction{Failing: []string{"test_m.py::test_b"}, Output: []byte("def test_b():\n>   assert m.b() == 1\nE   assert 2 == 1\n")},
	})
	for _, loc := range l.Locations {
		for _, g := range loc.Grounds {
			if strings.Contains(g.Text, "def") {
				t.Errorf("%s: %s", loc.Function, g.Text)
			}
		}
	}
}

// The lines that a tool prints for each test and file say nothing about the failure.
func TestTellingLines(t *testing.T) {
	t.Parallel()
	out := tellingLines([]byte("=== RUN   TestA\n--- PASS: TestB (0.00s)\nok  \texample.com/a\n[ 84%] Built target a\nok 3 adds numbers\n/a/b.c:7:num_should_add:PASS\n\n    a_test.go:3: want 1\nmake[2]: Leaving directory\n--- FAIL: TestA\n"))
	if got := string(bytes.Join(out, []byte("|"))); got != "    a_test.go:3: want 1|--- FAIL: TestA" {
		t.Errorf("%q", got)
	}
}

// Tokens tells calls, strings and comments apart.
func TestTokens(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ line, want string }{
		{"a.b(c, 'it(x)', d(1)) // e()", "a b( c it(q x q d( 1 e(q"},
		{`s := "a\"b" + f("c")`, `s a q b q f( c q`},
		{"  * text f()", "text q f(q"},
		{"# py()", "py(q"},
		{"", ""},
	} {
		var got []string
		tokens([]byte(c.line), func(k token) {
			s := string(k.text)
			if k.called {
				s += "("
			}
			if k.quoted && !k.called {
				s += " q"
			} else if k.quoted {
				s += "q"
			}
			got = append(got, s)
		})
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%q: %q, want %q", c.line, s, c.want)
		}
	}
}

// Sources and outputs that a stranger made to be slow are read to the end, within bounds.
func TestHostileSources(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	long := strings.Repeat("f(", 200000)
	h.Commit("p", gittest.Files{
		"long.go": "package p\nfunc f() {\n" + long + "\n}\n", "deep.c": strings.Repeat("int f(int a) {\n", 9000), "nul.go": "\x00\x00func f() {\n}\n",
		"many.js": strings.Repeat("function same() {\n  same(same);\n}\n", 9000), "a_test.go": "package p\nfunc TestA() {\n" + strings.Repeat("\tsame()\n", 20000) + "}\n",
	})
	names := make([]string, 5000)
	for i := range names {
		names[i] = strings.Repeat("TestA/", i%50) + "\xff(((("
	}
	l := localize(t, h, Input{
		Reproduction: fix.Reproduction{Failing: names, Output: []byte(strings.Repeat(long, 5))}, Problem: fix.Problem{Report: long, Test: long},
		Places: []Place{{"a_test.go", -1}, {"a_test.go", 1 << 40}, {"../../etc/passwd", 1}, {"", 0}},
	})
	for _, loc := range l.Locations {
		if loc.Path != "many.js" && loc.Path != "deep.c" || loc.Lines.Start < 1 || loc.Lines.End > 27000 {
			t.Errorf("%+v", loc)
		}
	}
}
