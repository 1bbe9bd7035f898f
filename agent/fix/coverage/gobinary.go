package coverage

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"git-agent/agent/source"
)

// A goResult is a test that ran alone.
type goResult struct {
	test    string
	state   goState            // of the test itself
	states  map[string]goState // of the test and its subtests, in the words of -test.v
	order   []string           // names in states, as they appeared
	profile executed           // nil if the test wrote none
}

// A goState is the result of a test.
type goState string

const (
	goPassed  goState = "PASS"
	goFailed  goState = "FAIL"
	goSkipped goState = "SKIP"
	goStarted goState = "" // the test began, and the output has no result
)

// compile builds the test binary. It reports false, with a problem noted, if the
// package cannot be compiled.
func (r *goPackageRun) compile(ctx context.Context) (bool, error) {
	r.m.progress("coverage: compile the tests of %s", r.pkg.ImportPath)
	r.binary = filepath.Join(r.m.dir, fmt.Sprintf("%d.test", r.number))
	flags := r.call.build
	if r.flush {
		overlay, err := r.m.goFlushOverlay(ctx, r.call)
		if err != nil {
			return false, err
		}
		flags = append(slices.Clone(flags), overlay...)
	}
	if !slices.ContainsFunc(flags, func(f string) bool { return strings.HasPrefix(f, "-ldflags") }) {
		flags = append(slices.Clone(flags), "-ldflags=-w") // linking is faster without DWARF
	}
	args := slices.Concat(
		[]string{"go", "test", "-c", "-vet=off", "-cover", "-coverpkg=" + r.listed.coverpkg(r.pkg.ImportPath), "-o", r.binary},
		flags,
		[]string{r.pkg.ImportPath},
	)
	res, err := r.m.sh(ctx, goCompileTime, r.call.enter()+words(args))
	if err != nil {
		return false, err
	}
	if res.Exit != 0 {
		r.m.problems = append(r.m.problems, fmt.Sprintf("The tests of %s do not compile with coverage%s.", r.pkg.ImportPath, lastLine(res.Output)))
	}
	return res.Exit == 0, nil
}

// each runs every test in its own process, several at the same time, with a time limit for each
// test and one for all. It returns the results in the order of the tests. Tests after the end
// of the time have no result.
func (r *goPackageRun) each(ctx context.Context, limit, total time.Duration, tests []string) ([]goResult, error) {
	first := r.runs
	r.runs += len(tests)
	jobs := make([]string, min(max(runtime.NumCPU(), 1), maxGoParallel))
	for i, test := range tests {
		jobs[i%len(jobs)] += r.command(goRunExpr(test), first+i, min(limit, r.m.left()))
	}
	script := r.enter()
	for _, lines := range jobs {
		if lines != "" {
			script += "{\n" + lines + "} &\n"
		}
	}
	if _, err := r.m.sh(ctx, total, script+"wait\n"); err != nil {
		return nil, err
	}
	var results []goResult
	for i, test := range tests {
		if res, ok := r.result(test, first+i); ok {
			results = append(results, res)
		}
	}
	return results, nil
}

// enter returns the start of a shell script for running a test binary as go test does.
func (r *goPackageRun) enter() string {
	dir := filepath.Join(r.m.tree.dir, r.listed.dirs[r.pkg.ImportPath])
	return r.call.enter() + "cd " + quote(dir) + " || exit\n" + "ulimit -f 262144\n" // blocks of 512 bytes, for each file
}

// file returns the path of a file of a test run.
func (r *goPackageRun) file(number int, suffix string) string {
	return fmt.Sprintf("%d-%d.%s", r.number, number, suffix)
}

// command returns a shell command that runs the tests selected by an expression.
func (r *goPackageRun) command(expr string, number int, limit time.Duration) string {
	path := func(suffix string) string { return filepath.Join(r.m.dir, r.file(number, suffix)) }
	args := slices.Concat([]string{r.binary, "-test.run=" + expr, "-test.v", "-test.paniconexit0",
		"-test.timeout=" + max(limit, time.Second).String(), "-test.coverprofile=" + path("cover")}, r.call.test)
	return words(args) + " >" + quote(path("out")) + " 2>&1\n"
}

// goRunExpr returns the value of -run for one test or subtest.
func goRunExpr(test string) string {
	parts := strings.Split(test, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}

// result reads the output files of a test's run. It reports false if the test did not run.
func (r *goPackageRun) result(test string, number int) (goResult, bool) {
	res := r.read(test, number)
	state, ok := res.states[test]
	if !ok {
		return res, false
	}
	res.state = state
	if state == goStarted {
		res.state = goFailed // the process ended before the test
	}
	return res, true
}

// read reads the output files of a run.
func (r *goPackageRun) read(test string, number int) goResult {
	res := goResult{test: test}
	res.order, res.states = goTestStates(r.m.profile(r.file(number, "out")))
	if profile := r.m.profile(r.file(number, "cover")); len(profile) > 0 {
		res.profile = readGoProfile(profile, r.listed.dir, r.m.tree)
	}
	return res
}

var goStateLine = source.Lazy(`^\s*(?:=== RUN|--- (PASS|FAIL|SKIP):)\s+(\S+)`)

// maxGoStates bounds the tests and subtests that are read from one output.
const maxGoStates = 5000

// goTestStates reads the results of tests and subtests from the output of -test.v. A test
// without a result has the state goStarted.
func goTestStates(out []byte) ([]string, map[string]goState) {
	var order []string
	states := map[string]goState{}
	for line := range bytes.Lines(out) {
		match := goStateLine().FindSubmatch(line[:min(len(line), 1000)])
		if match == nil {
			continue
		}
		name := string(match[2])
		if _, known := states[name]; !known {
			if len(order) >= maxGoStates {
				break
			}
			order = append(order, name)
			states[name] = goStarted
		}
		if len(match[1]) > 0 {
			states[name] = goState(match[1])
		}
	}
	return order, states
}
