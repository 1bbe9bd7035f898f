// Package verify confirms or refutes the suspects of an answer by execution. It runs the
// user's command at each suspect and at its parents, with the test files of the fix laid
// over, and can continue with a bisection if no suspect is confirmed. odds.go changes the
// probabilities and the order of the suspects by the outcomes.
package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"git-agent/agent"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/fix/testrun/testlog"
	"git-agent/agent/suspect"
	"git-agent/agent/szz"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

// Options name the command and the number of suspects.
type Options struct {
	trial.Options
	Bisect      bool             // bisect when no suspect is confirmed
	Over        []gitext.Overlay // files laid over each commit, the fix among them, in place of the fix's test files of the same paths
	MaxSuspects int              // most suspects tried; 0 is five
	All         bool             // try every suspect, even after one is confirmed; for measurements
	// Find finds commands that may show the bug of a fix, the likeliest first, if Command is "".
	// The first one that passes at the fix and fails before it is used. An error says why there
	// is none.
	Find func(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext) ([]Found, error)
	// Focus restricts a command to tests with these names; ok is false if it cannot. It may be nil.
	Focus func(command string, tests []string) (focused string, ok bool)
	// Cure says how to get what a command lacks at a commit, "" if it cannot. It may be nil.
	Cure func(ctx context.Context, repo *gitext.Repo, at gitext.OID, command string, e testrun.Ending) (string, error)
}

// Found is a command that may show the bug of a fix.
type Found struct {
	Command   string
	Compiling string // see trial.Options
	Builds    bool   // exit 125 says that the code does not build
	Whole     bool   // it runs all tests, and is not tried if an earlier command runs a test at the fix
}

const defaultMaxSuspects = 5

// A Check runs the command for one fix: for a model that asks for it, and at the suspects of an
// answer. It is safe for concurrent use.
type Check struct {
	repo     *gitext.Repo
	fc       *szz.FixContext
	opt      Options
	commands []Found // those that may show the bug; nil if none is known
	notes    []string
	over     overlays

	mu           sync.Mutex // guards what follows
	space        *trial.Workspace
	chosen       bool             // the commands were tried
	atFix        testrun.Ending   // of the last run at the fix
	usable       bool             // the last one tried shows the bug
	hinted       bool             // sandboxHint was said
	command      string           // the one that is run
	builds       bool             // see Found
	passing      []byte           // its output at the fix
	failingAtFix []string         // the tests that fail at the fix, too
	failure      *testrun.Failure // its failure at the fix's parent; nil before that run
	known        map[gitext.OID]trial.Result
	absent       map[gitext.OID]string // names that the tests use and that do not exist at these commits
	emptied      int                   // number of commits where tests were left out
	order        []gitext.OID          // keys of known, in the order of the runs
}

// Suspects opens a check, verifies an answer with it and closes it.
func Suspects(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext, v *szz.Answer, opt Options) error {
	c, err := Open(ctx, repo, fc, opt)
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Suspects(ctx, v)
}

// Open prepares the check of a fix. It runs nothing. A fix that cannot be checked, or whose
// command is not found, gives a check without commands, which only says why.
//
// Nothing is written to the repository: commits are checked out to a scratch directory,
// which Close removes.
func Open(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext, opt Options) (*Check, error) {
	c := &Check{repo: repo, fc: fc, opt: opt, known: map[gitext.OID]trial.Result{}, absent: map[gitext.OID]string{}}
	if fc.Parent == "" {
		c.note("not verified: a root commit has no parent to compare with")
		return c, nil
	}
	c.commands = []Found{{Command: opt.Command, Compiling: opt.Compiling}}
	if opt.Command == "" && opt.Find != nil {
		var err error
		c.commands, err = opt.Find(ctx, repo, fc)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			c.commands = nil
			c.note("not verified: %v", err)
			return c, nil
		}
	}
	if len(c.commands) == 0 || c.commands[0].Command == "" {
		return nil, errors.New("no command to verify with")
	}
	return c, c.open(ctx)
}

