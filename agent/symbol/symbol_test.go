package symbol

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"git-agent/gitext/gittest"
)

func TestFindInR(t *testing.T) {
	// A function of R is a value of a name, which may have dots.
	t.Parallel()
	h := gittest.New(t)
	tip := h.Commit("one", gittest.Files{
		"R/a.R": gittest.Lines("filter.lm <- function(x, ...) {", "  lm(x)", "}", "fit = \\(x) x", "x <- lm + 1", "lm <- 3"),
		"R/b.r": gittest.Lines("lm <-", "  function(x) {", "  fit <- function(y) y", "  filter.lm(x)", "}", "`lm`(1)"),
	})
	found, err := Find(t.Context(), h.Open(), tip, []string{"lm", "filter.lm", "fit"})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"lm": "R/b.r:1", "filter.lm": "R/a.R:1", "fit": "R/a.R:4 R/b.r:3"} {
		var got []string
		for _, d := range found[name] {
			got = append(got, fmt.Sprintf("%s:%d", d.Path, d.Line))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %s", name, got, want)
		}
	}
}

// Names of Emacs Lisp have dashes and other signs. A variable and a longer name are no definitions.
func TestFindInEmacsLisp(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	tip := h.Commit("one", gittest.Files{
		"a.el": gittest.Lines("(defvar my-run nil)", "(defun my-run-all () (my-run 1))", "(cl-defun my-run (x &key y)", "  (my/show x))",
			"(defsubst my/show (x) x)", "(defmacro my-with+ (&rest body)", "  body)", "(defalias 'my-old #'my-run)", "(define-minor-mode my-mode", ")",
			"(transient-define-prefix my-menu ()", "  [])"),
		"b.el": gittest.Lines("(cl-defmethod my-open ((x thing))", "  x)", ";; (defun my-open ())", "(ert-deftest my-test ()", "  (my-run))", "(defun once (x) x)",
			"(eval-when-compile", "  (defun -map ()", "    nil))"),
		"c.md": "(defun my-run (x))\n",
	})
	names := []string{"my-run", "my-run-all", "my/show", "my-with+", "my-old", "my-mode", "my-open", "my-test", "once", "-map", "my-menu", "my-absent"}
	found, err := Find(t.Context(), h.Open(), tip, names)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"a.el:3", "a.el:2", "a.el:5", "a.el:6", "a.el:8", "a.el:9", "b.el:1", "b.el:4", "b.el:6", "b.el:8", "a.el:11", ""} {
		var got []string
		for _, d := range found[names[i]] {
			got = append(got, fmt.Sprintf("%s:%d", d.Path, d.Line))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %s", names[i], got, want)
		}
	}
}

