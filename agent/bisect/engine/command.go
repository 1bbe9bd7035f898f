package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"git-agent/agent"
	"git-agent/agent/bisect"
	"git-agent/agent/bisect/prior"
	"git-agent/agent/fix"
	"git-agent/agent/fix/coverage"
	"git-agent/agent/fix/testcmd"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/fix/testrun/testlog"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

// A command is the command of a question, with a scratch work tree for each worker.
type command struct {
	engine    *Engine
	q         Question
	compiling string
	listen    func(agent.Event)
	spaces    []*trial.Workspace // nil until a worker begins
	opening   sync.Mutex

	tip     seen // the run that shows the outcome that is looked for
	shown   bool // a run at the tip ended as the question says
	plain   bool // no run is recorded any more
	unbuilt bool // at the tip the code does not build
	builds  bool // the failure that is looked for is that of the build
	notes   []string
	focused string       // the command with the failing tests alone; "" if it is not restricted to them
	again   []bisect.Run // runs at the tip beside the one that shows the failure

	judging sync.Mutex
	failure *testrun.Failure    // the failure that is looked for; nil before a run failed
	seen    map[gitext.OID]seen // with unbuilt, the runs of this call
	lacking bool                // the clone lacks objects of a commit, which was not checked out
}

// A seen is a run with what is known of it.
type seen struct {
	ending   testrun.Ending
	opened   map[string]bool // files of the work tree that it opened; nil if not known
	executed *fix.Spectrum   // lines that its tests executed; nil if not known
	recorded bool            // it ran with a recorder of these lines
}

// open opens the first scratch work tree.
func (e *Engine) open(ctx context.Context, q Question, listen func(agent.Event)) (*command, error) {
	opt := e.Trial
	c := &command{engine: e, q: q, listen: listen, spaces: make([]*trial.Workspace, max(1, e.Jobs))}
	c.compiling, _ = testcmd.CompileOnly(q.Test)
	opt.OnEvent = nil // the search reports its own progress
	if e.Fetch != nil {
		opt.Fetch = e.Fetch.Checkout
	}
	var err error
	if err = opt.FindInstalled(ctx, e.Repo, q.Tip); err != nil {
		return nil, err
	}
	c.spaces[0], err = trial.Open(ctx, e.Repo, opt)
	return c, err
}

func (c *command) close() {
	for _, w := range c.spaces {
		if w != nil {
			w.Close()
		}
	}
}

func (c *command) progress(format string, args ...any) {
	if c.listen != nil {
		c.listen(agent.Progress{Text: fmt.Sprintf(format, args...)})
	}
}

// space returns the scratch work tree of a worker.
func (c *command) space(ctx context.Context, worker int) (*trial.Workspace, error) {
	c.opening.Lock()
	defer c.opening.Unlock()
	if c.spaces[worker] == nil {
		w, err := c.spaces[0].Another(ctx)
		if err != nil {
			return nil, err
		}
		c.spaces[worker] = w
	}
	return c.spaces[worker], nil
}

// try runs the command at a commit and judges it.
func (c *command) try(ctx context.Context, worker int, commit gitext.OID) (trial.Result, error) {
	if t := c.engine.Tip; t != nil && !c.shown && !c.plain { // the search runs the tip first, and alone
		c.first(t.seen)
		return c.judge(t.ending), nil
	}
	if c.engine.Outcome != nil {
		return c.engine.Outcome(ctx, commit), nil
	}
	w, err := c.space(ctx, worker)
	if err != nil {
		return trial.Result{}, err
	}
	c.progress("run the command at %s", commit.Short())
	over, err := trial.LayUnitTests(ctx, c.engine.Repo, commit, c.q.Over, c.q.Units)
	if err != nil {
		return trial.Result{}, err
	}
	if err := w.Prepare(ctx, commit, over); err != nil {
		if ctx.Err() != nil {
			return trial.Result{}, context.Cause(ctx)
		}
		c.unprepared(err)
		return trial.Result{Outcome: trial.Unknown, How: fmt.Sprintf("was not run (%v)", err)}, nil
	}
	if c.compiling != "" {
		if err := w.Compile(ctx, c.compiling); err != nil {
			return trial.Result{}, err
		}
	}
	ran, err := c.runFocused(ctx, w, commit, over)
	if err != nil {
		return trial.Result{}, err
	}
	if ran, err = c.withoutOthers(ctx, w, commit, over, ran); err != nil {
		return trial.Result{}, err
	}
	if !c.shown {
		c.missSubmodule(ctx, w, &ran.ending)
		c.first(ran)
		res, err := c.agree(ctx, w, over, c.judge(ran.ending))
		if err != nil {
			return trial.Result{}, err
		}
		if err := c.focus(ctx, w, over); err != nil {
			return trial.Result{}, err
		}
		c.keep(commit, c.tip)
		return res, nil
	}
	c.keep(commit, ran)
	return c.judge(ran.ending), nil
}

