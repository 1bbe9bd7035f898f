// Package testrun runs the tests of a repository and judges how they end.
//
// [Reproduce] runs a command several times and reports its state, [Run] runs it once. [Compare]
// decides whether a change made tests fail, [FailureOf] whether another run fails in the same way.
// Package testcmd makes the commands, package testlog reads what they print.
package testrun

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/fix/testrun/testlog"
	"git-agent/agent/source"
	"git-agent/agent/trial"
)

// An Ending is the end of a command and the information of its output about tests.
type Ending struct {
	State  fix.State // Failing, Passing or Broken
	How    string    // predicate of a sentence with the subject "it": "fails (exit 1)"
	Exit   int       // exit code as a shell reports it
	Output []byte    // output with paths relative to the work tree; a long one has lost its middle
	Raw    []byte    // Output with the original paths
	Report testlog.Report
	Took   time.Duration

	UnitTest func(testlog.Place) bool // whether a place is in a test within a source file; nil if none is

	TimedOut bool // the command was ended at its time limit
	Full     bool // the command was ended because it filled the disk

	goOnce bool // the command calls go test once, for all tests of the packages
}

// Commands are the commands of a run, with their limits.
type Commands struct {
	Build   string // "" if Test builds the program itself
	Test    string
	Timeout time.Duration // time limit of each command; 0 means the workspace's limit
	Set     []string      // NAME=value pairs for the environment
	OfTest  Surroundings  // what Test alone gets
}

// Surroundings are what a command gets besides the work tree.
type Surroundings struct {
	Set      []string // NAME=value pairs for the environment
	Writable []string // directories that the command may write
}

// maxOutput bounds the read output, in bytes at each end. It is larger than the output in a
// report, because tools name failing tests in the middle.
const maxOutput = 1 << 20

// Run runs commands in the present work tree: first Build, and then Test if the build passes.
// Took is the time of both. It returns an error if ctx ends or if the workspace fails.
func Run(ctx context.Context, w *trial.Workspace, c Commands) (Ending, error) {
	var built time.Duration
	if c.Build != "" {
		res, err := w.Exec(ctx, c.Build, c.options())
		if err != nil {
			return Ending{}, err
		}
		if res.Exit != 0 || res.Outcome != trial.Passes {
			return judgeBuild(read(res, w.Dir()), res), nil
		}
		built = res.Took
	}
	start := time.Now()
	opt := c.options()
	opt.Set, opt.Writable = slices.Concat(opt.Set, c.OfTest.Set), c.OfTest.Writable
	res, err := w.Exec(ctx, c.Test, opt)
	if err != nil {
		return Ending{}, err
	}
	e := Judge(res, w.Dir(), c.Test, start)
	if !w.Online() {
		e.judgeOffline()
	}
	e.Took += built
	return e, nil
}

// Judge reads the output of a test command that ran in a directory, and the reports that it wrote
// there since its start, and judges its end.
func Judge(res trial.Result, dir, command string, start time.Time) Ending {
	e := read(res, dir)
	e.goOnce = goTestOnce(command)
	e.Output = e.Report.AddXML(command, dir, start.Add(-clockStep), e.Output)
	e.ownModule(dir)
	return judge(e, res, command)
}

var (
	goTestCall = source.Lazy(`(?:^|[\s;&|(/])go\s+test\b`)
	// repeats matches what may call a program several times, or end go test early.
	repeats = source.Lazy(`\b(?:for|while|until|xargs|find|parallel)\b|failfast|\bmake\b`)
)

// goTestOnce reports whether a command calls go test once and itself, without -failfast: then what go test says of a package
// is about all of its tests.
func goTestOnce(command string) bool {
	return len(goTestCall().FindAllStringIndex(command, 2)) == 1 && !repeats().MatchString(command) &&
		!strings.Contains(os.Getenv("GOFLAGS"), "failfast")
}

// clockStep is the step of the clock by which file systems note changes.
const clockStep = 10 * time.Millisecond

func (c Commands) options() trial.ExecOptions {
	return trial.ExecOptions{Timeout: c.Timeout, MaxOutput: maxOutput, Set: c.Set}
}

// read makes an Ending of a result; State and How are not decided yet.
func read(res trial.Result, dir string) Ending {
	out := relative(res.Output, dir)
	return Ending{
		Exit:     res.Exit,
		Output:   out,
		Raw:      res.Output,
		Report:   testlog.Read(out),
		Took:     res.Took,
		How:      res.How,
		TimedOut: res.TimedOut,
		Full:     res.Full,
	}
}

// relative makes paths in an output relative to the work tree, because the path of the work
// tree differs between runs.
func relative(output []byte, dir string) []byte {
	for _, prefix := range []string{"file://" + dir + "/", dir + "/"} {
		output = bytes.ReplaceAll(output, []byte(prefix), nil)
	}
	return output
}

// JudgeBuild judges the end of a command whose build did not pass, before it ran a test in a directory.
func JudgeBuild(res trial.Result, dir string) Ending {
	res.Outcome = trial.Fails
	return judgeBuild(read(res, dir), res)
}

// judgeBuild sets State and How for a build command that did not pass.
func judgeBuild(e Ending, res trial.Result) Ending {
	e.State = fix.Broken
	switch {
	case res.Outcome != trial.Fails:
		e.How += e.notThere()
	case e.Report.Lacks != "":
		e.How = e.lacking()
	default:
		e.Report.Build = true
		e.How = e.notBuilt()
		if e.How == fmt.Sprintf("%s (exit %d)", DoesNotBuild, e.Exit) {
			e.How += e.Said() // no reader knows what the linker or a script says
		}
	}
	return e
}

