package testcmd

import (
	"regexp"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/source"
)

// maxFocus bounds the number of tests in a command of Focus.
const maxFocus = 100

// Focus changes a test command to run only the failing tests. failing has names in the form of
// Report.Failing. Focus keeps assignments, wrappers, flags, and a leading "cd DIR &&". ok is
// false if the command is not a single invocation of a known tool, or if the tool cannot select
// these tests.
//
// The new command is only for speed: the whole command judges a patch. The new command may run
// more tests than the failing ones. It may also run none, if a tool prints another name of a
// test than it accepts; then the result of [Run] is Broken and not Passing.
func Focus(command string, failing []string) (focused string, ok bool) {
	if len(failing) == 0 || len(failing) > maxFocus {
		return "", false
	}
	enter := changeDir().FindString(command)
	list, ok := words(command[len(enter):])
	if !ok {
		return "", false
	}
	name, at := tool(list)
	narrow := focusers[name]
	if narrow == nil {
		return "", false
	}
	args, ok := narrow(list[at+1:], failing)
	if !ok {
		return "", false
	}
	var out []string
	for _, w := range list[:at+1] {
		out = append(out, w.raw)
	}
	return enter + strings.Join(append(out, args...), " "), true
}

// changeDir matches a command's beginning that enters a directory of the tree, as in commands
// of Propose.
var changeDir = source.Lazy(`^\s*cd ('[^']+'|[\w./@+-]+) && `)

// A focuser returns a tool's arguments for running only the failing tests, quoted for the
// shell.
type focuser func(args []word, failing []string) ([]string, bool)

var focusers = map[string]focuser{
	"go": focusGo, "pytest": focusPytest, "py.test": focusPytest, "unittest": focusUnittest,
	"jest": focusJest, "vitest": focusVitest, "mocha": focusMocha, "node": focusNode, "ava": focusAVA, "lab": focusLab, "bun": focusBun,
	"tap": focusTap, "django": focusDjango, "python": focusManage, "python3": focusManage,
	"cargo": focusCargo, "ctest": focusCTest,
	"mvn": focusMaven, "mvnw": focusMaven, "gradle": focusGradle, "gradlew": focusGradle,
	"rspec": focusRSpec, "mix": focusMix, "phpunit": focusPHPUnit, "bats": focusBats,
}

// raws returns the original text of arguments.
func raws(args []word) []string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = a.raw
	}
	return out
}

// hasFlag reports whether one of the flags is among the arguments, alone or with =.
func hasFlag(args []word, flags ...string) bool {
	return slices.ContainsFunc(args, func(a word) bool {
		name, _, _ := strings.Cut(a.value, "=")
		return slices.Contains(flags, name)
	})
}

// anyOf returns a regular expression for exactly one of the texts.
func anyOf(texts []string) string {
	quoted := make([]string, len(texts))
	for i, t := range texts {
		quoted[i] = regexp.QuoteMeta(t)
	}
	return "^(" + strings.Join(agent.Unique(quoted), "|") + ")$"
}

var goTestName = source.Lazy(`^[\pL_][\pL\pN_]*$`)

// focusGo narrows go test to the packages and the top-level tests. Tests of an unknown package
// run in the packages of the command.
func focusGo(args []word, failing []string) ([]string, bool) {
	if len(args) == 0 || args[0].value != "test" || hasFlag(args, "-c", "-list", "-bench", "-fuzz", "--bench", "--fuzz") {
		return nil, false
	}
	flags, packages, rest := splitGo(args[1:])
	var tests, in []string
	whole := false
	for _, name := range failing {
		pkg, test, ok := strings.Cut(name, ":")
		if !ok && goTestName().MatchString(name) {
			pkg, test, ok = "", name, true
		}
		test, _, _ = strings.Cut(test, "/")
		switch {
		case ok && !goTestName().MatchString(test):
			return nil, false
		case ok:
			tests = append(tests, test)
		default:
			whole = true
		}
		in = append(in, pkg)
	}
	// Where the command names one package, it stays: the path of its module may be another one at older commits.
	one := len(packages) == 1 && !strings.Contains(packages[0], "...")
	if in = agent.Unique(in); !slices.Contains(in, "") && !slices.Contains(in, "command-line-arguments") && !one {
		for i, pkg := range in {
			in[i] = quote(pkg)
		}
		packages = in
	}
	out := []string{"test"}
	if !hasFlag(args, "-count", "--count") {
		out = append(out, "-count=1")
	}
	out = append(out, flags...)
	if !whole {
		out = append(out, "-run", "'^("+strings.Join(agent.Unique(tests), "|")+")$'")
	}
	return slices.Concat(out, packages, rest), true
}

// goValues are the flags of go test that take the next argument as their value.
var goValues = strings.Fields(
	`C asmflags benchtime blockprofile blockprofilerate buildmode compiler count covermode coverpkg coverprofile cpu cpuprofile
	exec fuzzminimizetime fuzztime gccgoflags gcflags installsuffix ldflags list memprofile memprofilerate mod modfile mutexprofile mutexprofilefraction
	o outputdir overlay p parallel pgo pkgdir run shuffle skip tags timeout toolexec trace vet`,
)

// splitGo separates flags, packages, and arguments of the test binary. The flag -run is left
// out.
func splitGo(args []word) (flags, packages, rest []string) {
	for i := 0; i < len(args); i++ {
		flag, isFlag := strings.CutPrefix(args[i].value, "-")
		flag = strings.TrimPrefix(flag, "-")
		name, _, hasValue := strings.Cut(flag, "=")
		if flag == "args" && isFlag {
			return flags, packages, raws(args[i:])
		}
		n := 1
		if isFlag && !hasValue && slices.Contains(goValues, name) {
			n = min(2, len(args)-i)
		}
		switch {
		case !isFlag:
			packages = append(packages, args[i].raw)
		case name != "run" && name != "test.run":
			flags = append(flags, raws(args[i:i+n])...)
		}
		i += n - 1
	}
	return flags, packages, nil
}