func TestFind(t *testing.T) {
	// Definitions come before lines that only look like definitions; uses, declarations and
	// comments do not count.
	t.Parallel()
	h := gittest.New(t)
	tip := h.Commit("one", gittest.Files{
		"a.c":       gittest.Lines("int", "start(int x)", "{", "\treturn start(x - 1);", "}", "static int once(void);"),
		"b.c":       gittest.Lines("/* start(x) is called here */", "void f(void)", "{", "\tstart(1);", "\tint y = once();", "}"),
		"d.c":       gittest.Lines("static const struct list *", "head(struct list *l)", "{", "}", "struct list *tail(struct list *l)", "{", "struct tail {"),
		"a.h":       gittest.Lines("int start(int x);", "#define LIMIT(x) 5", "static inline int once(void) {", "}"),
		"t.go":      gittest.Lines("func (s *Server) start() error {", "type Limit struct {", "\tstart()", "}"),
		"u.py":      gittest.Lines("class Limit(object):", "    def start(self):", "        self.start()"),
		"V.java":    gittest.Lines("class V {", "    public void start(int x) {", "        start(3);", "    }", "}"),
		"w.rs":      gittest.Lines("pub(crate) fn start(x: u8) {", "impl Limit {"),
		"tests/x.c": gittest.Lines("int start(int x)", "{", "}"),
		// A prototype of several lines, as in lib/odp-util.c of Open vSwitch, and one with an attribute.
		"odp.c": gittest.Lines("static int parse_action(const char *s, const struct map *names,", "                            struct buf *actions);",
			"static void locked(struct map *)", "    REQUIRES(mutex) __attribute__((format(printf, 1, 2)));",
			"static int", "parse_action(const char *s, const struct map *names,", "             struct buf *actions)", "{", "}",
			"static void locked(struct map *m)", "    REQUIRES(mutex)", "{", "}",
			"int old(a, b)", "int a; int b;", "{", "}", "int old(a, b)", "int a; int b;", "{", "}"),
	})
	found, err := Find(t.Context(), h.Open(), tip, []string{"start", "once", "LIMIT", "Limit", "no such", "absent", "head", "tail", "parse_action", "locked", "old"})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"start":   "a.c:2 function, t.go:1 function, u.py:2 function, w.rs:1 function, V.java:2 function, tests/x.c:1 function",
		"once":    "a.h:3 function",
		"LIMIT":   "a.h:2 macro",
		"Limit":   "t.go:2 type, u.py:1 type",
		"head":    "d.c:2 function",
		"tail":    "d.c:5 function, d.c:7 type",
		"no such": "",
		"absent":  "",

		"parse_action": "odp.c:6 function",
		"locked":       "odp.c:10 function",
		"old":          "odp.c:14 function, odp.c:18 function",
	} {
		var got []string
		for _, d := range found[name] {
			got = append(got, fmt.Sprintf("%s:%d %s", d.Path, d.Line, d.Kind))
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("%s: %s, want %s", name, s, want)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, last, scope string }{
		{"f", "f", ""},
		{"ns::C::f", "f", "C"},
		{"C::~C", "C", "C"},
		{"(anonymous namespace)::f", "f", ""},
		{"pkg/sub.(*T).m", "m", ""},
		{"a.b.C.m", "m", ""},
		{"a.B$1.run", "run", ""},
		{"gitgutter#diff#run_diff", "run_diff", ""},
		{"s:has_fresh_changes", "has_fresh_changes", ""},
	} {
		if last, scope := Last(test.name), Scope(test.name); last != test.last || scope != test.scope {
			t.Errorf("%s: %q in %q, want %q in %q", test.name, last, scope, test.last, test.scope)
		}
	}
}

// Clauses of Erlang, private functions of Elixir and methods of Ruby with a mark are definitions; calls are not.
func TestDefinedWithoutBraces(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		path, name, text string
		want             []int
	}{
		{"src/gproc_dist.erl", "gproc_dist.remove_entry", "f() ->\n    remove_entry(K, P, []).\n\nremove_entry(Key, Pid, Event) ->\n    ok.\n", []int{4}},
		{"lib/a.ex", "A.register", "  defp register(state) do\n    register(state)\n  end\n", []int{1}},
		{"a/V.swift", "ViewController.tcpError", "    @objc func tcpError(notification: NSNotification) {\n        tcpError(n)\n    }\n", []int{1}},
		{"a/V.kt", "Home.Screen", "@Preview(showBackground = true) fun Other() {\n    Screen()\n}\n@Composable private fun Screen() {\n}\n", []int{4}},
		{"a.el", "my-hook", "(default-value 'my-hook)\n(defvaralias 'my-hook 'my-functions)\n(my-defun my-hook ())\n", []int{3}},
		{"a.el", "my/run-all!", "(my/run-all! 1)\n(defun my/run-all! (x)\n  (defun all! ()))\n", []int{2}},
		{"a.tcl", "critcl::cproc", "cproc x\n    cproc::f 1\nproc ::critcl::cproc {name} {\n}\nproc ::cproc::g {} {\n}\nproc cproc {} {}\n", []int{3, 7}},
		{"lib/a.rb", "clean!", "  def run\n    clean!\n  end\n\n  def clean!\n  end\n", []int{5}},
	} {
		lines := bytes.Split([]byte(test.text), []byte("\n"))
		if got := DefinedIn(test.path, lines, test.name); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