// notThere returns the missing requirement, as text behind a reason.
func (e *Ending) notThere() string {
	if what := e.Report.NotThere(); what != "" {
		return ": " + what
	}
	return ""
}

// shownLine bounds a line of an output in a sentence, in characters.
const shownLine = 200

// lacking describes the lack of the command, with the line about it and the place of a failed
// import.
func (e *Ending) lacking() string {
	line := e.Report.Missing
	for _, p := range e.Report.BuildErrors {
		if p.Line > 0 && p.Text == line {
			line = fmt.Sprintf("%s:%d: %s", p.File, p.Line, line)
			break
		}
	}
	return fmt.Sprintf("needs %s (exit %d): %s", e.Report.Lacks, e.Exit, agent.Shorten(line, shownLine))
}

// These begin the predicates of commands that cannot be judged.
const (
	DoesNotBuild = "does not build"
	RunsNoTest   = "runs no test"
)

// InTree reports whether the end of a run, as Ending.How says it, names a reason that lies in the tree or in the command, and
// in no sandbox.
func InTree(how string) bool {
	return strings.HasPrefix(how, RunsNoTest) || Lacks(how, fix.LackGoMod, fix.LackScript, fix.LackCommand, fix.LackTests)
}

// Downloads reports whether the end of a run names something that a command gets from the network.
func Downloads(how string) bool {
	return Lacks(how, fix.LackGo, fix.LackCargo, fix.LackMaven, fix.LackGradle, fix.LackNetwork)
}

// Lacks reports whether the end of a run names one of the lacks.
func Lacks(how string, list ...fix.Lack) bool {
	return slices.ContainsFunc(list, func(l fix.Lack) bool { return strings.Contains(how, string(l)) })
}

// endsRun are the lacks that make a command fail whatever its tests say.
var endsRun = []fix.Lack{fix.LackProcess, fix.LackCoverage, fix.LackCheck, fix.LackStep}

// judge sets State and How for a test command.
func judge(e Ending, res trial.Result, command string) Ending {
	r := &e.Report
	named := len(r.Failing) > 0
	e.State = fix.Broken
	switch {
	case res.TimedOut, res.Full:
	case res.Exit == trial.ExitSkip: // the command says that it cannot tell, whatever it prints
	case res.Outcome == trial.Passes && r.Ran == 0 && !named:
		e.How = RunsNoTest
	case res.Outcome == trial.Passes:
		e.State = fix.Passing
	case named && r.Lacks != "" && onlyFiles(r.Failing):
		e.How = e.lacking() // node's runner names a file that it cannot load like a test
	case named && r.Lacks != "" && r.Ran > 0 && 2*len(r.Unbuilt) > r.Ran:
		e.How = e.lacking() // most files do not load, and a few tests fail besides
	case named:
		e.State, e.How = fix.Failing, fmt.Sprintf("fails (exit %d)", res.Exit)
	case res.Outcome == trial.Unknown:
		e.How += e.notThere()
	case r.Lacks != "" && (r.Ran <= 0 || len(r.Unbuilt) > 0), slices.Contains(endsRun, r.Lacks):
		e.How = e.lacking()
	case r.Build && (r.Ran <= 0 || len(r.Unbuilt) > 0), r.Build && len(r.BuildErrors) > 0: // other test files may have run
		e.How = e.notBuilt()
	case e.refused(command) != "":
		e.How = e.refused(command)
	case r.Ran == 0:
		e.How = fmt.Sprintf("%s (exit %d)", RunsNoTest, res.Exit)
		if r.Unselected != "" {
			e.How += ": " + agent.Shorten(r.Unselected, shownLine)
		}
	default:
		e.State = fix.Failing
	}
	return e
}

// judgeOffline changes the judgement of a command without a network: that of tests that all end
// because a server does not answer, and none by an assertion, is not about the program.
func (e *Ending) judgeOffline() {
	r := &e.Report
	// Tests that die in their set-up have an answer of their own.
	if e.State == fix.Failing && len(r.Failing) > 0 && len(r.SetUp) == 0 && r.Unreached() {
		e.State, e.How = fix.Broken, e.lacking()
	}
}

var jsTestFile = source.Lazy(`^\S+\.[cm]?[jt]sx?$`)

// notBuilt names the packages or files that do not build.
func (e *Ending) notBuilt() string {
	how := fmt.Sprintf("%s (exit %d)", DoesNotBuild, e.Exit)
	if len(e.Report.BuildErrors) == 0 && e.Report.Refusal != "" {
		return how + ": " + agent.Shorten(e.Report.Refusal, shownLine)
	}
	if len(e.Report.BuildErrors) == 0 && len(e.Report.Unbuilt) > 0 {
		return how + ": " + e.Report.Unbuilt[0]
	}
	if len(e.Report.BuildErrors) == 0 {
		return how
	}
	p := e.Report.BuildErrors[0]
	if p.Line > 0 {
		return fmt.Sprintf("%s: %s:%d: %s", how, p.File, p.Line, p.Text)
	}
	return fmt.Sprintf("%s: %s: %s", how, p.File, p.Text)
}

// cargoTests matches a command that lets cargo run tests.
var cargoTests = source.Lazy(`\bcargo\s+(?:[^&|;]*\s)?(?:test|t|nextest)\b`)

// refused says that cargo ended before it ran a test of the command, "" otherwise.
func (e *Ending) refused(command string) string {
	if e.Report.Refusal == "" || e.Report.Ran > 0 || !cargoTests().MatchString(command) {
		return ""
	}
	return fmt.Sprintf("ends before it runs a test (exit %d): %s", e.Exit, agent.Shorten(e.Report.Refusal, shownLine))
}
