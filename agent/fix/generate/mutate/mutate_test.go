package mutate

import (
	"slices"
	"strings"
	"testing"

	"git-agent/agent/source"
)

// function reads the function that holds the line with a mark "//!", or the first line.
func function(t *testing.T, path, text string, clues Clues) *Function {
	t.Helper()
	f, ok := Read(path, []byte(text))
	if !ok {
		t.Fatalf("%s cannot be read", path)
	}
	at := 1
	for i, l := range f.Lines() {
		if strings.Contains(string(l), "//!") {
			at = i + 1
		}
	}
	e, ok := source.FunctionAround(path, f.Lines(), at)
	if !ok {
		t.Fatalf("no function at line %d", at)
	}
	fn, ok := f.Function(e, clues)
	if !ok {
		t.Fatal("the function cannot be prepared")
	}
	return fn
}

// results returns the texts that the edits lead to, with those that follow from probes,
// and with single spaces for white space.
func results(fn *Function) map[string]Op {
	all := map[string]Op{}
	add := func(e Edit) {
		all[strings.Join(strings.Fields(string(e.Apply(fn.Content))), " ")] = e.Op
	}
	for _, e := range fn.Edits() {
		add(e)
		if e.More != nil {
			for _, next := range e.More() {
				add(next)
			}
		}
	}
	return all
}

// expect checks that the results contain the function with one text replaced by another.
func expect(t *testing.T, fn *Function, all map[string]Op, old, fresh string, op Op) {
	t.Helper()
	text := string(fn.Content)
	if strings.Count(text, old) != 1 {
		t.Fatalf("%q is there %d times", old, strings.Count(text, old))
	}
	want := strings.Join(strings.Fields(strings.Replace(text, old, fresh, 1)), " ")
	if got, ok := all[want]; !ok || got != op {
		t.Errorf("%q in place of %q: %q, want %q", fresh, old, got, op)
	}
}

const goText = `package p

func (r *Route) Match(req *Request, match *RouteMatch) (bool, error) {
	if match == nil || r.handler != nil && req.Method == "" {
		return false, nil
	}
	for i := 0; i < len(r.matchers); i++ { //!
		if m := r.matchers[i]; !m.Match(req, match) {
			match.Err = m.routeErr
			r.count(i, 10)
		}
	}
	r.count(1, 2)
	last := len(r.matchers) - 1
	r.done = true
	return wrap(last) > 0, match.Err
}

func other(r *Route, m *M) {
	r.count(0, 16)
	if m.RouteErr() != nil && r.closed {
		r.reset(last)
	}
}
`

func TestEditsOfGo(t *testing.T) {
	// Each kind of edit is made at a suitable place.
	t.Parallel()
	fn := function(t, "a.go", goText, Clues{})
	all := results(fn)
	for _, c := range []struct {
		old, fresh string
		op         Op
	}{
		{"match == nil || ", "", OpDropClause},
		{"match == nil ||", "match != nil ||", OpEquality},
		{"r.handler != nil &&", "r.handler != nil ||", OpLogic},
		{"!m.Match(req, match)", "m.Match(req, match)", OpNegate},
		{"i < len", "i <= len", OpRelation},
		{"!m.Match(req, match) {", "!m.Match(req, match) && r.handler == nil {", OpAnd},
		{`req.Method == "" {`, `req.Method == "" || len(r.matchers) == 0 {`, OpOr},
		{`req.Method == "" {`, `req.Method == "" || match.Err != nil {`, OpOr},
		{`req.Method == ""`, "req.Method != nil", OpCompareNull},
		{"false, nil", "true, nil", OpBoolean},
		{"r.done = true", "r.done = false", OpBoolean},
		{"r.count(i, 10)", "r.count(i, 11)", OpNumber},
		{"r.count(i, 10)", "r.count(i, 16)", OpArgument},
		{"r.count(1, 2)", "r.count(2, 1)", OpSwapArguments},
		{"m.routeErr", "m.RouteErr()", OpMember},
		{"\tr.done = true\n", "", OpDelete},
		{"\t\t\tmatch.Err = m.routeErr\n", "\t\t\tif match.Err == nil {\n match.Err = m.routeErr\n }\n", OpGuard},
		{"r.count(i, 10)\n", "r.count(i, 10)\ncontinue\n", OpJump},
		{"r.count(i, 10)\n", "r.count(i, 10)\nreturn false, nil\n", OpJump},
		{"\tr.count(1, 2)\n", "\tif r.handler == nil {\n return false, nil\n }\n r.count(1, 2)\n", OpLeave},
		{"\tr.done = true\n", "\tr.reset(last)\n r.done = true\n", OpCopy},
		{"r.count(1, 2)\n\tlast := len(r.matchers) - 1\n", "last := len(r.matchers) - 1\nr.count(1, 2)\n", OpMove},
		{"wrap(last) > 0", "last > 0", OpUnwrap},
		{"i < len(r.matchers)", "i < len(r.matchers) - 1", OpOffByOne},
	} {
		expect(t, fn, all, c.old, c.fresh, c.op)
	}
}

