package testcmd

import (
	"slices"
	"strings"

	"git-agent/agent/source"
)

// CompileCrates returns a command that builds the tests of a Cargo project without running them. It
// keeps what decides which crates are built, and with which features, and leaves out which targets
// and tests are selected. ok is false if the test command is not a single call of cargo test or
// cargo nextest, or one of the other commands is there and no call of cargo: it may look for Cargo's
// output at its usual place. The command is for a skeleton of the project, see [trial.Workspace.CompileCrates]:
// in the project itself, it would run build scripts and macros.
func CompileCrates(command string, others ...string) (compiling string, ok bool) {
	if slices.ContainsFunc(others, func(c string) bool { return c != "" && cargoArgs(c) == nil }) {
		return "", false
	}
	enter := changeDir().FindString(command)
	list := cargoArgs(command)
	if len(list) == 0 {
		return "", false
	}
	out := []string{"cargo"}
	if toolchain().MatchString(list[0].value) {
		out, list = append(out, list[0].value), list[1:]
	}
	switch {
	case matchWords(list, []string{"nextest", "run"}):
		list = list[2:]
	case matchWords(list, []string{"test"}), matchWords(list, []string{"t"}):
		list = list[1:]
	default:
		return "", false
	}
	return enter + strings.Join(append(append(out, "test", "--no-run"), crateFlags(list)...), " "), true
}

// IntegrationTests returns the names of the integration tests that calls of cargo select, which may be
// none beside unit tests. all is true if one of the commands may run every integration test.
func IntegrationTests(commands ...string) (names []string, all bool) {
	for _, command := range commands {
		if command == "" {
			continue
		}
		list, chosen := cargoArgs(command), false
		for i := 0; i < len(list) && list[i].value != "--"; i++ {
			name, value, stuck := strings.Cut(list[i].value, "=")
			switch {
			case name == "--test" && stuck:
				names, chosen = append(names, value), true
			case name == "--test" && i+1 < len(list):
				i++
				names, chosen = append(names, list[i].value), true
			case name == "--lib" || name == "--doc":
				chosen = true
			case name == "--tests" || name == "--all-targets":
				return nil, true
			}
		}
		if !chosen || slices.ContainsFunc(names, func(n string) bool { return strings.ContainsAny(n, "*?[") }) {
			return nil, true
		}
	}
	return names, false
}

// cargoArgs returns the arguments of a command that is a single call of cargo, perhaps behind
// assignments and in another directory; nil for another command.
func cargoArgs(command string) []word {
	list, ok := words(command[len(changeDir().FindString(command)):])
	for ok && len(list) > 0 && assignment().MatchString(list[0].raw) {
		list = list[1:]
	}
	if !ok || len(list) < 2 || list[0].value != "cargo" {
		return nil
	}
	return list[1:]
}

var (
	toolchain = source.Lazy(`^\+[\w.-]+$`)
	// crateValue matches the values of flags.
	crateValue = source.Lazy(`^[\w./,:@+* -]+$`)
)

// These are the flags that decide which crates are built: with a value, and without one.
var (
	crateValued = strings.Fields(`-p --package --exclude -F --features --profile --target --manifest-path`)
	cratePlain  = strings.Fields(`--workspace --all --all-features --no-default-features --release -r --offline --locked --frozen`)
)

// crateFlags returns the flags of a test command that decide which crates are built.
func crateFlags(args []word) (flags []string) {
	for i := 0; i < len(args) && args[i].value != "--"; i++ {
		name, value, stuck := strings.Cut(args[i].value, "=")
		if slices.Contains(cratePlain, args[i].value) {
			flags = append(flags, args[i].value)
		}
		if !slices.Contains(crateValued, name) {
			continue
		}
		if !stuck && i+1 < len(args) {
			i++
			value = args[i].value
		}
		if crateValue().MatchString(value) && !strings.HasPrefix(value, "-") {
			flags = append(flags, name, quote(value))
		}
	}
	return flags
}
