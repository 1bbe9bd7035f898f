// Package validate tests patches and orders the plausible ones.
//
// It first refuses a patch that changes tests, or files that choose or replace the tests
// (admit.go, steers_tests.go).
//
// A [Validator] lays a patch over a clean copy of the problem's tree and runs the build, the
// failing test and the wider suite there. The commands alone decide the verdict. Statements of
// the patch's author, such as a model, have no influence.
//
// [Group] unites candidates with equal patches, and [Select] orders them, the best plausible
// patch first.
package validate

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"

	"git-agent/agent/fix"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

// maxWorkspaces bounds the number of simultaneous validations.
const maxWorkspaces = 4

// A Validator validates the patches of one problem. It is safe for concurrent use.
type Validator struct {
	repo     *gitext.Repo
	problem  fix.Problem
	rep      fix.Reproduction
	opt      trial.Options
	free     chan *trial.Workspace // unused workspaces for patches; nil stands for one not yet opened
	spare    chan *trial.Workspace // the same for runs without a patch, because the caller may hold a workspace of free
	tree     lazy[tree]
	baseline lazy[baseline]
	wide     lazy[wide]
	canary   lazy[*canary]
	told     lazy[string]    // the commands and the text of the build files
	ran      *testrun.Ending // an earlier run of the wider tests without a patch; nil if there was none
}

// New returns a validator for a problem. rep describes the failing command without a patch. The
// caller must close the validator. New returns an error if the requested sandbox does not work
// on this machine.
func New(ctx context.Context, repo *gitext.Repo, p fix.Problem, rep fix.Reproduction, opt trial.Options) (*Validator, error) {
	v := &Validator{repo: repo, problem: p, rep: rep, opt: opt}
	v.problem.Test = cmp.Or(p.Test, rep.Command)
	if v.problem.Test == "" {
		return nil, fmt.Errorf("no command is known that fails because of the bug")
	}
	n := min(maxWorkspaces, runtime.NumCPU())
	v.free = make(chan *trial.Workspace, n)
	for range n {
		v.free <- nil
	}
	v.spare = make(chan *trial.Workspace, 1)
	v.spare <- nil
	w, err := v.take(ctx, v.free)
	if err != nil {
		return nil, err
	}
	v.free <- w
	return v, nil
}

// KnowSuite gives the validator an earlier run of the wider tests without a patch, before the first call of Validate. Wider tests that
// pass with a patch are compared with it, which saves a run. If they fail with a patch, it does not count, because it may
// not have begun in a clean tree.
func (v *Validator) KnowSuite(e testrun.Ending) {
	if set := naming(v.problem.Suite, false); e.TimedOut || len(set) > 0 && !e.Report.NamesPassing() {
		return
	}
	v.ran = &e
}

// Close removes the workspaces. It waits for running calls of Validate.
func (v *Validator) Close() {
	for _, pool := range []chan *trial.Workspace{v.free, v.spare} {
		for range cap(pool) {
			if w := <-pool; w != nil {
				w.Close()
			}
		}
	}
}

// take removes an unused workspace from a pool and returns it. The caller puts it back.
func (v *Validator) take(ctx context.Context, pool chan *trial.Workspace) (*trial.Workspace, error) {
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case w := <-pool:
		if w != nil {
			return w, nil
		}
		w, err := trial.Open(ctx, v.repo, v.opt)
		if err != nil {
			pool <- nil
			return nil, err
		}
		return w, nil
	}
}

// Validate tries one patch in a clean copy of the problem's tree: the work tree has only the
// files of the tree and of the patch, and only caches outside of the work tree stay from
// earlier commands. The trial's patch is the tried one. It lacks unchanged files and files that
// the problem's own commands write, such as go.sum and build output. Its Diff is git's diff of
// the other files.
//
// The verdict is in the trial; Validate returns an error only if ctx ends or the
// workspace fails.
func (v *Validator) Validate(ctx context.Context, patch fix.Patch) (fix.Trial, error) {
	t, err := v.try(ctx, patch)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return t, err
}

func (v *Validator) try(ctx context.Context, patch fix.Patch) (fix.Trial, error) {
	t := fix.Trial{Patch: patch, Votes: 1}
	tree, err := v.tree.get(ctx, v.readTree)
	if err != nil {
		return t, err
	}
	files, why := v.admit(tree, patch.Files)
	if why != "" {
		t.Verdict, t.Reason = fix.Refused, why
		return t, nil
	}
	base, err := v.baseline.get(ctx, v.makeBaseline)
	if err != nil {
		return t, err
	}
	w, err := v.take(ctx, v.free)
	if err != nil {
		return t, err
	}
	defer func() { v.free <- w }()
	if t.Patch, err = v.reduce(ctx, w, base, files); err != nil {
		return t, err
	}
	if len(t.Patch.Files) == 0 {
		t.Patch, t.Verdict, t.Reason = patch, fix.Refused, "it changes nothing"
		return t, nil
	}
	for _, f := range t.Patch.Files {
		if why, err = v.steers(ctx, tree, f); why != "" || err != nil {
			t.Verdict, t.Reason = fix.Refused, why
			return t, err
		}
	}
	r := &run{Validator: v, w: w, trial: &t}
	if err := r.prepare(ctx, t.Patch.Files); err != nil {
		return t, err
	}
	return t, r.judge(ctx, base)
}

// reduce returns a patch without unchanged files and without files that the problem's commands
// write.
func (v *Validator) reduce(ctx context.Context, w *trial.Workspace, base baseline, files []gitext.Overlay) (fix.Patch, error) {
	var kept []gitext.Overlay
	for _, f := range files {
		if base.writes(f) {
			continue
		}
		same, err := v.unchanged(ctx, f)
		if err != nil {
			return fix.Patch{}, err
		}
		if !same {
			kept = append(kept, f)
		}
	}
	if kept == nil {
		return fix.Patch{}, nil
	}
	diff, err := w.Diff(ctx, v.problem.Tree.Commit, v.problem.Tree.Over, kept)
	return fix.Patch{Files: kept, Diff: diff}, err
}

// unchanged reports whether a file of a patch is the same in the tree.
func (v *Validator) unchanged(ctx context.Context, f gitext.Overlay) (bool, error) {
	tree, err := v.tree.get(ctx, v.readTree)
	if err != nil {
		return false, err
	}
	old := tree[f.Path]
	switch {
	case old.Mode != f.Mode:
		return false, nil
	case old.Mode == 0:
		return true, nil
	}
	a, err := v.content(ctx, old)
	if err != nil {
		return false, err
	}
	b, err := v.content(ctx, f)
	return err == nil && slices.Equal(a, b), err
}

// content returns the content of a file. If only the object id is given, it reads the object.
func (v *Validator) content(ctx context.Context, f gitext.Overlay) ([]byte, error) {
	if f.OID == "" {
		return f.Content, nil
	}
	return v.repo.Blob(ctx, f.OID, maxFile)
}

// maxFile bounds the size of a compared file.
const maxFile = 64 << 20