// open makes the work tree and reads the test files of the fix.
func (c *Check) open(ctx context.Context) (err error) {
	if err = c.opt.FindInstalled(ctx, c.repo, cmp.Or(c.fc.Fix, c.fc.Parent)); err != nil {
		return err
	}
	if c.space, err = trial.Open(ctx, c.repo, c.opt.Options); err != nil {
		return err
	}
	if c.opt.Fetch != nil && c.fc.Fix != "" { // its patch is read with all files
		c.opt.Fetch(ctx, c.fc.Parent)
		c.opt.Fetch(ctx, c.fc.Fix)
	}
	if c.over, err = overlaysOf(ctx, c.repo, c.fc); err != nil {
		c.Close()
	}
	c.over.named = c.opt.Over
	return err
}

// Close removes the scratch work tree.
func (c *Check) Close() {
	if c.space != nil {
		c.space.Close()
		c.space = nil
	}
}

// note keeps a note for the answer.
func (c *Check) note(format string, args ...any) {
	c.notes = append(c.notes, fmt.Sprintf(format, args...))
}

// Ready reports whether a command shows the bug. The first call runs the commands, at the fix
// and at its parent, until one does.
func (c *Check) Ready(ctx context.Context) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ready(ctx)
}

func (c *Check) ready(ctx context.Context) (bool, error) {
	if c.chosen || c.space == nil {
		return c.usable, nil
	}
	var err error
	if c.usable, err = c.chooseCommand(ctx); err == nil {
		c.chosen = true
	}
	return c.usable, err
}

// Confirm runs the command at a commit and, if it fails there, at the commit's parents. The error
// wraps [trial.ErrMaxRuns] if no more runs are allowed.
func (c *Check) Confirm(ctx context.Context, commit gitext.Commit) (suspect.Confirmation, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.confirm(ctx, commit)
}

// Suspects tries the suspects of an answer, best first, until one is confirmed: with the
// fix's test files laid over, the command fails at the suspect and passes at its parent.
// It marks each tried suspect, updates the probabilities with the results, orders the
// suspects by them, and describes the runs and the unclear results in the answer's notes.
// Suspect.Prior keeps the earlier probability.
//
// The command runs at the fix and at the fix's parent first. No suspect is tried unless
// it passes at the fix and fails at the parent. When ctx ends, the results until then
// stay in the answer.
func (c *Check) Suspects(ctx context.Context, v *szz.Answer) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	nobody := len(v.Suspects) == 0 && !c.opt.Bisect
	if nobody && c.space != nil {
		c.note("not verified: there is no suspect")
	}
	if nobody || c.space == nil {
		v.Notes = append(v.Notes, c.notes...)
		return nil
	}
	v.Sandbox = string(c.space.Level())
	err := c.verify(ctx, v)
	explainConfirmed(v)
	sortSuspects(v)
	v.Note("%s", c.summary())
	v.Notes = append(v.Notes, trial.Absent(ctx, c.repo, c.fc.Parent)...)
	if errors.Is(err, trial.ErrMaxRuns) {
		v.Note("verification stopped after %d runs, the most that were allowed", c.space.Runs())
		return nil
	}
	return err
}

func (c *Check) verify(ctx context.Context, v *szz.Answer) error {
	usable, err := c.ready(ctx)
	v.Notes = append(v.Notes, c.notes...)
	if err != nil || !usable {
		return err
	}
	if err := c.trySuspects(ctx, v); err != nil {
		return err
	}
	if !c.opt.Bisect || slices.ContainsFunc(v.Suspects, isConfirmed) {
		return nil
	}
	return c.bisect(ctx, v)
}

