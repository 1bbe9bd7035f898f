package candidate

import (
	"context"
	"slices"

	"git-agent/agent/szz"
	"git-agent/gitext"
)

// historicNames returns those of paths whose history is the history of the fixed files: the files themselves, and earlier
// names of them. Of paths, it leaves out the files from which a commit only took lines and which are still there: what was
// done to them since does not concern the fix.
func historicNames(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext, set *AnchorSet, paths []string) ([]string, error) {
	fixed := map[string]bool{}
	for _, f := range set.Files {
		fixed[f.OldPath] = true
	}
	if len(fixed) == 0 {
		return paths, nil // files that the fix adds
	}
	var others []string
	for _, p := range paths {
		if !fixed[p] {
			others = append(others, p)
		}
	}
	if len(others) == 0 {
		return paths, nil
	}
	there, err := repo.Tree(ctx, fc.Parent, others...)
	if gitext.Unreadable(err) {
		return paths, nil
	}
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool {
		return !fixed[p] && slices.ContainsFunc(there, func(e gitext.TreeEntry) bool { return e.Path == p })
	}), nil
}

// readRenames reads the diffs of commits again that seem to add a file of paths and own no line of the fix: they may have
// renamed it, and git sees that only if it compares both names. It else looked as if they had written all of the file.
func (p *Pool) readRenames(ctx context.Context, repo *gitext.Repo, oids []gitext.OID, paths []string) error {
	for _, oid := range oids {
		c := p.ByOID[oid]
		if !c.Diff.Creates || c.Files < 2 || len(c.Commit.Parents) != 1 || c.Sources&(FromDeleted|FromContext|FromFunction) != 0 {
			continue
		}
		files, err := repo.Changes(ctx, c.Commit.Parents[0], oid, gitext.PatchOptions{Renames: true})
		if gitext.Unreadable(err) {
			continue
		}
		if err != nil {
			return err
		}
		names := slices.Clone(paths)
		for _, f := range files {
			if f.Status == 'R' && slices.Contains(paths, f.NewPath) {
				names = append(names, f.OldPath)
			}
		}
		if len(names) == len(paths) {
			continue
		}
		if err := p.readDiffs(ctx, repo, []gitext.OID{oid}, names); err != nil {
			return err
		}
	}
	return nil
}
