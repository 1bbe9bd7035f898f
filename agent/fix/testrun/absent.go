package testrun

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"git-agent/agent/fix"
	"git-agent/agent/fix/testrun/testlog"
	"git-agent/agent/source"
	"git-agent/agent/trial"
)

// This file recognises tests that fail, or cannot be built or imported, because they use what the code
// does not have. In languages without a compiler, a test of a new function fails at all commits before
// it, under the same name as it fails later because of a bug of that function.

var (
	// raised matches the line of an error or of an assertion that ended a test, as pytest, unittest,
	// the runners of JavaScript and Ruby, and TAP's diagnostics print it. The groups are the messages.
	raised = source.Lazy(`^(?:E {3,})?(?:\w+\.)*[A-Z]\w*(?:Error|Exception)(?: \[\w+\])?(?::(?: (.*))?)?$` +
		`|^E +assert |^expect\(received\)|^error: '(.*)'$`)
	// pyFrameFile matches the place below the code of a frame in a stack of pytest.
	pyFrameFile = source.Lazy(`^(\S[^:]*\.py):\d+:`)
	// ofSuite matches the diagnostic of a suite, whose tests have their own.
	ofSuite = source.Lazy(`^error: '\d+ subtests? failed'$`)
	// lacking matches the messages of errors about a name that does not exist. None may lack
	// anything, and says nothing about the code.
	lacking = source.Lazy(`^(?:module '([\w.]+)' has no attribute '(\w+)'` +
		`|cannot import name '(\w+)'` +
		`|No module named '([\w.]+)'` +
		`|type object '(\w+)' has no attribute '(\w+)'` +
		`|'(\w+)' object has no attribute '(\w+)'` +
		`|name '(\w+)' is not defined` +
		`|.*\bgot an unexpected keyword argument '(\w+)'` +
		`|(?:\w+\.)*(\w+)\(\) (?:takes|missing) .*\bargument` +
		`|'([\w.]+)' object (?:is not (?:an? )?(?:reversible|iterable|iterator|subscriptable|callable|context manager|awaitable)|does not support )` +
		`|(?:.*\W)?([\w$]+) is not a (?:function|constructor)$` +
		`|([\w$]+) is not defined$` +
		`|The requested module '[^']*' does not provide an export named '([\w$]+)'` +
		"|undefined (?:local variable or )?method ['`](\\w+[?!]?)'" +
		`|uninitialized constant (\S+))`)
	// unbuilt matches the errors of compilers about a name that does not exist: of Go, rustc, javac,
	// tsc, gcc and clang, and those of ownModule.
	unbuilt = source.Lazy(`^(?:undefined: (?:\w+\.)?(\w+)` +
		`|(?:no required module provides|cannot find module providing) package ([^\s:;]+)` +
		`|Error: Cannot find module '([\w./@-]+)'|Cannot find module '(\.[\w./@-]+)' or its ` +
		`|(?:[\w.()\[\]]+\.)?(\w+) undefined \(type ` +
		`|unknown field (\w+) in struct literal` +
		`|(?:too many|not enough) arguments in call to (?:\w+\.)*(\w+)` +
		"|cannot find [\\w ]+ `(\\w+)`|no [\\w ]+ named `(\\w+)` found|unresolved imports? `(?:\\w+::)*(\\w+)`" +
		`|cannot find symbol: \w+ (\w+)|(?:method|constructor) (\w+) in \S+ .*cannot be applied to given types` +
		`|no suitable (?:method|constructor) found for (\w+)\(` +
		`|Property '(\w+)' does not exist on type|Cannot find name '(\w+)'|.*has no exported member '(\w+)'` +
		"|implicit declaration of function ['‘`](\\w+)|['‘`](\\w+)['’] (?:undeclared|was not declared)|.*has no member named ['‘`](\\w+)" +
		"|too (?:many|few) arguments to function ['‘`](\\w+)" +
		"|.*undefined reference to ['‘`](\\w+))")
)

// lacks returns the error by which the tests of another run fail, and the name in it, if all of them
// use a name that does not exist at that commit, and the failure is another one. Otherwise it
// returns "".
func (f *Failure) lacks(e Ending) (text, name string) {
	switch {
	case f.build:
		return "", ""
	case e.FailsToBuild():
		return e.unbuiltTests()
	case e.State != fix.Failing:
		return "", ""
	}
	lines, known := f.endsOf(e)
	if !known {
		if inProduct(e) {
			return "", ""
		}
		lines = errorsIn(e.Output)
	}
	for _, line := range lines {
		missing := missingName(line)
		if missing == "" || f.absent[trial.Normal(line)] {
			return "", ""
		}
		if text == "" {
			text, name = line, missing
		}
	}
	return text, name
}

