package detect

import (
	"context"
	"fmt"

	"git-agent/agent/gittool"
	"git-agent/agent/source"
	"git-agent/agent/szz"
	"git-agent/agent/szz/candidate"
	"git-agent/agent/szz/rank"
	"git-agent/gitext"
)

// A detection is one fix under investigation: what the offline engine knows of
// it, and what a model may see.
type investigation struct {
	repo    *gitext.Repo
	fc      *szz.FixContext
	opt     Options
	k       *rank.Case
	ranking []rank.Ranked
	offline *szz.Verdict // the answer without a model
	names   *commitNames // without commits when the ranking is not shown
	scope   gittool.Scope
	box     *gittool.Toolbox
}

// newInvestigation does the offline engine's work and binds the tools to the
// history that ends at the fix's parent.
func newInvestigation(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext, opt Options) (*investigation, error) {
	d := &investigation{repo: repo, fc: fc, opt: opt}
	var err error
	if d.k, d.ranking, err = rank.Assess(ctx, repo, fc); err != nil {
		return nil, err
	}
	if d.offline, err = d.k.Verdict(d.ranking, opt.Max); err != nil {
		return nil, err
	}
	if d.scope, err = scopeOf(ctx, repo, fc); err != nil {
		return nil, err
	}
	d.names = d.nameCommits()
	d.scope.Names = d.names.commits()
	d.box, err = gittool.New(repo, d.scope, gittool.Options{Plain: opt.NoCompression, Memory: opt.Memory})
	return d, err
}

// scopeOf bounds what the tools show: the history of the fix's parent, up to
// the date of the fix. A parent whose clock ran ahead of the fix's stays in.
func scopeOf(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext) (gittool.Scope, error) {
	s := gittool.Scope{Tip: fc.Parent, Fix: fc.Fix, Until: fc.Date}
	parent, err := repo.Commit(ctx, fc.Parent)
	if err != nil {
		return s, err
	}
	if parent.Committer.Time.After(s.Until) {
		s.Until = parent.Committer.Time
	}
	if fc.Blind {
		spared := szz.HashLikeWords(fc.Patch) // determined by the fix, which is part of every key
		s.Redact = gittool.Redactor{Name: "szz-hints-3", Text: func(m string) string { return szz.RedactHintsBut(m, spared) }}
	}
	return s, nil
}

// redact takes out of a message what the tools take out too.
func (d *investigation) redact(s string) string {
	if d.scope.Redact.Text == nil {
		return s
	}
	return d.scope.Redact.Text(s)
}

// A roster gives the commits of the first prompt short names.
type commitNames struct {
	of    map[gitext.OID]string
	order []gitext.OID
}

func (r *commitNames) add(oid gitext.OID) {
	if r.of[oid] == "" {
		r.order = append(r.order, oid)
		r.of[oid] = fmt.Sprintf("c%d", len(r.order))
	}
}

// commits maps the short names to the commits.
func (r *commitNames) commits() map[string]gitext.OID {
	names := map[string]gitext.OID{}
	for oid, tag := range r.of {
		names[tag] = oid
	}
	return names
}

// Bounds of the first prompt.
const (
	maxRanked    = 10    // candidates of the ranking
	alwaysRanked = 5     // however improbable; further ones need
	minRanked    = 0.002 // this probability
	maxTagged    = 16    // commits with a short name
)

// listed are the candidates of the ranking that the first prompt lists.
func (d *investigation) listed() []rank.Ranked {
	n := min(maxRanked, len(d.ranking))
	for ; n > alwaysRanked; n-- {
		j := d.ranking[n-1]
		if j.Probability >= minLabelled || j.Probability >= minRanked && d.tie(j.Candidate) != onlyAlike {
			break
		}
	}
	return d.ranking[:n]
}

// nameCommits names the best candidates, then the owners of lines near the
// changes, nearest first.
func (d *investigation) nameCommits() *commitNames {
	r := &commitNames{of: map[gitext.OID]string{}}
	if d.opt.NoCandidates {
		return r
	}
	for _, j := range d.listed() {
		r.add(j.Candidate.OID)
	}
	for _, want := range []candidate.Role{candidate.RoleDeleted, candidate.RoleContext} {
		for i := range d.k.Set.Anchors {
			a := &d.k.Set.Anchors[i]
			if a.Role == want && len(r.order) < maxTagged && a.Kind == source.LineCode {
				r.add(a.Owner)
			}
		}
	}
	return r
}
