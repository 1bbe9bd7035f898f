package main

import (
	"context"
	"slices"

	"git-agent/agent/source"
	"git-agent/agent/suspect"
	"git-agent/gitext"
)

// blamedOf returns the commits that own the lines of code which the fix of a case
// removes, as SZZ does (Śliwerski et al., 2005). About half of them are wrong, so
// they serve to fit and never to measure.
func blamedOf(ctx context.Context, repo *gitext.Repo, c crashCase) ([]gitext.OID, error) {
	patch, err := repo.Patch(ctx, c.CrashCommit, c.Fix, gitext.PatchOptions{IgnoreSpace: true, Paths: c.FixFiles})
	if err != nil {
		return nil, err
	}
	var files []suspect.FileLines
	for _, f := range patch.Files {
		lines := suspect.FileLines{Path: f.OldPath}
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				if l.Op == '-' {
					lines.Ranges = append(lines.Ranges, gitext.LineRange{Start: l.Old, End: l.Old})
				}
			}
		}
		if len(lines.Ranges) > 0 && f.Status == 'M' {
			files = append(files, lines)
		}
	}
	owners, err := suspect.FindOwners(ctx, repo, c.CrashCommit, files)
	if err != nil {
		return nil, err
	}
	var out []gitext.OID
	for _, lines := range owners.Lines {
		for _, l := range lines {
			if l.Kind == source.LineCode && !slices.Contains(out, l.Owner) {
				out = append(out, l.Owner)
			}
		}
	}
	return out, nil
}