// chooseCommand reports whether one of the commands shows the bug. It uses the first that does,
// and notes what is wrong with each if none does.
func (c *Check) chooseCommand(ctx context.Context) (bool, error) {
	var wrong refusals
	tested := false // a command ran tests at the fix
	for _, command := range c.commands {
		if command.Whole && tested {
			continue
		}
		c.begin(command)
		why, err := c.baseline(ctx)
		if err != nil {
			return false, err
		}
		if narrowed, ok, err := c.narrow(ctx, command); err != nil {
			return false, err
		} else if ok {
			c.begin(narrowed)
			if why, err = c.baseline(ctx); err != nil {
				return false, err
			}
			command = narrowed
		}
		if why == "" {
			c.focus(command)
			return true, nil
		}
		tested = tested || c.atFix.Outcome() != trial.Unknown
		name := agent.Shorten(command.Command, maxCommand)
		if c.opt.Command != "" {
			name = "the command"
		}
		wrong.add(name+" cannot tell: "+why, c.atFix)
		if wrong.cure == "" && c.opt.Cure != nil {
			if wrong.cure, err = c.opt.Cure(ctx, c.repo, c.fixed(), c.command, c.atFix); err != nil {
				return false, err
			}
		}
	}
	for _, text := range wrong.notes() {
		c.note("%s", text)
	}
	return false, nil
}

// maxCommand bounds the characters of a command that cannot tell: it may name a hundred tests.
const maxCommand = 240

// fixed returns the commit that has the fix or, if the fix is no commit, its parent.
func (c *Check) fixed() gitext.OID { return cmp.Or(c.fc.Fix, c.fc.Parent) }

// begin lets the next runs run a command of which nothing is known.
func (c *Check) begin(command Found) {
	c.use(command)
	c.failure, c.known, c.order = nil, map[gitext.OID]trial.Result{}, nil
	c.absent, c.failingAtFix, c.emptied = map[gitext.OID]string{}, nil, 0
}

// narrow restricts a command some of whose tests fail at the fix, such as for a newer interpreter, to those
// that fail only at its parent. ok is false if there are none, and for a command of the user.
func (c *Check) narrow(ctx context.Context, command Found) (narrowed Found, ok bool, err error) {
	if len(c.failingAtFix) == 0 || c.opt.Focus == nil || c.opt.Command != "" {
		return command, false, nil
	}
	if _, err := c.run(ctx, c.fc.Parent); err != nil || c.failure == nil {
		return command, false, err
	}
	tests := slices.DeleteFunc(slices.Clone(c.failure.Failing), func(test string) bool { return slices.Contains(c.failingAtFix, test) })
	if len(tests) == 0 {
		return command, false, nil
	}
	command.Command, ok = c.opt.Focus(command.Command, tests)
	return command, ok, nil
}

// focus restricts the command to the tests that show the bug, and notes a command that was found.
func (c *Check) focus(command Found) {
	if c.opt.Command != "" {
		return
	}
	if c.opt.Focus != nil && len(c.failure.Failing) > 0 {
		if focused, ok := c.opt.Focus(command.Command, c.failure.Failing); ok {
			command.Command = focused
			c.use(command)
		}
	}
	c.note("the command is %s", command.Command)
}

// use lets the next runs run a command.
func (c *Check) use(command Found) {
	c.command, c.builds = command.Command, command.Builds
	c.space.SetCommand(command.Command, command.Compiling)
}

func isConfirmed(s szz.Suspect) bool {
	return s.Confirmation != nil && s.Confirmation.Status == suspect.Confirmed
}

// baseline returns "" if the command shows the bug: it has to pass at the fix and, with the fix's
// tests, to fail at the fix's parent. Otherwise it says what it does.
func (c *Check) baseline(ctx context.Context) (why string, err error) {
	good, err := c.runFix(ctx)
	if err != nil {
		return "", err
	}
	if good.Outcome != trial.Passes {
		return fmt.Sprintf("at the fix itself it %s%s%s", good.How, failingTests(c.failingAtFix), c.hintOnce(good)), nil
	}
	bad, err := c.run(ctx, c.fc.Parent)
	if err != nil {
		return "", err
	}
	switch bad.Outcome {
	case trial.Passes:
		return "it passes at the fix's parent, too" + c.overlayHint(), nil
	case trial.Unknown:
		return "at the fix's parent it " + bad.How, nil
	}
	return "", nil
}

