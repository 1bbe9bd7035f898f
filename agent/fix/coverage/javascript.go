package coverage

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/source"
	"git-agent/gitext/disk"
)

// javascript measures tests that run in node. A script that node loads first
// (NODE_OPTIONS=--require) takes V8's coverage around each test of tape, mocha, jest,
// vitest and node:test. With an unknown runner, each process counts as a test if one of them
// fails; otherwise the whole command counts as one test. If node does not load the script, node
// itself measures the whole command (NODE_V8_COVERAGE).
type javascript struct{}

//go:embed inject/preload.cjs
var nodePreload []byte

var nodeCommand = source.Lazy(`(^|[\s;&|(/])(node|npm|npx|yarn|pnpm|mocha|tape|jest|ava|tap|jasmine|vitest|nyc|c8)\b`)

const nodeNotice = "Code that was translated before it ran is measured where it carries a source map."

func (javascript) name() string             { return "JavaScript" }
func (javascript) runs(command string) bool { return nodeCommand().MatchString(command) }
func (javascript) has(t *tree) bool         { return t.has("package.json") }

// maxNodeProcesses bounds the processes of a test command whose profiles are read.
const maxNodeProcesses = 500

func (javascript) measure(ctx context.Context, j *job) (*fix.Spectrum, string, error) {
	reader := newV8Reader(j.tree)
	j.progress("coverage: the test command with V8's coverage")
	tests, processes, err := j.nodeRuns(ctx, reader, j.p.Test, "first")
	if err != nil {
		return nil, "", err
	}
	if tests, err = j.moreNodeTests(ctx, reader, tests); err != nil {
		return nil, "", err
	}
	if sp, note := nodeSpectrum(j.tree, tests, processes); sp != nil {
		return sp, note, nil
	}
	return j.nodeWhole(ctx, reader)
}

// nodeRuns runs a command and returns the lines of its tests, and for each process the lines
// outside of tests. The profiles are written below dir.
func (j *job) nodeRuns(ctx context.Context, reader *v8Reader, command, dir string) (tests, processes []nodeRun, err error) {
	set, err := j.nodeEnvironment(dir)
	if err != nil {
		return nil, nil, err
	}
	if _, err = j.sh(ctx, j.opt.Budget, command, set...); err != nil {
		return nil, nil, err
	}
	tests, processes = j.nodeProfiles(reader, dir)
	return tests, processes, nil
}

// nodeEnvironment writes the script into a directory and returns the variables that let node load it. The
// user's own options of node stay.
func (j *job) nodeEnvironment(dir string) ([]string, error) {
	preload, err := j.make(filepath.Join(dir, "preload.cjs"), 0o600, nodePreload)
	if err != nil {
		return nil, err
	}
	options := strings.TrimSpace(os.Getenv("NODE_OPTIONS") + " --require=" + quoteNodeOption(preload))
	return []string{"NODE_OPTIONS=" + options, "GIT_AGENT_COVERAGE=" + filepath.Dir(preload), "GIT_AGENT_TREE=" + j.tree.real}, nil
}

// nodeProfiles reads the profiles below dir as nodeRuns returns them.
func (j *job) nodeProfiles(reader *v8Reader, dir string) (tests, processes []nodeRun) {
	for _, name := range j.files(dir + "/node-*.jsonl") {
		runs := reader.readNodeProfile(j.profile(name))
		processes = append(processes, runs[0])
		tests = append(tests, runs[1:]...)
	}
	return tests, processes
}

func (javascript) record(j *job) ([]string, error) { return j.nodeEnvironment("first") }

func (javascript) plain(out []byte) []byte { return out }

func (javascript) recorded(j *job) *fix.Spectrum {
	tests, processes := j.nodeProfiles(newV8Reader(j.tree), "first")
	failed := func(r nodeRun) bool { return r.failed }
	if len(tests) > 0 && !slices.ContainsFunc(tests, failed) && !slices.ContainsFunc(processes, failed) {
		return nil
	}
	sp, _ := nodeSpectrum(j.tree, tests, processes)
	return sp
}

// quoteNodeOption makes one word of NODE_OPTIONS.
func quoteNodeOption(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// moreNodeTests runs the suite if few tests have passed, and returns tests and the new passing
// ones.
func (j *job) moreNodeTests(ctx context.Context, reader *v8Reader, tests []nodeRun) ([]nodeRun, error) {
	failed := func(r nodeRun) bool { return r.failed }
	passing := len(slices.DeleteFunc(slices.Clone(tests), failed))
	if passing >= fewPassing || !slices.ContainsFunc(tests, failed) || j.p.Suite == "" || j.p.Suite == j.p.Test {
		return tests, nil
	}
	known := map[string]bool{}
	for _, r := range tests {
		known[r.name] = true
	}
	j.progress("coverage: the other tests of the suite")
	more, _, err := j.nodeRuns(ctx, reader, j.p.Suite, "suite")
	for _, r := range more {
		if !r.failed && !known[r.name] && passing < j.opt.MaxPassing {
			passing++
			tests = append(tests, r)
		}
	}
	return tests, err
}

// nodeSpectrum counts the tests if one fails, else the processes if one fails, else
// everything as one failing test.
func nodeSpectrum(t *tree, tests, processes []nodeRun) (*fix.Spectrum, string) {
	processes = slices.DeleteFunc(processes, func(r nodeRun) bool { return len(r.lines) == 0 })
	failed := func(r nodeRun) bool { return r.failed }
	runs, note := processes, "a process counts as a test"
	switch {
	case slices.ContainsFunc(tests, failed):
		runs, note = tests, "in the processes of the test command"
	case !slices.ContainsFunc(processes, failed):
		whole := nodeRun{failed: true, lines: executed{}}
		for _, r := range slices.Concat(tests, processes) {
			whole.lines.merge(r.lines)
		}
		runs, note = []nodeRun{whole}, "the whole test command counts as one, because its tests cannot be told apart"
	}
	var count tally
	for _, r := range runs {
		count.add(r.failed, r.lines)
	}
	return count.spectrum(t), fmt.Sprintf("Measured with V8's coverage: %s and %s; %s. %s",
		agent.Plural(count.failing, "failing test"), agent.Plural(count.passing, "passing test"), note, nodeNotice)
}

// nodeWhole runs the command with NODE_V8_COVERAGE and counts it as one failing test.
func (j *job) nodeWhole(ctx context.Context, reader *v8Reader) (*fix.Spectrum, string, error) {
	const nothing = "No process of the test command wrote a profile of V8 for code of the repository. " + nodeNotice
	if _, err := j.sh(ctx, j.opt.Budget, j.p.Test, "NODE_V8_COVERAGE="+filepath.Join(j.dir, "v8")); err != nil {
		return nil, "", err
	}
	whole := executed{}
	for _, name := range j.files("v8/*.json") {
		whole.merge(reader.readV8Profile(j.profile(name)))
	}
	var count tally
	count.add(true, whole)
	sp := count.spectrum(j.tree)
	if sp == nil {
		return nil, nothing, nil
	}
	return sp, "Measured with NODE_V8_COVERAGE: the test command as one failing test. " + nodeNotice, nil
}

// files lists the files of the job's directory that match a pattern of filepath.Match,
// relative to the directory.
func (j *job) files(pattern string) []string {
	found, err := filepath.Glob(filepath.Join(disk.GlobQuote(j.dir), pattern))
	if err != nil {
		return nil
	}
	names := make([]string, 0, len(found))
	for _, name := range found[:min(len(found), maxNodeProcesses)] {
		if rel, err := filepath.Rel(j.dir, name); err == nil {
			names = append(names, rel)
		}
	}
	return names
}
