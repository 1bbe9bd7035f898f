package gittool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestTypeBody(t *testing.T) {
	// The whole of a type is found by its layout, and nothing else is taken for a type.
	for _, test := range []struct {
		name, text string
		want       string
	}{
		{"python", "import x\n\nclass App(Base):\n    a = 1\n\n    def f(self):\n        pass\n\n\nclass Other:\n    pass\n", "3-7"},
		{"the last one", "class App:\n    def f(self):\n        pass\n", "1-3"},
		{"nested", "class Outer:\n    class App:\n        a = 1\n    b = 2\n", "2-3"},
		{"java", "public final class App<T> extends B {\n  int a;\n\n  void f() {\n  }\n}\nclass C {\n}\n", "1-6"},
		{"c++", "class App\n{\npublic:\n\tvoid f();\nprivate:\n\tint a;\n};\nint b;\n", "1-7"},
		{"c", "struct App {\n\tint a;\n};\nstruct App f(void);\n", "1-3"},
		{"a forward declaration", "class App;\nint a;\n", "none"},
		{"a function of that type", "struct App *f(int a)\n{\n\treturn 0;\n}\n", "none"},
		{"two", "class App:\n    a = 1\nclass App:\n    a = 2\n", "none"},
		{"no body", "class App: pass\nx = 1\n", "none"},
		{"another name", "class Apple:\n    a = 1\n", "none"},
	} {
		got := "none"
		if start, end, ok := typeBody("App", []byte(test.text)); ok {
			got = fmt.Sprintf("%d-%d", start, end)
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

func TestFunctionLogFollowsAClass(t *testing.T) {
	// A commit that changes a method of a class is in the class's history, which ends at
	// the creation of the class.
	f := newFixture(t)
	class := "import os\n\n\nclass App:\n    name = 1\n\n    def load(self):\n        return 1\n\n    def save(self):\n        return 2\n"
	f.commit("first", "start")
	f.write("app.py", class)
	f.commit("wrote", "write the class")
	f.write("app.py", strings.Replace(class, "return 2", "return 3", 1))
	f.commit("changed", "change a method")
	res, err := f.toolbox(Scope{Tip: f.oid["changed"]}, Options{}).Call(context.Background(), "git_log_function", json.RawMessage(`{"path":"app.py","function":"App"}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2 commit(s)", "followed lines 4-11", "change a method", "(created here)"} {
		if !strings.Contains(res.Text, want) {
			t.Errorf("no %q in\n%s", want, res.Text)
		}
	}
}

func TestFunctionLogFallsBackToLines(t *testing.T) {
	// A function that git's pattern for headings misses is followed by its lines, and the
	// answer names them.
	t.Parallel()
	for _, test := range []struct{ file, name, text, want string }{
		{"a.hpp", "size", "class Box {\npublic:\n\tint size() const {\n\t\tint n = 1;\n\t\treturn n;\n\t}\n};\n", "lines 3-6 at"},
		{"a.js", "load", "export default {\n  methods: {\n    load: (a) => {\n      const x = 1;\n      return x;\n    },\n  },\n};\n", "lines 3-6 at"},
		{"a.c", "answers", "\tint x = 0;\n\tDEFINE_TEST(answers) {\n\t\tint n = 1;\n\t\treturn 1;\n\t}\n", "lines 2-5 at"},
	} {
		f := newFixture(t)
		f.write(test.file, test.text)
		f.commit("one", "write it")
		f.write(test.file, strings.Replace(test.text, "1;", "2;", 1)+"\n")
		f.commit("two", "change it")
		got := f.transcript(f.toolbox(Scope{Tip: f.oid["two"]}, Options{}), [][2]string{{"git_log_function", fmt.Sprintf(`{"path":%q,"function":%q}`, test.file, test.name)}})
		if !strings.Contains(got, test.want) || !strings.Contains(got, "git does not see this function") {
			t.Errorf("%s: no %q in %s", test.file, test.want, got)
		}
	}
}

func TestFunctionLinesOfHostileFiles(t *testing.T) {
	// Files without a function, without an end or with odd bytes give no lines or lines
	// within the file.
	t.Parallel()
	for _, text := range []string{"", "f", "f(", "f(\n", "f {\n\n\n", "\xff f {\n\xff", strings.Repeat("f(", 1000), strings.Repeat("f {\n ", 3000), strings.Repeat(" ", 99) + "f:\n"} {
		e, ok := functionLines("a.c", []byte(text), "f")
		if n := strings.Count(text, "\n") + 1; ok && (e.Start < 1 || e.End > n || e.End < e.Start) {
			t.Errorf("%.20q: %v of %d lines", text, e, n)
		}
	}
}