// runFix runs the command at the fix without changes.
func (c *Check) runFix(ctx context.Context) (trial.Result, error) {
	res, ending, err := c.runOver(ctx, c.fixed(), overlaid(c.over.fix, c.over.named))
	c.atFix = ending
	if err == nil && res.Outcome == trial.Passes {
		c.passing = ending.Output
	}
	if err == nil && res.Outcome == trial.Fails {
		c.failingAtFix = ending.Report.Failing
	}
	return res, err
}

// runOver runs the command at a commit with files laid over, and reads its output.
func (c *Check) runOver(ctx context.Context, commit gitext.OID, over []gitext.Overlay) (trial.Result, testrun.Ending, error) {
	start := time.Now()
	res, err := c.space.Run(ctx, commit, over)
	if err != nil {
		return trial.Result{}, testrun.Ending{}, err
	}
	e := testrun.Judge(res, c.space.Dir(), c.command, start)
	if c.builds && res.Exit == trial.ExitSkip {
		e = testrun.JudgeBuild(res, c.space.Dir())
	}
	res.Outcome, res.How = e.Outcome(), e.How
	return res, e, nil
}

// run runs the command at a commit with the fix's tests laid over, once for each commit.
// The first failure is the one at the fix's parent, which is the failure of the bug. A
// later run that fails in another way tells nothing about the bug.
func (c *Check) run(ctx context.Context, commit gitext.OID) (trial.Result, error) {
	if res, ok := c.known[commit]; ok {
		return res, nil
	}
	over, whole, err := c.over.lay(ctx, c.repo, commit)
	if err != nil {
		return trial.Result{}, err
	}
	res, ending, err := c.runOver(ctx, commit, over)
	ending.UnitTest = func(p testlog.Place) bool { return trial.InUnitTests(over, c.over.units, p.File, p.Line) }
	switch {
	case err != nil:
		return trial.Result{}, err
	case res.Outcome != trial.Fails && !ending.FailsToBuild(), c.failure == nil && res.Outcome != trial.Fails:
	case c.failure == nil:
		c.failure = testrun.FailureOf(ending, c.passing)
	default:
		if res, ending, err = c.withoutOthers(ctx, commit, over, res, ending); err != nil {
			return trial.Result{}, err
		}
		res = c.compared(res, ending, commit, whole)
	}
	res.Output = nil // otherwise a hundred outputs would stay in memory
	c.known[commit] = res
	c.order = append(c.order, commit)
	return res, nil
}

// compared returns the result of a failing run by the failure at the fix's parent. whole is that of overlays.lay.
func (c *Check) compared(res trial.Result, ending testrun.Ending, commit gitext.OID, whole bool) trial.Result {
	switch r := c.failure.Like(ending); {
	case r.Likeness == testrun.Same && whole && !c.failure.RecursInLines(ending):
		res.Outcome, res.How = trial.Unknown, res.How+", but maybe for other cases of the test data"
	case r.Likeness == testrun.Passed:
		res.Outcome, res.How = trial.Passes, r.How
	case r.Likeness == testrun.Early:
		c.absent[commit] = r.Lack
		res.Outcome, res.How = trial.Unknown, r.How
	case r.Likeness == testrun.Other && res.Outcome == trial.Fails:
		res.Outcome, res.How = trial.Unknown, cmp.Or(r.How, res.How+", but not in the way in which it fails at the fix's parent"+ending.Said())
	}
	return res
}