func TestEditsOfOtherLanguages(t *testing.T) {
	// Conditions, guards and statements are written as the language has them.
	t.Parallel()
	for _, c := range []struct {
		path, text, old, fresh string
		op                     Op
	}{
		{"a.c", "int f(struct item *item, int n)\n{\n\tif (item == NULL) {\n\t\treturn 0;\n\t}\n\titem->n = n; //!\n\treturn 1;\n}\n",
			"\titem->n = n;", "\tif (item->n == NULL) {\n return 0;\n }\n item->n = n;", OpLeave},
		{"a.c", "int f(struct item *item, int n)\n{\n\tif (item == NULL) { //!\n\t\treturn 0;\n\t}\n\titem->n = n;\n\treturn 1;\n}\n",
			"(item == NULL)", "(item == NULL || item->n == NULL)", OpOr},
		{"a.js", "var f = function (obj, opts) {\n    if (opts.all && obj.length === 0) { //!\n        return '';\n    }\n    return obj.x;\n};\n",
			"obj.length === 0)", "obj.length === 0 && obj.x)", ""},
		{"a.js", "var f = function (obj, format) {\n    if (obj) { //!\n        return obj.x;\n    }\n    return format(obj);\n};\n",
			"return obj.x", "return format(obj.x)", OpWrap},
		{"a.py", "def f(a, b):\n    if a.x and b:\n        a.y()\n    return a\n",
			"if a.x and b:", "if a.x or b:", OpLogic},
		{"a.py", "def f(a, b):\n    if a.x and b:\n        a.y()\n    return a\n",
			"if a.x and b:", "if a.x:", OpDropClause},
		{"A.java", "class A {\n    int f(B b) {\n        if (b.ok()) { //!\n            return 1;\n        }\n        b.go();\n        return 2;\n    }\n}\n",
			"        b.go();\n", "        if (b == null) {\n return 1;\n }\n b.go();\n", OpLeave},
	} {
		fn := function(t, c.path, c.text, Clues{})
		all := results(fn)
		if c.op == "" { // it must not be made: obj.x is no condition anywhere
			if _, ok := all[strings.Join(strings.Fields(strings.Replace(c.text, c.old, c.fresh, 1)), " ")]; ok {
				t.Errorf("%s: %q was made", c.path, c.fresh)
			}
			continue
		}
		expect(t, fn, all, c.old, c.fresh, c.op)
	}
}

func TestEditsOfHotLines(t *testing.T) {
	// With hot lines, nothing is changed on other lines, and hotter lines come first.
	t.Parallel()
	fn := function(t, "a.go", goText, Clues{Hot: map[int]float64{4: 0.1, 8: 1}})
	edits := fn.Edits()
	if len(edits) < 10 || edits[0].Line != 8 {
		t.Fatalf("%d edits, the first on line %d", len(edits), edits[0].Line)
	}
	for _, e := range edits {
		// A statement may be inserted before the line that follows a hot one.
		if !slices.Contains([]int{4, 5, 8, 9}, e.Line) && e.Op != OpMove && e.Op != OpJump {
			t.Errorf("line %d: %s", e.Line, e.Why)
		}
	}
}

