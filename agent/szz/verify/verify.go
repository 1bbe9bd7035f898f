// Package verify confirms or refutes suspects by running a command at each and
// at its parents, in a sandbox, and bisects where it confirms none.
package verify

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/sandbox"
	"git-agent/agent/szz"
	"git-agent/gitext"
)

// Options say how suspects are put to the test.
type Options struct {
	// Command is run by sh in a work tree of each commit. It exits with 0
	// where the bug is not, with 125 where that cannot be told, and with
	// another code where it is, as for git bisect run.
	Command string
	// Bisect goes on to a bisection when no suspect is confirmed.
	Bisect bool

	Timeout     time.Duration // of one run; 0 is ten minutes
	Memory      int64         // bytes that each process of it may have; 0 is no bound
	MaxSuspects int           // most suspects tried; 0 is five
	MaxRuns     int           // most runs in all; 0 is a hundred

	Sandbox  sandbox.Level // "" is auto
	Network  bool          // leave the network on in the sandbox
	Readable []string      // what the command may read there beside the system and toolchains
	Writable []string      // what it may write there beside its scratch work tree
	Env      []string      // names of more variables for the command
	Scratch  string        // where scratch work trees go; "" is below TMPDIR

	OnEvent func(agent.Event) // may be nil
}

const (
	defaultVerifyTimeout  = 10 * time.Minute
	defaultVerifySuspects = 5
	defaultVerifyRuns     = 100
)

// The values of Confirmation.Status.
const (
	Confirmed = "confirmed"
	Refuted   = "refuted"
	Unclear   = "unclear"
)

// Suspects puts the suspects of a verdict to the test, best first, until one is
// confirmed: the command, with the fix's test files laid over, fails at the
// suspect and passes at its parent. It marks each suspect that it tried, moves
// confirmed ones to the front and refuted ones to the end, and says in the
// verdict's notes what was run and what could not be told. Probabilities stay
// as they are: they say what history says.
//
// The command decides nothing unless it passes at the fix and fails at the
// fix's parent, which is tried first. When ctx ends, what was found until then
// stays in the verdict.
//
// Nothing is written to the repository: commits are checked out to a scratch
// directory which is gone when Verify returns.
func Suspects(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext, v *szz.Verdict, opt Options) error {
	if opt.Command == "" {
		return errors.New("no command to verify with")
	}
	if fc.Parent == "" {
		v.Note("not verified: a root commit has no parent to compare with")
		return nil
	}
	if len(v.Suspects) == 0 && !opt.Bisect {
		v.Note("not verified: there is no suspect")
		return nil
	}
	t, err := newTrials(ctx, repo, fc, opt)
	if err != nil {
		return err
	}
	defer t.close()
	v.Sandbox = string(t.standing.Level)
	err = t.verify(ctx, v)
	t.settle(v)
	t.noteAbsent(ctx, v)
	if errors.Is(err, errMaxRuns) {
		v.Note("verification stopped after %d runs, the most that were allowed", t.runs)
		return nil
	}
	return err
}

func (t *trials) verify(ctx context.Context, v *szz.Verdict) error {
	tells, err := t.baseline(ctx, v)
	if err != nil || !tells {
		return err
	}
	if err := t.trySuspects(ctx, v); err != nil {
		return err
	}
	if !t.opt.Bisect || slices.ContainsFunc(v.Suspects, isConfirmed) {
		return nil
	}
	return t.bisect(ctx, v)
}

func isConfirmed(s szz.Suspect) bool {
	return s.Confirmation != nil && s.Confirmation.Status == Confirmed
}

// baseline finds out whether the command can tell: it has to pass at the fix
// and, with the fix's tests, to fail at its parent.
func (t *trials) baseline(ctx context.Context, v *szz.Verdict) (bool, error) {
	good, err := t.runFix(ctx)
	if err != nil {
		return false, err
	}
	if good.outcome != passes {
		v.Note("the command cannot tell: at the fix itself it %s%s", good.how, t.sandboxed())
		return false, nil
	}
	bad, err := t.run(ctx, t.fc.Parent)
	if err != nil {
		return false, err
	}
	switch bad.outcome {
	case passes:
		v.Note("the command cannot tell: it passes at the fix's parent, too%s", t.withoutTests())
	case unknown:
		v.Note("the command cannot tell: at the fix's parent it %s", bad.how)
	}
	return bad.outcome == fails, nil
}

