package engine

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"git-agent/agent/source"
	"git-agent/agent/szz"
	"git-agent/agent/szz/check"
	"git-agent/agent/szz/fixlike"
	"git-agent/gitext"
	"git-agent/gitext/commitmsg"
)

// Floor is the least probability at which a first suspect is counted as the culprit. A culprit that
// the message names is always counted.
const Floor = 0.5

// A tracedFix is a fix with its culprit.
type tracedFix struct {
	Fix     gitext.Commit
	Culprit gitext.Commit
}

// A Sum is a row of an overview: a directory, an age, a release or a tool, and the number of fixes
// whose culprit belongs to it.
type Sum struct {
	Name  string `json:"name"`
	Fixes int    `json:"fixes"`
	// Commits is the number of commits of the whole history that belong to the row, and Culprits
	// the number of different culprits among them. Both are 0 if they were not counted.
	Culprits int `json:"culprits,omitempty"`
	Commits  int `json:"commits,omitempty"`
}

// An Overview sums the culprits of the fixes of a range: by directory, by the age of the bug, by the
// first release with it, and by the tools and people that trailers of the culprit name. It counts
// fixes, not culprits: a commit that introduced two bugs counts twice. A fix counts once in each sum,
// or in none; a fix of several directories counts in the one with most of its source files. People
// appear only as trailers name them.
type Overview struct {
	Commits     int   // of the range, without merges
	Fixes       int   // of these, those that look like fixes or name a culprit
	Traced      int   // of these, those with a culprit that is counted
	Culprits    int   // different culprits
	Days        int   // the median of the days from culprit to fix
	Directories []Sum // most fixes first
	Ages        []Sum // youngest first
	Releases    []Sum // the first tag with the culprit, in the order of time
	Tools       []Sum // values of trailers of the culprits, most fixes first
}

// countsAsFix reports whether a commit is counted as a fix.
func countsAsFix(c gitext.Commit) bool {
	return len(c.Parents) == 1 && (len(check.Trailers(c.Message)) > 0 || fixlike.Likely(c, nil))
}

// countedCulprit returns the culprit of an answer that is counted.
func countedCulprit(v *szz.Answer) (gitext.Commit, bool) {
	if len(v.Suspects) == 0 || v.Algorithm != szz.ByAnnotation && v.Suspects[0].Probability < Floor {
		return gitext.Commit{}, false
	}
	return v.Suspects[0].Commit, true
}

// overviewOf sums fixes. tip is a commit whose history has all of them.
func overviewOf(ctx context.Context, repo *gitext.Repo, tip gitext.OID, fixes []tracedFix) (*Overview, error) {
	o := &Overview{Traced: len(fixes)}
	if len(fixes) == 0 {
		return o, nil
	}
	culprits := map[gitext.OID]bool{}
	var days []int
	ages := map[int]int{}
	for _, f := range fixes {
		culprits[f.Culprit.OID] = true
		age := f.Fix.Committer.Time.Sub(f.Culprit.Committer.Time)
		days = append(days, int(max(0, age)/(24*time.Hour)))
		ages[slices.IndexFunc(spans, func(s span) bool { return age < s.below })]++
	}
	slices.Sort(days)
	o.Culprits, o.Days = len(culprits), days[len(days)/2]
	for i, s := range spans {
		o.Ages = append(o.Ages, Sum{Name: s.name, Fixes: ages[i]})
	}
	var err error
	if o.Directories, err = directories(ctx, repo, fixes); err != nil {
		return nil, err
	}
	if o.Releases, err = releases(ctx, repo, tip, fixes); err != nil {
		return nil, err
	}
	o.Tools, err = tools(ctx, repo, tip, fixes)
	return o, err
}

// A span is a range of ages.
type span struct {
	name  string
	below time.Duration
}

const day = 24 * time.Hour

// spans are the ranges of ages, youngest first.
var spans = []span{
	{"a day", day}, {"a week", 7 * day}, {"a month", 30 * day}, {"3 months", 91 * day}, {"a year", 365 * day},
	{"2 years", 2 * 365 * day}, {"5 years", 5 * 365 * day}, {"more", 1<<63 - 1},
}

// sortedSums returns sums with most fixes first.
func sortedSums(count map[string]int) []Sum {
	var list []Sum
	for _, name := range slices.Sorted(maps.Keys(count)) {
		list = append(list, Sum{Name: name, Fixes: count[name]})
	}
	slices.SortStableFunc(list, func(a, b Sum) int { return cmp.Compare(b.Fixes, a.Fixes) })
	return list
}

// maxPaths bounds the files of a fix that tell its directory.
const maxPaths = 100

