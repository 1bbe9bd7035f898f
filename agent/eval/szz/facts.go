package szzeval

import (
	"context"
	"slices"
	"time"

	"git-agent/agent/eval"
	"git-agent/agent/szz"
	"git-agent/gitext"
)

// Facts describe a case by the history. They are computed; corresponding fields of a case file
// are only compared with them.
type Facts struct {
	// Ghost says that the fix deletes or changes no line (AgentSZZ, section 5.4).
	Ghost bool `json:"ghost"`
	// CrossFile says that no BIC changed a file that the fix changes, by its path in the fix
	// (AgentSZZ, section 5.4).
	CrossFile bool `json:"cross_file"`
	// First and Last are the commit times of the oldest and the newest BIC.
	First time.Time `json:"first_bic"`
	Last  time.Time `json:"last_bic"`
	// BICs are the commits behind the facts. The labels of a case may be corrected later.
	BICs []gitext.OID `json:"bics"`
}

// factsOf computes the facts of a case. It leaves out absent BICs. If the clone lacks anything
// else that the facts need, they are nil.
func factsOf(ctx context.Context, repo *gitext.Repo, c Case, fix *szz.FixContext, absent []gitext.OID) (*Facts, error) {
	if fix.Patch == nil || fix.Patch.Truncated {
		return nil, nil
	}
	f := &Facts{Ghost: true, CrossFile: true, BICs: c.BICs}
	changed := map[string]bool{}
	for _, file := range fix.Patch.Files {
		changed[file.OldPath], changed[file.NewPath] = true, true
		for _, h := range file.Hunks {
			f.Ghost = f.Ghost && !slices.ContainsFunc(h.Lines, func(l gitext.PatchLine) bool { return l.Op == '-' })
		}
	}
	delete(changed, "") // of a file that the fix adds or deletes
	for _, bic := range c.BICs {
		if slices.Contains(absent, bic) {
			continue
		}
		if err := f.add(ctx, repo, bic, changed); err != nil {
			return nil, ctx.Err()
		}
	}
	return f, nil
}

// add adds the facts of one BIC.
func (f *Facts) add(ctx context.Context, repo *gitext.Repo, bic gitext.OID, changed map[string]bool) error {
	commit, err := repo.Commit(ctx, bic)
	if err != nil {
		return err
	}
	if at := commit.Committer.Time; f.First.IsZero() || at.Before(f.First) {
		f.First = at
	}
	if at := commit.Committer.Time; at.After(f.Last) {
		f.Last = at
	}
	parent := gitext.OID("")
	if len(commit.Parents) > 0 {
		parent = commit.Parents[0]
	}
	files, err := repo.Changes(ctx, parent, bic, gitext.PatchOptions{})
	if err != nil {
		return err
	}
	for _, file := range files {
		if changed[file.OldPath] || changed[file.NewPath] {
			f.CrossFile = false
		}
	}
	return nil
}

// facts returns the facts of a case from an answer, or from the case file if the answer has none
// or has facts about other BICs.
func (c Case) facts(p Prediction) Facts {
	if p.Facts != nil && slices.Equal(p.Facts.BICs, c.BICs) {
		return *p.Facts
	}
	return Facts{Ghost: c.Ghost != nil && *c.Ghost, CrossFile: c.CrossFile != nil && *c.CrossFile}
}

// contradictions returns the names of a case's fields that contradict the facts.
func (c Case) contradictions(f Facts) []string {
	var list []string
	if c.Ghost != nil && *c.Ghost != f.Ghost {
		list = append(list, "ghost")
	}
	if c.CrossFile != nil && *c.CrossFile != f.CrossFile {
		list = append(list, "cross_file")
	}
	return list
}

// Contradicted returns the number of cases with a field that the repository contradicts.
func Contradicted(res *eval.Results) int {
	return eval.Contradicted(res, func(row any) []string {
		of, _ := row.(scoreRow)
		return of.Contradicts
	})
}
