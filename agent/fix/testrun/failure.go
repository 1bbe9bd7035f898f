package testrun

import (
	"bytes"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/fix/testrun/testlog"
	"git-agent/agent/source"
	"git-agent/agent/trial"
)

// A Failure is one way in which a command fails. A search through the history looks for it, and
// other failures say nothing to the search.
type Failure struct {
	Failing []string // names of the failing tests; nil if the command names none
	lines   trial.Failure
	build   bool            // what fails is the build
	errors  map[string]bool // texts of the compiler's or the interpreter's errors, if the build fails
	absent  map[string]bool // errors of the tests about names that do not exist
	telling []string        // the tests of Failing that tell the failure
	parents []string        // tests of Failing with subtests in telling
	ran     int             // number of tests that ran; -1 if unknown
	killed  string          // the signal that ended the program, as it is printed; "" for none
	signals bool            // the command prints signals where it passes, too, so that killed says nothing
}

// FailureOf returns the failure of a run. passing is the output of the command where it passes, or
// nil; its lines say nothing about the failure.
func FailureOf(e Ending, passing []byte) *Failure {
	f := &Failure{Failing: e.Report.Failing, lines: trial.FailureOf(trial.Result{Output: e.Output}, passing), build: e.FailsToBuild()}
	f.absent, f.ran = absences(e.Output), e.Report.Ran
	f.killed, f.signals = killedBy(e.Output), killedBy(passing) != ""
	f.telling, f.parents = withoutParents(tellingTests(e.Report))
	if f.build {
		f.errors = e.buildErrors()
	}
	return f
}

// buildErrors returns the texts of a failed build's errors, without what varies. Their files do not
// count, because an error of the same kind elsewhere mostly has the same cause: a language that the
// tools are too old for, or a name that is gone.
func (e *Ending) buildErrors() map[string]bool {
	texts := map[string]bool{}
	for _, p := range e.Report.BuildErrors {
		if text := trial.Normal(p.Text); text != "" && !strings.HasPrefix(text, pyFrame) {
			texts[text] = true
		}
	}
	return texts
}

// pyFrame begins the text of a place in a stack of Python that leads to the place of the error.
const pyFrame = "in "

// FailsToBuild reports whether no test ran because the code does not build, and not because
// something is missing.
func (e *Ending) FailsToBuild() bool {
	return e.State == fix.Broken && e.Report.Build && e.Report.Lacks == ""
}

// A Likeness says how the failure of a run is related to a Failure.
type Likeness int

// These are the likenesses.
const (
	Other  Likeness = iota // another failure, which says nothing about this one
	Same                   // the same failure
	Early                  // the tests use what does not exist at the commit, or cannot be built for it: the failure begins later
	Passed                 // the tests that tell the failure do not fail, and other tests do
)

// EarlyHow begins what Like says of a failure that is Early.
const EarlyHow = "has tests that use what does not exist there"

// A Relation is the result of comparing a run with a Failure.
type Relation struct {
	Likeness
	How  string // how the run ends, as a predicate with the subject "it"; "" if its end says it all
	Lack string // with Early, the name that does not exist
}

// Like compares the failure of another run.
func (f *Failure) Like(e Ending) Relation {
	text, name := f.lacks(e)
	named := len(f.Failing) > 0 && len(e.Report.Failing) > 0
	switch {
	case f.recurs(e, text):
		return Relation{Likeness: Same}
	case text != "":
		return Relation{Early, EarlyHow + " (" + text + ")", name}
	case named && f.otherEnd(e) && f.killed == "":
		return Relation{Likeness: Other, How: "fails in another way: " + killedBy(e.Output)}
	case named && f.otherEnd(e):
		return Relation{Likeness: Other, How: "fails in another way: without the " + f.killed + " of this failure"}
	case named && f.passes(e):
		return Relation{Likeness: Passed, How: "does not fail in the tests of this failure, and fails in others: " + e.Report.Failing[0]}
	case named:
		return Relation{Likeness: Other, How: "fails in another way: " + e.Report.Failing[0]}
	}
	return Relation{}
}

// withoutParents separates the tests with failing subtests, which fail because of these.
func withoutParents(failing []string) (tests, parents []string) {
	above := map[string]bool{}
	for _, test := range failing {
		for at := strings.LastIndexByte(test, '/'); at > 0; at = strings.LastIndexByte(test[:at], '/') {
			above[test[:at]] = true
		}
	}
	for _, test := range failing {
		if above[test] {
			parents = append(parents, test)
		} else {
			tests = append(tests, test)
		}
	}
	return tests, parents
}

// tells reports whether one of the failing tests of another run tells the failure. A test whose subtests tell it does so
// only if it fails by itself there, because its other subtests are other tests. Numbers in the names of subtests, such as
// ports, may differ from run to run.
func (f *Failure) tells(failing []string) bool {
	if newNames(f.telling).hasAny(failing) {
		return true
	}
	alone, _ := withoutParents(failing)
	return newNames(f.parents).hasAny(alone) || newNames(unnumbered(f.telling)).hasAny(unnumbered(alone))
}

// subtestNumber matches what may differ in the name of a subtest.
var subtestNumber = source.Lazy(`#?\d+`)

