package investigate

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

// An investigation is the model's work on one fix: the facts of the offline engine about
// the fix, and the model's view.
type investigation struct {
	repo    *gitext.Repo
	fc      *szz.FixContext
	opt     Options
	k       *rank.Case
	ranking []rank.Ranked
	offline *szz.Answer  // the answer without a model
	names   *commitNames // without commits if the first prompt is the fix alone
	scope   gittool.Scope
	box     *gittool.Toolbox

	// Shared facts of the parts of the first prompt, made before the runs begin.
	said      source.Bag                   // names in the fix's message
	described int                          // of the ranking: the commit that the message describes, or -1
	patches   map[gitext.OID]*gitext.Patch // see patchOf
	decisive  map[string]bool              // earlier forms of lines, without white space, for the excerpts
	behind    []gitext.OID                 // the authors of these forms
	quoted    map[quotedLine]bool          // lines quoted by the section of names; excerpts show them in their place
}

// newInvestigation ranks the candidates and limits the tools to the history that ends at
// the fix's parent.
func newInvestigation(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext, opt Options) (*investigation, error) {
	d := &investigation{
		repo:     repo,
		fc:       fc,
		opt:      opt,
		said:     saidNames(fc.Message),
		patches:  map[gitext.OID]*gitext.Patch{},
		decisive: map[string]bool{},
		quoted:   map[quotedLine]bool{},
	}
	var err error
	if d.k, d.ranking, err = rank.Assess(ctx, repo, fc); err != nil {
		return nil, err
	}
	d.described = d.describedCommit()
	if d.offline, err = d.k.Answer(d.ranking, opt.Max); err != nil {
		return nil, err
	}
	if d.scope, err = scopeOf(ctx, repo, fc); err != nil {
		return nil, err
	}
	d.names = d.nameCommits()
	d.scope.Names = d.names.commits()
	d.box, err = gittool.New(repo, d.scope, gittool.Options{Plain: opt.NoCompression, Unadvised: opt.NoDomainKnowledge, Memory: opt.Memory})
	return d, err
}

// scopeOf limits the tools to the history of the fix's parent, up to the date of the fix.
// A parent dated after the fix is shown too.
func scopeOf(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext) (gittool.Scope, error) {
	s := gittool.Scope{Tip: fc.Parent, Fix: fc.Fix, Until: fc.Date}
	parent, err := repo.Commit(ctx, fc.Parent)
	if err != nil {
		return s, err
	}
	if parent.Committer.Time.After(s.Until) {
		s.Until = parent.Committer.Time
	}
	if fc.Mask != nil {
		s.Redact = gittool.Redactor{Name: fc.Mask.Key(), Text: fc.Mask.Text}
	}
	return s, nil
}

// redact hides in a text of the history the names that the tools also hide.
func (d *investigation) redact(s string) string { return d.fc.Mask.Text(s) }

// commitNames are the short names of the commits in the first prompt: c1, c2 and so on.
type commitNames struct {
	of    map[gitext.OID]string
	order []gitext.OID // the commits, in the order of their names
}

func (n *commitNames) add(oid gitext.OID) {
	if n.of[oid] == "" {
		n.order = append(n.order, oid)
		n.of[oid] = fmt.Sprintf("c%d", len(n.order))
	}
}

// commits maps the short names to the commits.
func (n *commitNames) commits() map[string]gitext.OID {
	names := map[string]gitext.OID{}
	for oid, name := range n.of {
		names[name] = oid
	}
	return names
}

// Bounds of the lists in the first prompt.
const (
	maxRanked    = 10    // candidates of the ranking
	alwaysRanked = 5     // candidates that are always listed
	minRanked    = 0.002 // probability of any further candidate
	maxTagged    = 16    // commits with a short name
)

// listed returns the candidates of the ranking that the first prompt lists.
func (d *investigation) listed() []rank.Ranked {
	if d.opt.NoRanking {
		return nil
	}
	n := min(maxRanked, len(d.ranking))
	for ; n > alwaysRanked; n-- {
		j := d.ranking[n-1]
		if j.Probability >= minLabelled || j.Probability >= minRanked && d.tie(j.Candidate) != onlyAlike {
			break
		}
	}
	return d.ranking[:n]
}

// nameCommits gives short names to the listed candidates, then to the owners of deleted
// lines, then to the owners of lines around the changes.
func (d *investigation) nameCommits() *commitNames {
	n := &commitNames{of: map[gitext.OID]string{}}
	if d.opt.NoCandidates {
		return n
	}
	for _, j := range d.listed() {
		n.add(j.Candidate.OID)
	}
	if d.described >= 0 && !d.opt.NoRanking {
		n.add(d.ranking[d.described].Candidate.OID)
	}
	for _, want := range []candidate.Role{candidate.RoleDeleted, candidate.RoleContext} {
		for i := range d.k.Set.Anchors {
			a := &d.k.Set.Anchors[i]
			if a.Role == want && len(n.order) < maxTagged && a.Kind == source.LineCode {
				n.add(a.Owner)
			}
		}
	}
	return n
}
