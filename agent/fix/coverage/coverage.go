// Package coverage measures which lines the failing tests and the passing tests of a
// problem execute.
//
// [Measure] runs the problem's test command with coverage switched on and returns a
// [fix.Spectrum]. It never edits the command: it puts programs of its own in front of
// the real ones on PATH, or sets variables, so that every command works that finds its
// tools by name. [Ochiai] turns a spectrum into suspicious lines.
//
// What is measured depends on the ecosystem, which is recognised by the command and by
// the names of the files:
//
//   - Go: each failing test, its failing subtests, and passing tests nearby, one process
//     for each (golang.go).
//   - JavaScript: each test of tape, mocha and node:test in one process; with other test
//     runners the whole command (javascript.go).
//   - Python: each test of pytest and unittest in one process (python.go).
//   - C and C++: each test program that the command runs, or the tests that it prints,
//     and other test programs of the build (native.go).
//
// Lines are those of the files that the problem's tree holds. Lines of generated files,
// of dependencies and of tests are left out, and source maps are not read: code that
// was translated before it ran, such as TypeScript, has no spectrum.
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
}

const (
	defaultMaxPassing = 100
	defaultBudget     = time.Minute
)

// An ecosystem knows how the tests of one family of languages are measured.
type ecosystem interface {
	// name says which ecosystem it is, for a reader.
	name() string
	// runs reports whether the command starts the ecosystem's tests by name.
	runs(command string) bool
	// has reports whether the tree has the ecosystem's files.
	has(t *tree) bool
	// measure runs the tests. The note says what was measured, or why nothing was. An
	// error means that the workspace failed or that ctx ended.
	measure(ctx context.Context, j *job) (*fix.Spectrum, string, error)
}

// ecosystems lists what is supported, in the order in which it is tried.
var ecosystems = []ecosystem{golang{}, javascript{}, python{}, native{}}

// Measure runs the tests of a problem with coverage switched on, in the workspace w,
// whose work tree it sets to the problem's tree. rep is how the test command ends
// without coverage. The spectrum is nil if nothing could be measured; the note, one or
// more sentences, then says why, and otherwise what was measured. The error is not nil
// only if ctx ended or the workspace failed.
//
// Afterwards the work tree is as the commands left it: the caller prepares it again.
//
// A spectrum without passing tests (Passing is 0) says only what the failing tests
// execute. A spectrum without failing tests (Failing is 0) occurs where a failing test
// ends its process in a way that writes no profile.
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

// measure asks the ecosystems that the problem may belong to, one after the other,
// until one has a spectrum.
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
		return nil, "Coverage is measured for " + supported() + " (Go with a go.mod, JavaScript with a package.json), and the tree has no files of these.", nil
	}
	return nil, strings.Join(notes, " "), nil
}

// candidates returns the ecosystems that the command names, or else those whose files
// the tree has.
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
