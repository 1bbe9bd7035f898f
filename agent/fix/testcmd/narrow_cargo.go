package testcmd

import (
	"path"
	"slices"
	"strings"

	"git-agent/agent/source"
)

var (
	// cargoProgram matches a file that is an integration test, with its name, and cargoMain another
	// form of it. cargoModule matches a module of a library, with its path from src.
	cargoProgram = source.Lazy(`(?:^|/)tests/([\w-]+)\.rs$`)
	cargoMain    = source.Lazy(`(?:^|/)tests/([\w-]+)/main\.rs$`)
	cargoModule  = source.Lazy(`(?:^|/)src/((?:\w+/)*\w+)\.rs$`)
)

// cargoAmong returns the integration tests among files. Only if there are none, the modules of
// libraries count: files below tests help them.
func cargoAmong(files []string) []string {
	var programs, modules []string
	for _, f := range files {
		switch {
		case cargoProgram().MatchString(f) || cargoMain().MatchString(f):
			programs = append(programs, f)
		case cargoModule().MatchString(f) && path.Base(f) != "main.rs" && !strings.Contains(f, "src/bin/"):
			modules = append(modules, f)
		}
	}
	if len(programs) > 0 {
		return programs
	}
	return modules
}

// cargoFlags cuts the arguments of cargo test into those that select no tests, and those behind "--".
// ok is false for another command, and for one that selects tests.
func cargoFlags(args []word) (flags, rest []string, ok bool) {
	if len(args) == 0 || args[0].value != "test" || hasFlag(args, cargoTargets...) {
		return nil, nil, false
	}
	flags = []string{"test"}
	for i := 1; i < len(args); i++ {
		a := args[i]
		if a.value == "--" {
			return flags, raws(args[i+1:]), true
		}
		if !strings.HasPrefix(a.value, "-") {
			return nil, nil, false
		}
		flags = append(flags, a.raw)
		if slices.Contains(cargoValues, a.value) && i+1 < len(args) {
			i++
			flags = append(flags, args[i].raw)
		}
	}
	return flags, nil, true
}

// cargoTargetsOf selects the targets of test files, and of a library the tests of their modules.
func cargoTargetsOf(args []word, files []string) ([]string, bool) {
	out, rest, ok := cargoFlags(args)
	if !ok {
		return nil, false
	}
	var targets, modules []string
	for _, f := range files {
		m := cargoProgram().FindStringSubmatch(f)
		if m == nil {
			m = cargoMain().FindStringSubmatch(f)
		}
		if m != nil {
			if !slices.Contains(targets, m[1]) {
				targets = append(targets, "--test", m[1])
			}
			continue
		}
		targets = []string{"--lib"}
		if name := cargoModuleName(f); name != "" {
			modules = append(modules, name)
		}
	}
	if rest = append(rest, modules...); len(rest) > 0 {
		rest = append([]string{"--"}, rest...)
	}
	return slices.Concat(out, targets, rest), true
}

// cargoModuleName returns the path of the module in a file of a library; "" for all modules.
func cargoModuleName(file string) string {
	name := cargoModule().FindStringSubmatch(file)[1]
	if name == "lib" {
		return ""
	}
	return strings.ReplaceAll(strings.TrimSuffix(name, "/mod"), "/", "::") + "::"
}

// cargoModuleTests narrows a call of cargo test to the tests of the module in a file, whichever
// target it is a part of: the files of tests/ may be modules of one program. The root of a crate
// is no module: there, the functions in text are the tests.
func cargoModuleTests(suite, file string, text []byte) (command string, ok bool) {
	list, ok := words(suite)
	if !ok || path.Ext(file) != ".rs" {
		return "", false
	}
	name, at := tool(list)
	if name != "cargo" {
		return "", false
	}
	flags, rest, ok := cargoFlags(list[at+1:])
	filters := []string{source.Stem(file) + "::"}
	switch {
	case cargoModule().MatchString(file) && path.Base(file) != "main.rs":
		filters[0] = cargoModuleName(file)
	case filters[0] == "mod::":
		filters[0] = path.Base(path.Dir(file)) + "::"
	case filters[0] == "main::":
		filters[0] = ""
	}
	if filters[0] == "" {
		filters = nil
		for _, m := range rustFunction().FindAllSubmatch(text, maxCargoFilters) {
			filters = append(filters, string(m[1]))
		}
	}
	if !ok || len(filters) == 0 {
		return "", false
	}
	out := slices.Concat(raws(list[:at+1]), flags, []string{"--"}, rest, quoteAll(filters))
	return strings.Join(out, " "), true
}

var rustFunction = source.Lazy(`(?m)^\s*(?:pub )?(?:async )?fn (\w+)`)

// maxCargoFilters bounds the names of tests in a command.
const maxCargoFilters = 20
