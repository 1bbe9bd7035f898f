package source

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Functions lists names and lines as a reader would, in each language.
func TestFunctions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, text, want string }{
		{"a.go", "package a\n\nfunc (t *T) Foo(a int) error {\n\treturn nil\n}\n\nvar f = 1\n\nfunc Bar[K any](k K) {\n\tgo func() {\n\t}()\n}\nfunc One() int { return 1 }\n\nvar Two Kind = func() int {\n\treturn 2\n}\n", "Foo 3-5, Bar 9-12, One 13-13, Two 15-17"},
		{"a.c", "int x;\nstatic int\nfoo(int a)\n{\n\treturn a;\n}\n\nAPI(const char *) bar(void)\n{\n\tfoo(1);\n}\nint tab[] = {\n\t1,\n};\nvoid baz(int a) __attribute__((cold)) {\n}\n", "foo 2-6, bar 8-11, baz 15-16"},
		// A comment of ini.c (inih) that has a name and a parenthesis, and one among parameters.
		{"ini.c", "/* Return pointer to first char (of chars) or inline comment in given string,\n   or pointer to NUL at end of string if neither found (or not). Inline comment must\n   be prefixed by a whitespace character (or not) to register as a comment. */\nstatic char* ini_find(const char* s, const char* chars)\n{\n    return s;\n}\n\nstatic char* ini_copy(char* dest, /* the first (of\n    two) */\n    const char* src)\n{\n    return dest;\n}\n\nchar **\nini_all(void)\n{\n    return 0;\n}\n", "ini_find 4-7, ini_copy 9-14, ini_all 16-20"},
		{"A.java", "class A {\n    @Foo(x = 1)\n    public int f(int a) throws E {\n        if (a) {\n        }\n    }\n\n    void g() {\n    }\n}\n", "f 2-6, g 8-9"},
		{"I.java", "class I {\n    static {\n        f();\n    }\n\n    {\n        n = 1;\n    }\n\n    private final Function<String, Integer> length = s -> {\n        return s.length();\n    };\n\n    I() {\n        {\n            f();\n        }\n        g(x -> {\n        });\n    }\n\n    record Point(int x) {\n        Point {\n            f();\n        }\n    }\n\n    enum E {\n        A {\n            int f() {\n                return 1;\n            }\n        };\n    }\n}\n",
			"<clinit> 2-4, <init> 6-8, length 10-12, I 14-20, Point 23-25, f 30-32"},
		{"W.java", "@WebServlet(value = {\"/d\"}, initParams = {\n    @WebInitParam(name = \"a\", value = \"1\"),\n    @WebInitParam(name = \"b\", value = \"2\")\n})\npublic final class W extends S {\n    void f() {\n    }\n}\n", "f 6-7"},
		{"B.java", "@Foo({\"a\", \"b\"})\npublic final class B implements C {\n    @Bar(x = {1, 2})\n    int f(int a) {\n        return 1;\n    }\n\n    record P(int x, int y) {\n        int g() {\n            return x;\n        }\n    }\n}\n", "f 3-6, g 9-11"},
		{"a.cc", "namespace n {\nclass A {\n  A(int a) : a_(a), b_(2) {\n    c();\n  }\n};\n}\nint A::f(int b) const noexcept(true) {\n  return 1;\n}\n", "A 3-5, f 8-10"},
		{"a.py", "def f(\n    a,\n) -> A[\n    int,\n    [\n        b\n    ]\n]:\n    return a\n\nx = g(\n    1,\n)\nclass B:  # c\n    @p\n    def h(self): # d\n        pass\n", "f 1-9, h 15-17"},
		{"a.py", "import x\n\nclass A:\n    def f(self):\n        pass\n\n    @p\n    async def g(self,\n            a):\n        return 1\n\ndef h():\n    def i():\n        pass\n    return i\n", "f 4-5, g 7-10, h 12-15"},
		{"a.js", "'use strict';\n\nvar f = function f(a) {\n    return a;\n};\n\nmodule.exports = function (a) {\n    b();\n};\n\nexports.g = (a) => {\n};\nconst o = {\n    h: function () {\n    },\n    i(a) {\n    },\n};\nfunction j() {\n}\napp.get('/x', (a) => {\n    b();\n});\n", "f 3-5, exports 7-9, g 11-12, h 14-15, i 16-17, j 19-20, callback of get 21-23"},
		{"b.js", "var f = function f(\n" + strings.Repeat("    a,\n", 18) + "    b\n) {\n    return a;\n};\n", "f 1-23"},
		{"c.js", "exports.size = function (a) { return a.length - 1; };\nconst twice = (a) => { return 2 * a; };\nconst o = { a: 1 };\n", "size 1-1, twice 2-2"},
		{"a.rs", "impl A {\n    pub fn f<T>(&self) -> u8 {\n        1\n    }\n}\n", "f 2-4"},
		{"a.kt", "fun <T> List<T>.f(a: Int): Int {\n    return 1\n}\n", "f 1-3"},
		{"a.el", "(defvar v 1)\n\n;; C.\n(cl-defun my-f (x\n             y)\n  \"Doc.\n\nMore.\"\n\n  (let ((z 1))\n    z))\n\n;;;###autoload\n(defmacro my/g () 1)\n(provide 'a)\n", "my-f 4-11, my/g 14-14"},
		{"a.tcl", "proc ::a::f {x {y 1}} {\n    if {$x} {\n\tg\n    }\n}\nnamespace eval b {\n  proc g {} {\n    h\n  }\n  h\n}\nproc one {} { f 1 }\n", "f 1-5, g 7-9"},
		{"a.txt", "nothing\n", ""},
	} {
		var got []string
		for _, f := range Functions(c.path, bytes.Split([]byte(c.text), []byte("\n"))) {
			got = append(got, fmt.Sprintf("%s %d-%d", f.Name, f.Start, f.End))
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.path, s, c.want)
		}
	}
}

