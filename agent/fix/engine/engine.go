// Package engine answers questions about bugs: it reproduces the failure, finds suspected
// functions and their history, and repairs the bug with or without a model. Each step is a
// separate package.
//
// The command line, evaluations, and the commands that resume and replay recorded runs
// call this package. It prints nothing.
package engine

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"git-agent/agent"
	"git-agent/agent/backfill"
	"git-agent/agent/fix"
	"git-agent/agent/fix/coverage"
	"git-agent/agent/fix/localize"
	"git-agent/agent/fix/testcmd"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/fix/validate"
	"git-agent/agent/trial"
	"git-agent/gitext"
	"git-agent/gitext/gitcmd"
)

// An Engine answers questions about bugs of one repository. It is safe for concurrent
// use.
type Engine struct {
	Repo   *gitext.Repo
	Agent  *Agent        // nil for the offline engine
	Trial  trial.Options // options for running commands
	Effort Effort
	// Fetch fetches objects that a partial clone lacks; nil fetches nothing. After an
	// answer, its method Err says why not all could be fetched.
	Fetch *backfill.Fetcher
	// Kept is the folder for the files that setup commands install; "" is one below TMPDIR.
	Kept string
}

// Effort bounds the work, and turns parts of it off.
type Effort struct {
	Locate     bool          // end with the suspected functions and their history
	Coverage   bool          // measure which lines the tests execute
	Abstain    bool          // decline problems that a repair cannot solve
	RevertOnly bool          // the offline engine only undoes earlier changes, as a baseline for evaluations
	Wall       time.Duration // from the question to the answer of the offline engine; 0 is no limit
	Tries      int           // candidates of the offline engine; 0 is no limit
	Want       int           // plausible patches to look for; 0 is 1
	Good       gitext.OID    // a commit at which the test passes, "" if none is given
	Jobs       int           // number of candidates that are tried at the same time; 0 is 2
	// Given restricts the suspicion to the locations in the problem.
	Given bool
	// GoOn lets the offline engine go on after a model that found no plausible patch.
	GoOn bool
}

// blamedLocations bounds the suspected functions for blame. Later functions are seldom at
// fault, and their commits would only distract.
const blamedLocations = 4

// A Result is the answer to a question about one bug.
type Result struct {
	*fix.Answer
	// End records the end of the model's runs. The caller calls it after it printed the answer.
	// End is never nil.
	End func(context.Context)
}

// Answer works on a question. It passes the events of the work to listen, in order. If ctx ends
// the work, Answer returns the partial result and an error.
func (e *Engine) Answer(ctx context.Context, q fix.Question, listen func(agent.Event)) (*Result, error) {
	s, err := e.study(ctx, q, listen)
	defer s.close()
	ans := &Result{Answer: s.answer, End: func(context.Context) {}}
	if err != nil && ctx.Err() != nil {
		s.answer.Stopped = "interrupted"
		return ans, err
	}
	if err != nil {
		return nil, err
	}
	if s.unwritten {
		if err := s.writeTest(ctx, ans); err != nil {
			if ctx.Err() != nil {
				return ans, err
			}
			return nil, err
		}
	}
	if e.Effort.Locate || s.answer.Declined != "" || s.answer.Stopped != "" {
		return ans, nil
	}
	proof, err := validate.New(ctx, e.Repo, s.problem, s.answer.Reproduction, s.trial)
	if err != nil {
		return nil, err
	}
	defer proof.Close()
	if s.wider != nil {
		proof.KnowSuite(*s.wider)
	}
	s.proof = proof
	counted, unread := gitcmd.CountUnread(ctx)
	if e.Agent == nil {
		err = s.repairOffline(counted)
	} else {
		err = s.repairWithModel(counted, ans)
	}
	s.mark(unread())
	return ans, err
}

// mark records in the answer that a part of the work needed missing objects of the clone.
func (s *study) mark(u gitcmd.Unread) {
	if u.Missing > 0 && len(s.answer.Incomplete) == 0 {
		s.answer.Incomplete = append(s.answer.Incomplete, agent.LacksObjects)
		s.note(agent.LacksObjectsNote)
	}
}

// A study is the work on one question.
type study struct {
	engine  *Engine
	q       fix.Question
	problem fix.Problem
	answer  *fix.Answer
	proof   *validate.Validator
	trial   trial.Options // options for running commands
	listen  func(agent.Event)
	inHooks bool // all failing tests die in their set-up
	clock   clock
	space   *trial.Workspace // workspace of the test run; nil before it
	runs    []testrun.Ending // runs of the test without a patch
	setUp   time.Duration    // of the setup command; 0 if an earlier run did it
	wider   *testrun.Ending  // a run of the wider tests without a patch; nil if there was none
	// division is that of the failing tests by the state before the change by which the test was chosen; nil if none was made.
	division *division

	passed    string   // the guessed part of the tests that passed; "" if there is none
	unwritten bool     // the model must first write the failing test
	wrote     *fix.Run // the run that wrote the test; nil if there is none
}

