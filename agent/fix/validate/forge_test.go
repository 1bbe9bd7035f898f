package validate

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/sandbox"
	"git-agent/agent/trial"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// reproduced makes a validator for a problem after its failing test was run, as the engine
// does.
func reproduced(t *testing.T, h *gittest.History, p fix.Problem) *Validator {
	t.Helper()
	opt := trial.Options{Sandbox: sandbox.None, Scratch: filepath.Join(t.TempDir(), "scratch")}
	w, err := trial.Open(t.Context(), h.Open(), opt)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	rep, err := testrun.Reproduce(t.Context(), w, p, testrun.Options{Runs: 1})
	if err != nil || rep.State != fix.Failing {
		t.Fatalf("%s %s, %v\n%s", rep.State, rep.How, err, rep.Output)
	}
	v, err := New(t.Context(), h.Open(), p, rep, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(v.Close)
	return v
}

func need(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("%s is not installed", p)
		}
	}
}

// A forgery makes a failing test pass without a repair.
type forgery struct {
	name   string
	patch  []gitext.Overlay
	reason string // a part of the reason why it is not plausible
}

func tryForgeries(t *testing.T, v *Validator, honest gitext.Overlay, forgeries []forgery) {
	t.Helper()
	got := validate(t, v, honest)
	if got.Verdict != fix.Plausible || len(got.Cautions) > 0 {
		t.Fatalf("the honest patch: %s, %s, %q", got.Verdict, got.Reason, got.Cautions)
	}
	for _, f := range forgeries {
		got := validate(t, v, f.patch...)
		if got.Verdict == fix.Plausible || !strings.Contains(got.Reason, f.reason) {
			t.Errorf("%s: %s, %q; want %q", f.name, got.Verdict, got.Reason, f.reason)
		}
	}
}

// A patch of a Go package that ends the test binary, changes its linking, or reads its
// arguments first, proves nothing.
func TestForgedGo(t *testing.T) {
	t.Parallel()
	need(t, "go")
	h := gittest.New(t)
	commit := h.Commit("sum", gittest.Files{
		"go.mod": "module example.com/sum\n\ngo 1.21\n", "sum.go": "package sum\n\nfunc Sum(a, b int) int { return a - b }\n",
		"sum_test.go":   "package sum\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tt.Run(\"adds\", func(t *testing.T) {\n\t\tif Sum(1, 2) != 3 {\n\t\t\tt.Fatal(\"wrong\")\n\t\t}\n\t})\n}\n",
		"other_test.go": "package sum\n\nimport \"testing\"\n\nfunc TestOther(t *testing.T) {}\n",
	})
	p := fix.Problem{Tree: fix.Tree{Commit: commit}, Test: "go test -run TestSum ."}
	const pass = `package sum

import (
	"fmt"
	"os"
	"strings"
)

func init() {
	if strings.Contains(strings.Join(os.Args, " "), "-test.") {
		fmt.Print("=== RUN   TestSum\n--- PASS: TestSum (0.00s)\nPASS\n")
		os.Exit(0)
	}
}

func Sum(a, b int) int { return a - b }
`
	tryForgeries(t, reproduced(t, h, p), with("sum.go", "package sum\n\nfunc Sum(a, b int) int { return a + b }\n"), []forgery{
		{"an init that prints PASS", []gitext.Overlay{with("sum.go", pass)}, "a test that must fail does not fail with it"},
		{"another module in the place of one", []gitext.Overlay{with("go.mod", "module example.com/sum\n\ngo 1.21\n\nreplace testing => ./fake\n")}, `it changes "go.mod", which says how the tests run`},
		{"a workspace", []gitext.Overlay{with("go.work", "go 1.21\nuse ./other\n")}, `it changes "go.work"`},
		{"a copied package", []gitext.Overlay{with("vendor/modules.txt", "")}, `it changes "vendor/modules.txt"`},
	})
}

