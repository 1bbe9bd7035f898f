package testcmd

import (
	"path"
	"slices"
	"strings"
)

// narrowed are the tools of JavaScript that accept test files as arguments. A run of all tests
// of such a project takes many times as long as one of a few files.
var narrowed = []string{"jest", "vitest", "mocha", "ava", "node", "bun"}

// maxNarrow bounds the files of a narrowed command.
const maxNarrow = 8

// Narrow changes a proposal to one that runs only some test files, such as those that the user
// has just changed; it is a Part, and its Suite is the command of the original. Other files, such as data of tests,
// do not count. ok is false if a test is outside of the command's directory, or if the tool is
// not known to accept files.
func Narrow(p Proposal, files []string) (narrow Proposal, ok bool) {
	if files = testsAmong(files); len(files) == 0 || len(files) > maxNarrow {
		return p, false
	}
	enter := changeDir().FindString(p.Test)
	list, ok := words(p.Test[len(enter):])
	if !ok {
		return p, false
	}
	name, at := tool(list)
	if !slices.Contains(narrowed, name) || (name == "node" || name == "bun") && !runsTests(list[at+1:]) {
		return p, false
	}
	var out, names []string
	for _, file := range files {
		below, inside := file, true
		if enter != "" {
			below, inside = strings.CutPrefix(file, directoryOf(enter)+"/")
		}
		if !inside {
			return p, false
		}
		names = append(names, below)
	}
	for _, w := range list[:at+1] {
		out = append(out, w.raw)
	}
	args := slices.DeleteFunc(slices.Clone(list[at+1:]), func(a word) bool {
		return !strings.HasPrefix(a.value, "-") && (strings.ContainsAny(a.value, "*?") || slices.Contains(nodeEndings, path.Ext(a.value)))
	})
	p.Suite, p.Part = p.Test, true
	p.Test = enter + strings.Join(slices.Concat(out, withoutTargets(args, names), quoteAll(names)), " ")
	return p, true
}

// testsAmong returns the files with tests: those that are named so, if any is, because the others
// then help them.
func testsAmong(files []string) []string {
	var named, code []string
	for _, file := range files {
		if !slices.Contains(nodeEndings, path.Ext(file)) {
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

var nodeEndings = strings.Fields(".js .jsx .ts .tsx .mjs .cjs .mts .cts")

// runsTests reports whether node or bun is told to run tests.
func runsTests(args []word) bool {
	return hasFlag(args, "--test") || len(args) > 0 && args[0].value == "test"
}