// noHistory reports whether a model must repair the bug without history.
func (s *study) noHistory() bool { return s.engine.Agent != nil && !s.q.Method.ShowsHistory() }

// close removes the work tree of the study.
func (s *study) close() {
	if s != nil && s.space != nil {
		s.space.Close()
	}
}

func (s *study) say(format string, args ...any) {
	if s.listen != nil {
		s.listen(agent.Progress{Text: fmt.Sprintf(format, args...)})
	}
}

// trialOptions returns the options for running the commands of a question.
func (e *Engine) trialOptions(ctx context.Context, q fix.Question) (opt trial.Options, err error) {
	opt = e.Trial
	opt.OnEvent = nil // the steps report their own progress
	if e.Fetch != nil {
		opt.Fetch = e.Fetch.Checkout
	}
	err = opt.FindInstalled(ctx, e.Repo, q.Problem.Tree.Commit)
	return opt, err
}

// study reproduces the failure, and finds the suspected functions and their history. The
// study is not nil even if there is an error. The caller must close it.
func (e *Engine) study(ctx context.Context, q fix.Question, listen func(agent.Event)) (*study, error) {
	s := &study{engine: e, q: q, problem: q.Problem, listen: listen, answer: &fix.Answer{Engine: "offline"}}
	if e.Agent != nil {
		s.answer.Engine = "agent"
	} else {
		s.clock = clock{time.Now(), e.Effort.Wall}
	}
	if len(s.problem.Given) > 0 { // check the locations before a long test run
		_, err := e.Fetch.Complete(ctx, func(ctx context.Context) error {
			_, err := localize.Given(ctx, e.Repo, s.problem.Tree, s.problem.Given)
			return err
		})
		if err != nil {
			return s, err
		}
	}
	var err error
	if s.trial, err = e.trialOptions(ctx, q); err != nil {
		return s, err
	}
	if (s.problem.Test != "" || s.writes()) && e.Fetch != nil {
		e.Fetch.Files(ctx, s.problem.Tree.Commit, "") // the test runs in a checkout
	}
	if err := s.setUpTrial(ctx); err != nil {
		return s, err
	}
	s.trial.NoHistory = s.noHistory()
	if s.space, err = trial.Open(ctx, e.Repo, s.trial); err != nil {
		return s, err
	}
	if err := s.reproduces(ctx); err != nil || s.answer.Declined != "" && !(e.Effort.Locate && s.hasWords()) {
		return s, err
	}
	if s.problem.Test == "" {
		return s, s.suspect(ctx, localize.Input{Problem: s.problem, NoHistory: s.noHistory()})
	}
	return s, s.suspectFailing(ctx)
}

// suspectFailing finds the suspected functions after the test has run.
func (s *study) suspectFailing(ctx context.Context) (err error) {
	in := localize.Input{Problem: s.problem, NoHistory: s.noHistory()}
	if err := s.readOutput(ctx, &in); err != nil {
		return err
	}
	if in.Spectrum, err = s.spectrum(ctx); err != nil {
		return err
	}
	return s.suspect(ctx, in)
}

// readOutput adds the test's output to the input of the localization.
func (s *study) readOutput(ctx context.Context, in *localize.Input) error {
	out := s.answer.Reproduction.Output
	in.Problem = s.problem // the commands may have changed to another guess
	in.Stacks, in.Places = testrun.Stacks(out), placesOf(out, s.problem.Known)
	crash, err := s.crash(ctx)
	if err != nil {
		return err
	}
	if crash != nil { // places in a buffered output are not the place of the crash
		in.Stacks, in.Places = testrun.Stacks(crash), nil
	}
	in.Reproduction = s.answer.Reproduction
	if s.inHooks {
		withoutTests(in)
	}
	return nil
}

// reproduces runs the test and decides whether a repair makes sense. Without a failing test, a
// model may have to write one first.
func (s *study) reproduces(ctx context.Context) (err error) {
	switch {
	case s.problem.Test != "":
		if err := s.noteAbsent(ctx); err != nil {
			return err
		}
		if err := s.reproduce(ctx); err != nil {
			return err
		}
		if s.writes() && s.answer.Reproduction.State == fix.Passing {
			s.takeForSuite()
			return nil
		}
		s.dropKnown()
		s.answer.Declined, err = s.declined(ctx)
		s.problem.WriteTest, s.q.Problem.WriteTest = false, false
		if err != nil || s.answer.Declined != "" {
			s.noteNewTests()
			return err
		}
		if err := s.leaveOutOlder(ctx); err != nil {
			return err
		}
		if err := s.leaveOutModules(ctx); err != nil {
			return err
		}
		if err := s.leaveOutUnloaded(ctx); err != nil {
			return err
		}
		return s.narrowSlow(ctx)
	case s.writes():
		s.unwritten = true
		return s.noteAbsent(ctx)
	case !s.engine.Effort.Locate:
		s.answer.Declined = "there is no command that fails because of the bug, so no patch could be proved"
		if s.problem.WriteTest {
			s.answer.Declined = needsModel
		}
	}
	return nil
}