// runTest runs a test command in the prepared work tree. Of the run that shows the failure, it also learns which
// files it opens and which lines its tests execute.
func (c *command) runTest(
	ctx context.Context, w *trial.Workspace, commit gitext.OID, over []gitext.Overlay, test string,
) (ran seen, err error) {
	var files []string
	if !c.shown || c.unbuilt {
		files, _ = w.Paths(ctx, commit, over) // without them, less is known of the run
	}
	commands := c.commandsOf(test, commit)
	done := false
	if r := c.recorder(w, files); r != nil {
		if ran, done, err = recorded(ctx, w, files, commands, r); err == nil && !done {
			err = w.Prepare(ctx, commit, over)
		}
	}
	if err == nil && !done {
		ran, err = watched(ctx, w, files, commands)
	}
	ran.ending.UnitTest = func(p testlog.Place) bool { return trial.InUnitTests(over, c.q.Units, p.File, p.Line) }
	return ran, err
}

// watched runs commands and notes which of the files they open.
func watched(ctx context.Context, w *trial.Workspace, files []string, commands testrun.Commands) (seen, error) {
	stop := func() (map[string]bool, bool) { return nil, false }
	if files != nil {
		stop = w.WatchOpened(files)
	}
	ending, err := testrun.Run(ctx, w, commands)
	opened, complete := stop()
	if !complete {
		opened = nil
	}
	return seen{ending: ending, opened: opened}, err
}

// unprepared keeps whether a commit was not checked out because the clone lacks its objects.
func (c *command) unprepared(err error) {
	if !errors.As(err, new(*gitext.MissingObjectError)) {
		return
	}
	c.judging.Lock()
	defer c.judging.Unlock()
	c.lacking = true
}

// first keeps what a run at the tip shows. A flaky command may have to run there several times.
func (c *command) first(ran seen) {
	c.tip, c.shown = ran, (ran.ending.State == fix.Passing) == c.q.Fixed
	if ran.ending.FailsToBuild() && c.q.Build == "" && !c.q.Fixed {
		c.builds, c.unbuilt = true, true
		c.notes = append(c.notes, "at the tip the code does not build: this is the failure whose beginning is looked for")
	}
}

// judge returns the result of a run. A failure counts only if it is the one that is looked for.
func (c *command) judge(e testrun.Ending) trial.Result {
	res := trial.Result{Outcome: e.Outcome(), How: e.How, Exit: e.Exit, TimedOut: e.TimedOut, Full: e.Full, Took: e.Took, Output: e.Output}
	if c.builds {
		res.Outcome = builtOutcome(e)
	}
	if res.Outcome != trial.Fails && !e.FailsToBuild() {
		return res
	}
	c.judging.Lock()
	defer c.judging.Unlock()
	switch {
	case c.failure == nil && res.Outcome == trial.Fails:
		c.failure = testrun.FailureOf(e, nil)
		return res
	case c.failure == nil, c.q.Fixed: // with Fixed, every failure is one that a later commit repaired
		return res
	}
	switch r := c.failure.Like(e); {
	case r.Likeness == testrun.Early, r.Likeness == testrun.Passed:
		res.Outcome, res.How = trial.Passes, r.How
	case r.Likeness == testrun.Other && res.Outcome == trial.Fails:
		res.Other = true
		res.Outcome, res.How = trial.Unknown, cmp.Or(r.How, res.How+", but not as it does at the tip"+e.Said())
	}
	return res
}

// maxLaid bounds a test file whose words are read, in bytes.
const maxLaid = 1 << 20

// prior returns the weights of commits, from the history and the run at the tip.
func (c *command) prior(ctx context.Context, tip gitext.OID, commits []gitext.OID) ([]float64, error) {
	laid := map[string][]byte{}
	for _, o := range c.q.Over {
		text := o.Content
		if o.OID != "" {
			text, _ = c.engine.Repo.Blob(ctx, o.OID, maxLaid) // without it, the words of the test are not known
		}
		if len(text) > 0 {
			laid[o.Path] = text
		}
	}
	return prior.Weights(ctx, c.engine.Repo, tip, commits, prior.Evidence{
		Command: c.q.Test, Output: c.tip.ending.Output, Opened: c.tip.opened, Executed: coverage.Suspicions(c.tip.executed), Laid: laid,
	})
}
