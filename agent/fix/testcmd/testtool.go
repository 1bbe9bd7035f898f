package testcmd

import (
	"path"
	"slices"
)

// testTools are the tools that name the tests that fail. Those with words do so only if one of the words is among
// their arguments.
var testTools = map[string][]string{
	"pytest": nil, "py.test": nil, "unittest": nil, "jest": nil, "vitest": nil, "mocha": nil, "ava": nil, "lab": nil, "ctest": nil, "rspec": nil,
	"phpunit": nil, "bats": nil, "go": {"test"}, "bun": {"test"}, "mix": {"test"}, "dotnet": {"test"}, "meson": {"test"},
	"cargo": {"test", "t", "nextest"}, "node": {"--test"}, "mvn": {"test", "verify"}, "mvnw": {"test", "verify"},
	"gradle": {"test", "check"}, "gradlew": {"test", "check"},
}

// NamesTests reports whether a command is one invocation of a tool that names the tests that fail.
func NamesTests(command string) bool {
	list, ok := invocation(command)
	name, at := tool(list)
	needs, known := testTools[name]
	return ok && known &&
		(needs == nil || slices.ContainsFunc(list[at+1:], func(w word) bool { return slices.Contains(needs, w.value) }))
}

// RunsScript reports whether a command is one invocation of a script of package.json, or of tox or nox. They may do
// more than test.
func RunsScript(command string) bool {
	list, ok := invocation(command)
	first := slices.IndexFunc(list, func(w word) bool { return !assignment().MatchString(w.raw) })
	return ok && first >= 0 && slices.Contains([]string{"npm", "yarn", "pnpm", "bun", "tox", "nox"}, path.Base(list[first].value))
}

// invocation returns the words of a command, behind a leading "cd DIR &&".
func invocation(command string) ([]word, bool) {
	return words(command[len(changeDir().FindString(command)):])
}
