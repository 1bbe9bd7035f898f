package execute

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"git-agent/agent/fix"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

// These are the kinds of proofs.
const (
	kindRegression  = "regression"
	kindNeverWorked = "never worked"
)

// regression returns the case of a commit at which the tests begin to fail. They must fail twice
// at the commit and pass twice at its parent.
func (t *trialOfFix) regression(ctx context.Context, culprit gitext.OID) (*executedCase, error) {
	c, err := t.repo.Commit(ctx, culprit)
	if err != nil {
		return nil, err
	}
	if len(c.Parents) != 1 {
		return nil, none("the first failing commit has %d parents", len(c.Parents))
	}
	if err := t.again(ctx, c.OID, trial.Fails); err != nil {
		return nil, err
	}
	if err := t.again(ctx, c.Parents[0], trial.Passes); err != nil {
		return nil, err
	}
	if err := t.confirm(ctx); err != nil {
		return nil, err
	}
	if err := t.changesSource(ctx, c); err != nil {
		return nil, err
	}
	return t.caseOf(c, proof{Kind: kindRegression, LastGood: c.Parents[0]}), nil
}

// oldest looks for the oldest commit at which the tests can be run. If they pass at a commit on
// the way, this commit becomes a good one of the bisection.
func (t *trialOfFix) oldest(ctx context.Context, b *bisection) error {
	older, err := t.notAfter(ctx, b.Skips, b.Bad)
	if err != nil || len(older) == 0 {
		return err
	}
	const mostProbes = 3 // of a search for regressions
	passed, probes := errors.New("it passes"), 0
	search := &bisection{Repo: t.repo, Bad: b.Bad, Goods: older}
	search.Run = func(ctx context.Context, commit gitext.OID) (trial.Result, error) {
		if probes++; t.bounds.regressions && probes > mostProbes {
			return trial.Result{}, none("it seems to have been there always")
		}
		res, err := t.judged(ctx, commit)
		switch {
		case err != nil:
		case res.Outcome == trial.Passes:
			b.Goods = append(b.Goods, commit)
			err = passed
		case res.Outcome == trial.Unknown:
			res.Outcome = trial.Passes
		}
		return res, err
	}
	left, err := search.halve(ctx)
	if err == nil && left > 1 {
		err = none("%d commits cannot be told apart", left)
	}
	if b.Bad = search.Bad; errors.Is(err, passed) {
		err = nil
	}
	return err
}

// notAfter returns the commits without other in their history.
func (t *trialOfFix) notAfter(ctx context.Context, commits []gitext.OID, other gitext.OID) ([]gitext.OID, error) {
	var left []gitext.OID
	for _, c := range commits {
		after, err := t.repo.IsAncestor(ctx, other, c)
		if err != nil {
			return nil, err
		}
		if !after {
			left = append(left, c)
		}
	}
	return left, nil
}

