// Package fix defines the repair of a bug: the problem, the functions that are
// suspected, what the history knows about them, the patches that were tried, and the
// answer. The rooms below it do the work, one step each.
//
// The package computes nothing and prints nothing. Its values are plain data, so that
// the offline engine and the agent engine, the terminal, evaluations and recorded runs
// use the same ones.
package fix

import (
	"slices"
	"time"

	"git-agent/agent/crash"
	"git-agent/agent/suspect"
	"git-agent/gitext"
)

// A Tree is the state of the files in which a bug is repaired: a commit with files laid
// over it. The files are the user's uncommitted changes, or the tests of an evaluated
// case.
type Tree struct {
	Commit gitext.OID
	Over   []gitext.Overlay
}

// A Problem is a bug to repair. Everything but the tree is optional.
type Problem struct {
	Tree  Tree
	Test  string // shell command that fails because of the bug; "" if none is known
	Build string // shell command that builds what Test runs; "" if Test does that
	Suite string // shell command that runs the wider tests; "" for Test
	// Setup is a shell command that installs what the others need, with the network and
	// before they run; "" if there is none.
	Setup string `json:",omitempty"`
	// Others are guesses for Build, Test and Suite beside the first guess, likeliest
	// first; nil if the user named the commands.
	Others []Commands
	Lint   string        // shell command of the project's linter; "" if none counts
	Known  []string      // names of the tests of Suite that fail for another reason
	Report string        // what a user says about the bug, in words
	Crash  *crash.Report // nil if there is no report of a crash
	Dump   string        `json:",omitempty"` // the file of Crash's sections, "" if it has none
	Files  []crash.File  // the ranking of files for Crash, best first
	// Suspects are the commits that may have introduced Crash, likeliest first.
	Suspects []suspect.Suspect
	Given    []GivenLocation // locations that the user named
	// EditTests allows a patch to change test files.
	EditTests bool
	// WriteTest lets a model write the failing test, if there is no Test or it passes. What
	// is to be shown is in Report or Crash.
	WriteTest bool `json:",omitempty"`
	// OwnTest is the test that a model wrote; nil if somebody else did. Tree has its file, and
	// Test runs it.
	OwnTest *OwnTest `json:",omitempty"`
}

// An OwnTest is a test that the model which repairs a bug wrote itself. That it fails before
// the repair and passes after it shows what the model made of the report, and not that the
// reported bug is gone.
type OwnTest struct {
	File    gitext.Overlay // a new file
	Command string         // runs it
	Why     string         // the model's word on why its failure is the reported bug
	Diff    []byte         // the file as git diff prints it
}

// Commands build and test a tree. Their fields are those of a Problem.
type Commands struct{ Build, Test, Suite string }

// A GivenLocation is a range of lines, or a function, that the user named. Without either
// it is a whole file. A range whose End is the line before its Start is an insertion: code
// is missing before Start.
type GivenLocation struct {
	Path     string
	Lines    gitext.LineRange
	Function string `json:",omitempty"` // name; counts only if Lines is zero
}

// Inserts reports whether the location is an insertion.
func (g GivenLocation) Inserts() bool { return g.Lines.Start > 1 && g.Lines.End == g.Lines.Start-1 }

// A State says how a command ends when it is repeated.
type State string

// These are the states.
const (
	Failing State = "failing" // it fails each time
	Passing State = "passing" // it passes each time
	Flaky   State = "flaky"   // it fails in some runs and passes in others
	Broken  State = "broken"  // it cannot be judged: it was not found, timed out or does not build
)

// A Reproduction says how the failing command of a problem ends before any repair.
type Reproduction struct {
	Command string
	State   State
	How     string        // predicate of a sentence that begins with "it": "fails (exit 1)"
	Runs    int           // how often it was run
	Failing []string      // names of the failing tests, as the test tool prints them; nil if it prints none
	Output  []byte        // of a failing run, without the middle if it is long
	Took    time.Duration // the last run
	First   time.Duration // the first run, which may have to build more

	TimedOut bool // a run was ended at its time limit
	Full     bool // a run was ended because it filled the disk

	// Opened has the files of the tree that a run opened; nil if that is not known.
	Opened  map[string]bool `json:"-"`
	Lacks   Lack            // what it needs and does not find; "" if it ran tests, or for another reason
	Lacking string          // the line that says so
	// InSetUp says that all failing tests die before their own text runs: in a fixture
	// of pytest, a beforeAll or a setUpClass.
	InSetUp bool
}

