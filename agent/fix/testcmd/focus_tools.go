package testcmd

import (
	"regexp"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/source"
)

// withoutTargets removes the arguments that select tests: those that are the beginning of a
// failing test's name, such as its file, one of its directories, or its module.
func withoutTargets(args []word, failing []string) []string {
	var out []string
	for _, a := range args {
		target := strings.TrimSuffix(strings.TrimPrefix(a.value, "./"), "/")
		isTarget := slices.ContainsFunc(failing, func(name string) bool {
			rest, ok := strings.CutPrefix(name, target)
			return ok && (rest == "" || strings.ContainsRune("/:.[", rune(rest[0])))
		})
		if a.value == "." || strings.HasSuffix(a.value, ".py") || strings.Contains(a.value, "::") {
			isTarget = true
		}
		if !isTarget || strings.HasPrefix(a.value, "-") {
			out = append(out, a.raw)
		}
	}
	return out
}

func quoteAll(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = quote(t)
	}
	return out
}

// focusPytest names tests by their node ids.
func focusPytest(args []word, failing []string) ([]string, bool) {
	for _, name := range failing {
		if !strings.Contains(name, "::") || strings.HasPrefix(name, "-") {
			return nil, false
		}
	}
	return append(withoutTargets(args, failing), quoteAll(failing)...), true
}

var unittestName = source.Lazy(`^(\w+) \(([\w.]+)\)$`)

// focusUnittest names tests by module, class and method, in place of the modules of the command. With discover, names of modules are
// relative to another directory, so they cannot be imported here.
func focusUnittest(args []word, failing []string) ([]string, bool) {
	if len(args) > 0 && args[0].value == "discover" {
		return nil, false
	}
	var ids []string
	for _, name := range failing {
		m := unittestName().FindStringSubmatch(name)
		if m == nil {
			return nil, false
		}
		if ids = append(ids, m[2]); !strings.HasSuffix(m[2], "."+m[1]) {
			ids[len(ids)-1] += "." + m[1] // before Python 3.11
		}
	}
	var flags []string
	for i, a := range args {
		if strings.HasPrefix(a.value, "-") || i > 0 && (args[i-1].value == "-k" || args[i-1].value == "--durations") {
			flags = append(flags, a.raw)
		}
	}
	return append(flags, ids...), true
}

// byPattern adds a flag with a regular expression that matches the names.
func byPattern(args []word, flag string, names []string) ([]string, bool) {
	return append(raws(args), flag, quote(anyOf(names))), true
}

// cargoValues are the flags of cargo test that take the next argument as their value.
var cargoValues = strings.Fields(
	`-p --package --test --bin --example --bench --features -F --manifest-path --target --target-dir --profile -j --jobs -Z --color --config --exclude --message-format`,
)

// cargoTargets are the flags of cargo test that select targets.
var cargoTargets = strings.Fields(`--lib --bin --bins --test --tests --example --examples --bench --benches --all-targets --doc`)

// focusCargo names tests exactly, behind the arguments of the test binaries. If the command selects
// no targets, --tests leaves out documentation and examples, which take time to build.
func focusCargo(args []word, failing []string) ([]string, bool) {
	if len(args) > 0 && strings.HasPrefix(args[0].value, "+") { // a toolchain
		out, ok := focusCargo(args[1:], failing)
		return append([]string{args[0].raw}, out...), ok
	}
	// Tests of documentation have spaces in their names, and rustdoc splits names at spaces.
	if len(args) == 0 || args[0].value != "test" || slices.ContainsFunc(failing, func(name string) bool { return strings.Contains(name, " ") }) {
		return nil, false
	}
	out := []string{"test"}
	if !hasFlag(args, cargoTargets...) {
		out = append(out, "--tests")
	}
	for i := 1; i < len(args); i++ {
		a := args[i]
		if a.value == "--" {
			// A test binary refuses a second --exact.
			rest := slices.DeleteFunc(slices.Clone(args[i+1:]), func(w word) bool { return w.value == "--exact" })
			return slices.Concat(out, []string{"--", "--exact"}, quoteAll(failing), withoutTargets(rest, failing)), true
		}
		if !strings.HasPrefix(a.value, "-") {
			continue // the name of a test
		}
		out = append(out, a.raw)
		if slices.Contains(cargoValues, a.value) && i+1 < len(args) {
			i++
			out = append(out, args[i].raw)
		}
	}
	return slices.Concat(out, []string{"--", "--exact"}, quoteAll(failing)), true
}

func focusCTest(args []word, failing []string) ([]string, bool) {
	if hasFlag(args, "-R", "-E", "-L", "-LE", "-I", "-N", "--rerun-failed", "--tests-regex", "--show-only") {
		return nil, false
	}
	return byPattern(args, "-R", failing)
}