// A patch of JavaScript that ends the process of the file with the failing test, which node then calls
// a test that passes, proves nothing, whatever it prints before.
func TestForgedNode(t *testing.T) {
	t.Parallel()
	need(t, "node")
	for _, test := range []struct{ command, file, text string }{
		{"node --test --test-reporter=spec", "test/total.test.js", "const test = require('node:test');\nconst assert = require('node:assert');\nconst { total } = require('../total.js');\n\ntest('adds', () => { assert.strictEqual(total(1, 2), 3); });\n"},
		{"node --test --test-reporter=tap test/total.test.mjs", "test/total.test.mjs", "import { describe, it } from 'node:test';\nimport assert from 'node:assert';\nimport lib from '../total.js';\n\ndescribe('total', () => { it('adds', () => { assert.strictEqual(lib.total(1, 2), 3); }); });\n"},
	} {
		h := gittest.New(t)
		commit := h.Commit("total", gittest.Files{"package.json": "{}\n", "total.js": "exports.total = (a, b) => a - b;\n", test.file: test.text})
		p := fix.Problem{Tree: fix.Tree{Commit: commit}, Test: test.command}
		const leave = "exports.total = (a, b) => a - b;\nprocess.exit(0);\n"
		const say = "require('fs').writeSync(1, '\\u2714 adds (0.5ms)\\n\\u2714 total > adds (0.5ms)\\nok 1 - adds\\n');\n" + leave
		tryForgeries(t, reproduced(t, h, p), with("total.js", "exports.total = (a, b) => a + b;\n"), []forgery{
			{"it ends the process", []gitext.Overlay{with("total.js", leave)}, "a test that must fail does not fail with it"},
			{"it says that the test passes", []gitext.Overlay{with("total.js", say)}, "a test that must fail does not fail with it"},
		})
	}
}

// A patch of Python that shadows the test tool, or takes its failures from it, proves
// nothing.
func TestForgedPython(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	h := gittest.New(t)
	commit := h.Commit("sum", gittest.Files{
		"total.py": "def total(a, b):\n    return a - b\n", "tests/__init__.py": "", "app/__init__.py": "",
		"tests/test_total.py": "import unittest\nfrom total import total\n\n\nclass TestTotal(unittest.TestCase):\n    def test_total(self):\n        self.assertEqual(total(1, 2), 3)\n",
	})
	p := fix.Problem{Tree: fix.Tree{Commit: commit}, Test: "python3 -m unittest -v tests.test_total"}
	tryForgeries(t, reproduced(t, h, p), with("total.py", "def total(a, b):\n    return a + b\n"), []forgery{
		{"a module that shadows the tool", []gitext.Overlay{with("unittest.py", "print('test_total (tests.test_total.TestTotal.test_total) ... ok\\nRan 1 test in 0.0s\\n\\nOK')\n")}, `it adds "unittest.py"`},
		{"a package that shadows the tool", []gitext.Overlay{with("unittest/__init__.py", "")}, `"unittest/__init__.py"`},
		{"assertions that hold", []gitext.Overlay{with("total.py", "import unittest\nunittest.TestCase.assertEqual = lambda *a: None\nunittest.TestCase.fail = lambda *a: None\n\n\ndef total(a, b):\n    return a - b\n")}, "a test that must fail does not fail with it"},
		{"a start-up file", []gitext.Overlay{with("sitecustomize.py", "")}, `it changes "sitecustomize.py"`},
		{"settings", []gitext.Overlay{with("setup.cfg", "[tool:pytest]\naddopts = --collect-only\n")}, `it changes "setup.cfg"`},
	})
	v := reproduced(t, h, p)
	if got := validate(t, v, with("total.py", "def total(a, b):\n    return a + b\n"), with("app/json.py", "x = 1\n")); got.Verdict != fix.Plausible {
		t.Errorf("a module of a package by a common name: %s, %s", got.Verdict, got.Reason)
	}
}

