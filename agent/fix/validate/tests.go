package validate

import (
	"bytes"
	"slices"

	"git-agent/agent/source"
)

// tests are the tests that a command ran, as far as its output names them.
type tests struct {
	Failing []string
	Passed  []string
	NoBuild bool // nothing ran, because the build failed
}

// goTest matches the result of one test in the output of go test.
var goTest = source.Lazy(`^\s*--- (FAIL|PASS): (\S+)`)

// readTests reads the names of tests in an output of go test.
func readTests(output []byte) tests {
	var t tests
	for line := range bytes.Lines(output) {
		if m := goTest().FindSubmatch(line); m != nil {
			list := &t.Failing
			if string(m[1]) == "PASS" {
				list = &t.Passed
			}
			*list = append(*list, string(m[2]))
		}
		t.NoBuild = t.NoBuild || bytes.Contains(line, []byte("[build failed]"))
	}
	slices.Sort(t.Failing)
	slices.Sort(t.Passed)
	t.Failing, t.Passed = slices.Compact(t.Failing), slices.Compact(t.Passed)
	return t
}