// A Lack is what a test command needs and does not find, as words that follow "needs".
type Lack string

// These are the lacks.
const (
	LackGo       Lack = "Go modules that are not downloaded"
	LackGoMod    Lack = "another go.mod, go.sum or vendor folder"
	LackNode     Lack = "Node.js packages that are not installed"
	LackPython   Lack = "Python packages that are not installed"
	LackRuby     Lack = "gems that are not installed"
	LackCargo    Lack = "crates that are not downloaded"
	LackMaven    Lack = "Maven artifacts that are not downloaded"
	LackGradle   Lack = "Gradle, or dependencies of its build, that are not downloaded"
	LackComposer Lack = "PHP packages that are not installed"
	LackNuGet    Lack = "NuGet packages that are not restored"
	LackJDK      Lack = "another JDK"
	LackTool     Lack = "another version of a tool"
	LackNetwork  Lack = "the network, which the sandbox turns off"
	LackProgram  Lack = "a program that is not installed"
)

// A Ground is a reason to suspect a function.
type Ground struct {
	Source Source
	Text   string // a short clause for a reader: "frame 2 of the failing test"
}

// A Source says where a suspicion comes from.
type Source string

// These are the sources, the most trusted first.
const (
	SourceGiven    Source = "given"    // the user named it
	SourceStack    Source = "stack"    // a stack trace or the output of a test names it
	SourceCoverage Source = "coverage" // failing tests execute it
	SourceReport   Source = "report"   // words of the report or of the failing test name it
	SourceHistory  Source = "history"  // it changed lately
)

// A Location is a function that is suspected, or a range of lines outside of functions.
type Location struct {
	Path     string
	Lines    gitext.LineRange // the function's, with its heading
	Function string           // name; "" outside of functions
	// Hot has the suspicious lines in it, most suspicious first; nil if all are alike. A range
	// whose End is before its Start is a place where code is missing, before Start.
	Hot     []gitext.LineRange
	Score   float64  // for the order only: higher is more suspicious
	Grounds []Ground // why, the most trusted first
}

// A Localization lists the suspected functions, most suspicious first.
type Localization struct {
	Locations []Location
	Spectrum  *Spectrum // nil if no coverage was measured
	Notes     []string  // sentences about what could not be found out
}

// A Spectrum says which lines the failing tests and the passing tests execute.
type Spectrum struct {
	Failing int // tests that fail
	Passing int // tests that pass
	Files   map[string][]LineHits
}

// LineHits says how many tests execute a line.
type LineHits struct {
	Line    int // from 1
	Failing int
	Passing int
}

// A Patch is a change of a tree.
type Patch struct {
	Files []gitext.Overlay // whole new contents; Mode 0 removes the file
	Diff  []byte           // as git diff prints it, against the tree
}

// A Verdict says what the tests think of a patch.
type Verdict string

// These are the verdicts, best first.
const (
	Plausible Verdict = "plausible" // the failing tests pass and no other test fails
	OwnTested Verdict = "own test"  // likewise, but the model wrote the failing test itself
	Regresses Verdict = "regresses" // the failing tests pass, and tests that passed now fail
	Fails     Verdict = "fails"     // the failing tests still fail
	NoBuild   Verdict = "no build"  // it does not build
	TimesOut  Verdict = "times out"
	Refused   Verdict = "refused" // it was not run, because it changes nothing, or what it must not change
)

// Passes reports whether the failing tests pass, whoever wrote them, and no other test fails.
func (v Verdict) Passes() bool { return v == Plausible || v == OwnTested }

