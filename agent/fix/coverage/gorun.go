package coverage

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
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

const (
	goFailingTime    = 20 * time.Second // for a failing test
	goPassingTime    = 3 * time.Second  // for a passing test
	goAllPassingTime = 20 * time.Second // for all passing tests of a package
)

// measure compiles the package, runs the failing tests and then nearby passing tests.
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
	if len(failing) == 0 {
		return r.together(ctx)
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

// failing runs the tests that failed before and returns those that fail again.
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
	all, err := r.each(ctx, goFailingTime, r.m.opt.Budget, tests[:min(len(tests), maxGoFailing)])
	return slices.DeleteFunc(all, func(res goResult) bool { return res.state != goFailed }), err
}

// together runs all tests of the call in one process, because none of them fails alone. If one
// of them fails, they count as one failing test.
func (r *goPackageRun) together(ctx context.Context) error {
	number := r.runs
	r.runs++
	if _, err := r.m.sh(ctx, r.m.opt.Budget, r.enter()+r.command(r.call.run, number, min(goFailingTime, r.m.left()))); err != nil {
		return err
	}
	res := r.read("", number)
	for _, name := range res.order {
		if !strings.Contains(name, "/") && (res.states[name] == goFailed || res.states[name] == goStarted) {
			r.m.problems = append(r.m.problems, fmt.Sprintf("The tests of %s fail only together: they count as one failing test.", r.pkg.ImportPath))
			if res.profile == nil {
				r.m.noted = append(r.m.noted, name)
				return nil
			}
			r.m.tally.add(true, res.profile)
			return nil
		}
	}
	return nil
}

// selected returns the tests selected by the call's -run.
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

// leaves replaces each failing test by its subtests that fail alone, because these execute less
// code. A test without such subtests stays.
func (r *goPackageRun) leaves(ctx context.Context, failing []goResult) ([]goResult, error) {
	var leaves []goResult
	for _, res := range failing {
		subs := res.failingLeaves()
		if len(subs) == 0 {
			leaves = append(leaves, res)
			continue
		}
		alone, err := r.each(ctx, goFailingTime, r.m.opt.Budget, subs[:min(len(subs), maxGoLeaves)])
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

// failingLeaves returns the failing subtests without failing subtests below them.
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
	if len(tests) == 0 || r.m.left() <= 0 {
		return nil
	}
	r.m.progress("coverage: %d other tests of %s", len(tests), r.pkg.ImportPath)
	results, err := r.each(ctx, goPassingTime, goAllPassingTime, tests)
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
