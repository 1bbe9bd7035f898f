package candidate

import (
	"context"
	"path"
	"slices"
	"sort"
	"strings"

	"git-agent/agent/source"
	"git-agent/agent/szz"
	"git-agent/gitext"

	"golang.org/x/sync/errgroup"
)

// Bounds of the search in other files. A culprit outside the fixed files usually defined
// or changed a name that the fix mentions. So the search looks up names that the fix
// touches and few other files use, in the parent's tree, and blames the lines with these
// names.
const (
	maxNames      = 10
	maxName       = 200 // bytes; longer ones are data
	MaxNameFiles  = 6   // a name in more files says nothing
	maxNameLines  = 24  // blamed in one file
	maxNameBlames = 5   // files blamed
	MaxGrepHits   = 2000
)

// ownersElsewhere returns the owners of the lines in other files that use the fix's rarer
// names, one entry a line. Files that this clone lacks are left out.
func ownersElsewhere(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext, set *AnchorSet) ([]gitext.OID, error) {
	names := FixNames(fc, set)
	if len(names) == 0 {
		return nil, nil
	}
	hits, err := repo.Grep(ctx, fc.Parent, gitext.GrepOptions{Pattern: strings.Join(names, "|"), Word: true, Max: MaxGrepHits})
	if err != nil && !gitext.Unreadable(err) {
		return nil, err
	}
	files := filesWithRareNames(hits, names, set)
	found := make([][]gitext.OID, len(files))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(2)
	for i, f := range files {
		g.Go(func() error {
			lines, err := repo.Blame(gctx, fc.Parent, f.path, gitext.BlameOptions{Ranges: f.ranges, IgnoreSpace: true})
			if gitext.Unreadable(err) {
				return nil
			}
			for _, l := range lines {
				found[i] = append(found[i], l.Commit)
			}
			return err
		})
	}
	err = g.Wait()
	return slices.Concat(found...), err
}

// NameLike matches identifiers that are no plain words: they have an underscore, a digit
// or an inner capital.
var NameLike = source.Lazy(`^[A-Za-z_][A-Za-z0-9_]*(_[A-Za-z0-9]|[a-z][A-Z]|[A-Z]{2}|[0-9])[A-Za-z0-9_]*$`)

// FixNames picks the names of a fix for a search. Names that it adds or removes come
// before names that it only touches, and longer ones first.
func FixNames(fc *szz.FixContext, set *AnchorSet) []string {
	removed, added := set.Tokens()
	changed := source.Unite(removed.Minus(added), added.Minus(removed))
	said := CodeWords(fc.Prose)
	var names []string
	for _, t := range source.SortedTokens(source.Unite(source.Unite(removed, added), said)) {
		if len(t) >= 5 && len(t) <= maxName && NameLike().MatchString(t) {
			names = append(names, t)
		}
	}
	value := func(t string) int {
		v := min(len(t), 30)
		if changed[t] > 0 {
			v += 30
		}
		if said[t] > 0 {
			v += 20
		}
		return v
	}
	sort.SliceStable(names, func(i, j int) bool { return value(names[i]) > value(names[j]) })
	return names[:min(len(names), maxNames)]
}

// sameLanguage matches paths with the ending of a fixed file, or .h beside .c.
func sameLanguage(set *AnchorSet) func(string) bool {
	ends := map[string]bool{}
	for _, f := range set.Files {
		ext := path.Ext(f.OldPath)
		ends[ext] = true
		if ext == ".c" {
			ends[".h"] = true
		}
	}
	return func(p string) bool { return ends[path.Ext(p)] }
}

// A fileUse is a file that uses rare names, and the lines that use them.
type fileUse struct {
	path   string
	ranges []gitext.LineRange
	rarity float64 // sum over its lines of 1/(number of files with the name)
}

// filesWithRareNames picks the files whose lines use the rarest names.
func filesWithRareNames(hits []gitext.GrepMatch, names []string, set *AnchorSet) []fileUse {
	fixed := map[string]bool{}
	for _, f := range set.Files {
		fixed[f.OldPath] = true
	}
	files := map[string]map[string]bool{} // name -> files
	related := sameLanguage(set)
	hits = slices.DeleteFunc(hits, func(h gitext.GrepMatch) bool { return !related(h.Path) })
	found := make([]string, len(hits))
	for i, h := range hits {
		line := source.CodeWordsOf(h.Text)
		for _, n := range names {
			if line[n] > 0 {
				if files[n] == nil {
					files[n] = map[string]bool{}
				}
				files[n][h.Path] = true
				if found[i] == "" || len(files[n]) < len(files[found[i]]) {
					found[i] = n
				}
			}
		}
	}
	byPath := map[string]*fileUse{}
	var uses []*fileUse
	for i, h := range hits {
		n := found[i]
		if n == "" || fixed[h.Path] || len(files[n]) > MaxNameFiles {
			continue
		}
		u := byPath[h.Path]
		if u == nil {
			u = &fileUse{path: h.Path}
			byPath[h.Path] = u
			uses = append(uses, u)
		}
		if len(u.ranges) < maxNameLines {
			u.ranges = append(u.ranges, gitext.LineRange{Start: h.Line, End: h.Line})
			u.rarity += 1 / float64(len(files[n]))
		}
	}
	sort.SliceStable(uses, func(i, j int) bool { return uses[i].rarity > uses[j].rarity })
	out := make([]fileUse, 0, maxNameBlames)
	for _, u := range uses[:min(len(uses), maxNameBlames)] {
		out = append(out, *u)
	}
	return out
}

// CodeWords returns the words of prose that could be names in code.
func CodeWords(s string) source.Bag {
	b := source.Bag{}
	b.AddCode([]byte(source.Masks.Replace(source.FirstBytes(s, 6000))))
	for t := range b {
		if source.StopWords[t] || len(t) < 4 {
			delete(b, t)
		}
	}
	return b
}

// fixFunctions returns the names of the functions that the fix changes. A third of the
// misses of SZZ lie in the history of the fixed function (arXiv 2308.05060: 34.6 % of the
// failures on Linux). git writes the heading of the enclosing function after every hunk's
// range, so comparing these names follows a function through the diffs of all candidates
// at no further cost. The headings come from hunks without context.
func fixFunctions(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext) (map[string]bool, error) {
	p := fc.Patch
	if fc.Fix != "" && fc.Parent != "" {
		var err error
		p, err = repo.Patch(ctx, fc.Parent, fc.Fix, gitext.PatchOptions{Renames: true})
		if gitext.Unreadable(err) {
			p, err = fc.Patch, nil // the headings of its hunks are a few lines off
		}
		if err != nil {
			return nil, err
		}
	}
	names := map[string]bool{}
	for _, f := range p.Files {
		for _, h := range f.Hunks {
			if n := source.FunctionName(h.Section); n != "" {
				names[n] = true
			}
		}
	}
	return names, nil
}