func TestTextsOfTests(t *testing.T) {
	// A string is replaced by one of the failing tests that resembles it.
	t.Parallel()
	text := "package p\n\nfunc f() string {\n\treturn \"response already written\" //!\n}\n"
	fn := function(t, "a.go", text, Clues{Words: []string{"x", "response body already written"}})
	expect(t, fn, results(fn), `"response already written"`, `"response body already written"`, OpText)
}

func TestTransplants(t *testing.T) {
	// A similar function gives the statement that this one lacks, with the names of this
	// one, and the constant in which they differ.
	t.Parallel()
	text := `package p

func a(x *X) error { //!
	x.open()
	n := x.parse(x.text, 10)
	if n < 0 {
		return errA
	}
	x.close()
	return nil
}

func b(y *Y) error {
	y.open()
	defer y.unlock()
	m := y.parse(y.text, 0)
	if m < 0 {
		return errB
	}
	y.close()
	return nil
}
`
	f, _ := Read("a.go", []byte(text))
	fn := function(t, "a.go", text, Clues{})
	body := f.Body(13, 22)
	if s := f.Body(3, 11).Similarity(body); s < 0.6 {
		t.Errorf("similarity %.2f", s)
	}
	all := map[string]bool{}
	for _, e := range fn.Transplants(body) {
		all[strings.Join(strings.Fields(string(e.Apply(fn.Content))), " ")] = true
	}
	for old, fresh := range map[string]string{
		"\tn := x.parse(x.text, 10)\n": "\tdefer x.unlock()\n n := x.parse(x.text, 0)\n",
	} {
		if want := strings.Join(strings.Fields(strings.Replace(text, old, fresh, 1)), " "); !all[want] {
			t.Errorf("%q was not made", fresh)
		}
	}
}

func TestTransplantsTheFirstStatement(t *testing.T) {
	// If the similar function has several additional lines, their first whole statement is also
	// tried alone: a guard may be followed by code that belongs only to the other function.
	t.Parallel()
	text := `package p

func (s *Stack) Pop() (int, error) { //!
	n := s.items[len(s.items)-1]
	s.items = s.items[:len(s.items)-1]
	return n, nil
}

func (s *Stack) Peek() (int, error) {
	if len(s.items) == 0 {
		return 0, errEmpty
	}
	return s.items[len(s.items)-1], nil
}
`
	f, _ := Read("a.go", []byte(text))
	fn := function(t, "a.go", text, Clues{})
	const guard = "\tif len(s.items) == 0 {\n\t\treturn 0, errEmpty\n\t}\n"
	for _, e := range fn.Transplants(f.Body(9, 14)) {
		if e.Text == guard && e.Line == 4 {
			return
		}
	}
	t.Error("the guard was not taken")
}

func TestReapplied(t *testing.T) {
	// A change of a similar function is made here with the names of this one.
	t.Parallel()
	text := "package p\n\nfunc a(x *X) int { //!\n\tx.open()\n\tn := x.parse(10)\n\treturn n\n}\n"
	before := "func b(y *Y) int {\n\ty.open()\n\tm := y.parse(10)\n\treturn m\n}\n"
	after := "func b(y *Y) int {\n\ty.open()\n\tm := y.parse(0)\n\treturn m\n}\n"
	fb, _ := Read("b.go", []byte(before))
	fa, _ := Read("b.go", []byte(after))
	edits := function(t, "a.go", text, Clues{}).Reapplied(fb.Body(1, 5), fa.Body(1, 5))
	if len(edits) != 1 || !strings.Contains(string(edits[0].Apply([]byte(text))), "\tn := x.parse(0)\n") {
		t.Errorf("%+v", edits)
	}
}

