package coverage

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/source"
)

// python measures each test of pytest and unittest in the process of the test command. A module
// that Python imports at its start (sitecustomize on PYTHONPATH) records the executed lines
// with sys.monitoring or sys.settrace, so no package has to be installed. If the command
// selects few tests of pytest, neighbouring tests are added as passing ones. With other test
// runners the whole command is one failing test.
type python struct{}

//go:embed inject/python/*.py
var pythonModules embed.FS

var pythonCommand = source.Lazy(`(^|[\s;&|(/])(python[0-9.]*|pytest|py\.test|tox|nox|nosetests|hatch|poetry|uv)\b`)

func (python) name() string             { return "Python" }
func (python) runs(command string) bool { return pythonCommand().MatchString(command) }
func (python) has(t *tree) bool         { return t.has("*.py") }

// pythonPrograms are replaced by scripts that put the job's directory first in the command's
// PYTHONPATH.
var pythonPrograms = []string{"python", "python3", "pytest", "py.test"}

const pythonShim = `PYTHONPATH=@DIR@/python${PYTHONPATH:+:$PYTHONPATH} exec @REAL@ "$@"
`

// fewPassing is a number of passing tests; with fewer, further tests are run.
const fewPassing = 10

func (python) measure(ctx context.Context, j *job) (*fix.Spectrum, string, error) {
	env, err := j.pythonEnvironment()
	if err != nil {
		return nil, "", err
	}
	j.progress("coverage: the test command with a recorder of Python's lines")
	if _, err := j.sh(ctx, j.opt.Budget, j.pythonCommand(), env...); err != nil {
		return nil, "", err
	}
	tests, outside := j.pythonTests(map[string]bool{})
	if len(tests) == 0 && len(outside) == 0 {
		return nil, "No Python process of the test command executed code of the repository in a way that can be measured.", nil
	}
	if j.opt.Whole {
		return pythonWhole(j.tree, tests, outside)
	}
	failed := func(t pythonTest) bool { return !t.OK }
	if !slices.ContainsFunc(tests, failed) {
		if j.late && len(tests) > 0 {
			return nil, "The failing tests did not run in the time for the measurement of coverage.", nil
		}
		return pythonWhole(j.tree, tests, outside)
	}
	if passing := len(slices.DeleteFunc(slices.Clone(tests), failed)); passing < fewPassing && passing < j.opt.MaxPassing {
		if tests, err = j.morePythonTests(ctx, env, tests); err != nil {
			return nil, "", err
		}
	}
	var count tally
	for _, test := range tests {
		count.add(!test.OK, test.executed(j.tree))
	}
	return pythonSpectrum(j.tree, count, "one after the other", "None of the tests executed code of the repository that can be measured.")
}

// recordedTime is the processor time after which a recording with sys.settrace gives up, because tests run three
// to five times longer with it. sys.monitoring costs next to nothing.
const recordedTime = 2 * time.Second

func (python) record(j *job) ([]string, error) {
	set, err := j.pythonEnvironment()
	return append(set, fmt.Sprintf("GIT_AGENT_COVERAGE_SECONDS=%g", recordedTime.Seconds())), err
}

func (python) plain(out []byte) []byte { return out }

func (python) recorded(j *job) *fix.Spectrum {
	tests, outside := j.pythonTests(map[string]bool{})
	if slices.ContainsFunc(outside, func(t pythonTest) bool { return t.GaveUp }) {
		return nil
	}
	if len(tests) == 0 {
		sp, _, _ := pythonWhole(j.tree, tests, outside)
		return sp
	}
	var count tally
	for _, test := range tests {
		count.add(!test.OK, test.executed(j.tree))
	}
	return count.failingSpectrum(j.tree)
}

// pythonSlower is the duration of tests with the recorder, as a multiple of their duration
// without it.
const pythonSlower = 3

// pythonCommand returns the command of the first measurement: the failing tests alone, if there
// is not enough time for all.
func (j *job) pythonCommand() string {
	if j.opt.Focused != "" && pythonSlower*j.rep.Took > j.opt.Budget {
		return j.opt.Focused
	}
	return j.p.Test
}

