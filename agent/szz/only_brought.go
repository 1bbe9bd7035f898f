package szz

import (
	"context"
	"fmt"

	"git-agent/agent/release"
	"git-agent/gitext"
)

// onlyBrought returns the commit that a merge brought, if it brought no other one and changes nothing besides. The number of a pull
// request names the merge, which changes nothing by itself. ok is false for other commits, and where the clone lacks a file.
func onlyBrought(ctx context.Context, repo *gitext.Repo, merge gitext.Commit) (brought gitext.Commit, ok bool, err error) {
	if len(merge.Parents) != 2 {
		return gitext.Commit{}, false, nil
	}
	var oids []gitext.OID
	for e, err := range repo.Log(ctx, gitext.LogOptions{Tip: merge.OID, Not: merge.Parents[:1], Max: 3}) {
		if err != nil {
			return gitext.Commit{}, false, fmt.Errorf("list what %s merges: %w", merge.OID.Short(), err)
		}
		oids = append(oids, e.OID)
	}
	if len(oids) != 2 || oids[1] != merge.Parents[1] {
		return gitext.Commit{}, false, nil
	}
	if brought, err = repo.Commit(ctx, oids[1]); err != nil || len(brought.Parents) != 1 {
		return gitext.Commit{}, false, err
	}
	var changes [2]gitext.Patch
	for i, c := range []gitext.Commit{merge, brought} {
		p, err := repo.Patch(ctx, c.Parents[0], c.OID, gitext.PatchOptions{})
		if gitext.Unreadable(err) || err == nil && p.Truncated {
			return gitext.Commit{}, false, nil
		}
		if err != nil {
			return gitext.Commit{}, false, err
		}
		changes[i] = *p
	}
	return brought, release.ChangesOf(&changes[0]) == release.ChangesOf(&changes[1]), nil
}