// goMoreErrors is what Go's compiler says at the place of the tenth error of a package, if there are more.
const goMoreErrors = "too many errors"

// unbuiltTests returns the first error of a failed build, and the name in it, if all errors are in tests
// and about names that do not exist.
func (e *Ending) unbuiltTests() (text, name string) {
	for _, p := range e.Report.BuildErrors {
		if p.Text == goMoreErrors {
			continue
		}
		missing := cmp.Or(missingName(p.Text), lastGroup(unbuilt().FindStringSubmatch(p.Text)))
		isTest := source.FileKindOf(p.File) == source.TestFile || e.UnitTest != nil && e.UnitTest(p)
		if missing == "" || !isTest {
			return "", ""
		}
		if text == "" {
			text, name = p.Text, missing
		}
	}
	return text, name
}

// endsOf returns the errors of the tests that fail in another run and tell the failure, or false if
// one of them is not known. An error in the code that is tested counts as "".
func (f *Failure) endsOf(e Ending) (lines []string, known bool) {
	ends := endings(e.Report)
	telling := newNames(f.telling)
	for _, test := range e.Report.Failing {
		if !telling.has(test) {
			continue
		}
		end, ok := ends[test]
		if !ok {
			return nil, false
		}
		if source.FileKindOf(end.File) == source.SourceFile && !usedInTest(e.Output, missingName(end.Text)) {
			end.Text = ""
		}
		lines = append(lines, end.Text)
	}
	return lines, len(lines) > 0
}

// usedInTest reports whether a line of a test, as pytest shows it in a stack, uses a name: then the
// code that is tested only looks it up, as Python's __getattr__ does.
func usedInTest(output []byte, name string) bool {
	if name == "" {
		return false
	}
	marked := ""
	for raw := range bytes.Lines(output) {
		line := testlog.Text(raw)
		if code, ok := strings.CutPrefix(line, ">  "); ok {
			marked = code
			continue
		}
		m := pyFrameFile().FindStringSubmatch(line)
		if m != nil && source.FileKindOf(m[1]) == source.TestFile && source.WordIndex(marked, name) >= 0 {
			return true
		}
	}
	return false
}

// endings returns the place of the error that ended each failing test, as far as the tool names it.
func endings(r testlog.Report) map[string]testlog.Place {
	ends := map[string]testlog.Place{}
	for _, p := range r.Places {
		if p.Test != "" && raised().MatchString(p.Text) {
			ends[p.Test] = p
		}
	}
	return ends
}

// tellingTests returns the failing tests of a run without those that use a name that does not exist,
// if there are others: these test what a fix adds, and fail at each commit before it.
func tellingTests(r testlog.Report) []string {
	ends := endings(r)
	telling := slices.DeleteFunc(slices.Clone(r.Failing), func(test string) bool {
		end := ends[test]
		return missingName(end.Text) != "" && source.FileKindOf(end.File) != source.SourceFile
	})
	if len(telling) == 0 {
		return r.Failing
	}
	return telling
}

// absences returns the errors of an output about names that do not exist.
func absences(output []byte) map[string]bool {
	found := map[string]bool{}
	for _, line := range errorsIn(output) {
		if missingName(line) != "" {
			found[trial.Normal(line)] = true
		}
	}
	return found
}

// errorsIn returns the errors that ended tests, each without the sign of the tool before it.
func errorsIn(output []byte) []string {
	const most = 1000
	var found []string
	for raw := range bytes.Lines(output) {
		line := strings.TrimLeft(testlog.Text(raw), " \t")
		if len(found) < most && raised().MatchString(line) && !ofSuite().MatchString(line) {
			found = append(found, strings.TrimSpace(strings.TrimPrefix(line, "E  ")))
		}
	}
	return found
}

// missingName returns the name that does not exist, as the line of an error says, or "".
func missingName(line string) string {
	m := raised().FindStringSubmatch(line)
	if m == nil {
		return ""
	}
	message := m[1] + m[2]
	if m = lacking().FindStringSubmatch(message); m == nil || strings.HasPrefix(message, "'NoneType' ") {
		return ""
	}
	return lastGroup(m)
}

// lastGroup returns the last group of a match that is not empty: of a module and a name, the name.
func lastGroup(m []string) string {
	for i := len(m) - 1; i > 0; i-- {
		if m[i] != "" {
			return m[i]
		}
	}
	return ""
}

// inProduct reports whether a test failed at a place outside of tests: then the code that is tested
// uses a name that does not exist, which is a bug of its own.
func inProduct(e Ending) bool {
	for _, p := range e.Report.Places {
		if source.FileKindOf(p.File) == source.SourceFile {
			return true
		}
	}
	return false
}