// hasWords reports whether there are grounds for suspicion besides a failing test.
func (s *study) hasWords() bool {
	return s.problem.Report != "" || s.problem.Crash != nil || len(s.problem.Given) > 0
}

// declined says why a repair cannot solve the problem, "" if it can.
func (s *study) declined(ctx context.Context) (string, error) {
	rep := s.answer.Reproduction
	if rep.State != fix.Passing {
		if why, err := s.hidden(ctx, s.space); why != "" || err != nil {
			return why, err
		}
	}
	switch rep.State {
	case fix.Passing:
		if s.problem.WriteTest {
			return "the test passes as things are, and only a model can write one from the report: give a command that fails because of the bug, or configure a model", nil
		}
		return "the test passes as things are, so there is nothing to repair: give a command that fails because of the bug", nil
	case fix.Broken:
		cure, err := s.advice(ctx)
		return "the test cannot be judged: it " + rep.How + cure, err
	case fix.Failing:
		if rep.Lacks != "" && s.engine.Effort.Abstain {
			cure, err := s.advice(ctx)
			return fmt.Sprintf("no patch could make the command pass: besides its failing tests, it needs %s: %s%s", rep.Lacks, rep.Lacking, cure), err
		}
		if line, where := s.inSubmodule(ctx); where != "" && s.engine.Effort.Abstain {
			return "no patch could make the command pass: it needs files that are not there: " + agent.Shorten(line, shownLine) + where, nil
		}
		if why, err := s.nameless(ctx); why != "" || err != nil {
			return why, err
		}
		return s.inSetUp(ctx)
	case fix.Flaky:
		if s.engine.Effort.Abstain {
			return "the test is flaky, it fails in some runs and passes in others, so it cannot prove a patch (git agent fix --no-abstain goes on)", nil
		}
		s.answer.Notes = append(s.answer.Notes, "the test is flaky: a patch may seem to repair it by chance")
	}
	return "", nil
}

// noteAbsent notes files that the commands do not find in the scratch tree.
func (s *study) noteAbsent(ctx context.Context) error {
	s.answer.Notes = append(s.answer.Notes, trial.Absent(ctx, s.engine.Repo, s.problem.Tree.Commit)...)
	return ctx.Err()
}

func (s *study) note(format string, args ...any) {
	s.answer.Notes = append(s.answer.Notes, fmt.Sprintf(format, args...))
}

// crash returns a sanitizer's report of a crashed program and adds it to the output; nil if no
// program crashed or the place of the crash is unknown.
func (s *study) crash(ctx context.Context) ([]byte, error) {
	if !s.engine.Effort.Coverage || s.engine.Effort.Given {
		return nil, nil
	}
	rep := &s.answer.Reproduction
	crash, err := coverage.Crash(ctx, s.space, s.problem, *rep, coverage.Options{Budget: s.clock.coverage(*rep), OnEvent: s.listen})
	if len(testrun.Stacks(crash)) == 0 {
		return nil, err
	}
	rep.Output = fmt.Appendf(bytes.TrimRight(rep.Output, "\n"), "\n\nIt crashes here, as AddressSanitizer says of another build:\n%s", crash)
	return crash, err
}

// spectrum measures which lines the tests execute, if the measurement is cheap.
func (s *study) spectrum(ctx context.Context) (*fix.Spectrum, error) {
	rep := s.answer.Reproduction
	if !s.engine.Effort.Coverage || s.engine.Effort.Given || rep.State != fix.Failing {
		return nil, nil
	}
	budget := s.clock.coverage(rep)
	focused := ""
	if coverage.Narrows(s.problem.Test) {
		focused, _ = testcmd.Focus(s.problem.Test, rep.Failing)
	}
	if rep.Took > budget && focused == "" && !coverage.WithoutCommand(s.problem.Test) {
		s.note("coverage was not measured: one run of the test takes %s, and %s of --time are for it", brief(rep.Took), brief(budget))
		return nil, nil
	}
	s.say("measuring coverage")
	sp, note, err := coverage.Measure(ctx, s.space, s.problem, rep, coverage.Options{Budget: budget, Focused: focused})
	if err != nil {
		return nil, err
	}
	if sp == nil && note != "" {
		s.answer.Notes = append(s.answer.Notes, note)
	}
	return sp, nil
}

// conclude puts the trials into the answer.
func (s *study) conclude(ctx context.Context, trials []fix.Trial) {
	s.answer.Tried += len(trials)
	for i := range trials {
		s.own(&trials[i])
	}
	for _, t := range validate.Best(ctx, s.engine.Repo, trials, s.answer.History) {
		if t.Verdict == fix.Plausible {
			s.answer.Plausible = append(s.answer.Plausible, t)
		} else if t.Verdict == fix.OwnTested {
			s.answer.OwnTested = append(s.answer.OwnTested, t)
		} else if len(s.answer.Others) < maxOthers {
			s.answer.Others = append(s.answer.Others, t)
		}
	}
}

// maxOthers bounds the implausible patches of an answer.
const maxOthers = 20