// unnumbered returns the subtests of a list without the numbers in their names.
func unnumbered(tests []string) []string {
	var list []string
	for _, test := range tests {
		pkg, name, ok := strings.Cut(test, ":")
		if !ok {
			name = pkg
		}
		if top, sub, ok := strings.Cut(name, "/"); ok && top != "" {
			list = append(list, test[:len(test)-len(sub)]+subtestNumber().ReplaceAllString(sub, ""))
		}
	}
	return list
}

// passes reports whether the tests that tell the failure do not fail in a run in which others fail. Most
// tools name no passing tests: as many tests must have run. A command that calls go test once tells more.
func (f *Failure) passes(e Ending) bool {
	r := &e.Report
	if f.build || e.State != fix.Failing || r.Cut || f.tells(r.Failing) {
		return false
	}
	if e.goOnce && (f.named(r) || f.ended(r)) {
		return true
	}
	return !r.Build && !r.Panicked && r.Ran > 0 && r.Ran == f.ran && len(r.Failing) < r.Ran
}

// named reports whether go test names all telling tests among the passing ones.
func (f *Failure) named(r *testlog.Report) bool {
	passing := map[string]bool{}
	for _, test := range r.Passing {
		passing[test] = true
	}
	return !slices.ContainsFunc(f.telling, func(test string) bool { return !passing[test] })
}

// ended reports whether all tests of the packages of the telling tests ended. Where a test fails in other subtests, nothing is
// known of its telling ones, which may have other names or not have run.
func (f *Failure) ended(r *testlog.Report) bool {
	failing := map[string]bool{}
	for _, test := range r.Failing {
		failing[test] = true
	}
	for _, test := range f.telling {
		pkg, name, ok := strings.Cut(test, ":")
		top, _, _ := strings.Cut(name, "/")
		if !ok || !slices.Contains(r.Ended, pkg) || failing[pkg+":"+top] {
			return false
		}
	}
	return len(f.telling) > 0
}

// Recurs reports whether another run fails in the same way.
func (f *Failure) Recurs(e Ending) bool { return f.Like(e).Likeness == Same }

// RecursInLines reports whether the output of another run has at least a third of the failure's lines. Of a test that
// reads many cases from one file of data, only they tell which case fails.
func (f *Failure) RecursInLines(e Ending) bool { return f.lines.Recurs(trial.Result{Output: e.Output}) }

// recurs is Recurs with what lacks returned. If both runs name failing tests, one that
// tells the failure must fail in both; a name with a package equals one without. Tests that use what
// does not exist at the commit fail in another way. Otherwise, at least a third of the lines of the
// failure must recur. A run without a judgement does not fail in the same way, but a failing build
// recurs in failing builds, and only in these: in those with one of its errors, if both name errors.
func (f *Failure) recurs(e Ending, lacks string) bool {
	switch {
	case f.build != e.FailsToBuild(), !f.build && e.State != fix.Failing:
		return false
	case len(f.Failing) > 0 && len(e.Report.Failing) > 0:
		return lacks == "" && f.tells(e.Report.Failing) && !f.otherEnd(e)
	}
	if again := e.buildErrors(); f.build && len(f.errors) > 0 && len(again) > 0 {
		for text := range again {
			if f.errors[text] {
				return true
			}
		}
		return false
	}
	return f.RecursInLines(e)
}

// signal matches what shells and CTest say of a program of C that a signal ended. Abort is left out: it is how a failed
// assertion ends.
var signal = source.Lazy(`\b(?:Segmentation fault|Bus error|Illegal instruction|Floating point exception)\b|\*\*\*Exception: ?(?:SegFault|Bus|Illegal|Numerical)`)

// Said returns a line of the output behind a colon: the last one that does not only pass on that another program failed. It
// says most of a failure without the names of tests; "" if there is no output.
func (e *Ending) Said() string {
	text := bytes.TrimSpace(e.Output)
	if len(text) == 0 {
		return ""
	}
	lines := bytes.Split(text, []byte("\n"))
	i := len(lines) - 1
	for i > 0 && (len(bytes.TrimSpace(lines[i])) == 0 || passesOn().Match(lines[i])) {
		i--
	}
	if passesOn().Match(lines[i]) {
		i = len(lines) - 1
	}
	return ": " + agent.Shorten(strings.TrimSpace(string(lines[i])), shownLine)
}

// passesOn matches a line that only says that another program failed, which said why in the lines before: a compiler says
// it of the linker, and make of the commands of a target.
var passesOn = source.Lazy(`^(collect2: (error: )?ld returned |\S*clang\S*: error: linker command failed|ninja: build stopped: ` +
	`|\S*make(\[\d+\])?: (\*\*\* (\[.*\] Error \d+|Waiting for unfinished jobs)|Leaving directory |Target .* not remade because of errors))`)

// killedBy returns the signal that ended a program, as the output says it, "" for none.
func killedBy(output []byte) string { return string(signal().Find(output)) }

// otherEnd reports whether a signal ended the program in one of two runs whose tests have the same names, as the
// programs of CTest do: a crash is another failure than a wrong output.
func (f *Failure) otherEnd(e Ending) bool {
	return !f.signals && f.tells(e.Report.Failing) && (f.killed == "") != (killedBy(e.Output) == "")
}

// Outcome returns what the end of the command says about a commit.
func (e *Ending) Outcome() trial.Outcome {
	switch e.State {
	case fix.Passing:
		return trial.Passes
	case fix.Failing:
		return trial.Fails
	}
	return trial.Unknown
}
