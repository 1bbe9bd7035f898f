// Package testlog reads what test tools print.
//
// [Read] finds the names of the tests, the places of failed assertions and the errors of compilers
// in the output of any known tool, and what a command lacks that ran no test. [Report.AddXML] adds
// what Maven and Gradle write into XML files. Package testrun runs the commands and judges them.
//
// The reader is a list of small machines, one for each family of tools. Each line goes from
// machine to machine until one takes it. Time is proportional to the size of the output, and
// the limits in this file bound the memory: code of the repository writes the outputs, so they
// are not trusted.
package testlog

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"git-agent/agent/fix"
)

// A Place is a line of a file, named by an output.
type Place struct {
	File string // in the form that the tool prints; for Java with the directories of its package
	Line int    // from 1; 0 if the tool names none
	Text string // the tool's message about the place, one line
	Test string // name of the test that failed at this place, as in Report.Failing; "" if unknown
}

// A Report is the information of an output about tests.
//
// Names have the form that the tool prints. If it prints a name in parts, they are joined in
// the tool's usual form: "module/pkg:TestA/sub" for Go, "tests/a.py::test_b" for pytest, "suite
// test" for mocha, "suite › test" for jest, and "suite > test" for node:test and vitest. A Go
// package that failed without the name of a test is in Failing with only its path.
type Report struct {
	Failing []string // in the order of the output, each once
	Passing []string // likewise; most tools name no passing tests unless asked to
	Ran     int      // number of tests that ran, without skipped ones; -1 if unknown
	Some    bool     // the output shows that tests ran, but not their number
	Ended   []string // packages of go test all of whose tests ended, with a failure or without

	SetUp []string // tests of Failing that died in a set-up, before their own code ran

	Build       bool     // a build failed
	Unbuilt     []string // packages or test files that did not build, if the tool names them
	BuildErrors []Place
	Lacks       fix.Lack // the missing requirement; "" if no line reports one
	Missing     string   // the line about Lacks
	Refusal     string   // an error of cargo, Gradle, tsc, mocha or mix, which ended before it ran a test; "" if none is known
	unreached   int      // lines about a network that is not there
	asserted    bool     // an assertion failed
	notFound    string   // a shell's line about a missing program; tests may not need the program

	Unselected string // the line about a test or a file that the tool does not find; "" if there is none

	Places   []Place // places of failed assertions, in the order of the output
	Panicked bool    // a process panicked or crashed before its tests ended
	Cut      bool    // the output lacks its middle, so that names may be missing
	Watches  bool    // the tool says that it waits for changes of files
}

// These limits bound the kept part of an output.
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

// Lack returns what a command lacks that cannot be judged, and the line about it.
func (r *Report) Lack() (fix.Lack, string) {
	if r.Lacks == "" && r.notFound != "" {
		return fix.LackProgram, r.notFound
	}
	return r.Lacks, r.Missing
}

// NotThere returns the line about a missing program or requirement, or "".
func (r *Report) NotThere() string { return cmp.Or(r.notFound, r.Missing) }

// NamesPassing reports whether the output names the tests that pass. It may name one or two where its tool names none: a test
// that itself runs another tool shows what that prints.
func (r *Report) NamesPassing() bool {
	return len(r.Passing) > 0 && 2*(len(r.Passing)+len(r.Failing)) >= r.Ran
}

// Unreached reports whether the failing tests may all have ended because a server did not answer:
// the output has as many lines about that as failing tests, and no failed assertion.
func (r *Report) Unreached() bool {
	return r.Lacks == fix.LackNetwork && r.unreached >= len(r.Failing) && !r.asserted
}

// A machine reads the output of one family of tools.
type machine interface {
	// take reads a line and reports whether no other machine should read it.
	take(l line) bool
	// end is called after the last line.
	end()
}