var (
	javaTest = source.Lazy(`^((?:\w+\.)*[A-Z][\w$]*)\.(\w+)(?:[(\[{].*)?$`)
	// javaClass matches the class of a test whose name are words, as in Spock.
	javaClass = source.Lazy(`^((?:\w+\.)+[A-Z][\w$]*)\.\S`)
)

// focusMaven names tests for surefire: Class#method+method,Class#method. Of a class with a test that is named in words,
// all run.
func focusMaven(args []word, failing []string) ([]string, bool) {
	if !slices.ContainsFunc(args, func(a word) bool { return a.value == "test" }) || hasFlag(args, "-Dtest", "-DskipTests", "-Dmaven.test.skip") {
		return nil, false
	}
	methods := map[string][]string{}
	var classes []string
	for _, name := range failing {
		m := javaTest().FindStringSubmatch(name)
		if m == nil {
			if m = javaClass().FindStringSubmatch(name); m == nil {
				return nil, false
			}
			m = append(m, "*")
		}
		classes = append(classes, m[1])
		methods[m[1]] = append(methods[m[1]], m[2])
	}
	var tests []string
	for _, class := range agent.Unique(classes) {
		test := class
		if !slices.Contains(methods[class], "*") {
			test += "#" + strings.Join(agent.Unique(methods[class]), "+")
		}
		tests = append(tests, test)
	}
	// Otherwise a build of several modules would fail in modules without such a test.
	return append(raws(args), quote("-Dtest="+strings.Join(tests, ",")), "-DfailIfNoTests=false", "-Dsurefire.failIfNoSpecifiedTests=false"), true
}

var (
	gradleTest = source.Lazy(`^([\w.$]+) > (\w+)(?:\(.*)?$`)
	// gradleClass matches the class of a test whose name are words, or which is in a nested class. Another word may be a name
	// for display.
	gradleClass = source.Lazy(`^((?:[\w$]+\.)+[A-Z][\w$]*|\w*(?:Tests?|Spec|IT)) > .`)
)

// focusGradle puts one --tests for each test behind the task, or for the class of those that are named in words.
func focusGradle(args []word, failing []string) ([]string, bool) {
	at := slices.IndexFunc(args, func(a word) bool { return a.value == "test" || strings.HasSuffix(a.value, ":test") })
	if at < 0 || hasFlag(args, "--tests") {
		return nil, false
	}
	var tests []string
	for _, name := range failing {
		if m := gradleTest().FindStringSubmatch(name); m != nil {
			tests = append(tests, m[1]+"."+m[2])
		} else if m := gradleClass().FindStringSubmatch(name); m != nil {
			tests = append(tests, m[1])
		} else {
			return nil, false
		}
	}
	var out []string
	for _, test := range agent.Unique(tests) {
		out = append(out, "--tests", quote(test))
	}
	return slices.Concat(raws(args[:at+1]), out, raws(args[at+1:])), true
}

func focusRSpec(args []word, failing []string) ([]string, bool) {
	if hasFlag(args, "-e", "--example", "-E", "--example-matches") {
		return nil, false
	}
	out := raws(args)
	for _, name := range failing {
		out = append(out, "-e", quote(name))
	}
	return out, true
}

// exunitName matches the name of a test of ExUnit and its module.
var exunitName = source.Lazy(`^((?:test|doctest|property) .+) \(\S+\)$`)

// focusMix selects tests by the tag that ExUnit gives each, which is its name without the module.
func focusMix(args []word, failing []string) ([]string, bool) {
	if len(args) == 0 || args[0].value != "test" || hasFlag(args, "--only", "--include", "--exclude", "--failed", "--stale") {
		return nil, false
	}
	out := raws(args)
	for _, name := range failing {
		m := exunitName().FindStringSubmatch(name)
		if m == nil {
			return nil, false
		}
		out = append(out, "--only", quote("test:"+m[1]))
	}
	return out, true
}

// focusPHPUnit matches the names of classes and methods, with any data set.
func focusPHPUnit(args []word, failing []string) ([]string, bool) {
	if hasFlag(args, "--filter") {
		return nil, false
	}
	tests := make([]string, len(failing))
	for i, name := range failing {
		name, _, _ = strings.Cut(name, " with data set ")
		if !strings.Contains(name, "::") {
			return nil, false
		}
		tests[i] = strings.ReplaceAll(regexp.QuoteMeta(name), "/", `\/`)
	}
	return append(raws(args), "--filter", quote("/^("+strings.Join(agent.Unique(tests), "|")+")( with data set .*)?$/")), true
}

func focusBats(args []word, failing []string) ([]string, bool) {
	if hasFlag(args, "-f", "--filter") {
		return nil, false
	}
	out, ok := byPattern(nil, "-f", failing)
	return append(out, raws(args)...), ok
}
