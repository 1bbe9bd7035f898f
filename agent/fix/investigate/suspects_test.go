package investigate

import (
	"fmt"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// Each suspected function is shown with its marked lines, also where those before are long, and
// with its doc comment.
func TestEachSuspectHasAWindow(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	var text strings.Builder
	text.WriteString("package p\n")
	w := &work{texts: map[string][][]byte{}}
	w.in.Localization = &fix.Localization{Spectrum: &fix.Spectrum{Failing: 1, Passing: 1}}
	line := 2
	for i := range 9 {
		fmt.Fprintf(&text, "\n// F%d keeps the promise of %d.\nfunc F%d() {\n", i, i, i)
		for k := range 100 {
			fmt.Fprintf(&text, "\tstep(%d, %d) // one of many long lines of this function\n", i, k)
		}
		text.WriteString("}\n")
		l := fix.Location{Path: "p.go", Function: fmt.Sprint("F", i), Lines: gitext.LineRange{Start: line + 2, End: line + 103}, Hot: []gitext.LineRange{{Start: line + 62, End: line + 63}}}
		l.Grounds = []fix.Ground{{Source: fix.SourceCoverage, Text: "the failing test executes it"}}
		w.in.Localization.Locations = append(w.in.Localization.Locations, l)
		line += 104
	}
	h.Commit("p", gittest.Files{"p.go": text.String()})
	w.repo, w.in.Problem.Tree.Commit = h.Open(), h.Head()
	got, err := w.makeSuspectsText(t.Context(), true)
	if err != nil || len(got) > maxSuspects+8*400 {
		t.Fatalf("%v, %d bytes", err, len(got))
	}
	for i := range maxListed {
		for _, want := range []string{fmt.Sprintf("## %d. p.go:%d-", i+1, 104*i+4), fmt.Sprintf("// F%d keeps the promise", i), fmt.Sprintf("\n>%4d  \tstep(%d, 59)", 104*i+64, i)} {
			if !strings.Contains(got, want) {
				t.Errorf("lacks %q", want)
			}
		}
	}
	if t.Failed() {
		t.Log(got)
	}
}

// A function for which nothing speaks is named without its code, unless nothing speaks for any.
func TestSuspectsWithoutGrounds(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("p", gittest.Files{"A.java": "class A {\n    static {\n        map.put(1, 2);\n    }\n    void f() {\n        g();\n    }\n}\n"})
	w := &work{repo: h.Open(), texts: map[string][][]byte{}}
	w.in.Problem.Tree.Commit = h.Head()
	w.in.Localization = &fix.Localization{Locations: []fix.Location{
		{Path: "A.java", Function: "f", Lines: gitext.LineRange{Start: 5, End: 7}, Grounds: []fix.Ground{{Source: fix.SourceReport, Text: "the failing test calls it"}}},
		{Path: "A.java", Function: "<clinit>", Lines: gitext.LineRange{Start: 2, End: 4}},
	}}
	got, err := w.makeSuspectsText(t.Context(), true)
	if err != nil || !strings.Contains(got, "g();") || !strings.HasSuffix(got, "## 2. A.java:2-4 <clinit>\n") {
		t.Errorf("%v\n%s", err, got)
	}
	w.in.Localization.Locations[0].Grounds = nil
	if got, err = w.makeSuspectsText(t.Context(), true); err != nil || !strings.Contains(got, "map.put") {
		t.Errorf("without any: %v\n%s", err, got)
	}
}

// The comment above a function is found in each language, and other lines are not taken for a
// comment.
func TestContract(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path, text string
		start      int
		want       string
	}{
		{"a.c", "int x;\n/* Frees it.\n * Twice is once. */\nvoid f(void)\n", 4, "[2 3]"},
		{"a.c", "#define X\nvoid f(void)\n", 2, "[]"},
		{"a.py", "x = 1\n# Frees it.\n@once\ndef f():\n", 4, "[2 3]"},
		{"a.go", "// Frees it.\n\nfunc f() {\n", 3, "[]"},
		{"a.go", strings.Repeat("// a long contract of a function that has much to say about what it does and for whom\n", 30) + "func f() {\n", 31, "[1 2 3 4 5]"},
	} {
		if got := fmt.Sprint(contract(c.path, linesOf(c.text), c.start, 1000)); got != c.want {
			t.Errorf("%q: %s", c.text[:10], got)
		}
	}
}