func (t *trials) trySuspects(ctx context.Context, v *szz.Verdict) error {
	limit := min(len(v.Suspects), cmp.Or(t.opt.MaxSuspects, defaultVerifySuspects))
	for i := range v.Suspects[:limit] {
		s := &v.Suspects[i]
		t.progress("verify suspect %d of %d, %s", i+1, limit, s.Commit.OID.Short())
		c, err := t.judge(ctx, s.Commit)
		if err != nil {
			return err
		}
		s.Confirmation = &c
		if c.Status == Confirmed {
			return nil
		}
	}
	return nil
}

// judge runs the command at a commit and, where it fails, at its parents.
func (t *trials) judge(ctx context.Context, c gitext.Commit) (szz.Confirmation, error) {
	at, err := t.run(ctx, c.OID)
	if err != nil {
		return szz.Confirmation{}, err
	}
	switch {
	case at.outcome == passes:
		return szz.Confirmation{Status: Refuted, Detail: "the command passes at it: what the command shows came later"}, nil
	case at.outcome == unknown:
		return szz.Confirmation{Status: Unclear, Detail: "at it the command " + at.how}, nil
	case len(c.Parents) == 0:
		return szz.Confirmation{Status: Confirmed, Detail: "the command fails at it, and it is the first commit"}, nil
	case t.repo.ShallowBoundary()[c.OID]:
		return szz.Confirmation{Status: Unclear, Detail: "the command fails at it, and its parent is not in this shallow clone"}, nil
	}
	for _, p := range c.Parents {
		before, err := t.run(ctx, p)
		if err != nil {
			return szz.Confirmation{}, err
		}
		switch before.outcome {
		case fails:
			return szz.Confirmation{Status: Refuted, Detail: fmt.Sprintf("the command fails at its parent %s, too: the bug is older", p.Short())}, nil
		case unknown:
			return szz.Confirmation{Status: Unclear, Detail: fmt.Sprintf("the command fails at it, but at its parent %s it %s", p.Short(), before.how)}, nil
		}
	}
	if len(c.Parents) > 1 {
		return szz.Confirmation{Status: Confirmed, Detail: fmt.Sprintf("the command fails at it and passes at each of its %d parents", len(c.Parents))}, nil
	}
	return szz.Confirmation{Status: Confirmed, Detail: fmt.Sprintf("the command fails at it and passes at its parent %s", c.Parents[0].Short())}, nil
}

// settle writes the outcome into the verdict: the order, the reasons and the
// notes.
func (t *trials) settle(v *szz.Verdict) {
	for i := range v.Suspects {
		if s := &v.Suspects[i]; isConfirmed(*s) {
			s.Reason = strings.TrimPrefix(s.Reason+"; confirmed by running the command", "; ")
		}
	}
	slices.SortStableFunc(v.Suspects, func(a, b szz.Suspect) int { return cmp.Compare(standing(a), standing(b)) })
	v.Note("%s", t.summary())
}

// noteAbsent says what a scratch work tree lacks of a clone's.
func (t *trials) noteAbsent(ctx context.Context, v *szz.Verdict) {
	const most = 1 << 20
	if _, err := t.repo.BlobAt(ctx, t.fc.Parent, ".gitmodules", most); err == nil {
		v.Note("submodules were empty directories where the command ran")
	}
	attributes, err := t.repo.BlobAt(ctx, t.fc.Parent, ".gitattributes", most)
	if err == nil && bytes.Contains(attributes, []byte("filter=lfs")) {
		v.Note("files kept in Git LFS were their pointers where the command ran")
	}
}

func standing(s szz.Suspect) int {
	switch {
	case isConfirmed(s):
		return 0
	case s.Confirmation != nil && s.Confirmation.Status == Refuted:
		return 2
	}
	return 1
}
