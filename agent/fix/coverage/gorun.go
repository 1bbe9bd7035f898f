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

// A goPackageRun measures the tests of one package.
type goPackageRun struct {
	m      *goMeasurement
	call   goCall
	listed *goListing
	pkg    *goPackage
	number int // of the package, from 1
	binary string
	flush  bool // the binary writes a profile when a test panics
	runs   int  // tests that were started
}

const (
	maxGoFailing  = 40 // most failing tests of a package
	maxGoLeaves   = 12 // most failing subtests of a failing test
	maxGoParallel = 4  // most tests at a time
)

// These bound one test.
const (
	goFailingTime = 20 * time.Second
	goPassingTime = 3 * time.Second
)

// A goResult is a test that ran alone.
type goResult struct {
	test    string
	state   goState            // of the test itself
	states  map[string]goState // of the test and its subtests, in the words of -test.v
	order   []string           // names in states, as they appeared
	profile executed           // nil if it wrote none
}

// A goState is how a test ended.
type goState string

const (
	goPassed  goState = "PASS"
	goFailed  goState = "FAIL"
	goSkipped goState = "SKIP"
	goStarted goState = "" // it began, and nothing says how it ended
)

// measure compiles the package, runs the failing tests and then passing ones nearby.
func (r *goPackageRun) measure(ctx context.Context) error {
	r.flush = bytes.Contains(r.m.rep.Output, []byte("panic: "))
	if ok, err := r.compile(ctx); err != nil || !ok {
		return err
	}
	failing, err := r.failing(ctx)
	if err != nil {
		return err
	}
	lost := func(res goResult) bool { return res.profile == nil }
	if !r.flush && slices.ContainsFunc(failing, lost) {
		r.flush = true
		if ok, err := r.compile(ctx); err != nil || !ok {
			return err
		}
		if failing, err = r.failing(ctx); err != nil {
			return err
		}
	}
	leaves, err := r.leaves(ctx, failing)
	if err != nil {
		return err
	}
	for _, res := range leaves {
		if res.profile == nil {
			r.m.noted = append(r.m.noted, res.test)
			continue
		}
		r.m.tally.add(true, res.profile)
	}
	return r.passing(ctx, failing, leaves)
}

// failing runs the tests that are said to fail and returns those that do.
func (r *goPackageRun) failing(ctx context.Context) ([]goResult, error) {
	var tests []string
	for _, name := range r.m.named {
		if top := topLevel(name); r.pkg.testFile[top] != "" && !slices.Contains(tests, top) {
			tests = append(tests, top)
		}
	}
	if len(tests) == 0 {
		tests = r.selected()
	}
	r.m.progress("coverage: the failing tests of %s", r.pkg.ImportPath)
	all, err := r.each(ctx, goFailingTime, tests[:min(len(tests), maxGoFailing)])
	return slices.DeleteFunc(all, func(res goResult) bool { return res.state != goFailed }), err
}

// selected returns the tests that the call's -run selects.
func (r *goPackageRun) selected() []string {
	top, _, _ := strings.Cut(r.call.run, "/")
	expr, err := regexp.Compile(top)
	if err != nil {
		return r.pkg.tests
	}
	var tests []string
	for _, test := range r.pkg.tests {
		if expr.MatchString(test) {
			tests = append(tests, test)
		}
	}
	return tests
}

// leaves replaces each failing test by those of its subtests that fail alone, because
// they execute less than the whole test. A test without such subtests stays.
func (r *goPackageRun) leaves(ctx context.Context, failing []goResult) ([]goResult, error) {
	var leaves []goResult
	for _, res := range failing {
		subs := res.failingLeaves()
		if len(subs) == 0 {
			leaves = append(leaves, res)
			continue
		}
		alone, err := r.each(ctx, goFailingTime, subs[:min(len(subs), maxGoLeaves)])
		if err != nil {
			return nil, err
		}
		alone = slices.DeleteFunc(alone, func(sub goResult) bool { return sub.state != goFailed || sub.profile == nil })
		if len(alone) == 0 {
			alone = []goResult{res}
		}
		leaves = append(leaves, alone...)
	}
	return leaves, nil
}

// failingLeaves returns the failing subtests that have no failing subtests.
func (res goResult) failingLeaves() []string {
	var leaves []string
	for _, name := range res.order {
		if name == res.test || res.states[name] != goFailed {
			continue
		}
		below := func(other string) bool {
			return res.states[other] == goFailed && strings.HasPrefix(other, name+"/")
		}
		if !slices.ContainsFunc(res.order, below) {
			leaves = append(leaves, name)
		}
	}
	return leaves
}

