package lineindex

import (
	"slices"
	"testing"

	"git-agent/gitext"
)

func TestRequiredTexts(t *testing.T) {
	for expr, want := range map[string][]string{
		`needle`:             {"needle"},
		`^\s*free\(buf\);$`:  {"free(buf);"},
		`a.*longer`:          {"longer"},
		`(one|other) thing`:  {" thing"},
		`(first|second)x*`:   {"first", "second"},
		`x?`:                 nil,
		`(abc)+`:             {"abc"},
		`(abc){2,3}`:         {"abc"},
		`[a-c]+`:             nil,
		`\<main\>`:           {"main"},
		`struct [[:alpha:]]`: {"struct "},
	} {
		q, ok := matchesLine(expr)
		if expr == "x?" {
			if ok {
				t.Errorf("%q matches the empty text, and is answered", expr)
			}
			continue
		}
		if !ok || !slices.Equal(q.anyOf, want) {
			t.Errorf("%q: %v, %q, want %q", expr, ok, q.anyOf, want)
		}
	}
}

func TestExpressionsLeftToGit(t *testing.T) {
	for _, expr := range []string{
		`(a)\1`, `a**`, `a+?`, `*a`, `(*a)`, `^*`, `a|*b`, "\\`a", `a\'`, `[[=a=]]`, `[[.a.]]`, `[a`, `é`, `[é]`, `a{,3}`, `{1}`, `a{x}`, `(?i)a`, `a\`, `()`, `^$`, `(a`,
	} {
		if _, ok := matchesLine(expr); ok {
			t.Errorf("%q is answered", expr)
		}
	}
}

func TestLinesThatMayMatch(t *testing.T) {
	for _, c := range []struct {
		expr, line string
		want       verdict
	}{
		{`a[^b]c`, "axc", maybe},
		{`a[^b]c`, "abc", no},
		{`a[]x]c`, "a]c", maybe},
		{`a[\n]c`, `a\c`, maybe},
		{`a[\n]c`, `anc`, maybe},
		{`a[-x]c`, "a-c", maybe},
		{`a[^-x]c`, "a-c", no},
		{`a\dc`, "adc", maybe},
		{`a\dc`, "a1c", no},
		{`a\tc`, "atc", maybe},
		{`a.c`, "aéc", maybe}, // one character, or two, by the locale
		{`a.dd`, "aéc", no},
		{`end$`, "the end", maybe},
		{`end$`, "ends", no},
		{`end\s`, "the end", maybe}, // git hands over the line break, or not
		{`^x`, "x", maybe},
		{`^x`, "ax", no},
		{`}`, "}", maybe},
		{`a{2}`, "aa", maybe},
		{`a{2}`, "a", no},
		{`\<in\>`, "go in", maybe},
		{`\<in\>`, "inner", no},
	} {
		q, ok := matchesLine(c.expr)
		if !ok {
			t.Errorf("%q is left to git", c.expr)
			continue
		}
		var b block
		b.add(new(recordOf(1, &gitext.FileLines{Path: "a", Added: []byte("other\n" + c.line + "\nlast\n")})))
		heads, texts, err := splitBlock(b.encode())
		if err != nil {
			t.Fatal(err)
		}
		if err := eachRecord(heads, texts, func(_ uint32, r *record) {
			if got := q.changed(r); got != c.want {
				t.Errorf("%q in %q: %v, want %v", c.expr, c.line, got, c.want)
			}
		}); err != nil {
			t.Fatal(err)
		}
	}
}

func FuzzBlock(f *testing.F) {
	var b block
	b.add(new(recordOf(3, &gitext.FileLines{Path: "a", OldPath: "b", Removed: []byte("x\n"), Added: []byte("y\x00longer run\n")})))
	b.add(new(recordOf(4, &gitext.FileLines{OldPath: "b", Partial: true})))
	b.add(&record{commit: 5, flags: isCopy | isReversed, from: recordID{7, 1}, path: []byte("c")})
	f.Add(b.encode())
	f.Fuzz(func(t *testing.T, data []byte) {
		heads, texts, err := splitBlock(data)
		if err != nil {
			return
		}
		n := 0
		_ = eachRecord(heads, texts, func(_ uint32, r *record) { n += len(r.removed) + len(r.added) }) // damage must not end the program
		if n > len(texts) {
			t.Errorf("records have %d bytes of %d", n, len(texts))
		}
	})
}

func FuzzGraph(f *testing.F) {
	f.Add([]byte("\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		g := newGraph(20)
		if g.decode(data) != nil {
			return
		}
		for n := range g.len() {
			for _, p := range g.parentsOf(uint32(n)) {
				if p >= uint32(n) {
					t.Errorf("commit %d has parent %d", n, p)
				}
			}
		}
	})
}
