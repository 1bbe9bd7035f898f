// Package fix defines the repair of a bug: the problem, the suspected functions, their history,
// the tried patches, and the answer. The folders below it do the work, one step each.
//
// The package computes nothing and prints nothing. Its values are plain data, shared by the
// offline engine, the agent engine, the terminal, evaluations and recorded runs.
package fix

import (
	"slices"
	"time"

	"git-agent/agent/crash"
	"git-agent/agent/suspect"
	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// A Tree is the state of the files before a repair: a commit with files laid over it. The
// overlaid files are the user's uncommitted changes, or the tests of an evaluated case.
type Tree struct {
	Commit gitext.OID
	Over   []gitext.Overlay
	// Tests are the new tests, if they are committed: test files that the last commits changed, which changed
	// nothing else. Before is the commit before these. Both are empty where Over has code or tests.
	Tests  []string   `json:",omitempty"`
	Before gitext.OID `json:",omitempty"`
}

// A Problem is a bug to repair. Only the tree is required.
type Problem struct {
	Tree  Tree
	Test  string // shell command that fails because of the bug; "" if none is known
	Build string // shell command that builds the program for Test; "" if Test builds it
	Suite string // shell command that runs the wider tests; "" for Test
	// Setup is a shell command that installs the dependencies of the other commands. It runs
	// before them and has the network; "" if there is none.
	Setup string `json:",omitempty"`
	// Part says that Test runs a guessed part of Suite, so that it says nothing if it passes.
	Part bool `json:",omitempty"`
	// ByName says that the tests of this part were chosen by the names of changed files, so that it counts only if they pass without the change.
	ByName bool `json:",omitempty"`
	// Others are guesses for Build, Test, Suite, Part and ByName beside the first guess, likeliest
	// first; nil if the user named the commands.
	Others []Commands
	Lint   string        // shell command of the project's linter; "" if none counts
	Known  []string      // names of tests of Suite that fail for another reason than the bug
	Report string        // the user's description of the bug
	Crash  *crash.Report // nil if there is no report of a crash
	Dump   string        `json:",omitempty"` // the file of Crash's sections, "" if it has none
	Files  []crash.File  // the ranking of files for Crash, best first
	// Suspects are the commits that may have introduced Crash, likeliest first.
	Suspects []suspect.Suspect
	Given    []GivenLocation // locations that the user named
	// EditTests allows a patch to change test files.
	EditTests bool
	// WriteTest lets a model write the failing test, if there is no Test or it passes. Report
	// or Crash describes the bug.
	WriteTest bool `json:",omitempty"`
	// OwnTest is the test that a model wrote; nil if somebody else did. Tree contains the
	// test's file, and Test runs the test.
	OwnTest *OwnTest `json:",omitempty"`
}

// An OwnTest is a test by the model that also repairs the bug. It fails before the repair and
// passes after it. This shows how the model understood the report, and does not prove that the
// reported bug is gone.
type OwnTest struct {
	File    gitext.Overlay // a new file
	Command string         // runs it
	Why     string         // the model's reason why the failure is the reported bug
	Diff    []byte         // the file as git diff prints it
}

// Commands build and test a tree. Their fields are those of a Problem.
type Commands struct {
	Build, Test, Suite string
	Part               bool
	ByName             bool `json:",omitempty"`
	Covered            bool // another guess, which is no Part, runs these tests, too
}

// A GivenLocation is a range of lines, a function or a whole file that the user named. Without
// Lines and Function, it is the whole file. A range whose End is the line before its Start is
// an insertion: code is missing before Start.
type GivenLocation struct {
	Path     string
	Lines    gitext.LineRange
	Function string `json:",omitempty"` // name; counts only if Lines is zero
}

// Inserts reports whether the location is an insertion.
func (g GivenLocation) Inserts() bool { return g.Lines.Start > 1 && g.Lines.End == g.Lines.Start-1 }

// A State says whether a command fails or passes when it is run several times.
type State string

// These are the states.
const (
	Failing State = "failing" // it fails each time
	Passing State = "passing" // it passes each time
	Flaky   State = "flaky"   // it fails in some runs and passes in others
	Broken  State = "broken"  // no judgement is possible: the command was not found, timed out or does not build
)

// A Reproduction says how the failing command of a problem ends before any repair.
type Reproduction struct {
	Command string
	State   State
	How     string        // predicate of a sentence with the subject "it": "fails (exit 1)"
	Runs    int           // number of runs
	Failing []string      // names of the failing tests, as the test tool prints them; nil if it prints none
	Output  []byte        // output of a failing run; a long one has lost its middle
	Took    time.Duration // duration of the last run
	First   time.Duration // duration of the first run, which may include a build

	TimedOut bool // a run was ended at its time limit
	Full     bool // a run was ended because it filled the disk

	// Opened contains the files of the tree that a run opened; nil if they are not known.
	Opened  map[string]bool `json:"-"`
	Lacks   Lack            // the missing requirement; "" if the command ran tests or ended for another reason
	Lacking string          // the line of the output that reports Lacks
	Unbuilt string          // the file with the first error of a compiler; "" if none kept the tests from running
	// InSetUp says that all failing tests die before their own code runs: in a fixture of
	// pytest, a beforeAll or a setUpClass.
	InSetUp bool
}

// A Lack names a missing requirement of a test command, in words that follow "needs".
type Lack string

// These are the lacks.
const (
	LackGo       Lack = "Go modules that are not downloaded"
	LackGoMod    Lack = "another go.mod, go.sum or vendor folder"
	LackNode     Lack = "Node.js packages that are not installed"
	LackBuilt    Lack = "a part of the project that is not built"
	LackScript   Lack = "a script that package.json does not have"
	LackPython   Lack = "Python packages that are not installed"
	LackRuby     Lack = "gems that are not installed"
	LackCargo    Lack = "crates that are not downloaded"
	LackMaven    Lack = "Maven artifacts that are not downloaded"
	LackGradle   Lack = "Gradle, or dependencies of its build, that are not downloaded"
	LackComposer Lack = "PHP packages that are not installed"
	LackMix      Lack = "Elixir packages that are not installed"
	LackNuGet    Lack = "NuGet packages that are not restored"
	LackJDK      Lack = "another JDK"
	LackTool     Lack = "another version of a tool"
	LackLock     Lack = "another lock file"
	LackCommand  Lack = "another command" // it names a directory, a target or a package that is not there
	LackNetwork  Lack = "the network, which the sandbox turns off"
	LackProgram  Lack = "a program that is not installed"
	LackCheck    Lack = "a check to pass that stops the build before the tests"
	LackStep     Lack = "a step of the build to work that is no test"
	LackCoverage Lack = "more coverage than its tests have"
	LackTests    Lack = "tests that its pattern selects"
	LackProcess  Lack = "a test process that does not die"
)

// VetFinds begins Reproduction.Lacking where the check is go vet, which go test runs before the tests.
const VetFinds = "go vet: "

// A Ground is a reason to suspect a function.
type Ground struct {
	Source Source
	Text   string // a short clause for a reader: "frame 2 of the failing test"
}

// A Source is the origin of a suspicion.
type Source string

// These are the sources, the most trusted first.
const (
	SourceGiven    Source = "given"    // the user named the function
	SourceStack    Source = "stack"    // a stack trace or the output of a test names the function
	SourceCoverage Source = "coverage" // failing tests execute the function
	SourceReport   Source = "report"   // words of the report or of the failing test name the function
	SourceHistory  Source = "history"  // the function changed lately
)

// A Location is a suspected function, or a suspected range of lines outside of functions.
type Location struct {
	Path     string
	Lines    gitext.LineRange // the lines of the function, with its heading
	Function string           // name; "" outside of functions
	// Hot contains the location's suspicious lines, most suspicious first; nil if all are
	// alike. A range whose End is before its Start says that code is missing before Start.
	Hot     []gitext.LineRange
	Score   float64  // only for sorting: higher is more suspicious
	Grounds []Ground // reasons, the most trusted first
}

// A Localization lists the suspected functions, most suspicious first.
type Localization struct {
	Locations []Location
	Spectrum  *Spectrum // nil if no coverage was measured
	Notes     []string  // sentences about failed searches
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

// A Verdict is the result of the tests for a patch.
type Verdict string

// These are the verdicts, best first.
const (
	Plausible Verdict = "plausible" // the failing tests pass and no other test fails
	OwnTested Verdict = "own test"  // as Plausible, except that the model itself wrote the failing test
	Unproved  Verdict = "unproved"  // the failing tests pass, and the time ended before the proof by the wider tests did
	Regresses Verdict = "regresses" // the failing tests pass, and tests that passed now fail
	Fails     Verdict = "fails"     // the failing tests still fail
	NoBuild   Verdict = "no build"  // the patched tree does not build
	TimesOut  Verdict = "times out"
	Refused   Verdict = "refused" // the patch was not tried: it changes nothing, or a forbidden file
)

// Passes reports whether the failing tests pass and no other test fails; the model may have
// written the tests.
func (v Verdict) Passes() bool { return v == Plausible || v == OwnTested }

// A Trial is a tried patch.
type Trial struct {
	Patch   Patch
	Origin  string     // how the patch was made: "reverts a hunk of 1a2b3c4d5e6f", "trajectory 2"
	Why     string     // one or more sentences for the reader; "" if Origin says all
	Commit  gitext.OID // the commit that introduced the undone or repaired lines; "" if none is known
	Prior   float64    // estimated chance that the patch is right, before it was tried; only for sorting
	Verdict Verdict
	Failing []string // tests that fail with the patch, if the verdict is Fails or Regresses
	Reason  string   // the reason of a refusal, or a message of the build; one line
	Seconds float64  // duration of the commands in Checks
	Votes   int      // number of equal candidates, this one included; 0 counts as 1
	Checks  []Check  // the commands that tried the patch, in their order
	// Cautions are clauses, each with a subject, for display beside the verdict Plausible: the
	// limits of the tests' proof, and changes of the patch outside of the program.
	Cautions []string
	// Preferred is a reviewer's reason why this patch is the best; "" if no reviewer says so.
	Preferred string
}

// NamesNoTest is the caution for a command whose output does not show that tests ran.
const NamesNoTest = "the command names no test, so its exit code is all that speaks for the patch"

// A Check is a command that ran with a patch applied, and its end.
type Check struct {
	Command string
	How     string // predicate of a sentence with the subject "it": "passes"
}

// An Answer is the result of work on a problem.
type Answer struct {
	Engine       string // "offline" or "agent"
	Reproduction Reproduction
	Localization Localization
	History      *History // nil if the history was not searched
	Plausible    []Trial  // best first
	OwnTest      *OwnTest // the model's failing test; nil if it wrote none
	OwnTested    []Trial  // patches that pass OwnTest, best first; without the test itself
	Tried        int      // number of tried candidates, the plausible ones included
	Others       []Trial  // some of the other candidates, the most informative first
	// Stopped says why the offline engine ended before it tried all candidates, as the
	// predicate of a sentence: "stopped at --time, 212 candidates untried".
	Stopped string
	// Unproved is a patch that passes the failing test, and whose proof was cut off by the end of the time; nil if there is none.
	Unproved *Trial
	// Declined says in a sentence why a patch of the tree cannot solve the problem; "" if a
	// repair was tried.
	Declined string
	// Setup is a setup command that gets what the test lacks, "" if none is known. Declined ends with
	// GetBy of it.
	Setup string
	Notes []string
	// Incomplete lists the objects that the clone lacked, as agent.LacksObjects does; nil if it
	// lacked none.
	Incomplete []string
	Agent      *AgentReport // nil if no model was asked
}

// GetBy says, behind a sentence about a lack, that a setup command ends it.
func GetBy(setup string) string {
	return "; get it with --setup=" + quote.Shell(setup) + ", or run that command yourself"
}

// Offered returns the patches that an answer offers, best first: the plausible ones; if there
// are none, the patches that pass the model's own test, each with this test.
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
	FlDiff Heuristic = "fl_diff" // the changes of the blame commit: in the faulty file, then in the others
)

// Heuristics lists all heuristics.
var Heuristics = []Heuristic{FnAll, FnPair, FlDiff}

// History lists the commits that wrote the suspected lines.
type History struct {
	Blamed []Blamed // the most relevant commit first
	Notes  []string
}

// Blamed is a commit that wrote suspected lines of one location. A commit that wrote lines of
// several locations has one entry for each. The entry for its most suspicious location is
// sorted among the other commits; its other entries follow at the end of the list.
type Blamed struct {
	Commit gitext.Commit
	// Parent is the parent for comparison with the commit: the parent that has the file, else
	// the first parent; "" for a root commit.
	Parent   gitext.OID
	Location int      // index of the suspected function in Localization.Locations
	Function string   // the suspected function's name; "" outside of functions
	Path     string   // the function's file, as the commit names it
	Previous string   // the file's name before the commit; "" if the commit created it
	Lines    []int    // numbers in the problem's tree of the suspected lines that the commit wrote, ascending
	OrigLine []int    // numbers of the same lines in the commit
	Nearby   bool     // Lines are near the suspected lines, which have no history
	Root     bool     // the commit is the first one of the history, or changes very many files
	Files    []string // changed source files, the function's file first
	Changed  int      // number of changed files of any kind
	Distance int      // number of commits in the problem's history that are not in the history of Commit
	Score    float64  // only for sorting
}