func TestNormal(t *testing.T) {
	// Comments and white space do not matter; strings and numbers do.
	t.Parallel()
	a := Normal("a.go", []byte("func f() { // x\n\treturn \"a  b\" /* y */ }"))
	if b := Normal("a.go", []byte("func f() {return \"a  b\"}")); a != b {
		t.Errorf("%q, %q", a, b)
	}
	if b := Normal("a.go", []byte("func f() {return \"a b\"}")); a == b {
		t.Error("another string counts as equal")
	}
}

func FuzzEdits(f *testing.F) {
	// Any text: no panic, edits within the file, bounded time.
	for path, text := range map[string]string{
		"a.go": goText, "a.c": "int f(int a)\n{\n  if (a) { return 1; }\n", "a.py": "def f(a):\n  if a and (b: \n", "a.js": "f = function (a) { return /x(/.test(a) ? `${a` : 'b",
		"A.java": "class A { @X int f() { for (;;) { } } }",
	} {
		f.Add(path, []byte(text), 3)
	}
	f.Fuzz(func(t *testing.T, path string, text []byte, line int) {
		file, ok := Read(path, text)
		if !ok {
			return
		}
		e, ok := source.FunctionAround(path, file.Lines(), line)
		if !ok {
			return
		}
		fn, ok := file.Function(e, Clues{})
		if !ok {
			return
		}
		for i, edit := range fn.Edits() {
			if edit.Off < 0 || edit.Off > edit.End || edit.End > len(text) {
				t.Fatalf("%s: bytes %d to %d of %d", edit.Op, edit.Off, edit.End, len(text))
			}
			if edit.More != nil && i < 20 {
				edit.More()
			}
		}
		fn.Transplants(file.Body(1, len(file.Lines())))
	})
}

// The languages have changes of their own.
func TestChangesOfALanguage(t *testing.T) {
	for _, c := range []struct{ path, text, want string }{
		{"A.java", "class A {\n  boolean f(Node n) {\n    return n.kind() == 1;\n  }\n}\n", "return n != null && n.kind() == 1;"},
		{"A.java", "class A {\n  boolean f(Node n) {\n    return KIND.equals(n.kind());\n  }\n}\n", "return n != null && KIND.equals(n.kind());"},
		{"A.java", "class A {\n  boolean f(Node n) {\n    return a(n) && n.up.kind() == 1;\n  }\n}\n", "return a(n) && (n.up == null || n.up.kind() == 1);"},
		{"A.java", "class A {\n  int f(String s) {\n    return s.indexOf('.');\n  }\n}\n", "return s.lastIndexOf('.');"},
		{"a.ts", "function f(a: A): number {\n  return a.b.length || 1;\n}\n", "return a.b.length ?? 1;"},
		{"a.ts", "function f(a: A): number {\n  return a.b.length || 1;\n}\n", "return a.b?.length || 1;"},
		{"a.ts", "function f(s: string) {\n  return /^\\d+/.test(s);\n}\n", "return /^-?\\d+/.test(s);"},
		{"a.ts", "function f(s: string) {\n  return s.replace(/x/, '');\n}\n", "return s.replace(/x/g, '');"},
		{"a.rs", "fn f(n: usize) -> usize {\n    (0..n).sum()\n}\n", "(0..=n).sum()"},
		{"a.rs", "fn f(s: &str) -> Option<usize> {\n    s.find('\"')\n}\n", "s.rfind('\"')"},
		{"a.py", "def f(s):\n    return s.find('.')\n", "return s.rfind('.')"},
	} {
		fn := function(t, c.path, strings.Replace(c.text, "{\n    return", "{ //!\n    return", 1), Clues{})
		found := false
		for got := range results(fn) {
			found = found || strings.Contains(got, c.want)
		}
		if !found {
			t.Errorf("%s: no edit gives %q", c.path, c.want)
		}
	}
}
