// Package validate proves patches and orders those that are proved.
//
// A [Validator] lays a patch over a clean copy of the tree in which a bug is repaired
// and runs the build, the failing test and the wider suite there. The commands alone
// decide the verdict. What a model, or whatever else made the patch, says about it plays
// no part.
//
// [Group] unites candidates that are the same patch, and [Select] puts the plausible
// ones first, the best of them at the top.
package validate

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"

	"git-agent/agent/fix"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

// maxWorkspaces bounds how many patches are validated at the same time.
const maxWorkspaces = 4

// A Validator validates the patches of one problem. It is safe for concurrent use.
type Validator struct {
	repo     *gitext.Repo
	problem  fix.Problem
	rep      fix.Reproduction
	opt      trial.Options
	free     chan *trial.Workspace // workspaces for patches that nobody uses; nil stands for one not yet opened
	spare    chan *trial.Workspace // the same for runs without a patch: the caller may hold one of free
	tree     lazy[tree]
	baseline lazy[baseline]
	wide     lazy[wide]
	canary   lazy[*canary]
	told     lazy[string] // the commands and the text of the build files
}

// New returns a validator for a problem. rep says how the failing command ends without
// a patch. The caller must close the validator. New returns an error if the requested
// sandbox does not work on this machine.
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

// Close removes the workspaces. It waits for calls of Validate that are under way.
func (v *Validator) Close() {
	for _, pool := range []chan *trial.Workspace{v.free, v.spare} {
		for range cap(pool) {
			if w := <-pool; w != nil {
				w.Close()
			}
		}
	}
}

// take returns a workspace of a pool that nobody else uses. The caller puts it back.
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

// Validate tries one patch in a clean copy of the problem's tree: no other file is there
// but those of the tree and of the patch, and only caches outside of it are kept from
// earlier commands. The trial's patch is the one that was tried. It lacks files that the
// patch does not change, and those that the problem's own commands write, such as go.sum
// and build output. Its Diff is what git says about the rest.
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

// reduce returns the part of a patch that is worth keeping: without files that do not
// change, and without those that the problem's commands write.
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

// unchanged reports whether a file of a patch is what the tree holds already.
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

// content returns the content of a file, which may be given by its id.
func (v *Validator) content(ctx context.Context, f gitext.Overlay) ([]byte, error) {
	if f.OID == "" {
		return f.Content, nil
	}
	return v.repo.Blob(ctx, f.OID, maxFile)
}

// maxFile bounds the size of a file that is compared.
const maxFile = 64 << 20
