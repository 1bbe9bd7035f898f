package mutate

import "testing"

// Each edit is a fix of a project, or the one that its developers made but for the names.
func TestEditsOfJavaAreFixes(t *testing.T) {
	for _, c := range []struct {
		text, old, fresh string
		op               Op
	}{
		// commons-text e2eb7d1a: a length is asked first.
		{"class A {\n    void f(CharSequence input) { //!\n        if (input.charAt(0) != Q) {\n            write(input);\n        }\n    }\n}\n",
			"input.charAt(0) != Q", "input.length() < 2 || input.charAt(0) != Q", OpOr},
		// zxing 6c87ea3e: the bound is asked first.
		{"class A {\n    int f(BitArray row, int i) { //!\n        while (row.get(i) && i < row.size) {\n            i++;\n        }\n        return i;\n    }\n}\n",
			"row.get(i) && i < row.size", "i < row.size && row.get(i)", OpSwapClauses},
		// zxing ae635078.
		{"class A {\n    void f() { //!\n        image.setRGB(x, y, m.get(x, y) == 0 ? WHITE : BLACK);\n    }\n}\n", "WHITE : BLACK", "BLACK : WHITE", OpSwapBranches},
		// zxing 99e41ef7.
		{"class A {\n    Metadata f() { //!\n        return left.getMetadata();\n    }\n}\n",
			"left.getMetadata()", "left == null ? null : left.getMetadata()", OpDefault},
		// commons-validator 8b41ddbf, which gives the group a name.
		{"class A {\n    String f(Matcher matcher) { //!\n        return matcher.group(1);\n    }\n}\n",
			"matcher.group(1)", "matcher.group(1) != null ? matcher.group(1) : \"\"", OpDefault},
		{"class A {\n    List<String> f() { //!\n        return names(1);\n    }\n}\n",
			"names(1)", "names(1) != null ? names(1) : Collections.emptyList()", OpDefault},
		{"class A {\n    boolean f(Object a, Object b) { //!\n        return a == b;\n    }\n}\n", "a == b", "a.equals(b)", OpEquals},
		{"class A {\n    boolean f(Object a, Object b) { //!\n        return a != b;\n    }\n}\n", "a != b", "!Objects.equals(a, b)", OpEquals},
		// zxing 786aae48 and cfeb6758.
		{"class A {\n    void f() { //!\n        record(row, end()[1] + 1, counters);\n    }\n}\n", "end()[1] + 1", "end()[1]", OpUnit},
		{"class A {\n    void f() { //!\n        while (idx < count - 1) {\n            g();\n        }\n    }\n}\n", "count - 1", "count", OpUnit},
		// commons-text c68fe3c2, a part of it.
		{"class A {\n    void f(Path path) { //!\n        final Path abs = path.normalize().toAbsolutePath();\n    }\n}\n",
			".normalize().toAbsolutePath()", ".toAbsolutePath().normalize()", OpChain},
		{"class A {\n    void f(Path path) { //!\n        final Path abs = path.toAbsolutePath();\n    }\n}\n",
			".toAbsolutePath()", ".toAbsolutePath().normalize()", OpChain},
		// commons-validator 963e1d49.
		{"class A {\n    void f(String result) { //!\n        result.replaceFirst(p, q);\n    }\n}\n", "result.rep", "result = result.rep", OpAssign},
		{"class A {\n    boolean f(List<Arg> list) { //!\n        return list.stream().anyMatch(arg -> arg.size() > 1);\n    }\n}\n",
			"arg.size() > 1", "arg.size() >= 1", OpRelation},
	} {
		fn := function(t, "A.java", c.text, Clues{})
		expect(t, fn, results(fn), c.old, c.fresh, c.op)
	}
}

