package testcmd

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/source"
)

// Alone returns the command that runs one new test file: the tool of the suite, narrowed to the
// file, or, if the suite's tool is unknown, the interpreter of the file's language. If neither
// is possible, Alone returns the whole suite. ok is false if there is no command: the file's
// language must be built, and there is no suite.
//
// The file is text of a model. The command contains only its quoted path and, in Go, the names
// of its tests.
func Alone(suite, file string, text []byte) (command string, ok bool) {
	enter := changeDir().FindString(suite)
	rest := suite[len(enter):]
	name := file
	if enter != "" {
		dir := directoryOf(enter)
		below, inside := strings.CutPrefix(file, dir+"/")
		if !inside {
			enter, rest = "", "" // the suite runs in another directory
		} else {
			name = below
		}
	}
	if narrowed, ok := aloneInSuite(rest, name, text); ok {
		return enter + narrowed, true
	}
	if started, ok := interpreted(name, text); ok {
		return enter + started, true
	}
	return suite, strings.TrimSpace(suite) != ""
}

// OfFile returns the commands that run one test file of a repository, by its proposals, the
// likeliest first: commands of the same tool as a proposal's, and last the interpreter of the
// file's language. For pytest, a second command leaves out the options of the configuration,
// which may ask for plugins that are not installed or for a coverage that one file does not
// reach. For cargo, a second command selects the tests of the module in the file.
func OfFile(proposals []Proposal, file string, text []byte) (commands []string) {
	add := func(command string) {
		if !slices.Contains(commands, command) {
			commands = append(commands, command)
		}
	}
	for _, p := range proposals {
		// The whole suite may take hours.
		if command, ok := Alone(p.Test, file, text); ok && command != p.Test {
			add(p.afterBuild(command))
			if strings.Contains(command, "pytest") {
				add(p.afterBuild(command + " -o addopts="))
			}
		}
		if command, ok := cargoModuleTests(p.Test, file, text); ok {
			add(p.afterBuild(command))
		}
	}
	if command, ok := interpreted(file, text); ok {
		add(command)
	}
	return commands
}

// ByNameAlone reports whether a command of OfFile finds the tests of a file by a likeness of names only, so that it may run
// none: those of C and C++ under CTest.
func ByNameAlone(file string) bool {
	return slices.Contains(strings.Fields(loners["ctest"].endings), path.Ext(file))
}

// directoryOf returns the directory that a match of changeDir enters.
func directoryOf(enter string) string {
	list, ok := words(strings.TrimSuffix(strings.TrimSpace(enter), "&&"))
	if !ok || len(list) != 2 {
		return ""
	}
	return path.Clean(list[1].value)
}

// DirectoryOf returns the directory that a command of Propose enters first, "" for the top.
func DirectoryOf(command string) string {
	enter := changeDir().FindString(command)
	if enter == "" {
		return ""
	}
	return directoryOf(enter)
}

// A loner returns a tool's arguments for running only the tests of one file.
type loner func(args []word, file string, text []byte) ([]string, bool)

// loners are the tools that accept a file as argument, with the endings of their files.
var loners = map[string]struct {
	endings string
	narrow  loner
}{
	"go":     {".go", aloneGo},
	"pytest": {".py", aloneTarget}, "py.test": {".py", aloneTarget},
	"unittest": {".py", func(_ []word, file string, _ []byte) ([]string, bool) { return []string{quote(file)}, true }},
	"jest": {
		".js .jsx .ts .tsx .mjs .cjs",
		aloneTarget,
	}, "vitest": {".js .jsx .ts .tsx .mjs .cjs", aloneTarget}, "mocha": {".js .ts .mjs .cjs", aloneTarget}, "ava": {".js .ts .mjs .cjs", aloneTarget},
	"lab":  {".js .ts .mjs .cjs", aloneTarget},
	"bats": {".bats", aloneTarget}, "rspec": {".rb", aloneTarget}, "phpunit": {".php", aloneTarget},
	"cargo": {".rs", aloneCargo},
	"tap":   {".js .ts .mjs .cjs .mts .cts .jsx .tsx", aloneTarget},
	"ctest": {".c .cc .cpp .cxx", aloneCTest},
	"mvn":   {".java .kt", aloneMaven}, "mvnw": {".java .kt", aloneMaven},
	"gradle": {".java .kt .groovy", aloneGradle}, "gradlew": {".java .kt .groovy", aloneGradle},
}