// Instead of a function that wraps a whole script, the functions within it are listed.
func TestFunctionsOfAWrappedFile(t *testing.T) {
	t.Parallel()
	text := "(function () {\n" + strings.Repeat("  function f(a) {\n    b(a);\n  }\n", 200) + "})();\n"
	got := Functions("a.js", bytes.Split([]byte(text), []byte("\n")))
	if len(got) != 200 || got[0].Name != "f" || got[0].Start != 2 || got[0].End != 4 {
		t.Errorf("%d functions, the first %+v", len(got), got[:min(len(got), 1)])
	}
}

// The lines of a listed function equal those that FunctionAround finds from within it, and no two
// functions overlap.
func TestFunctionsAgreeWithFunctionAround(t *testing.T) {
	t.Parallel()
	el := bytes.Split([]byte("(defvar v 1)\n(defun f ()\n  1)\n\n(provide 'a)\n"), []byte("\n"))
	for i, want := range []bool{false, true, true, false, false} {
		if _, ok := FunctionAround("a.el", el, i+1); ok != want {
			t.Errorf("a.el:%d: %v", i+1, ok)
		}
	}
	text := []byte("package a\n\n// F is f.\nfunc F(\n\ta int,\n) error {\n\tif a > 0 {\n\t\treturn nil\n\t}\n\treturn nil\n}\n\ntype T struct {\n\ta int\n}\n\nfunc (T) G() {\n}\n")
	lines := bytes.Split(text, []byte("\n"))
	listed := Functions("a.go", lines)
	for i := range lines {
		e, ok := FunctionAround("a.go", lines, i+1)
		at := slices.IndexFunc(listed, func(f Function) bool { return f.Start <= i+1 && i+1 <= f.End })
		if ok != (at >= 0) || ok && listed[at].Extent != e {
			t.Errorf("line %d: %+v %v, listed %d of %+v", i+1, e, ok, at, listed)
		}
	}
}

// Any text, without structure or with too much of it, takes little time and gives valid lines.
func TestFunctionsOfAnyText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{", "((((", strings.Repeat("f(\n", 20000), strings.Repeat("f() {\n", 20000), strings.Repeat("function (", 5000), strings.Repeat("\tdef f(:\n", 9000)} {
		lines := bytes.Split([]byte(text), []byte("\n"))
		for _, path := range []string{"a.c", "a.py", "a.go", "a.js", "a.el", "a.tcl", "a"} {
			for _, f := range Functions(path, lines) {
				if f.Start < 1 || f.End < f.Start || f.End > len(lines) {
					t.Errorf("%q %s: %+v of %d lines", text[:min(len(text), 20)], path, f, len(lines))
				}
			}
		}
	}
}
