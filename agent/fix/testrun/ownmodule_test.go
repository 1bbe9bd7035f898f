package testrun

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"git-agent/agent/fix"
	"git-agent/agent/trial"
)

func TestModulesThatAreNotThereYet(t *testing.T) {
	// A test that imports a module of the project itself, which a later commit adds, needs no package to be installed.
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"pkg/m.py", "src/below/m.py", "src/below/m.mjs"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.org/m\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	output := func(file, module string) string {
		return "==== ERRORS ====\n____ ERROR collecting test_n.py ____\nImportError while importing test module '" + dir + "/test_n.py'.\n" +
			"Hint: make sure your test modules/packages have valid Python names.\nTraceback:\n" + file + ":1: in <module>\n" +
			"    from " + module + " import x\nE   ModuleNotFoundError: No module named '" + module + "'\n" +
			"==== short test summary info ====\nERROR test_n.py\n!!!! Interrupted: 1 error during collection !!!!\n1 error in 0.05s\n"
	}
	f := FailureOf(endOf(t, "pytest -q", "E       assert 1 == 2\n\ntest_n.py:3: AssertionError\nFAILED test_n.py::test_x - assert 1 == 2\n1 failed in 0.1s\n"), nil)
	for _, c := range []struct{ file, module, lack string }{
		{"test_n.py", "pkg.n", "pkg.n"}, {"test_n.py", "below.n.o", "below.n.o"}, {"test_n.py", "numpy.linalg", ""}, {"pkg/m.py", "pkg._speed", ""},
	} {
		e := Judge(trial.Result{Outcome: trial.Fails, How: "fails (exit 2)", Exit: 2, Output: []byte(output(c.file, c.module))}, dir, "pytest -q", time.Now())
		if r := f.Like(e); r.Lack != c.lack || (r.Likeness == Early) != (c.lack != "") {
			t.Errorf("%s in %s: %+v; it %s, %+v", c.module, c.file, r, e.How, e.Report.BuildErrors)
		}
	}
	for missing, want := range map[string]Likeness{"src/below/n.mjs": Early, "dist/n.mjs": Other} {
		text := "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '" + dir + "/" + missing + "' imported from " + dir + "/test/n.test.mjs\n"
		e := Judge(trial.Result{Outcome: trial.Fails, How: "fails (exit 1)", Exit: 1, Output: []byte(text)}, dir, "node --test", time.Now())
		if r := f.Like(e); r.Likeness != want || want == Early && r.Lack != missing {
			t.Errorf("%s: %+v; it %s, %+v", missing, r, e.How, e.Report.BuildErrors)
		}
	}
	tap := "TAP version 13\n# node:internal/modules/esm/resolve:283\n# Error [ERR_MODULE_NOT_FOUND]: Cannot find module '" + dir + "/src/below/n.mjs' imported from " +
		dir + "/test/n.test.mjs\n#   code: 'ERR_MODULE_NOT_FOUND',\n# Subtest: " + dir + "/test/n.test.mjs\nnot ok 1 - " + dir +
		"/test/n.test.mjs\n  ---\n  failureType: 'testCodeFailure'\n  exitCode: 1\n  error: 'test failed'\n  code: 'ERR_TEST_FAILURE'\n  ...\n1..1\n# tests 1\n# pass 0\n# fail 1\n"
	e := Judge(trial.Result{Outcome: trial.Fails, How: "fails (exit 1)", Exit: 1, Output: []byte(tap)}, dir, "node --test test/n.test.mjs", time.Now())
	if r := f.Like(e); r.Likeness != Early || e.Outcome() != trial.Unknown {
		t.Errorf("TAP: %+v; it %s, %+v", r, e.How, e.Report.BuildErrors)
	}
	for text, want := range map[string]Likeness{
		// mocha
		"Error: Cannot find module '../src/below/n'\nRequire stack:\n- " + dir + "/test/n.js\n- " + dir + "/node_modules/mocha/lib/cli/run.js\n    at Module._resolveFilename (node:internal/modules/cjs/loader:1140:15)\n": Early,
		// node --test
		"# Error: Cannot find module '../src/below/n'\n# Require stack:\n# - " + dir + "/test/n.js\n# Subtest: test/n.js\nnot ok 1 - test/n.js\n  ---\n  failureType: 'testCodeFailure'\n  exitCode: 1\n  error: 'test failed'\n  ...\n1..1\n# tests 1\n# pass 0\n# fail 1\n": Early,
		// jest
		"FAIL test/n.test.js\n  ● Test suite failed to run\n\n    Cannot find module '../src/below/n' from 'test/n.test.js'\n\n    > 1 | const n = require('../src/below/n');\n        |           ^\n\n      at Resolver._throwModNotFoundError (node_modules/jest-resolve/build/resolver.js:427:11)\n      at Object.require (test/n.test.js:1:11)\n\nTest Suites: 1 failed, 1 total\nTests:       0 total\n": Early,
		// vitest
		" FAIL  test/n.test.ts [ test/n.test.ts ]\nError: Failed to load url ../src/below/n (resolved id: ../src/below/n) in " + dir + "/test/n.test.ts. Does the file exist?\n ❯ loadAndTransform node_modules/vite/dist/node/chunks/dep.js:51969:17\n\n Test Files  1 failed (1)\n      Tests  no tests\n": Early,
		" FAIL  test/n.test.ts [ test/n.test.ts ]\nError: Failed to resolve import \"../src/below/n\" from \"test/n.test.ts\". Does the file exist?\n  Plugin: vite:import-analysis\n\n Test Files  1 failed (1)\n      Tests  no tests\n":                                                                   Early,
		// The product imports a file that is not there: that may be the bug.
		"Error: Cannot find module './n'\nRequire stack:\n- " + dir + "/src/below/m.mjs\n- " + dir + "/test/n.js\n": Other,
		// What is not there may be built.
		"Error: Cannot find module '../dist/n'\nRequire stack:\n- " + dir + "/test/n.js\n": Other,
	} {
		e := Judge(trial.Result{Outcome: trial.Fails, How: "fails (exit 1)", Exit: 1, Output: []byte(text)}, dir, "npm test", time.Now())
		if r := f.Like(e); r.Likeness != want || want == Early && (r.Lack != "src/below/n" || e.Outcome() != trial.Unknown) {
			t.Errorf("%s: %+v; it %s, %+v", text, r, e.How, e.Report.BuildErrors)
		}
	}
	ofGo := func(file, pkg string) string {
		return "# example.org/m\n" + file + ":2:20: no required module provides package " + pkg + "; to add it:\n\tgo get " + pkg + "\nFAIL\texample.org/m [setup failed]\nFAIL\n"
	}
	for _, c := range []struct {
		file, pkg string
		want      Likeness
	}{
		{"m_test.go", "example.org/m/src/new", Early}, {"src/s_test.go", "example.org/m/src/new", Early},
		{"m.go", "example.org/m/src/new", Other}, {"m_test.go", "example.org/other", Other}, {"m_test.go", "example.org/m/src/below", Other},
	} {
		e := Judge(trial.Result{Outcome: trial.Fails, How: "fails (exit 1)", Exit: 1, Output: []byte(ofGo(c.file, c.pkg))}, dir, "go test ./...", time.Now())
		if r := f.Like(e); r.Likeness != c.want || c.want == Early && r.Lack != c.pkg {
			t.Errorf("%s in %s: %+v; it %s, %+v", c.pkg, c.file, r, e.How, e.Report.BuildErrors)
		}
	}
}

func TestFileOfNodeThatIsNotThereYet(t *testing.T) {
	// node test/n.mjs at a commit of markdown-it without the file: no package is missing.
	t.Parallel()
	dir := t.TempDir()
	const stack = "    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)\n" +
		"    at Function.executeUserEntryPoint [as runMain] (node:internal/modules/run_main:164:12)\n" +
		"    at node:internal/main/run_main_module:28:49 {\n  code: 'MODULE_NOT_FOUND',\n  requireStack: "
	for text, want := range map[string]fix.Lack{
		"Error: Cannot find module '" + dir + "/test/n.mjs'\n" + stack + "[]\n}\n":                              fix.LackCommand,
		"Error: Cannot find module 'chai'\nRequire stack:\n- /a/n.js\n" + stack + "[ '" + dir + "/n.js' ]\n}\n": fix.LackNode,
	} {
		e := Judge(trial.Result{Outcome: trial.Fails, How: "fails (exit 1)", Exit: 1, Output: []byte(text)}, dir, "node test/n.mjs", time.Now())
		if e.Report.Lacks != want || e.State != fix.Broken {
			t.Errorf("%q: it %s", text, e.How)
		}
	}
}
