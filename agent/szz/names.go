package szz

import (
	"context"
	"path"
	"slices"
	"sort"
	"strings"

	"git-agent/gitext"

	"golang.org/x/sync/errgroup"
)

// A culprit outside the fixed files usually defined or changed a name that the
// fix mentions. So names that the fix touches, and that few other files use,
// are looked up in the parent's tree, and the lines that use them are blamed.
const (
	maxNames      = 10
	maxName       = 200 // bytes; longer ones are data
	maxNameFiles  = 6   // a name used in more files says nothing
	maxNameLines  = 24  // blamed in one file
	maxNameBlames = 5   // files blamed
	maxGrepHits   = 2000
)

// named is a line in another file that uses a name of the fix.
type named struct {
	owner gitext.OID
	name  string
}

// namedLines finds lines of other files that use the fix's rarer names, and
// their owners. Files that this clone lacks are passed over.
func namedLines(ctx context.Context, repo *gitext.Repo, fc *FixContext, set *anchorSet) ([]named, error) {
	names := fixNames(fc, set)
	if len(names) == 0 {
		return nil, nil
	}
	hits, err := repo.Grep(ctx, fc.Parent, gitext.GrepOptions{Pattern: strings.Join(names, "|"), Word: true, Max: maxGrepHits})
	if err != nil && !gitext.Unreadable(err) {
		return nil, err
	}
	uses := rareUses(hits, names, set)
	found := make([][]named, len(uses))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(2)
	for i, use := range uses {
		g.Go(func() error {
			lines, err := repo.Blame(gctx, fc.Parent, use.path, gitext.BlameOptions{Ranges: use.ranges, IgnoreSpace: true})
			if gitext.Unreadable(err) {
				return nil
			}
			for _, l := range lines {
				found[i] = append(found[i], named{l.Commit, use.names[l.Line]})
			}
			return err
		})
	}
	err = g.Wait()
	return slices.Concat(found...), err
}

// nameLike tells identifiers from plain words: they hold an underscore, a digit
// or an inner capital.
var nameLike = lazy(`^[A-Za-z_][A-Za-z0-9_]*(_[A-Za-z0-9]|[a-z][A-Z]|[A-Z]{2}|[0-9])[A-Za-z0-9_]*$`)

// fixNames picks the names to look up: those that the fix adds or takes away
// before those that it only touches, longer ones first.
func fixNames(fc *FixContext, set *anchorSet) []string {
	removed, added := set.tokens()
	changed := unite(removed.minus(added), added.minus(removed))
	said := codeWords(fc.Message)
	var names []string
	for _, t := range sortedTokens(unite(unite(removed, added), said)) {
		if len(t) >= 5 && len(t) <= maxName && nameLike().MatchString(t) {
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

// sameLanguage tells files that end as the fixed ones do; C headers count as C.
func sameLanguage(set *anchorSet) func(string) bool {
	ends := map[string]bool{}
	for _, f := range set.files {
		ext := path.Ext(f.OldPath)
		ends[ext] = true
		if ext == ".c" {
			ends[".h"] = true
		}
	}
	return func(p string) bool { return ends[path.Ext(p)] }
}

// A use is a file that mentions rare names, and where.
type use struct {
	path   string
	ranges []gitext.LineRange
	names  map[int]string
	rarity float64
}

func rareUses(hits []gitext.GrepMatch, names []string, set *anchorSet) []use {
	fixed := map[string]bool{}
	for _, f := range set.files {
		fixed[f.OldPath] = true
	}
	files := map[string]map[string]bool{} // name -> files
	related := sameLanguage(set)
	hits = slices.DeleteFunc(hits, func(h gitext.GrepMatch) bool { return !related(h.Path) })
	found := make([]string, len(hits))
	for i, h := range hits {
		line := namesOf(h.Text)
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
	byPath := map[string]*use{}
	var uses []*use
	for i, h := range hits {
		n := found[i]
		if n == "" || fixed[h.Path] || len(files[n]) > maxNameFiles {
			continue
		}
		u := byPath[h.Path]
		if u == nil {
			u = &use{path: h.Path, names: map[int]string{}}
			byPath[h.Path] = u
			uses = append(uses, u)
		}
		if len(u.ranges) < maxNameLines {
			u.ranges = append(u.ranges, gitext.LineRange{Start: h.Line, End: h.Line})
			u.names[h.Line] = n
			u.rarity += 1 / float64(len(files[n]))
		}
	}
	sort.SliceStable(uses, func(i, j int) bool { return uses[i].rarity > uses[j].rarity })
	out := make([]use, 0, maxNameBlames)
	for _, u := range uses[:min(len(uses), maxNameBlames)] {
		out = append(out, *u)
	}
	return out
}
