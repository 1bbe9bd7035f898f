package rank

import (
	"bytes"
	"context"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
	"git-agent/agent/stat"
	"git-agent/gitext"
)

// Limits on searches in the repository for one report.
const (
	maxNames   = 60
	maxMatches = 100_000
	maxWidth   = 1000 // bytes of a line
)

// unknown is a count that was not made.
const unknown = -1

// mentions counts, by name and file, the lines that have the name as a whole word.
type mentions map[string]map[string]int

// A search has the names that are looked up for one report. One search of the commit finds all.
type search struct {
	functions []string // of the report's frames
	units     []string // the names of the report's files
	words     map[string]float64
	quoted    []string // names that the message quotes
}

func searchOf(report *crash.Report, files []*evidence) search {
	s := search{words: wordsOf(report)}
	if len(files) < 2 {
		return s // no files to compare
	}
	for _, e := range files {
		s.functions = append(s.functions, e.functionsOf(report)...)
		s.units = append(s.units, unitOf(e.path))
	}
	s.functions, s.units = bounded(s.functions, plainName()), bounded(s.units, plainUnit())
	s.quoted = quotedNames(report)
	return s
}

// find returns the mentions of all names in the files of a commit. If files cannot be read, it
// returns those in the others and an error for which gitext.Unreadable is true.
func (s search) find(ctx context.Context, repo *gitext.Repo, commit gitext.OID) (mentions, error) {
	names := slices.Concat(s.functions, s.units, s.quoted, slices.Collect(maps.Keys(s.words)))
	slices.Sort(names)
	names = slices.Compact(names)
	found := mentions{}
	if len(names) == 0 {
		return found, nil
	}
	matches, err := repo.Grep(ctx, commit, gitext.GrepOptions{
		Pattern: "(" + strings.Join(quoted(names), "|") + ")", Word: true, Max: maxMatches, Width: maxWidth,
	})
	if err != nil && !gitext.Unreadable(err) {
		return nil, err
	}
	var dashed []string // names that are more than one identifier
	for _, name := range names {
		found[name] = map[string]int{}
		if strings.ContainsAny(name, "-+") {
			dashed = append(dashed, name)
		}
	}
	for _, m := range matches {
		for word := range bytes.FieldsFuncSeq(m.Text, source.NotIdent) {
			if files := found[string(word)]; files != nil {
				files[m.Path]++
			}
		}
		for _, name := range dashed {
			if bytes.Contains(m.Text, []byte(name)) {
				found[name][m.Path]++
			}
		}
	}
	return found, err
}

// measureUsage records on the evidence how much of the project uses each file: how many files
// mention its functions, and how many mention the file itself. A file that is used everywhere is
// rarely at fault for a crash.
func (s search) measureUsage(found mentions, report *crash.Report, files []*evidence) {
	for _, e := range files {
		e.quoted = s.shareOfQuoted(found, e.path)
		for _, name := range e.functionsOf(report) {
			if n := len(found[name]); n > 0 && slices.Contains(s.functions, name) {
				e.mentions = min(e.mentions, n)
			}
		}
		if unit := unitOf(e.path); slices.Contains(s.units, unit) {
			e.users = 0
			for p := range found[unit] {
				if p != e.path && sameFamily(p, e.path) {
					e.users++
				}
			}
		}
	}
}

// shareOfQuoted returns the share of the names that the message quotes which are in a file.
func (s search) shareOfQuoted(found mentions, file string) float64 {
	n := 0
	for _, name := range s.quoted {
		n += stat.Count(found[name][file] > 0)
	}
	return float64(n) / float64(max(len(s.quoted), 1))
}

// unitOf returns the name by which other code refers to a file: the package of a Go file, the
// folder of a file that stands for its folder, else the file's name without its extension.
func unitOf(p string) string {
	stem, folder := source.Stem(p), path.Base(path.Dir(p))
	switch {
	case folder == "." || folder == "/":
	case path.Ext(p) == ".go" && strings.Contains(folder, "-"):
		return "" // a program: no package has such a name
	case path.Ext(p) == ".go":
		return folder
	case slices.Contains([]string{"__init__", "__main__", "index", "main", "mod", "lib"}, stem):
		return folder
	}
	return stem
}

// families are the extensions of files that use each other by name.
var families = [][]string{
	{".py", ".in", ".pyx"}, {".java", ".kt", ".scala", ".groovy"}, {".go"}, {".js", ".ts", ".jsx", ".tsx", ".mjs", ".vue"}, {".rs"},
}

// sameFamily reports whether two files are in languages whose files use each other.
func sameFamily(a, b string) bool { return familyOf(a) == familyOf(b) }

// familyOf returns the index of a file's family. Native code is the last one.
func familyOf(p string) int {
	ext := strings.ToLower(path.Ext(p))
	for i, family := range families {
		if slices.Contains(family, ext) {
			return i
		}
	}
	if !isManaged(p) {
		return len(families)
	}
	return unknown
}

var (
	plainName = source.Lazy(`^[A-Za-z_]\w*$`)
	plainUnit = source.Lazy(`^[A-Za-z_][\w+-]*$`)
)

// bounded returns the first distinct names of the given form, sorted. A report may contain any
// function names, so only names without special characters of expressions are searched.
func bounded(names []string, form *regexp.Regexp) []string {
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !form.MatchString(n) || len(n) > 200 })
	slices.Sort(names)
	names = slices.Compact(names)
	return names[:min(len(names), maxNames)]
}

func quoted(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = regexp.QuoteMeta(n)
	}
	return out
}