// passing runs passing tests near the failing ones and counts them.
func (r *goPackageRun) passing(ctx context.Context, failing, leaves []goResult) error {
	tests := r.nearby(failing, leaves)
	tests = tests[:min(len(tests), max(0, r.m.opt.MaxPassing-r.m.tally.passing))]
	if len(tests) == 0 || r.m.left(ctx) <= 0 {
		return nil
	}
	r.m.progress("coverage: %d other tests of %s", len(tests), r.pkg.ImportPath)
	results, err := r.each(ctx, goPassingTime, tests)
	if err != nil {
		return err
	}
	for _, res := range results {
		if res.state == goPassed && res.profile != nil {
			r.m.tally.add(false, res.profile)
		}
	}
	return nil
}

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
	args := slices.Concat([]string{"go", "test", "-c", "-vet=off", "-cover", "-coverpkg=" + strings.Join(r.listed.cover, ","), "-o", r.binary}, flags, []string{r.pkg.ImportPath})
	res, err := r.m.sh(ctx, goCompileTime, r.call.enter()+words(args))
	if err != nil {
		return false, err
	}
	if res.Exit != 0 {
		r.m.problems = append(r.m.problems, fmt.Sprintf("The tests of %s do not compile with coverage%s.", r.pkg.ImportPath, lastLine(res.Output)))
	}
	return res.Exit == 0, nil
}

// each runs tests one by one, some at a time, and returns the results in the order of
// the tests. Tests that the budget leaves no time for have no result.
func (r *goPackageRun) each(ctx context.Context, limit time.Duration, tests []string) ([]goResult, error) {
	first := r.runs
	r.runs += len(tests)
	jobs := make([]string, min(max(runtime.NumCPU(), 1), maxGoParallel))
	for i, test := range tests {
		jobs[i%len(jobs)] += r.command(test, first+i, min(limit, r.m.left(ctx)))
	}
	script := r.call.enter() + "cd " + quote(filepath.Join(r.m.tree.dir, r.listed.dirs[r.pkg.ImportPath])) + " || exit\n" +
		"ulimit -f 262144\n" // blocks of 512 bytes, for each file
	for _, lines := range jobs {
		if lines != "" {
			script += "{\n" + lines + "} &\n"
		}
	}
	if _, err := r.m.sh(ctx, r.m.opt.Budget, script+"wait\n"); err != nil {
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

// file names a file of a test run.
func (r *goPackageRun) file(number int, suffix string) string {
	return fmt.Sprintf("%d-%d.%s", r.number, number, suffix)
}

// command is the shell command that runs one test alone.
func (r *goPackageRun) command(test string, number int, limit time.Duration) string {
	path := func(suffix string) string { return filepath.Join(r.m.dir, r.file(number, suffix)) }
	args := slices.Concat([]string{r.binary, "-test.run=" + goRunExpr(test), "-test.v", "-test.paniconexit0",
		"-test.timeout=" + max(limit, time.Second).String(), "-test.coverprofile=" + path("cover")}, r.call.test)
	return words(args) + " >" + quote(path("out")) + " 2>&1\n"
}

// goRunExpr is the value of -run that selects one test or subtest.
func goRunExpr(test string) string {
	parts := strings.Split(test, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}

// result reads what a test run wrote. It reports false if the test did not run.
func (r *goPackageRun) result(test string, number int) (goResult, bool) {
	res := goResult{test: test}
	res.order, res.states = goTestStates(r.m.profile(r.file(number, "out")))
	state, ok := res.states[test]
	if !ok {
		return res, false
	}
	res.state = state
	if state == goStarted {
		res.state = goFailed // its process ended before it did
	}
	if profile := r.m.profile(r.file(number, "cover")); len(profile) > 0 {
		res.profile = readGoProfile(profile, r.listed.dirs, r.m.tree)
	}
	return res, true
}

var goStateLine = source.Lazy(`^\s*(?:=== RUN|--- (PASS|FAIL|SKIP):)\s+(\S+)`)

// maxGoStates is the most tests and subtests that are read of one output.
const maxGoStates = 5000

// goTestStates reads how tests and subtests ended from the output of -test.v. A test
// that began has a state even if nothing says how it ended.
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
