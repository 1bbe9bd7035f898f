package execute

import (
	"context"
	"fmt"
	"os"
	"strings"

	"git-agent/agent/eval"
	"git-agent/gitext"
)

// A namedCulprit is a line of a file with the culprits of another data set: a case of eval szz
// with one bug-introducing commit.
type namedCulprit struct {
	Repo        string       `json:"repo"`
	Fix         gitext.OID   `json:"fix"`
	BICs        []gitext.OID `json:"bics"`
	LabelSource string       `json:"label_source"` // the name of the data set
}

// readNamed reads a file with the culprits of another data set, "" for none.
func readNamed(name string) ([]namedCulprit, error) {
	if name == "" {
		return nil, nil
	}
	named, err := eval.ReadLines[namedCulprit](name)
	if err != nil {
		return nil, err
	}
	for i, n := range named {
		if len(n.BICs) != 1 || n.Repo == "" || n.Fix == "" || n.LabelSource == "" {
			return nil, fmt.Errorf("%s:%d: give repo, fix, label_source and one commit in bics", name, i+1)
		}
	}
	return named, nil
}

// namedFixes lists the fixes of the repository that another data set names, with the culprits.
func (m *miner) namedFixes(ctx context.Context) ([]candidateFix, error) {
	var found []candidateFix
	for _, n := range m.bounds.named {
		if n.Repo != m.name {
			continue
		}
		f, err := fixNamed(ctx, m.repo, n)
		if err != nil {
			return nil, err
		}
		if len(f.tests) > 0 && len(f.sources) > 0 {
			found = append(found, f)
		}
	}
	return found, nil
}

// onlyFixes lists the fixes that the user gives.
func (m *miner) onlyFixes(ctx context.Context) ([]candidateFix, error) {
	var found []candidateFix
	for _, name := range strings.Split(m.bounds.only, ",") {
		fix, err := m.repo.Resolve(ctx, name)
		if err != nil {
			return nil, err
		}
		f, err := fixNamed(ctx, m.repo, namedCulprit{Fix: fix})
		if err != nil {
			return nil, err
		}
		if len(f.tests) == 0 || len(f.sources) == 0 {
			fmt.Fprintf(os.Stderr, "%s %s: changes no test or no source\n", m.name, fix.Short())
			continue
		}
		f.named = namedCulprit{} // its culprit is searched
		found = append(found, f)
	}
	return found, nil
}

// fixNamed returns a fix with its files, without files if the repository lacks the commit or
// the fix is a merge.
func fixNamed(ctx context.Context, repo *gitext.Repo, n namedCulprit) (candidateFix, error) {
	var f candidateFix
	commit, err := repo.Commit(ctx, n.Fix)
	if err != nil || len(commit.Parents) != 1 {
		return f, ctx.Err()
	}
	f.commit, f.named = commit, n
	if f.changes, err = repo.Changes(ctx, commit.Parents[0], commit.OID, gitext.PatchOptions{Renames: true}); err != nil {
		return f, err
	}
	f.sort()
	return f, f.findTests(ctx, repo)
}

// check returns the case of a culprit that another data set names, if the tests begin to fail
// at it here too.
func (t *trialOfFix) check(ctx context.Context) (*executedCase, error) {
	culprit := t.named.BICs[0]
	older, err := t.repo.IsAncestor(ctx, culprit, t.commit.Parents[0])
	if err != nil {
		return nil, err
	}
	if !older {
		return nil, none("the named culprit %s is not in the history of the fix", culprit.Short())
	}
	c, err := t.regression(ctx, culprit)
	if err == nil {
		c.Proof.NamedBy = t.named.LabelSource
	}
	return c, err
}