// neverWorked returns the case of a bug that is as old as the code: the tests fail at the oldest
// commit at which they can be run. That no older commit can run the tests proves nothing by
// itself, because there are many possible reasons. It counts if there is no older commit, if the
// code did not exist, or if only the tests cannot be run; if the lines changed by the fix are
// neither older than the commit nor all newer; and if the commit imports no code.
func (t *trialOfFix) neverWorked(ctx context.Context, first gitext.OID) (*executedCase, error) {
	c, err := t.repo.Commit(ctx, first)
	if err != nil {
		return nil, err
	}
	brought, err := t.changedLinesAt(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := t.importsCode(ctx, c); err != nil {
		return nil, err
	}
	if err := t.again(ctx, c.OID, trial.Fails); err != nil {
		return nil, err
	}
	why, err := t.nothingBefore(ctx, c, brought)
	if err != nil {
		return nil, err
	}
	if err := t.confirm(ctx); err != nil {
		return nil, err
	}
	return t.caseOf(c, proof{Kind: kindNeverWorked, Before: why}), nil
}

// nothingBefore returns the reason why the tests could not be run before a commit. The error is
// a *noCase if the reason is uncertain.
func (t *trialOfFix) nothingBefore(ctx context.Context, c gitext.Commit, brought bool) (string, error) {
	switch len(c.Parents) {
	case 0:
		return "it is the first commit", nil
	case 1:
	default:
		return "", none("the first commit that can be tested has %d parents", len(c.Parents))
	}
	there, moved, err := t.sourcesBefore(ctx, c)
	switch {
	case err != nil:
		return "", err
	case moved:
		return "", none("the fixed files were moved where the tests can first be run")
	case !there:
		return "the fixed files were not there", nil
	case t.suite.control == "":
		return t.lacksSymbol(ctx, c, brought)
	}
	why, err := t.buildsWithout(ctx, c)
	if err == nil && !brought {
		err = none("the first commit that can be tested brings none of the lines that the fix changes")
	}
	return why, err
}

// lacksSymbol handles tests that call a symbol missing at the parent and added by the commit.
// This is only a changed interface, unless the commit also added lines changed by the fix.
func (t *trialOfFix) lacksSymbol(ctx context.Context, c gitext.Commit, brought bool) (string, error) {
	if !brought {
		return "", none("nothing tells why the tests cannot be run before %s", c.OID.Short())
	}
	e, err := t.at(ctx, c.Parents[0])
	if err != nil {
		return "", err
	}
	if !missingSymbol().Match(e.Output) {
		return "", none("nothing tells why the tests cannot be run before %s", c.OID.Short())
	}
	return "the tests lack a symbol there", nil
}

// sourcesBefore reports whether one of the fixed files is in the parent of a commit, and
// whether the commit moved one of them.
func (t *trialOfFix) sourcesBefore(ctx context.Context, c gitext.Commit) (there, moved bool, err error) {
	changes, err := t.repo.Changes(ctx, c.Parents[0], c.OID, gitext.PatchOptions{Renames: true, Copies: true})
	if err != nil {
		return false, false, err
	}
	for _, f := range changes {
		if (f.Status == 'R' || f.Status == 'C') && slices.Contains(t.sources, f.NewPath) {
			return false, true, nil
		}
	}
	entries, err := t.repo.Tree(ctx, c.Parents[0], t.sources...)
	if err != nil {
		return false, false, err
	}
	there = len(entries) > 0
	if !there && !slices.ContainsFunc(changes, func(f gitext.FileChange) bool { return f.Status == 'A' && slices.Contains(t.sources, f.NewPath) }) {
		return false, false, none("the tests can first be run at a commit that does not bring the fixed files")
	}
	return there, false, nil
}

// buildsWithout returns the reason that the parent's code builds, so that only the tests do not.
func (t *trialOfFix) buildsWithout(ctx context.Context, c gitext.Commit) (string, error) {
	changes, err := t.repo.Changes(ctx, c.Parents[0], c.OID, gitext.PatchOptions{})
	if err != nil {
		return "", err
	}
	if !slices.ContainsFunc(changes, func(f gitext.FileChange) bool { return slices.Contains(t.sources, f.NewPath) }) {
		return "", none("the tests can first be run at a commit that does not touch the fixed files")
	}
	t.runs++
	over, err := t.suite.manifests(ctx, c.Parents[0])
	if err != nil {
		return "", err
	}
	if err := t.space.Prepare(ctx, c.Parents[0], over); err != nil {
		return "", err
	}
	res, err := t.space.Exec(ctx, t.suite.control, trial.ExecOptions{})
	if err != nil {
		return "", err
	}
	if res.Outcome != trial.Passes {
		return "", none("before %s nothing can be built", c.OID.Short())
	}
	e, err := t.at(ctx, c.Parents[0])
	if err != nil {
		return "", err
	}
	return lacking(e)
}

// lacking returns the reason that the tests do not build. The error is a *noCase if they do.
func lacking(e testrun.Ending) (string, error) {
	if e.State != fix.Broken || !e.Report.Build {
		return "", none("before that it %s", e.How)
	}
	return "the code builds there, and the tests do not", nil
}

// caseOf returns the case of a culprit.
func (t *trialOfFix) caseOf(culprit gitext.Commit, p proof) *executedCase {
	p.Build, p.Command, p.Tests, p.Files, p.Alone = t.suite.build, t.suite.command, t.tests, t.candidateFix.tests, t.suite.alone
	p.FirstBad, p.Runs, p.Skipped = culprit.OID, t.runs, t.skipped
	age := t.commit.Committer.Time.Sub(culprit.Committer.Time).Hours() / 24
	return &executedCase{
		ID: fmt.Sprintf("%s@%s:executed", t.name, t.commit.OID.Short()), Repo: t.name, Fix: t.commit.OID, BICs: []gitext.OID{culprit.OID},
		LabelSource: "executed:" + p.Kind, Langs: []string{t.suite.language}, AgeDays: float64(int(age*100)) / 100, Proof: p,
	}
}