func aloneInSuite(suite, file string, text []byte) (string, bool) {
	list, ok := words(suite)
	if !ok {
		return "", false
	}
	name, at := tool(list)
	l, known := loners[name]
	if !known || !slices.Contains(strings.Fields(l.endings), path.Ext(file)) {
		return "", false
	}
	args, ok := l.narrow(list[at+1:], file, text)
	return strings.Join(append(raws(list[:at+1]), args...), " "), ok
}

var goTestFunction = source.Lazy(`(?m)^func (Test[\pL\pN_]*)\(`)

// aloneGo runs the tests of the file by name, in the file's package.
func aloneGo(args []word, file string, text []byte) ([]string, bool) {
	tests := goTests(text)
	if len(args) == 0 || args[0].value != "test" || len(tests) == 0 {
		return nil, false
	}
	flags, _, rest := splitGo(args[1:])
	return slices.Concat(goTestArgs(file, tests, flags), rest), true
}

func goTests(text []byte) (tests []string) {
	for _, m := range goTestFunction().FindAllSubmatch(text, -1) {
		tests = append(tests, string(m[1]))
	}
	return tests
}

func goTestArgs(file string, tests, flags []string) []string {
	return slices.Concat(
		[]string{"test", "-count=1"},
		flags,
		[]string{"-run", "'^(" + strings.Join(agent.Unique(tests), "|") + ")$'", quote(goPackageOf(file))},
	)
}

// goPackageOf returns the package of a file, as an argument of go test.
func goPackageOf(file string) string {
	if dir := path.Dir(file); dir != "." {
		return "./" + dir
	}
	return "."
}

// aloneTarget puts the file instead of the files and directories in the command.
func aloneTarget(args []word, file string, _ []byte) ([]string, bool) {
	args = slices.DeleteFunc(slices.Clone(args), func(a word) bool {
		return strings.ContainsAny(a.value, "*?") || path.Ext(a.value) == path.Ext(file) && !strings.HasPrefix(a.value, "-")
	})
	return append(withoutTargets(args, []string{file}), quote(file)), true
}

// aloneCargo runs an integration test. Other test files are parts of a crate and cannot run
// alone.
func aloneCargo(args []word, file string, _ []byte) ([]string, bool) {
	if !cargoProgram().MatchString(file) {
		return nil, false
	}
	return cargoTargetsOf(args, []string{file})
}

// aloneCTest runs the tests that have the name of the file in theirs, as those of programs of one file do.
func aloneCTest(args []word, file string, _ []byte) ([]string, bool) {
	if hasFlag(args, "-R", "-I", "--tests-regex") {
		return nil, false
	}
	return append(raws(args), "-R", quote("(^|[^A-Za-z0-9])"+regexp.QuoteMeta(source.Stem(path.Base(file)))+"($|[^A-Za-z0-9])")), true
}

func aloneMaven(args []word, file string, _ []byte) ([]string, bool) {
	class := source.Stem(file)
	return append(raws(args), quote("-Dtest="+class), "-DfailIfNoTests=false", "-Dsurefire.failIfNoSpecifiedTests=false"), true
}

func aloneGradle(args []word, file string, _ []byte) ([]string, bool) {
	class := source.Stem(file)
	return append(raws(args), "--tests", quote("*"+class)), true
}

// interpreters are the commands that start a file, by the ending of its name.
var interpreters = map[string]string{
	".py": "PYTHONPATH=. python3", ".sh": "sh", ".bash": "bash", ".js": "node", ".mjs": "node", ".cjs": "node", ".rb": "ruby -I. -Ilib", ".pl": "perl -I. -Ilib", ".t": "perl -I. -Ilib", ".php": "php",
}

var pytestStyle = source.Lazy(`(?m)^(def test_|import pytest|from pytest|class Test\w*(\(object\))?:)`)

// unittestStyle matches a class of tests that starting its file does not run.
var unittestStyle = source.Lazy(`(?m)^class \w+\((?:[\w.]+\.)?TestCase\):`)

// interpreted starts a file without the tool of a suite.
func interpreted(file string, text []byte) (string, bool) {
	ending := path.Ext(file)
	start, ok := interpreters[ending]
	switch {
	case ending == ".go":
		tests := goTests(text)
		return "go " + strings.Join(goTestArgs(file, tests, nil), " "), len(tests) > 0
	case ending == ".py" && pytestStyle().Match(text) && !bytes.Contains(text, []byte("__main__")):
		start = "python3 -m pytest"
	case ending == ".py" && unittestStyle().Match(text) && !bytes.Contains(text, []byte("__main__")):
		start = "PYTHONPATH=. python3 -m unittest"
	case !ok && bytes.HasPrefix(text, []byte("#!/bin/sh")):
		start, ok = "sh", true
	}
	return start + " " + quote(file), ok
}
