// Package testrun runs the tests of a repository and reads what they print.
//
// [Propose] guesses the commands from the files of a tree. [Reproduce] runs a command
// several times and says how it ends. [Read] finds the names of the tests, the places
// of failed assertions and the errors of compilers in the output of any known tool.
// [Compare] decides whether a change made tests fail, and [Focus] makes a command run
// only the tests that fail.
//
// The reader is a list of small machines, one for each family of tools. Each is offered
// every line until one takes it. Time is proportional to the size of the output, and
// memory is bounded by the limits in this file: outputs are written by whatever the
// repository runs, so nothing in them is trusted.
package testrun

import (
	"bytes"
	"slices"

	"git-agent/agent/fix"
)

// A Place is a line of a file that an output names.
type Place struct {
	File string // as the tool prints it; for Java with the directories of its package
	Line int    // from 1; 0 if the tool names none
	Text string // what the tool says about it, one line
	Test string // the name of the test that failed there, as in Report.Failing; "" if unknown
}

// A Report is what an output says about tests.
//
// Names are those that the tool prints. Where it prints them in parts, they are joined
// as the tool joins them elsewhere: "module/pkg:TestA/sub" for Go, "tests/a.py::test_b"
// for pytest, "suite test" for mocha, "suite › test" for jest, and "suite > test" for
// node:test and vitest. A Go package that failed without the name of a test is in
// Failing by its path alone.
type Report struct {
	Failing []string // in the order of the output, each once
	Passing []string // likewise; most tools name no passing tests unless asked to
	Ran     int      // how many tests ran, those that were skipped left out; -1 if the output does not say
	Some    bool     // the output says that tests ran, though not how many

	SetUp []string // those of Failing that died in a set-up, before their own text ran

	Build       bool     // something did not build
	Unbuilt     []string // packages or files of tests that did not build, where the tool names them
	BuildErrors []Place
	Lacks       fix.Lack // what is not there; "" if no line says so
	Missing     string   // the line that says so
	notFound    string   // the line in which a shell says that it found no program; tests may do without it

	Places   []Place // of failed assertions, in the order of the output
	Panicked bool    // a process ended before its tests did: it panicked or crashed
	Cut      bool    // the output lacks its middle, so that names may be missing
}

// These limits bound what is kept of an output.
const (
	maxNames  = 20000
	maxPlaces = 500
	maxName   = 500 // bytes of a name or a text
)

// Read reads the output of a test command.
func Read(output []byte) Report {
	r := newReader()
	for raw := range bytes.Lines(output) {
		r.read(newLine(raw))
	}
	return r.finish()
}

// A machine reads the output of one family of tools.
type machine interface {
	// take reads a line and reports whether the line is only for this machine.
	take(l line) bool
	// end is called after the last line.
	end()
}

// A reader collects what the machines find.
type reader struct {
	report  Report
	results map[string]bool // whether a test passed
	order   []string
	skipped map[string]bool // tests that did not run, where their places were read
	unbuilt map[string]bool
	died    map[string]bool // tests that died in their set-up
	seen    map[Place]bool

	// ctest prints what a test program prints only if the program fails. So its own tests
	// alone can be compared with those of another run.
	ofCTest map[string]bool // nil if ctest did not run
	inCTest int             // tests that it counts

	counted  int  // tests that summaries count
	hasCount bool // a summary was found
	ranSome  bool // tests ran that were not counted
	ranNone  bool // a tool said that it ran no test

	machines []machine
}

func newReader() *reader {
	r := &reader{results: map[string]bool{}, skipped: map[string]bool{}, unbuilt: map[string]bool{}, died: map[string]bool{}, seen: map[Place]bool{}}
	r.machines = []machine{
		&trouble{reader: r}, &goTest{reader: r}, &pyTest{reader: r}, &unitTest{reader: r}, &tap{reader: r}, &cargo{reader: r},
		&native{reader: r}, &cppTest{reader: r}, &jvm{reader: r}, &jsRunner{reader: r}, &numbered{reader: r}, &harness{reader: r},
		&compile{reader: r},
	}
	return r
}

func (r *reader) read(l line) {
	for _, m := range r.machines {
		if m.take(l) {
			return
		}
	}
}

func (r *reader) finish() Report {
	for _, m := range r.machines {
		m.end()
	}
	for _, name := range r.order {
		if r.results[name] && r.ofCTest != nil && !r.ofCTest[name] {
			continue
		}
		if r.results[name] {
			r.report.Passing = append(r.report.Passing, name)
		} else {
			r.report.Failing = append(r.report.Failing, name)
		}
	}
	// Tests that pass or skip themselves print places too, when all output is shown.
	r.report.Places = slices.DeleteFunc(r.report.Places, func(p Place) bool { return r.results[p.Test] || r.skipped[p.Test] })
	r.report.Ran, r.report.Some = r.ran(), r.ranSome
	return r.report
}

// ran determines how many tests ran. Summaries count tests that have no names in the
// output, and outputs name tests that are in no summary.
func (r *reader) ran() int {
	switch names := len(r.order); {
	case r.ofCTest != nil:
		return max(r.inCTest, len(r.ofCTest))
	case r.hasCount || names > 0:
		return max(r.counted, names)
	case r.ranNone && !r.ranSome:
		return 0
	}
	return -1
}

// result notes how a test ended. A test that failed once has failed.
func (r *reader) result(name string, passed bool) {
	if name = clip(name); name == "" {
		return
	}
	before, known := r.results[name]
	if !known {
		if len(r.order) == maxNames {
			return
		}
		r.order = append(r.order, name)
	}
	r.results[name] = passed && (before || !known)
}

func (r *reader) fail(name string) { r.result(name, false) }

// inSetUp notes that a failing test died before its own text ran.
func (r *reader) inSetUp(name string) {
	if name = clip(name); !r.died[name] && len(r.died) < maxNames {
		r.died[name] = true
		r.report.SetUp = append(r.report.SetUp, name)
	}
}

func (r *reader) pass(name string) { r.result(name, true) }

// count adds the number of tests of a summary.
func (r *reader) count(n int) {
	r.hasCount = true
	r.counted = min(r.counted+max(n, 0), 1<<30)
	if n == 0 {
		r.ranNone = true
	}
}

// noBuild notes that something did not build; name may be "".
func (r *reader) noBuild(name string) {
	r.report.Build = true
	if name = clip(name); name != "" && !r.unbuilt[name] && len(r.unbuilt) < maxPlaces {
		r.unbuilt[name] = true
		r.report.Unbuilt = append(r.report.Unbuilt, name)
	}
}

// buildError notes an error of a compiler.
func (r *reader) buildError(p Place) {
	r.report.Build = true
	r.add(&r.report.BuildErrors, p)
}

// place notes where an assertion failed.
func (r *reader) place(p Place) { r.add(&r.report.Places, p) }

func (r *reader) add(list *[]Place, p Place) {
	p.File, p.Text, p.Test = clip(p.File), clip(p.Text), clip(p.Test)
	if r.seen[p] || len(*list) == maxPlaces || p.File == "" {
		return
	}
	r.seen[p] = true
	*list = append(*list, p)
}

// missing notes a line that says what is not there. The first such line counts, unless it
// only says that there is no network and a later one says what for.
func (r *reader) missing(what fix.Lack, text string) {
	if r.report.Lacks == "" || r.report.Lacks == fix.LackNetwork && what != fix.LackNetwork {
		r.report.Lacks, r.report.Missing = what, clip(text)
	}
}