// A Trial is a patch that was tried.
type Trial struct {
	Patch   Patch
	Origin  string     // how it was made: "reverts a hunk of 1a2b3c4d5e6f", "trajectory 2"
	Why     string     // one or more sentences for the reader; "" if Origin says all
	Commit  gitext.OID // the commit that introduced what the patch undoes or repairs; "" if none is known
	Prior   float64    // how likely it was thought to be right, before it was tried; for the order only
	Verdict Verdict
	Failing []string // tests that fail with the patch, if the verdict is Fails or Regresses
	Reason  string   // why it was refused, or what the build said; one line
	Seconds float64  // time of the commands that tried it
	Votes   int      // how many candidates are the same patch, this one included; 0 counts as 1
	Checks  []Check  // the commands that tried it, in their order
	// Cautions are clauses with a subject that a reader must see beside a verdict of
	// Plausible: what the tests cannot prove of it, and what it changes besides the program.
	Cautions []string
	// Preferred is why a reviewer holds it for the best; "" if none does.
	Preferred string
}

// NamesNoTest is the caution about a command from whose output nobody can tell that its
// tests ran.
const NamesNoTest = "the command names no test, so its exit code is all that speaks for the patch"

// A Check is a command that was run with a patch applied, and how it ended.
type Check struct {
	Command string
	How     string // predicate of a sentence that begins with "it": "passes"
}

// An Answer is the result of work on a problem.
type Answer struct {
	Engine       string // "offline" or "agent"
	Reproduction Reproduction
	Localization Localization
	History      *History // nil if it was not looked up
	Plausible    []Trial  // best first
	OwnTest      *OwnTest // the test that the model wrote; nil if it wrote none that fails
	OwnTested    []Trial  // patches that pass it, best first; without the test itself
	Tried        int      // candidates that were tried, the plausible ones included
	Others       []Trial  // some of the others, the most telling first
	// Stopped says what ended the work of the offline engine before all candidates were
	// tried, as the predicate of a sentence: "stopped at --time, 212 candidates untried".
	Stopped string
	// Declined says why the problem is outside of what a repair can do, in a
	// sentence; "" if it was tried.
	Declined string
	Notes    []string
	// Incomplete lists what the clone lacked for the work: agent.LacksObjects; nil if nothing.
	Incomplete []string
	Agent      *AgentReport // nil if no model was asked
}

// Offered returns the patches that an answer offers, best first: the plausible ones, else
// those that pass the model's own test, each with that test.
func (a *Answer) Offered() []Trial {
	if len(a.Plausible) > 0 || a.OwnTest == nil {
		return a.Plausible
	}
	list := slices.Clone(a.OwnTested)
	for i := range list {
		p := &list[i].Patch
		*p = Patch{Files: slices.Concat(p.Files, []gitext.Overlay{a.OwnTest.File}), Diff: slices.Concat(p.Diff, a.OwnTest.Diff)}
	}
	return list
}

// A Heuristic is a way to show history to a repair agent, after HAFixAgent (arXiv
// 2511.01047), section 4.1.
type Heuristic string

// These are the heuristics.
const (
	FnAll  Heuristic = "fn_all"  // names of all functions in the files that the blame commit changed
	FnPair Heuristic = "fn_pair" // the faulty function before and after the blame commit
	FlDiff Heuristic = "fl_diff" // what the blame commit changed: in the faulty file, then in the others
)

// Heuristics lists all heuristics.
var Heuristics = []Heuristic{FnAll, FnPair, FlDiff}

// History is what the history knows about the suspected lines.
type History struct {
	Blamed []Blamed // the most relevant commit first
	Notes  []string
}

// Blamed is a commit that wrote suspected lines of one location. A commit that wrote
// lines of several locations has an entry for each: the most suspicious one in its
// place among the commits, the others behind those of all commits.
type Blamed struct {
	Commit gitext.Commit
	// Parent is the parent to compare the commit with: the one that had the file, else
	// the first one; "" for a root commit.
	Parent   gitext.OID
	Location int      // index of the suspected function in Localization.Locations
	Function string   // the suspected function's name; "" outside of functions
	Path     string   // the function's file, as the commit names it
	Previous string   // the file's name before the commit; "" if the commit created it
	Lines    []int    // the suspected lines that it wrote, at the problem's tree, ascending
	OrigLine []int    // their numbers in the commit
	Nearby   bool     // the suspected lines have no history: these stand near them
	Root     bool     // it is the first commit of the history, or changes very many files
	Files    []string // source files that it changed, the function's first
	Changed  int      // files that it changed, of any kind
	Distance int      // commits of the problem's history that it does not contain
	Score    float64  // for the order only
}
