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

// A culprit outside the fixed files usually defined or changed a name that the
// fix mentions. So names that the fix touches, and that few other files use,
// are looked up in the parent's tree, and the lines that use them are blamed.
const (
	maxNames      = 10
	maxName       = 200 // bytes; longer ones are data
	MaxNameFiles  = 6   // a name used in more files says nothing
	maxNameLines  = 24  // blamed in one file
	maxNameBlames = 5   // files blamed
	MaxGrepHits   = 2000
)

// named is a line in another file that uses a name of the fix.
type named struct {
	Owner gitext.OID
	name  string
}

// namedLines finds lines of other files that use the fix's rarer names, and
// their owners. Files that this clone lacks are passed over.
func namedLines(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext, set *AnchorSet) ([]named, error) {
	names := FixNames(fc, set)
	if len(names) == 0 {
		return nil, nil
	}
	hits, err := repo.Grep(ctx, fc.Parent, gitext.GrepOptions{Pattern: strings.Join(names, "|"), Word: true, Max: MaxGrepHits})
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

// NameLike tells identifiers from plain words: they hold an underscore, a digit
// or an inner capital.
var NameLike = source.Lazy(`^[A-Za-z_][A-Za-z0-9_]*(_[A-Za-z0-9]|[a-z][A-Z]|[A-Z]{2}|[0-9])[A-Za-z0-9_]*$`)

// FixNames picks the names to look up: those that the fix adds or takes away
// before those that it only touches, longer ones first.
func FixNames(fc *szz.FixContext, set *AnchorSet) []string {
	removed, added := set.Tokens()
	changed := source.Unite(removed.Minus(added), added.Minus(removed))
	said := CodeWords(fc.Message)
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

// sameLanguage tells files that end as the fixed ones do; C headers count as C.
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

// A use is a file that mentions rare names, and where.
type use struct {
	path   string
	ranges []gitext.LineRange
	names  map[int]string
	rarity float64
}

func rareUses(hits []gitext.GrepMatch, names []string, set *AnchorSet) []use {
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
	byPath := map[string]*use{}
	var uses []*use
	for i, h := range hits {
		n := found[i]
		if n == "" || fixed[h.Path] || len(files[n]) > MaxNameFiles {
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

// CodeWords are the words of prose that could be names in code.
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

// fixFunctions are the functions that the fix changes, by the headings of its
// hunks without context. A third of what SZZ misses lies in the history of the
// function that is fixed (arXiv 2308.05060: 34.6 % of the failures on Linux).
// Git writes the heading of the enclosing function behind every hunk; comparing
// the names there follows a function through all candidates' diffs at no
// further cost.
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