// A reader collects the results of the machines.
type reader struct {
	report  Report
	results map[string]bool // whether a test passed
	order   []string
	skipped map[string]bool // skipped tests with places in the output
	unbuilt map[string]bool
	died    map[string]bool // tests that died in their set-up
	// suites are the failing tests and suites of node:test, by whether one of that name failed by itself and not because of its tests.
	suites map[string]bool
	seen   map[Place]bool

	// ctest shows the output of a test program only if the program fails. So only ctest's own
	// tests can be compared with those of another run.
	ofCTest map[string]bool // nil if ctest did not run
	inCTest int             // number of tests that ctest counts

	counted  int  // sum of the tests in summaries
	hasCount bool // a summary was found
	ranSome  bool // uncounted tests ran
	ranNone  bool // a tool reported that it ran no test

	machines []machine
}

func newReader() *reader {
	r := &reader{
		results: map[string]bool{}, skipped: map[string]bool{}, unbuilt: map[string]bool{}, died: map[string]bool{},
		suites: map[string]bool{}, seen: map[Place]bool{},
	}
	r.machines = []machine{
		&trouble{reader: r}, &goTest{reader: r}, &pyTest{reader: r}, &unitTest{reader: r}, &tap{reader: r}, &cargo{reader: r},
		&native{reader: r}, &cppTest{reader: r}, &jvm{reader: r}, &uvu{reader: r}, &jsRunner{reader: r}, &mix{reader: r},
		&numbered{reader: r}, &harness{reader: r}, &compile{reader: r},
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
	r.report.Failing = r.withoutSuites(r.report.Failing)
	// Tests that pass or skip themselves print places too, when all output is shown.
	r.report.Places = slices.DeleteFunc(r.report.Places, func(p Place) bool { return r.results[p.Test] || r.skipped[p.Test] })
	r.report.Ran, r.report.Some = r.ran(), r.ranSome
	return r.report
}

// ran determines how many tests ran. Some summaries count tests without names in the output,
// and some outputs name tests without a summary.
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

// result notes the result of a test. If a test failed once, it counts as failed.
func (r *reader) result(name string, passed bool) {
	if name = clip(name); name == "" {
		return
	}
	before, known := r.results[name]
	if !known {
		if len(r.order) == maxNames {
			r.report.Cut = true
			return
		}
		r.order = append(r.order, name)
	}
	r.results[name] = passed && (before || !known)
}

func (r *reader) fail(name string) { r.result(name, false) }

// inSetUp notes that a failing test died before its own code ran.
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

// noBuild notes a failed build; name may be "".
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

// place notes the place of a failed assertion.
func (r *reader) place(p Place) { r.add(&r.report.Places, p) }

func (r *reader) add(list *[]Place, p Place) {
	p.File, p.Text, p.Test = clip(p.File), clip(p.Text), clip(p.Test)
	if r.seen[p] || len(*list) == maxPlaces || p.File == "" {
		return
	}
	r.seen[p] = true
	*list = append(*list, p)
}

// missing notes a line about a missing requirement. The first such line counts, unless a later one
// says more.
func (r *reader) missing(what fix.Lack, text string) {
	if r.report.Lacks == "" || r.saysMore(what, text) {
		r.report.Lacks, r.report.Missing = what, clip(strings.TrimSuffix(text, "; to add it:")) // go get stands on the next line
	}
}

// ruleEnd ends the line of Maven's enforcer before the one that says which version is needed.
const ruleEnd = "failed with message:"

// saysMore reports whether a lack is more specific than the one that is noted: of all, that of the
// network is the least. A check that fails names the version of a tool behind it. Packages are installed
// before a project is built.
func (r *reader) saysMore(what fix.Lack, text string) bool {
	before := r.report.Lacks
	if before == fix.LackBuilt && what == fix.LackNode {
		return strings.Contains(text, "Cannot find package ")
	}
	if what == fix.LackTool || what == fix.LackJDK {
		return before == what && strings.HasSuffix(r.report.Missing, ruleEnd) ||
			slices.Contains([]fix.Lack{fix.LackNetwork, fix.LackCheck, fix.LackStep}, before)
	}
	return before == fix.LackNetwork && what != fix.LackNetwork
}