// directories counts fixes by the directory, of at most two names, with most of their source files.
func directories(ctx context.Context, repo *gitext.Repo, fixes []tracedFix) ([]Sum, error) {
	var oids []gitext.OID
	for _, f := range fixes {
		oids = append(oids, f.Fix.OID)
	}
	touched, err := repo.Touched(ctx, oids, maxPaths)
	if err != nil {
		return nil, err
	}
	count := map[string]int{}
	for _, oid := range oids {
		if dir := directoryOf(touched[oid].Paths); dir != "" {
			count[dir]++
		}
	}
	return sortedSums(count), nil
}

// directoryOf returns the directory of most source files, else of most files.
func directoryOf(paths []string) string {
	count := map[string]int{}
	for _, p := range paths {
		weight := 1
		if source.FileKindOf(p) == source.SourceFile {
			weight = maxPaths
		}
		names := strings.Split(path.Dir(p), "/")
		count[strings.Join(names[:min(2, len(names))], "/")] += weight
	}
	if sums := sortedSums(count); len(sums) > 0 {
		return sums[0].Name
	}
	return ""
}

// releases counts fixes by the first tag, in the order of time, with their culprit.
func releases(ctx context.Context, repo *gitext.Repo, tip gitext.OID, fixes []tracedFix) ([]Sum, error) {
	tags, err := repo.Tags(ctx)
	if err != nil || len(tags) == 0 {
		return nil, err
	}
	tips := []gitext.OID{tip}
	for _, t := range tags {
		tips = append(tips, t.Commit)
	}
	parents, times := map[gitext.OID][]gitext.OID{}, map[gitext.OID]int64{}
	for a, err := range repo.Ancestry(ctx, tips, nil) {
		if err != nil {
			return nil, err
		}
		parents[a.OID], times[a.OID] = a.Parents, a.Time
	}
	slices.SortStableFunc(tags, func(a, b gitext.Tag) int { return cmp.Compare(times[a.Commit], times[b.Commit]) })
	first := map[gitext.OID]int{} // of a commit, the place of its first tag, from 1
	for i, t := range tags {
		todo := []gitext.OID{t.Commit}
		for len(todo) > 0 {
			oid := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if first[oid] > 0 {
				continue
			}
			first[oid] = i + 1
			todo = append(todo, parents[oid]...)
		}
	}
	count := map[int]int{}
	for _, f := range fixes {
		count[first[f.Culprit.OID]]++
	}
	var list []Sum
	for i, t := range tags {
		if count[i+1] > 0 {
			list = append(list, Sum{Name: t.Name, Fixes: count[i+1]})
		}
	}
	if count[0] > 0 {
		list = append(list, Sum{Name: "no tag yet", Fixes: count[0]})
	}
	return list, nil
}

// toolTrailers are the trailers that name tools, in lower case, and others who wrote a commit.
var toolTrailers = []string{"assisted-by", "co-authored-by", "generated-by"}

// tools counts fixes by the values of trailers of their culprits that name tools, and how many
// commits of the history have these.
func tools(ctx context.Context, repo *gitext.Repo, tip gitext.OID, fixes []tracedFix) ([]Sum, error) {
	count, culprits := map[string]int{}, map[string]map[gitext.OID]bool{}
	for _, f := range fixes {
		for _, name := range toolsOf(f.Culprit.Message) {
			if count[name]++; culprits[name] == nil {
				culprits[name] = map[gitext.OID]bool{}
			}
			culprits[name][f.Culprit.OID] = true
		}
	}
	list := sortedSums(count)
	if len(list) == 0 {
		return nil, nil
	}
	var oids []gitext.OID
	opt := gitext.LogOptions{Tip: tip, NoMerges: true, GrepLine: "^([Aa]ssisted|[Cc]o-[Aa]uthored|[Gg]enerated)-[Bb]y:"}
	for e, err := range repo.Log(ctx, opt) {
		if err != nil {
			return nil, err
		}
		oids = append(oids, e.OID)
	}
	commits, err := repo.Commits(ctx, oids)
	if err != nil {
		return nil, err
	}
	all := map[string]int{}
	for _, c := range commits {
		for _, name := range toolsOf(c.Message) {
			all[name]++
		}
	}
	for i := range list {
		list[i].Culprits = len(culprits[list[i].Name])
		list[i].Commits = max(all[list[i].Name], list[i].Culprits) // a culprit may be outside of the tip's history
	}
	return list, nil
}

// toolsOf returns the values of the trailers, each once, as "Assisted-by: name".
func toolsOf(message string) []string {
	var list []string
	_, trailers := commitmsg.Trailers(message)
	for _, t := range trailers {
		if !slices.Contains(toolTrailers, strings.ToLower(t.Key)) {
			continue
		}
		value, _, _ := strings.Cut(t.Value, "<")
		value = strings.Join(strings.Fields(value), " ")
		name := fmt.Sprintf("%s: %s", strings.ToUpper(t.Key[:1])+strings.ToLower(t.Key[1:]), value)
		if value != "" && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}
