package testrun

import (
	"fmt"
	"slices"
	"strings"
)

// A Comparison says what a change did to the tests.
type Comparison struct {
	// Worse is true if something fails after the change that did not fail before it.
	Worse bool
	Why   string   // predicate of a sentence that begins with "it", such as "makes TestA fail"; "" unless Worse
	New   []string // tests, and packages that do not build, that fail now and did not before
	Fixed []string // tests that failed before and do not fail now
	// Unclear lists tests that fail now, and of which the run before the change says
	// nothing because it ended early or its output was too long. They do not make
	// Worse true: whether they failed before is found by running them there.
	Unclear []string
}

// Compare compares how the same command ended before and after a change. known names
// tests that fail for another reason; what they do does not matter.
//
// Only names in the lists of failing tests count, because most tools name no passing
// tests. Where neither run has such a name, the exit codes decide. A name with and a
// name without the package of the test are the same name if the tests are.
func Compare(before, after Ending, known []string) Comparison {
	was, is := before.failures(), after.failures()
	wasFailing, isFailing, ignored := newNames(was), newNames(is), newNames(known)
	var c Comparison
	for _, name := range was {
		if !isFailing.has(name) && !ignored.has(name) {
			c.Fixed = append(c.Fixed, name)
		}
	}
	if after.Exit == 0 {
		return c
	}
	passed := newNames(before.Report.Passing)
	early := before.Report.Panicked || before.Report.Cut
	for _, name := range is {
		switch {
		case wasFailing.has(name) || ignored.has(name):
		case early && !passed.has(name):
			c.Unclear = append(c.Unclear, name)
		default:
			c.New = append(c.New, name)
		}
	}
	c.Why = why(before, after, c, len(was), len(is))
	c.Worse = c.Why != ""
	return c
}

// failures returns the names of what fails.
func (e *Ending) failures() []string {
	return slices.Concat(e.Report.Failing, e.Report.Unbuilt)
}

// why says what is worse after a change; "" if nothing is. was and is are how many
// names of failing tests the runs have.
func why(before, after Ending, c Comparison, was, is int) string {
	switch b, a := before.Report, after.Report; {
	case len(c.New) == 1:
		return "makes " + c.New[0] + " fail"
	case len(c.New) > 1:
		return fmt.Sprintf("makes %s and %d more fail", c.New[0], len(c.New)-1)
	case before.Exit == 0 && is == 0:
		return fmt.Sprintf("makes the command fail (exit %d)", after.Exit)
	case a.Build && !b.Build:
		return "breaks the build"
	case a.Panicked && !b.Panicked:
		return "makes a test process crash"
	case was > 0 && is == 0:
		return fmt.Sprintf("makes the command fail without the name of a test (exit %d)", after.Exit)
	}
	return ""
}

// names is a set of names of tests, with and without their packages.
type names struct {
	full map[string]bool
	tail map[string]bool // the parts after the packages
}

func newNames(list []string) names {
	n := names{full: map[string]bool{}, tail: map[string]bool{}}
	for _, name := range list {
		n.full[name] = true
		if _, tail, ok := strings.Cut(name, ":"); ok {
			n.tail[tail] = true
		}
	}
	return n
}

func (n names) has(name string) bool {
	_, tail, ok := strings.Cut(name, ":")
	return n.full[name] || n.tail[name] || ok && n.full[tail]
}