func TestEditsOfRustAreFixes(t *testing.T) {
	for _, c := range []struct {
		text, old, fresh string
		op               Op
	}{
		// clap c9a7ef06: a condition in a closure.
		{"fn g() { a.is_global_set(); }\nfn f() { //!\n    args\n        .filter(|arg| shown(arg.long))\n        .count();\n}\n",
			"shown(arg.long)", "shown(arg.long) && !arg.is_global_set()", OpAnd},
		// clap 42066994: the result of a function.
		{"impl A {\n    fn f(&self, s: &str) -> bool { //!\n        s.len();\n        s.contains(1)\n    }\n}\n", "s.contains(1)", "s.is_empty() || s.contains(1)", OpOr},
		// clap c8095c0b: an arm.
		{"fn f(c: u8) { //!\n    match c {\n        b'e' if i > 0 => g(),\n        _ => h(),\n    }\n}\n", "b'e'", "b'e' | b'E'", OpAlternative},
		{"fn f(c: u8) { //!\n    match c {\n        b'e' if i > 0 => g(),\n        _ => h(),\n    }\n}\n", "i > 0", "i >= 0", OpRelation},
		{"fn g() { Hint::Other; }\nfn f(c: Hint) { //!\n    match c {\n        Hint::Unknown => g(),\n        _ => h(),\n    }\n}\n",
			"Hint::Unknown", "Hint::Unknown | Hint::Other", OpAlternative},
		// serde_json 2161f054.
		{"fn f(e: i32) { //!\n    let p = POW.get(e.abs() as usize);\n}\n", "abs", "wrapping_abs", OpKin},
		// ripgrep d3064034.
		{"fn f() { //!\n    let n = it.map(|(s, _)| s + 1).unwrap_or(0);\n}\n", "s + 1", "s", OpUnit},
		{"fn f() -> Option<u8> { //!\n    let n = it.next().unwrap();\n    None\n}\n", ".unwrap()", "?", OpCheckless},
		{"fn f() { //!\n    let n = cmd.num_args().expect(\"a number\");\n}\n", ".expect(\"a number\")", ".unwrap_or_default()", OpCheckless},
		{"fn f(a: usize) { //!\n    let n = a - self.b.len();\n}\n", "a - self.b.len()", "a.saturating_sub(self.b.len())", OpOverflow},
		// clap 50c59f63, in part.
		{"fn f() { //!\n    let all = ids.map(|id| cmd.find(id)).collect();\n}\n", "ids.map", "ids.filter_map", OpKin},
		// serde_json 0eec493c: the line follows the same line elsewhere.
		{"fn a(&mut self) {\n    self.eat_char();\n    self.buf.clear();\n    self.read();\n}\nfn f(&mut self) { //!\n    self.eat_char();\n    let s = self.raw();\n}\n",
			"    let s", "    self.buf.clear();\n    let s", OpCopy},
		// quick-xml bdf9f469: the inner condition holds without the outer one, too.
		{"fn f(&mut self) { //!\n    if self.trim {\n        self.skip();\n        if self.one() {\n            return self.read();\n        }\n    }\n    self.done();\n}\n",
			"        if self.one() {\n            return self.read();\n        }\n    }\n", "    }\n    if self.one() {\n        return self.read();\n    }\n", OpLeaveBlock},
	} {
		fn := function(t, "a.rs", c.text, Clues{})
		expect(t, fn, results(fn), c.old, c.fresh, c.op)
	}
}

// A line that elsewhere stands beside the same line comes before one that only stands in the file.
func TestCopiesBesideTheSameLineComeFirst(t *testing.T) {
	text := "fn a(&mut self) {\n    self.eat_char();\n    self.buf.clear();\n    self.other();\n}\nfn f(&mut self) { //!\n    self.eat_char();\n    let s = self.raw();\n}\n"
	var ops []string
	for _, e := range function(t, "a.rs", text, Clues{}).Edits() {
		if (e.Op == OpContext || e.Op == OpCopy) && e.Line == 8 {
			ops = append(ops, string(e.Op)+" "+e.Text)
		}
	}
	want := "context copy     self.buf.clear();\n"
	if len(ops) < 3 || ops[0] != want {
		t.Errorf("%q, want %q first", ops, want)
	}
}

// What the failing tests raised decides which question is likelier.
func TestQuestionsFollowTheException(t *testing.T) {
	text := "class A {\n    void f(Item item, String input) { //!\n        if (item.name(input.charAt(0))) {\n            g();\n        }\n    }\n}\n"
	first := func(raised string) string {
		fn := function(t, "A.java", text, Clues{Raised: []string{raised}})
		return fn.atomsAt(3, 4)[0].text
	}
	for raised, want := range map[string]string{"StringIndexOutOfBoundsException": "input.length() == 0", "NullPointerException": "input != null"} {
		if raised == "StringIndexOutOfBoundsException" {
			want = "!input.isEmpty()"
		}
		if got := first(raised); got != want {
			t.Errorf("%s: %s is first, want %s", raised, got, want)
		}
	}
}

// What is no condition, no number of one and no choice stays.
func TestEditsOfOtherExpressionsAreLeftOut(t *testing.T) {
	for _, c := range []struct{ path, text string }{
		{"A.java", "class A {\n    void f(int n) { //!\n        g(n + 1 * 2);\n        if (n == 1 || x != null) {\n            g('a');\n        }\n    }\n}\n"},
		{"a.go", "package p\n\nfunc f(a, b []int) []int { //!\n\tif g(a) && g(b) {\n\t\treturn a[1:len(a)-1]\n\t}\n\treturn b\n}\n"},
		{"a.py", "def f(a, b):\n    return a.strip() if a == b else b.strip()\n"},
	} {
		for _, e := range function(t, c.path, c.text, Clues{}).Edits() {
			switch e.Op {
			case OpSwapClauses, OpUnit, OpEquals, OpDefault, OpAssign, OpSwapBranches, OpOverflow, OpCheckless, OpLeaveBlock, OpContext, OpAlternative:
				if !(c.path == "A.java" && e.Op == OpSwapClauses) {
					t.Errorf("%s: %s: %s", c.path, e.Op, e.Why)
				}
			}
		}
	}
}
