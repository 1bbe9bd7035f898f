package testcmd

import (
	"path"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/source"
)

// A narrower makes the arguments of a test tool that run only some test files.
type narrower struct {
	tests func(files []string) []string                             // those of the files that the tool can run
	args  func(args []word, files []string) (out []string, ok bool) // files are below the directory of the command
}

// narrowers are the tools that accept test files as arguments. A run of all tests of a project
// takes many times as long as one of a few files, and may fail for reasons that the user did not
// ask about.
var narrowers = map[string]narrower{
	"jest": script, "vitest": script, "mocha": script, "ava": script, "lab": script, "node": runtime, "bun": runtime,
	"pytest": python, "py.test": python,
	"go": {namedBy(`_test\.go$`), packagesOf}, "cargo": {cargoAmong, cargoTargetsOf},
	"rspec": {namedBy(`_spec\.rb$`), filesInstead}, "rake": {rubyAmong, filesOfRake},
	"mix": {namedBy(`_test\.exs$`), filesOfMix}, "phpunit": {namedBy(`Test\.php$`), fileOfPHPUnit},
}

var (
	script  = narrower{scriptsAmong, scriptsInstead}
	runtime = narrower{scriptsAmong, scriptsOfRuntime}
	python  = narrower{namedBy(`(^|/)(test_[^/]*|[^/]*_test)\.py$`), filesInstead}
)

// namedBy selects files by a pattern for their paths.
func namedBy(pattern string) func([]string) []string {
	named := source.Lazy(pattern)
	return func(files []string) []string {
		return slices.DeleteFunc(slices.Clone(files), func(f string) bool { return !named().MatchString(f) })
	}
}

// maxNarrow bounds the files of a narrowed command.
const maxNarrow = 8

// Narrow changes a proposal to one that runs only some test files, such as those that the user
// has just changed; it is a Part, and its Suite is the command of the original. Other files, such as data of tests,
// do not count. ok is false if a test is outside of the command's directory, or if the tool is
// not known to accept files.
func Narrow(p Proposal, files []string) (narrow Proposal, ok bool) {
	enter := changeDir().FindString(p.Test)
	list, ok := words(p.Test[len(enter):])
	if !ok {
		return p, false
	}
	name, at := tool(list)
	to, known := narrowers[name]
	if !known {
		return p, false
	}
	tests := to.tests(files)
	if len(tests) == 0 || len(tests) > maxNarrow {
		return p, false
	}
	var out, names []string
	for _, file := range tests {
		below, inside := file, true
		if enter != "" {
			below, inside = strings.CutPrefix(file, directoryOf(enter)+"/")
		}
		if !inside || strings.HasPrefix(below, "-") {
			return p, false
		}
		names = append(names, below)
	}
	for _, w := range list[:at+1] {
		out = append(out, w.raw)
	}
	args, ok := to.args(list[at+1:], names)
	if !ok {
		return p, false
	}
	p.Suite, p.Part = p.Test, true
	p.Test = enter + strings.Join(append(out, args...), " ")
	return p, true
}

// filesInstead puts the files in the place of the tests that a command names.
func filesInstead(args []word, files []string) ([]string, bool) {
	return append(withoutTargets(args, files), quoteAll(files)...), true
}

// scriptsInstead is filesInstead for JavaScript, where commands also name tests by patterns.
func scriptsInstead(args []word, files []string) ([]string, bool) {
	rest := slices.DeleteFunc(slices.Clone(args), func(a word) bool {
		return !strings.HasPrefix(a.value, "-") && (strings.ContainsAny(a.value, "*?") || source.IsScript(a.value))
	})
	return filesInstead(rest, files)
}

// packagesOf puts the packages of test files in the place of those of go test.
func packagesOf(args []word, files []string) ([]string, bool) {
	if len(args) == 0 || args[0].value != "test" {
		return nil, false
	}
	var packages []string
	for _, file := range files {
		packages = append(packages, quote(strings.TrimSuffix("./"+path.Dir(file), "/.")))
	}
	flags, _, rest := splitGo(args[1:])
	return slices.Concat([]string{"test"}, flags, agent.Unique(packages), rest), true
}

// scriptsAmong returns the files with tests: those that are named so, if any is, because the others
// then help them.
func scriptsAmong(files []string) []string {
	var named, code []string
	for _, file := range files {
		if !source.IsScript(file) {
			continue
		}
		code = append(code, file)
		if base := path.Base(file); strings.Contains(base, ".test.") || strings.Contains(base, ".spec.") {
			named = append(named, file)
		}
	}
	if len(named) > 0 {
		return named
	}
	return code
}

// scriptsOfRuntime is scriptsInstead for node and bun, if they are told to run tests.
func scriptsOfRuntime(args []word, files []string) ([]string, bool) {
	if !hasFlag(args, "--test") && (len(args) == 0 || args[0].value != "test") {
		return nil, false
	}
	return scriptsInstead(args, files)
}