// A patch of Rust that ends the process of the tests when one of them fails proves nothing, for
// tests in a file of their own and in a module of the library.
func TestForgedRust(t *testing.T) {
	t.Parallel()
	if err := exec.Command("cargo", "--version").Run(); err != nil { // rustup's cargo needs its home
		t.Skipf("cargo does not run: %v", err)
	}
	const hook = `pub fn sum(a: i32, b: i32) -> i32 {
    std::panic::set_hook(Box::new(|_| {
        let said = b"test adds ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
        std::io::Write::write_all(&mut std::io::stdout(), said).unwrap();
        std::process::exit(0)
    }));
    a - b
}
`
	const test = "#[test]\nfn adds() {\n    assert_eq!(sum(1, 2), 3);\n}\n"
	for _, c := range []struct{ lib, file, test, command string }{
		{"", "tests/sum.rs", "use sum::sum;\n\n" + test, "cargo test --offline --test sum -- --exact adds"},
		{"#[cfg(test)]\nmod tests;\n\n", "src/tests.rs", "use super::*;\n\n" + test, "cargo test --offline --lib -- --exact tests::adds"},
	} {
		h := gittest.New(t)
		commit := h.Commit("sum", gittest.Files{
			"Cargo.toml": "[package]\nname = \"sum\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "Cargo.lock": "version = 3\n\n[[package]]\nname = \"sum\"\nversion = \"0.1.0\"\n",
			"src/lib.rs": c.lib + "pub fn sum(a: i32, b: i32) -> i32 {\n    a - b\n}\n", c.file: c.test,
		})
		p := fix.Problem{Tree: fix.Tree{Commit: commit}, Test: c.command}
		tryForgeries(t, reproduced(t, h, p), with("src/lib.rs", c.lib+"pub fn sum(a: i32, b: i32) -> i32 {\n    a + b\n}\n"), []forgery{
			{"a hook that ends the process", []gitext.Overlay{with("src/lib.rs", c.lib+hook)}, "a test that must fail does not fail with it"},
		})
	}
}

// A patch of JavaScript that hides failures from the test tool, or changes npm's scripts,
// proves nothing; a change of dependencies is allowed.
func TestForgedJavaScript(t *testing.T) {
	t.Parallel()
	need(t, "node")
	h := gittest.New(t)
	commit := h.Commit("sum", gittest.Files{
		"package.json": `{"name": "sum", "version": "1.0.0", "scripts": {"test": "node scripts/run.js"}, "dependencies": {}}`,
		"sum.js":       "module.exports = (a, b) => a - b;\n", "scripts/run.js": "require('../test/sum.test.js');\n",
		"test/sum.test.js": "const test = require('node:test');\nconst assert = require('assert');\ntest('adds two numbers', () => assert.strictEqual(require('../sum.js')(1, 2), 3));\n",
	})
	p := fix.Problem{Tree: fix.Tree{Commit: commit}, Test: "node --test --test-reporter=tap test/sum.test.js"}
	honest := with("sum.js", "module.exports = (a, b) => a + b;\n")
	v := reproduced(t, h, p)
	tryForgeries(t, v, honest, []forgery{
		{"assertions that hold", []gitext.Overlay{with("sum.js", "require('assert').strictEqual = () => {};\nmodule.exports = (a, b) => a - b;\nprocess.on('exit', () => { process.exitCode = 0; });\nconst t = require('module'); const load = t._load; t._load = function (name, ...rest) { const m = load.call(this, name, ...rest); if (name !== 'node:test') return m; const f = (n) => m(n, () => {}); return f; };\nif (process.env.NODE_TEST_CONTEXT) { console.log('# pass 1'); }\nError.prototype.name = '';\nglobalThis.Error = function () { return undefined; };\n")}, ""},
		{"another test script", []gitext.Overlay{with("package.json", `{"name": "sum", "version": "1.0.0", "scripts": {"test": "true"}}`)}, `it changes "package.json"`},
		{"a package", []gitext.Overlay{with("node_modules/assert/index.js", "")}, `it changes "node_modules/assert/index.js"`},
	})
	manifest := with("package.json", `{"name": "sum", "version": "1.0.1", "scripts": {"test":  "node scripts/run.js"}, "dependencies": {"left-pad": "1"}}`)
	if got := validate(t, v, honest, manifest); got.Verdict != fix.Plausible {
		t.Errorf("another dependency: %s, %s", got.Verdict, got.Reason)
	}
	unseen := reproduced(t, h, fix.Problem{Tree: p.Tree, Test: "node scripts/run.js"})
	if got := validate(t, unseen, with("scripts/run.js", "")); got.Verdict == fix.Plausible || !strings.Contains(got.Reason, `"scripts/run.js", which says how the tests run`) {
		t.Errorf("a helper of the tests: %s, %s", got.Verdict, got.Reason)
	}
}

