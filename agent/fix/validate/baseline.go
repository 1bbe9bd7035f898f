package validate

import (
	"bytes"
	"context"

	"git-agent/agent/fix/testrun"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

// A baseline describes the effects of the problem's build and test without a patch.
type baseline struct {
	written map[string]gitext.Overlay // files of the tree that the commands change
	made    map[string]bool           // new files that the commands make
	test    testrun.Ending
}

// writes reports whether a file of a patch is output of the problem's commands: a new file that
// they make, or a file of the tree with the content that they write.
func (b *baseline) writes(f gitext.Overlay) bool {
	own, changed := b.written[f.Path]
	return b.made[f.Path] || changed && own.Mode == f.Mode && bytes.Equal(own.Content, f.Content)
}

// makeBaseline runs the build and the test in a clean copy of the problem's tree.
func (v *Validator) makeBaseline(ctx context.Context) (baseline, error) {
	b := baseline{written: map[string]gitext.Overlay{}, made: map[string]bool{}}
	err := v.unpatched(ctx, nil, func(r *run) error {
		var err error
		if b.test, err = r.tests(ctx, v.problem.Test, 0, false); err != nil {
			return err
		}
		changes, err := r.w.Changes(ctx)
		if err != nil {
			return ctx.Err() // the test left something unreadable, such as a pipe named .gitignore
		}
		for _, f := range changes.Tracked {
			b.written[f.Path] = f
		}
		for _, path := range changes.Untracked {
			b.made[path] = true
		}
		return nil
	})
	return b, err
}

// A wide baseline has the results of the wider tests and the linter without a patch.
type wide struct {
	suite testrun.Ending // the zero Ending if there is no suite
	lint  trial.Result   // the zero Result if there is no linter
}

// makeWide runs the suite and the linter in a clean copy of the problem's tree.
func (v *Validator) makeWide(ctx context.Context) (wide, error) {
	var b wide
	err := v.unpatched(ctx, nil, func(r *run) (err error) {
		if v.hasSuite() {
			if b.suite, err = r.tests(ctx, v.problem.Suite, 0, false); err != nil {
				return err
			}
		}
		if v.problem.Lint != "" {
			b.lint, err = r.command(ctx, v.problem.Lint)
		}
		return err
	})
	return b, err
}

// hasSuite reports whether the wider tests differ from the failing command.
func (v *Validator) hasSuite() bool {
	return v.problem.Suite != "" && v.problem.Suite != v.problem.Test
}

// unpatched calls f with a built workspace of the problem's tree with files laid over it. f
// must not call unpatched.
func (v *Validator) unpatched(ctx context.Context, files []gitext.Overlay, f func(*run) error) error {
	w, err := v.take(ctx, v.spare)
	if err != nil {
		return err
	}
	defer func() { v.spare <- w }()
	r := &run{Validator: v, w: w}
	if err := r.anew(ctx, files); err != nil {
		return err
	}
	return f(r)
}
