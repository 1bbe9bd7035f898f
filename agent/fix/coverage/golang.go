package coverage

import (
	"context"
	"fmt"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/source"
)

// golang measures go test. A program before go on PATH records the calls of go test, with
// directory and environment, and runs nothing. Each package with failing tests is then compiled
// once, with coverage of all packages of the tree that it depends on. Its tests run one by one.
type golang struct{}

// maxGoPackages bounds the packages with measured tests.
const maxGoPackages = 4

var goTestCommand = source.Lazy(`(^|[\s;&|(/])(go\s+test|gotestsum|richgo|ginkgo)\b`)

func (golang) name() string             { return "Go" }
func (golang) runs(command string) bool { return goTestCommand().MatchString(command) }
func (golang) has(t *tree) bool         { return t.has("go.mod") }

func (golang) measure(ctx context.Context, j *job) (*fix.Spectrum, string, error) {
	calls, err := j.goTestCalls(ctx)
	if err != nil {
		return nil, "", err
	}
	if len(calls) == 0 {
		return nil, "The test command did not call go test by its name.", nil
	}
	m := goMeasurement{job: j, named: namedGoTests(j.rep.Failing)}
	for _, call := range calls {
		if err := m.call(ctx, call); err != nil {
			return nil, "", err
		}
	}
	return m.tally.spectrum(j.tree), m.note(), nil
}

// A goMeasurement collects the executed lines of the calls of go test.
type goMeasurement struct {
	*job
	named    []string // failing tests that the reproduction names, subtests as "Test/sub"
	tally    tally
	packages int
	problems []string // sentences
	noted    []string // failing tests without a profile
}

// note describes the measurement and its gaps.
func (m *goMeasurement) note() string {
	said := m.problems
	if n := m.tally.failing + m.tally.passing; n > 0 {
		said = append([]string{fmt.Sprintf("Measured with go test -cover: %s and %s, each alone.",
			agent.Plural(m.tally.failing, "failing test"), agent.Plural(m.tally.passing, "passing test"))}, said...)
	}
	if len(m.noted) > 0 {
		said = append(said, "These failing tests ended without a profile: "+strings.Join(m.noted, ", ")+".")
	}
	if len(said) == 0 {
		return "go test ran no test that could be measured."
	}
	return strings.Join(said, " ")
}

// call measures one call of go test.
func (m *goMeasurement) call(ctx context.Context, call goCall) error {
	listed, err := m.goList(ctx, call)
	if err != nil {
		return err
	}
	if listed.problem != "" {
		m.problems = append(m.problems, listed.problem)
		return nil
	}
	for _, pkg := range m.suspected(listed) {
		if m.packages >= maxGoPackages || m.left() <= 0 {
			break
		}
		m.packages++
		run := &goPackageRun{m: m, call: call, listed: listed, pkg: pkg, number: m.packages}
		if err := run.measure(ctx); err != nil {
			return err
		}
	}
	return nil
}

// suspected returns the packages to measure: those that define a test named by the reproduction
// and that fail in its output, else those that meet one of the two conditions, else all.
func (m *goMeasurement) suspected(l *goListing) []*goPackage {
	var both, either []*goPackage
	failed := failedGoPackages(m.rep.Output)
	for _, pkg := range l.roots {
		defines := pkg.defines(m.named)
		if defines && failed[pkg.ImportPath] {
			both = append(both, pkg)
		}
		if defines || failed[pkg.ImportPath] {
			either = append(either, pkg)
		}
	}
	switch {
	case len(both) > 0:
		return both
	case len(either) > 0:
		return either
	}
	return l.roots
}

// failedGoPackage matches the line that go test prints for a package with failing tests.
var failedGoPackage = source.Lazy(`(?m)^FAIL[ \t]+(\S+)`)

// failedGoPackages reads the import paths of packages with failing tests from the
// output of go test.
func failedGoPackages(out []byte) map[string]bool {
	failed := map[string]bool{}
	for _, match := range failedGoPackage().FindAllSubmatch(out, 1000) {
		failed[string(match[1])] = true
	}
	return failed
}

// goTestName matches the name of a test function with its subtest.
var goTestName = source.Lazy(`\b(?:Test|Example|Fuzz)[\pL\pN_]*(?:/.*)?`)

// namedGoTests reads test names such as "TestX/sub" from names with or without a package before
// them. Names without a test are left out.
func namedGoTests(names []string) []string {
	var tests []string
	seen := map[string]bool{}
	for _, name := range names {
		test := strings.TrimSpace(goTestName().FindString(name))
		if test != "" && !seen[test] {
			seen[test] = true
			tests = append(tests, test)
		}
	}
	return tests
}

// topLevel returns the test function of a name with subtests.
func topLevel(test string) string {
	top, _, _ := strings.Cut(test, "/")
	return top
}

// goCompileTime bounds one compilation.
const goCompileTime = 5 * time.Minute
