// Package coverage measures which lines the failing tests and the passing tests of a
// problem execute.
//
// [Measure] runs the problem's test command with coverage switched on and returns a
// [fix.Spectrum]. It never edits the command: it puts its own programs before the real ones on
// PATH, or sets variables. So it works with every command that finds its tools by name.
// [Ochiai] turns a spectrum into suspicious lines.
//
// The measurement depends on the ecosystem. The command and the names of the files show the
// ecosystem:
//
//   - Go: each failing test, its failing subtests, and passing tests nearby, one process
//     for each (golang.go).
//   - JavaScript: each test of tape, mocha and node:test in one process; with other test
//     runners the whole command (javascript.go).
//   - Python: each test of pytest and unittest in one process (python.go).
//   - Rust: each failing test and passing tests nearby, one process for each, if the toolchain has
//     llvm-tools (rust.go).
//   - Java and Kotlin: each test of JUnit in one process, if Maven ran it and JaCoCo is in its
//     repository (java.go).
//   - C and C++: each test program of the command, or the tests in the program's output,
//     and other test programs of the build (native.go).
//
// The spectrum has only lines of the tree's files. Lines of generated files, of dependencies
// and of tests are left out. Code that was translated before it ran, such as TypeScript, is
// measured where it carries a source map.
package coverage

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/trial"
)

// Options bound a measurement.
type Options struct {
	MaxPassing int               // most passing tests to run; 0 means 100
	Budget     time.Duration     // time for everything; 0 means one minute
	OnEvent    func(agent.Event) // may be nil
	Whole      bool              // count a command of Python as one failing test, as one whose tests are not known
	// Focused is a command that runs only the failing tests, "" if none is known. It is measured
	// if there is not enough time for the test command.
	Focused string
}

// Narrows reports whether Measure uses Options.Focused for a test command.
func Narrows(command string) bool { return python{}.runs(command) }

const (
	defaultMaxPassing = 100
	defaultBudget     = time.Minute
)

// An ecosystem measures the tests of one family of languages.
type ecosystem interface {
	// name returns the ecosystem's name for a reader.
	name() string
	// runs reports whether the command starts the ecosystem's tests by name.
	runs(command string) bool
	// has reports whether the tree contains files of the ecosystem.
	has(t *tree) bool
	// measure runs the tests. The note describes the measurement, or says why there is none. An
	// error means that the workspace failed or that ctx ended.
	measure(ctx context.Context, j *job) (*fix.Spectrum, string, error)
}

// ecosystems lists the supported ecosystems in the order of the attempts.
var ecosystems = []ecosystem{golang{}, javascript{}, python{}, rust{}, java{}, native{}}

// Measure runs the tests of a problem with coverage switched on. It sets the work tree of the
// workspace w to the problem's tree. rep describes the end of the test command without
// coverage. The spectrum is nil if nothing could be measured. The note, one or more sentences,
// says why, or describes the measurement. The error is not nil only if ctx ended or the
// workspace failed.
//
// Measure does not clean the work tree afterwards: the caller prepares it again.
//
// A spectrum without passing tests (Passing is 0) only shows the lines that the failing tests
// execute. A spectrum without failing tests (Failing is 0) occurs if the process of a failing
// test ends without writing a profile.
func Measure(ctx context.Context, w *trial.Workspace, p fix.Problem, rep fix.Reproduction, opt Options) (*fix.Spectrum, string, error) {
	if p.Test == "" {
		return nil, "There is no test command to measure.", nil
	}
	opt.MaxPassing = cmp.Or(opt.MaxPassing, defaultMaxPassing)
	opt.Budget = cmp.Or(opt.Budget, defaultBudget)
	j, err := newJob(ctx, w, p, rep, opt)
	if err != nil {
		return nil, "", err
	}
	sp, note, err := j.measure(ctx)
	if err != nil {
		return nil, "", err
	}
	if j.late {
		note += fmt.Sprintf(" The measurement was cut off after %s.", opt.Budget)
	}
	return sp, note, nil
}

// measure tries the possible ecosystems of the problem, one after the other, until one has a
// spectrum.
func (j *job) measure(ctx context.Context) (*fix.Spectrum, string, error) {
	var notes []string
	for _, e := range candidates(j.p.Test, j.tree) {
		sp, note, err := e.measure(ctx, j)
		if err != nil || sp != nil {
			return sp, note, err
		}
		notes = append(notes, note)
	}
	if len(notes) == 0 {
		return nil, "Coverage is measured for " + supported() + " (Go with a go.mod, JavaScript with a package.json, Java with a pom.xml), and the tree has no files of these.", nil
	}
	return nil, strings.Join(notes, " "), nil
}

// candidates returns the ecosystems that the command names, or else those with files in the
// tree.
func candidates(command string, t *tree) []ecosystem {
	var named, present []ecosystem
	for _, e := range ecosystems {
		if e.runs(command) {
			named = append(named, e)
		}
		if e.has(t) {
			present = append(present, e)
		}
	}
	if len(named) > 0 {
		return named
	}
	return present
}

// supported lists the ecosystems for a reader.
func supported() string {
	var names []string
	for _, e := range ecosystems {
		names = append(names, e.name())
	}
	return strings.Join(names, ", ")
}
