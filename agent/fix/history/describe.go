package history

import (
	"cmp"
	"context"
	"path"
	"slices"

	"git-agent/agent/fix"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// maxFiles bounds the listed source files of a commit (the same bound as in HAFixAgent's
// released code).
const maxFiles = 50

// describe returns the entries of a commit: one for each location, the most suspicious first,
// and for each name of the location's file in the commit.
func (f *finder) describe(ctx context.Context, c *candidate) ([]fix.Blamed, error) {
	var out []fix.Blamed
	for _, l := range c.lines {
		i := slices.IndexFunc(out, func(b fix.Blamed) bool { return b.Location == l.location && b.Path == l.owner.Path })
		if i < 0 {
			i = len(out)
			out = append(out, f.entry(c, l, f.names[l.location]))
		}
		b := &out[i]
		if b.Nearby && !l.nearby { // the location's own lines are better
			b.Nearby, b.Lines, b.OrigLine = false, nil, nil
		}
		if l.nearby && !b.Nearby {
			continue
		}
		b.Lines, b.OrigLine = append(b.Lines, l.at), append(b.OrigLine, l.owner.OrigLine)
	}
	distance, err := f.repo.CountCommits(ctx, f.tree.Commit, []gitext.OID{c.commit.OID})
	if err != nil {
		return nil, err
	}
	files := map[gitext.OID][]gitext.FileChange{}
	for i := range out {
		b := &out[i]
		if files[b.Parent] == nil {
			if files[b.Parent], err = changes(ctx, f.repo, *b); err != nil {
				return nil, err
			}
		}
		b.Distance, b.Changed = distance, len(files[b.Parent])
		b.Files = sourceFiles(files[b.Parent], b.Path)
		sortLines(b)
	}
	return out, nil
}

// entry begins the entry of a line.
func (f *finder) entry(c *candidate, l line, function string) fix.Blamed {
	parent := l.owner.Previous
	if parent == "" && len(c.commit.Parents) > 0 {
		parent = c.commit.Parents[0]
	}
	return fix.Blamed{
		Commit: c.commit, Parent: parent, Location: l.location, Function: function, Path: l.owner.Path, Previous: l.owner.PreviousPath,
		Nearby: l.nearby, Root: c.root, Score: c.score,
	}
}

// sortLines sorts the lines of an entry and removes duplicates from overlapping hot ranges.
func sortLines(b *fix.Blamed) {
	at := make([][2]int, len(b.Lines))
	for i := range at {
		at[i] = [2]int{b.Lines[i], b.OrigLine[i]}
	}
	slices.SortFunc(at, func(x, y [2]int) int { return cmp.Compare(x[0], y[0]) })
	at = slices.Compact(at)
	b.Lines, b.OrigLine = b.Lines[:0], b.OrigLine[:0]
	for _, p := range at {
		b.Lines, b.OrigLine = append(b.Lines, p[0]), append(b.OrigLine, p[1])
	}
}

// changes lists the changed files of a blamed commit, relative to the parent that blame
// compared it with. For a commit that cannot be read completely, it returns none.
func changes(ctx context.Context, repo *gitext.Repo, b fix.Blamed) ([]gitext.FileChange, error) {
	files, err := repo.Changes(ctx, b.Parent, b.Commit.OID, gitext.PatchOptions{Renames: !b.Root})
	if err != nil && !gitext.Unreadable(err) {
		return nil, err
	}
	return files, nil
}

// sourceFiles returns the paths of program files among changes, without tests: the faulty file,
// then the files of its folder, those of other folders, and last examples, copies of other
// projects and built files. Each group is in git's order.
func sourceFiles(files []gitext.FileChange, faulty string) []string {
	var out []string
	for _, c := range files {
		if p := c.NewPath; c.Status != 'D' && !c.Submodule && p != faulty && isProgram(p) {
			out = append(out, p)
		}
	}
	group := func(p string) int {
		switch {
		case aside().MatchString(p):
			return 2
		case path.Dir(p) == path.Dir(faulty):
			return 0
		}
		return 1
	}
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(group(a), group(b)) })
	out = append([]string{faulty}, out...)
	return out[:min(len(out), maxFiles)]
}

// aside matches the paths of examples, copies of other projects and built files.
var aside = source.Lazy(`(^|/)(_?examples?|samples?|vendor|third_party|node_modules|dist)/|\.min\.js$|\.pb\.go$`)

// isProgram reports whether a file has program code and is no test. A file without an extension
// is rarely a program.
func isProgram(p string) bool {
	return path.Ext(p) != "" && source.FileKindOf(p) == source.SourceFile && !source.IsTestPath(p)
}