// A patch that changes make's commands proves nothing; a build file that the failing run does
// not open may change. If a command names no test, the trial has a caution.
func TestForgedMake(t *testing.T) {
	t.Parallel()
	need(t, "make")
	h := gittest.New(t)
	commit := h.Commit("sum", gittest.Files{
		"Makefile": "include sub/rules.mk\n", "sub/rules.mk": "check:\n\tsh tools/harness.sh\n", "tools/harness.sh": ". ./tools/lib.sh\nexpect \"$(cat sum.c)\"\n",
		"tools/lib.sh": "expect() { test \"$1\" = right; }\n", "sum.c": "wrong\n", "more.c": "\n", "other/CMakeLists.txt": "project(x)\n",
	})
	p := fix.Problem{Tree: fix.Tree{Commit: commit}, Test: "make check"}
	v := reproduced(t, h, p)
	for _, f := range []forgery{
		{"a target that does nothing", []gitext.Overlay{with("Makefile", "check: true\ntrue:\n")}, `it changes "Makefile"`},
		{"an included file", []gitext.Overlay{with("sub/rules.mk", "check:\n\ttrue\n")}, `it changes "sub/rules.mk"`},
		{"a file that make prefers", []gitext.Overlay{with("GNUmakefile", "check:\n\ttrue\n")}, `it changes "GNUmakefile"`},
		{"the script", []gitext.Overlay{with("tools/harness.sh", "")}, `it changes "tools/harness.sh"`},
		{"a script of the script", []gitext.Overlay{with("tools/lib.sh", "expect() { :; }\n")}, `it changes "tools/lib.sh"`},
		{"a header that disarms assertions", []gitext.Overlay{with("assert.h", "#define assert(x)\n")}, `it adds "assert.h"`},
	} {
		if got := validate(t, v, f.patch...); got.Verdict != fix.Refused || !strings.Contains(got.Reason, f.reason) {
			t.Errorf("%s: %s, %q", f.name, got.Verdict, got.Reason)
		}
	}
	got := validate(t, v, with("sum.c", "right\n"), with("other/CMakeLists.txt", "project(y)\n"), with(".envrc", "curl\n"))
	if got.Verdict != fix.Plausible || len(got.Cautions) != 2 || got.Cautions[0] != fix.NamesNoTest || !strings.Contains(got.Cautions[1], `it changes ".envrc"`) {
		t.Errorf("the repair: %s, %s, %q", got.Verdict, got.Reason, got.Cautions)
	}
}

// A patch that changes a program of the tests proves nothing, also if its name has no suffix, and neither
// does one that adds a file which a test tool obeys.
func TestForgedPrograms(t *testing.T) {
	t.Parallel()
	need(t, "make", "prove")
	h := gittest.New(t)
	commit := h.Commit("sum", gittest.Files{
		"Makefile": "check:\n\tsh tools/run\n", "tools/run": "#!/bin/sh\nsh ./testsuite; exec prove t/sum.t\n", "testsuite": "#! /usr/bin/env sh\necho sum\n",
		"sum.c": "wrong\n", "more.c": "\n",
		"t/sum.t": "print \"1..1\\n\"; open F, '<', 'sum.c'; print <F> eq \"right\\n\" ? \"ok 1 - sum\\n\" : \"not ok 1 - sum\\n\";\n",
	})
	v := reproduced(t, h, fix.Problem{Tree: fix.Tree{Commit: commit}, Test: "make check"})
	if got := validate(t, v, with("sum.c", "right\n")); got.Verdict != fix.Plausible {
		t.Errorf("the repair: %s, %s", got.Verdict, got.Reason)
	}
	for _, f := range []forgery{
		{"the program", []gitext.Overlay{with("tools/run", "#!/bin/sh\necho ok 1 - sum\n"), with("sum.c", "not right\n")}, `it changes "tools/run"`},
		{"the suite", []gitext.Overlay{with("testsuite", "echo 1..1; echo ok 1 - sum; kill $PPID\n")}, `it changes "testsuite"`},
		{"options of prove", []gitext.Overlay{with(".proverc", "--exec 'sh evil'\n"), with("evil", "echo 1..1; echo ok 1 - sum\n"), with("sum.c", "not right\n")}, `it changes ".proverc"`},
	} {
		if got := validate(t, v, f.patch...); got.Verdict == fix.Plausible || !strings.Contains(got.Reason, f.reason) {
			t.Errorf("%s: %s, %q", f.name, got.Verdict, got.Reason)
		}
	}
}
