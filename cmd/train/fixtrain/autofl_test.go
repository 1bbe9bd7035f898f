package fixtrain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	fixeval "git-agent/agent/eval/fix"
	"git-agent/gitext/gittest"
)

// autoflTree is a checkout of coinse/autofl with made-up bugs in the form of the real ones.
func autoflTree() fstest.MapFS {
	tree := fstest.MapFS{}
	for name, text := range map[string]string{
		"data/bugsinpy/shop_2/snippet.json": `[
			{"name": "total#10", "src_path": "shop/cart.py", "class_name": "shop.cart.Cart", "signature": "shop.cart.Cart.total(self, tax=0)",
				"begin_line": 10, "end_line": 14, "is_bug": true},
			{"src_path": "shop/cart.py", "signature": "shop.cart.round_up(value)", "begin_line": 20, "end_line": 22, "is_bug": false},
			{"src_path": "shop/cart.py", "signature": "shop.cart.twice(x)", "begin_line": 30, "end_line": 31, "is_bug": false},
			{"src_path": "shop/cart.py", "signature": "shop.cart.twice(x)", "begin_line": 33, "end_line": 34, "is_bug": false},
			{"src_path": "shop/tax.py", "signature": "shop.tax.rate(country: str)", "begin_line": 1, "end_line": 3, "is_bug": false},
			{"src_path": "shop/tax.py", "signature": "shop.tax.tables()", "begin_line": 5, "end_line": 6, "is_bug": false},
			{"src_path": "shop/tax.py", "signature": "shop.tax.anything()", "begin_line": 8, "end_line": 9, "is_bug": false}]`,
		"data/bugsinpy/shop_10/snippet.json": `[{"src_path": "shop/a.py", "signature": "shop.a.f()", "begin_line": 1, "end_line": 2, "is_bug": false}]`,
		"results/one/m/XFL-shop_2.json": `{"messages": [
			{"role": "system", "content": "You debug."},
			{"role": "user", "content": "The test looks like:\n\n` + "```python\\n" +
			`7 : def test_total():\n8 :     # tables()\n9 :     assert len('rate(1)') == f'{tables()} {{rate(1)}}' # error occurred here\n` + "```" + `\n"},
			{"role": "assistant", "content": null, "function_call": {
				"name": "get_code_snippet", "arguments": "{\"signature\": \"shop.tax.rate(country: str)\"}"}},
			{"role": "function", "name": "get_code_snippet", "content": "\"1 : def rate(country: str):\\n2 :     return tables()[country].rate()\""},
			{"role": "function", "name": "get_code_snippet", "content": "{\"error_message\": \"No components with the name rate()\"}"},
			{"role": "function", "name": "get_code_snippet", "content": "\"4 :     def rate(self):\\n5 :         return anything()\""},
			{"role": "assistant", "content": "` + "`shop.cart.twice(int)`" + `\nshop.cart.Cart.total(self)"}],
			"buggy_methods": {}}`,
		"results/two/m/XFL-shop_2.json": `{"messages": [
			{"role": "assistant", "content": "Basket.round_up(float)\nnothing.here()\n"}], "buggy_methods": {}}`,
		"results/two/m/XFL-shop_10.json": `{"messages": [{"role": "assistant", "content": null}], "buggy_methods": "openai.error.InvalidRequestError"}`,
		"results/two/m/XFL-gone_1.json":  `{"messages": [], "buggy_methods": {}}`,
		"results/two/m/notes.txt":        `no run`,
		"combined_fl_results/r.json": `{"summary": {"total": 2}, "buggy_methods": {"shop_2": {"shop.cart.Cart.total(self, tax=0)": {"autofl_rank": 2},
			"shop.tax.rate(country: str)": {"autofl_rank": 4}}, "shop_10": {}}}`,
		"combined_fl_results/none.json": `{}`,
	} {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return tree
}

// runAutofl writes the answers of the runs.
func runAutofl(t *testing.T, a autoflRuns, runs string) (answers []publishedAnswer, notes string, err error) {
	t.Helper()
	var out, said bytes.Buffer
	a.out, a.notes = &out, &said
	if err := a.open(runs); err != nil {
		return nil, "", err
	}
	err = a.write(t.Context())
	for line := range bytes.Lines(out.Bytes()) {
		if err := fixeval.CheckForeign(line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		var got publishedAnswer
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatal(err)
		}
		answers = append(answers, got)
	}
	return answers, said.String(), err
}

// A run's vote is shared by the methods of its answer. The second run's round_up is nearest to what
// it wrote; twice has two definitions and loses votes by it; the rest is ordered by looks.
func TestAutofl(t *testing.T) {
	a := autoflRuns{tree: autoflTree(), first: 10}
	if err := a.readRanks("combined_fl_results/r.json"); err != nil {
		t.Fatal(err)
	}
	got, notes, err := runAutofl(t, a, "results/*/m")
	if err != nil {
		t.Fatal(err)
	}
	want := []publishedAnswer{
		{"shop-2", []string{"shop/cart.py:20-22", "shop/cart.py:10-14", "shop/cart.py:30-31", "shop/cart.py:33-34",
			"shop/tax.py:5-6", "shop/tax.py:1-3", "shop/tax.py:8-9"}},
		{"shop-10", []string{"shop/a.py:1-2"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	for _, line := range []string{
		"left out, because the checkout lacks their snippet.json: 1 bugs, gone_1\n",
		"the true methods have their published ranks in 0 of 1 bugs; 1 others have no true method, 0 no published ranks\n",
		"shop_2: shop.tax.rate(country: str) is at 5 instead of 4\n",
	} {
		if !strings.Contains(notes, line) {
			t.Errorf("%q lacks %q", notes, line)
		}
	}
	a.ranks["shop_2"]["shop.tax.gone()"] = publishedRank{9}
	if _, notes, err = runAutofl(t, a, "results/*/m"); err != nil || !strings.Contains(notes, "the data lack shop.tax.gone(), published at 9; ") {
		t.Errorf("%q %v", notes, err)
	}
	delete(a.ranks["shop_2"], "shop.tax.gone()")
	a.ranks["shop_2"]["shop.tax.rate(country: str)"] = publishedRank{5}
	a.first, a.projects = 2, []string{"shop"}
	got, notes, err = runAutofl(t, a, "results/one/m,results/two/m")
	if err != nil || len(got) != 2 || len(got[0].Locations) != 2 || !strings.HasPrefix(notes, "the true methods have their published ranks in 1 of 1") {
		t.Errorf("%+v %q %v", got, notes, err)
	}
}

func TestAutoflRefuses(t *testing.T) {
	tree := autoflTree()
	tree["results/bad/m/XFL-shop_2.json"] = &fstest.MapFile{Data: []byte("{")}
	for _, c := range []struct {
		runs     string
		projects []string
		want     string
	}{
		{"", nil, "-runs is missing"},
		{"results/three/m", nil, "no folder results/three/m"},
		{"results/one/m", []string{"shop", "mall"}, "the runs have no bug of mall"},
		{"results/bad/m", nil, "results/bad/m/XFL-shop_2.json: unexpected end"},
	} {
		if _, _, err := runAutofl(t, autoflRuns{tree: tree, projects: c.projects}, c.runs); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	for name, want := range map[string]string{"combined_fl_results/none.json": "has no ranks", "r.json": "file does not exist"} {
		a := autoflRuns{tree: tree}
		if err := a.readRanks(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Answers in Java name a method by the end of its name and the simple names of its types; among
// equal votes, what more failing tests run comes first.
func TestAutoflJava(t *testing.T) {
	b := publishedBug{name: "Lang_1", methods: []publishedMethod{
		{Signature: "org.example.Pair.Pair(java.util.Map<java.lang.String, java.lang.Integer>, int)", Failing: 1},
		{Signature: "org.example.Pair.left()", Failing: 1},
		{Signature: "org.example.Pair.right(int)", Failing: 2},
		{Signature: "org.example.Pair.right(long)", Failing: 3},
	}}
	for expr, want := range map[string]string{
		"Pair.<init>(Map<String, Integer>, int)":       "org.example.Pair.Pair(java.util.Map<java.lang.String, java.lang.Integer>, int)",
		"example.Pair.left()":                          "org.example.Pair.left()",
		"Pair.right(int index)":                        "org.example.Pair.right(int)",
		"Pair.right(java.lang.Integer)":                "",
		"left()":                                       "",
		"air.left()":                                   "",
		"com.org.example.Pair.left()":                  "",
		"It is in Pair.right, which ignores its index": "",
	} {
		if got := strings.Join(b.matching(expr), " "); got != want {
			t.Errorf("%s: %q", expr, got)
		}
	}
	said := "Pair.left()\nPair.right(int)"
	b.runs = []publishedRun{{Messages: []publishedMessage{{Content: &said}}}}
	want := []string{"org.example.Pair.right(int)", "org.example.Pair.left()", "org.example.Pair.right(long)",
		"org.example.Pair.Pair(java.util.Map<java.lang.String, java.lang.Integer>, int)"}
	if got := b.order(); !reflect.DeepEqual(got, want) || b.id() != "Lang-1" {
		t.Errorf("%q", got)
	}
}

// The calls are those that a parser of Java finds in a method: no declarations, constructors, or
// methods of a superclass, and none behind the end of the method or in one that has no end.
func TestJavaCalls(t *testing.T) {
	method := "/** f(x) */\n@Test(timeout = max())\npublic void f(int a) throws E {\n// g()\n" +
		"if (h(\"i()\")) { this.j(')'); new K(l()); new m.N(); a.<T>o().p()[0].q(); }\n" +
		"super.r(); Object s = new Object() { public int t() { return u(); } };\n}\nint v() { return w(); }"
	if got := strings.Join(javaCalls(method), " "); got != "max h j l o p q u" {
		t.Error(got)
	}
	if got := javaCalls("void f() { g();"); got != nil {
		t.Error(got)
	}
	if got := javaCalls("int x = y();"); len(got) != 1 {
		t.Error(got)
	}
}

func TestPythonCalls(t *testing.T) {
	for code, want := range map[string]string{
		"@a(1)\ndef b(c=d()):\n\te.f(g())\n\t\"\"\"h()\n\"\"\"\n\treturn rf'{i(1)} {{j()}}' # k()\n": "a d g i",
		"\ndef a():\n\treturn b() + \\\n\t\tc()\n":                                                   "b c",
		"def a():\n\treturn b() + \\ # error occurred here\n\t\tc()\n":                               "",
		"\tdef a(self):\n\t\treturn b()":                                                             "",
	} {
		if got := strings.Join(pythonCalls(code), " "); got != want {
			t.Errorf("%q: %q", code, got)
		}
	}
}

// The commit of a case has the methods at other lines than the data, and one with another body.
func TestAutoflBases(t *testing.T) {
	h := gittest.New(t)
	base := h.Commit("bug", gittest.Files{"A.java": "class A {\n  int b() {\n    return 1;\n  }\n\n" +
		"  int c() {\n    return 3;\n  }\n\n  int b() {\n    return 1;\n  }\n}\n"})
	dir := t.TempDir()
	if err := os.Symlink(h.Open().WorkTree(), filepath.Join(dir, "o+a")); err != nil {
		t.Fatal(err)
	}
	cases := filepath.Join(dir, "cases.jsonl")
	if err := os.WriteFile(cases, fmt.Appendf(nil, "{\"id\":\"Lang-1\",\"repo\":\"o/a\",\"base\":%q}\n", base), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := readBases(dir, cases)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	tree := fstest.MapFS{
		"data/defects4j/Lang_1/snippet.json": {Data: []byte(`[
			{"src_path": "A.java", "signature": "A.b()", "snippet": "  int b() {\n    return 1;\n  }\n", 
				"begin_line": 9, "end_line": 11, "num_failing_tests": 4},
			{"src_path": "A.java", "signature": "A.c()", "snippet": "  @Deprecated\n  int c() {\n    return 2;\n  }\n", 
				"begin_line": 4, "end_line": 7, "num_failing_tests": 3},
			{"src_path": "A.java", "signature": "A.d()", "snippet": "  int d() {}\n", "begin_line": 8, "end_line": 8, "num_failing_tests": 2},
			{"src_path": "B.java", "signature": "B.e()", "snippet": "  int e() {}\n", "begin_line": 8, "end_line": 8, "num_failing_tests": 1}]`)},
		"data/defects4j/Lang_2/snippet.json": {Data: []byte(`[]`)},
		"r/XFL-Lang_1.json":                  {Data: []byte(`{}`)},
		"r/XFL-Lang_2.json":                  {Data: []byte(`{}`)},
	}
	got, notes, err := runAutofl(t, autoflRuns{tree: tree, first: 10, bases: s}, "r")
	if err != nil {
		t.Fatal(err)
	}
	want := []publishedAnswer{{"Lang-1", []string{"A.java:10-12", "A.java:5-8", "A.java:8-8", "B.java:8-8"}}}
	if !reflect.DeepEqual(got, want) || !strings.Contains(notes, "at other lines: 2; not found: 2\nnot found: Lang-1 A.d()\n") {
		t.Errorf("%+v %q", got, notes)
	}
}