// pythonEnvironment writes the modules and the scripts, and returns the variables that activate
// them.
func (j *job) pythonEnvironment() ([]string, error) {
	modules, err := pythonModules.ReadDir("inject/python")
	if err != nil {
		return nil, err
	}
	for _, m := range modules {
		text, err := pythonModules.ReadFile("inject/python/" + m.Name())
		if err != nil {
			return nil, err
		}
		if _, err := j.make(filepath.Join("python", m.Name()), 0o600, text); err != nil {
			return nil, err
		}
	}
	for _, name := range pythonPrograms {
		if _, err := j.shim(name, pythonShim); err != nil {
			return nil, err
		}
	}
	path := filepath.Join(j.dir, "python")
	if set := os.Getenv("PYTHONPATH"); set != "" {
		path += string(os.PathListSeparator) + set
	}
	return []string{j.shimPath(), "PYTHONPATH=" + path, "PYTEST_PLUGINS=git_agent_pytest",
		"GIT_AGENT_COVERAGE=" + j.dir, "GIT_AGENT_TREE=" + j.tree.real}, nil
}

// morePythonTests runs the suite, or the tests of pytest near the failing ones, and returns
// tests and the new passing ones.
func (j *job) morePythonTests(ctx context.Context, env []string, tests []pythonTest) ([]pythonTest, error) {
	known := map[string]bool{}
	near := strconv.Itoa(j.opt.MaxPassing) + "\n"
	for _, t := range tests {
		known[t.Name] = true
		if !t.OK {
			near += strings.ReplaceAll(t.Name, "\n", " ") + "\n"
		}
	}
	command, alone := j.p.Suite, j.pythonCommand()
	if command == "" || command == j.p.Test || alone != j.p.Test {
		name, err := j.make("near", 0o600, []byte(near))
		if err != nil {
			return nil, err
		}
		command = alone
		env = append(slices.Clone(env), "GIT_AGENT_NEAR="+name)
	}
	j.progress("coverage: other tests")
	if _, err := j.sh(ctx, j.opt.Budget, command, env...); err != nil {
		return nil, err
	}
	more, _ := j.pythonTests(known)
	for _, t := range more {
		if t.OK {
			tests = append(tests, t)
		}
	}
	return tests, nil
}

// A pythonTest is one line of the recorder in inject/python.
type pythonTest struct {
	Name  string           `json:"name"`
	OK    bool             `json:"ok"`
	Lines map[string][]int `json:"lines"`
	// GaveUp says that the process has no further records, because the recorder was too slow.
	GaveUp bool `json:"gave_up"`
}

// executed returns the test's lines by paths of the tree.
func (p pythonTest) executed(t *tree) executed {
	lines := executed{}
	for name, numbers := range p.Lines {
		if path, ok := t.measured(name); ok {
			for _, n := range numbers {
				lines.add(path, n, n)
			}
		}
	}
	return lines
}

// pythonTests reads the recorded tests that are not in known, and the records of code outside
// of tests. A test that ran more than once counts once.
func (j *job) pythonTests(known map[string]bool) (tests, outside []pythonTest) {
	seen := map[string]bool{}
	for _, name := range j.files("python-*.jsonl") {
		for _, test := range readPythonTests(j.profile(name)) {
			switch {
			case test.Name == "":
				outside = append(outside, test)
			case !known[test.Name] && !seen[test.Name]:
				seen[test.Name] = true
				tests = append(tests, test)
			}
		}
	}
	return tests, outside
}

// readPythonTests reads the records of one process. Malformed lines are left out.
func readPythonTests(profile []byte) []pythonTest {
	var tests []pythonTest
	for line := range bytes.Lines(profile) {
		var test pythonTest
		if json.Unmarshal(line, &test) == nil {
			tests = append(tests, test)
		}
	}
	return tests
}

// pythonWhole counts everything as one failing test.
func pythonWhole(t *tree, tests, outside []pythonTest) (*fix.Spectrum, string, error) {
	whole := executed{}
	for _, test := range slices.Concat(tests, outside) {
		whole.merge(test.executed(t))
	}
	var count tally
	count.add(true, whole)
	return pythonSpectrum(t, count, "the whole test command, because its tests cannot be told apart",
		"No Python process of the test command executed code of the repository.")
}

func pythonSpectrum(t *tree, count tally, how, nothing string) (*fix.Spectrum, string, error) {
	sp := count.spectrum(t)
	if sp == nil {
		return nil, nothing, nil
	}
	return sp, fmt.Sprintf("Measured with a recorder of Python's lines: %s and %s, %s.",
		agent.Plural(sp.Failing, "failing test"), agent.Plural(sp.Passing, "passing test"), how), nil
}