func (c *Check) trySuspects(ctx context.Context, v *szz.Answer) error {
	limit := min(len(v.Suspects), cmp.Or(c.opt.MaxSuspects, defaultMaxSuspects))
	for i := range v.Suspects[:limit] {
		commit := v.Suspects[i].Commit
		c.opt.Progress("verify suspect %d of %d, %s", i+1, limit, commit.OID.Short())
		result, err := c.confirm(ctx, commit)
		if err != nil {
			return err
		}
		judge(v, i, result)
		if result.Status == suspect.Confirmed && !c.opt.All {
			return nil
		}
	}
	if slices.ContainsFunc(v.Suspects, isConfirmed) {
		return nil
	}
	return c.tryOwner(ctx, v)
}

// tryOwner tries the commit that wrote most of the code that the fix removes, which a reader sees beside the
// suspects. It becomes one of them if the command confirms it.
func (c *Check) tryOwner(ctx context.Context, v *szz.Answer) error {
	if v.Owner == nil {
		return nil
	}
	c.opt.Progress("verify %s, which wrote most of the code that the fix removes", v.Owner.Commit.OID.Short())
	result, err := c.confirm(ctx, v.Owner.Commit)
	switch {
	case err != nil:
		return err
	case result.Status == suspect.Confirmed:
		judge(v, listOwner(v), result)
	default:
		mark(v.Owner, result)
	}
	return nil
}

// listOwner makes the owner the last suspect, and returns its place.
func listOwner(v *szz.Answer) int {
	v.Suspects = append(v.Suspects, *v.Owner)
	v.Owner = nil
	return len(v.Suspects) - 1
}

func (c *Check) confirm(ctx context.Context, commit gitext.Commit) (suspect.Confirmation, error) {
	at, err := c.run(ctx, commit.OID)
	if err != nil {
		return suspect.Confirmation{}, err
	}
	switch {
	case at.Outcome == trial.Passes:
		return found(suspect.Refuted, "the command passes at it: what the command shows came later"), nil
	case at.Outcome == trial.Unknown:
		return found(suspect.Unclear, "at it the command %s", at.How), nil
	case len(commit.Parents) == 0:
		return found(suspect.Confirmed, "the command fails at it, and it is the first commit"), nil
	case c.repo.ShallowBoundary()[commit.OID]:
		return found(suspect.Unclear, "the command fails at it, and its parent is not in this shallow clone"), nil
	}
	brought := ""
	for _, p := range commit.Parents {
		before, err := c.run(ctx, p)
		if err != nil {
			return suspect.Confirmation{}, err
		}
		switch before.Outcome {
		case trial.Fails:
			return found(suspect.Refuted, "the command fails at its parent %s, too: the bug is older", p.Short()), nil
		case trial.Unknown:
			switch name, err := c.brings(ctx, commit.OID, p); {
			case err != nil:
				return suspect.Confirmation{}, err
			case name == "":
				return found(suspect.Unclear, "the command fails at it, but at its parent %s it %s", p.Short(), before.How), nil
			default:
				brought = fmt.Sprintf("the command fails at it; %s, which it adds and the fix changes, does not exist at its parent %s", name, p.Short())
			}
		}
	}
	if brought != "" {
		return found(suspect.Confirmed, "%s", brought), nil
	}
	if len(commit.Parents) > 1 {
		return found(suspect.Confirmed, "the command fails at it and passes at each of its %d parents", len(commit.Parents)), nil
	}
	return found(suspect.Confirmed, "the command fails at it and passes at its parent %s", commit.Parents[0].Short()), nil
}

func found(status, format string, args ...any) suspect.Confirmation {
	return suspect.Confirmation{Status: status, Detail: fmt.Sprintf(format, args...)}
}

// explainConfirmed adds the finding to the reason of a confirmed suspect.
func explainConfirmed(v *szz.Answer) {
	for i := range v.Suspects {
		if s := &v.Suspects[i]; isConfirmed(*s) {
			s.Reason = strings.TrimPrefix(s.Reason+"; confirmed by running the command", "; ")
		}
	}
}
