package testcmd

import (
	"strings"

	"git-agent/agent/source"
)

// CompileOnly returns a command that compiles the packages of a test command and runs no code
// of the work tree: no test, and no program that the test command names. ok is false if the
// test command is not a single call of go test.
//
// Flags and words that could start a program, such as -exec, -toolexec and -ldflags, are left
// out. The only effect is that the test has to compile more.
func CompileOnly(command string) (compiling string, ok bool) {
	enter := changeDir().FindString(command)
	list, ok := words(command[len(enter):])
	if !ok {
		return "", false
	}
	out := []string{}
	for len(list) > 0 && assignment().MatchString(list[0].raw) {
		if harmlessVariable().MatchString(list[0].raw) {
			out = append(out, list[0].raw)
		}
		list = list[1:]
	}
	if len(list) < 2 || list[0].value != "go" || list[1].value != "test" {
		return "", false
	}
	flags, packages := compiledParts(list[2:])
	out = append(append(out, compileOnly), flags...)
	return enter + strings.Join(append(out, packages...), " "), true
}

// CompileAll returns a command like that of CompileOnly for all packages below the start
// directory of a command. It is for commands that call go test indirectly.
func CompileAll() string { return compileOnly + " ./..." }

// compileOnly runs the program true instead of each test binary.
const compileOnly = "go test -exec=true -run='^$'"

// harmlessVariable matches assignments that only affect the compilation.
var harmlessVariable = source.Lazy(
	`^(CGO_ENABLED|GOOS|GOARCH|GOAMD64|GOARM64|GOEXPERIMENT|GO111MODULE|GOWORK)=[\w./,-]*$|^GOTOOLCHAIN=local$|^GOFLAGS=-(mod=\w+|trimpath|vet=off|count=1|v)$`,
)

// harmlessFlag matches flags of go test that only affect the compilation, with their values.
var harmlessFlag = source.Lazy(`^--?(race|msan|asan|trimpath|cover|(tags|mod|vet|covermode|coverpkg)=[\w./,-]+)$`)

// packagePattern matches package patterns and names of Go files.
var packagePattern = source.Lazy(`^[\w./@~+-]+$`)

// compiledParts returns the flags and packages for the compiler.
func compiledParts(args []word) (flags, packages []string) {
	given, named, _ := splitGo(args)
	for i := 0; i < len(given); i++ {
		flag := given[i]
		name := strings.TrimLeft(flag, "-")
		if valueless := !strings.Contains(flag, "="); valueless && i+1 < len(given) && !strings.HasPrefix(given[i+1], "-") {
			i++ // splitGo keeps a flag and its value together
			flag += "=" + given[i]
		}
		if harmlessFlag().MatchString(flag) && !(name == "vet" && flag == name) {
			flags = append(flags, flag)
		}
	}
	for _, p := range named {
		if packagePattern().MatchString(p) && !strings.HasPrefix(p, "-") {
			packages = append(packages, p)
		}
	}
	return flags, packages
}
