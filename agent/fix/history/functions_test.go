package history

import (
	"slices"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext/gittest"
)

func TestFunctionNames(t *testing.T) {
	// The name in a heading is found in each language, without macros, attributes,
	// return types and initializers.
	t.Parallel()
	for _, c := range []struct{ file, heading, want string }{
		{"a.go", "func f(a int) {", "f"},
		{"a.go", "func (r *Repo) Blame(ctx context.Context) error {", "Repo.Blame"},
		{"a.go", "func (List[T]) Len() int {", "List.Len"},
		{"a.go", "func Map[T any](in []T) []T {", "Map"},
		{"a.c", "CJSON_PUBLIC(cJSON *) cJSON_Parse(const char *value) {", "cJSON_Parse"},
		{"a.c", "static void ovs_lock(struct m *m) OVS_REQUIRES(mutex) {", "ovs_lock"},
		{"a.c", "void f(void (*callback)(int)) __attribute__((noreturn)) {", "f"},
		{"a.c", "TEST(Suite, case) {", "TEST"},
		{"a.cc", "Foo::Foo(int a) : x(a), y(compute(a)) {", "Foo::Foo"},
		{"a.cc", "bool ns::T::operator==(const T &o) const {", "ns::T::operator=="},
		{"a.cc", "template <class T> T max_of<int>(T a, T b) {", "max_of"},
		{"A.java", "@Test(expected = E.class) public <T> List<T> findAll(Map<K, V> m) throws E {", "findAll"},
		{"a.py", "@decorated(1) async def run(self):", "run"},
		{"a.rs", "pub(crate) fn parse<'a>(s: &'a str) -> R {", "parse"},
		{"a.js", "var combine = function combine(a, b) {", "combine"},
		{"a.js", "exports.parse = (text) => {", "exports.parse"},
		{"a.js", "module.exports = function (str, opts) {", "module.exports"},
		{"a.ts", "async load(path: string): Promise<void> {", "load"},
		{"a.kt", "private fun <T> String.parse(x: T) {", "String.parse"},
		{"a.php", "public function &get($x) {", "get"},
		{"a.go", "type T struct {", ""},
		{"a.c", "", ""},
		{"a.c", "((((", ""},
	} {
		if got := functionName(c.file, c.heading); got != c.want {
			t.Errorf("%s: %q in %q, want %q", c.file, got, c.heading, c.want)
		}
	}
}

func TestFunctionsOfAFile(t *testing.T) {
	// All functions of a file are listed once, in order; those within others are a part
	// of them.
	t.Parallel()
	text := gittest.Lines("package a", "", "// f is it.", "func f() {", "\tg := func() {", "\t\tx()", "\t}", "\tg()", "}", "",
		"var x = 1", "", "func (t T) m(", "\ta int,", ") int { return a }", "", "func last() {}")
	var got []string
	for _, f := range functions("a.go", splitLines([]byte(text))) {
		got = append(got, f.name)
	}
	if want := []string{"f", "T.m", "last"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := functions("a.go", splitLines([]byte(strings.Repeat("func (\n{{{", 3000)))); len(got) > maxFunctions {
		t.Errorf("%d functions", len(got))
	}
}

func TestFnAll(t *testing.T) {
	// The functions of all program files that the commit changed are named, the faulty
	// file's first, with those that it changed. Tests, documents, deleted files and files
	// without functions are left out.
	t.Parallel()
	h := gittest.New(t)
	two := func(a, b string) string {
		return gittest.Lines("package a", "", "func one() {", "\t"+a, "}", "", "func two() {", "\t"+b, "}")
	}
	h.Commit("first", gittest.Files{"z.go": two("x()", "y()"), "a.go": two("x()", "y()"), "same.go": two("x()", "y()"), "old.go": two("x()", "y()"), "doc.md": "d\n"})
	h.Commit("second", gittest.Files{"z.go": two("x()", "z()"), "a.go": two("y()", "y()"), "new.go": two("x()", "y()"),
		"old.go": gittest.Gone, "z_test.go": two("x()", "y()"), "doc.md": "e\n", "const.go": "package a\n"})
	repo := h.Open()
	found := find(t, repo, fix.Tree{Commit: h.Head()}, fix.Location{Path: "z.go"})
	got, err := FnAll(t.Context(), repo, found.Blamed[0])
	if err != nil {
		t.Fatal(err)
	}
	var text []string
	for _, f := range got {
		text = append(text, f.Path+": "+strings.Join(f.Names, " ")+"; "+strings.Join(f.Changed, " "))
	}
	want := []string{"z.go: one two; two", "a.go: one two; one", "new.go: one two; "}
	if !slices.Equal(text, want) {
		t.Errorf("%q, want %q", text, want)
	}
}

func TestFnPair(t *testing.T) {
	// The function is found before the commit by its name, or by its lines if it had
	// another one. One that was born in the commit has nothing before.
	t.Parallel()
	h := gittest.New(t)
	f := func(name string, lines ...string) string {
		return "int " + name + "(int a)\n{\n    " + strings.Join(lines, "\n    ") + "\n}\n\n"
	}
	h.Commit("zero", gittest.Files{"README": "r\n"})
	h.Commit("first", gittest.Files{"a.c": f("head", "a = 0;") + f("body", "a += 1;", "a += 2;", "a += 3;") + f("gone", "a -= 7;", "a -= 8;")})
	h.Commit("second", gittest.Files{"a.c": f("born", "a = 9;", "a = 8;", "a = 7;", "a = 6;") + f("tail", "a += 1;", "a += 2;", "a += 4;") + f("head", "a = 5;")})
	repo, tree := h.Open(), fix.Tree{Commit: h.Head()}
	for _, c := range []struct {
		line          int
		after, before string
	}{
		{4, "born 1", ""},
		{13, "tail 9", "body 6"},
		{18, "head 16", "head 1"},
		{15, "", ""}, // between functions
	} {
		found := find(t, repo, tree, hot("a.c", lineRange(c.line), c.line, c.line))
		if len(found.Blamed) == 0 {
			t.Fatalf("line %d: no commit", c.line)
		}
		pair, err := FnPair(t.Context(), repo, found.Blamed[0])
		if err != nil {
			t.Fatal(err)
		}
		if got := bodyName(pair.After); got != c.after {
			t.Errorf("line %d: after %q, want %q", c.line, got, c.after)
		}
		if got := bodyName(pair.Before); got != c.before {
			t.Errorf("line %d: before %q, want %q", c.line, got, c.before)
		}
	}
}

func bodyName(b Body) string {
	if len(b.Lines) == 0 {
		return ""
	}
	return b.Name + " " + spans([]int{b.Start})
}
