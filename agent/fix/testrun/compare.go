package testrun

import (
	"fmt"
	"slices"
	"strings"
)

// A Comparison is the effect of a change on the tests.
type Comparison struct {
	// Worse is true if a test or build fails after the change and did not fail before it.
	Worse bool
	Why   string   // predicate of a sentence with the subject "it", such as "makes TestA fail"; "" unless Worse
	New   []string // tests that newly fail, and packages that newly do not build
	Fixed []string // tests that failed only before
	// Unclear lists tests that fail now and have an unknown result before the change, because
	// that run ended early or its output was too long. They do not make Worse true: the caller
	// has to run them without the change.
	Unclear []string
}

// Compare compares the endings of one command before and after a change. known names tests that
// fail for another reason; their results are ignored.
//
// Only names of failing tests count, because most tools name no passing tests. If neither run
// has such a name, the exit codes decide. A name with a package equals a name without one if
// the tests are equal.
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

// failures returns the names of failing tests and of packages that do not build.
func (e *Ending) failures() []string {
	return slices.Concat(e.Report.Failing, e.Report.Unbuilt)
}

// why describes the worse result after a change; "" if there is none. was and is are the
// numbers of failing names of the runs.
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

// hasAny reports whether the set has one of the names.
func (n names) hasAny(list []string) bool { return slices.ContainsFunc(list, n.has) }
