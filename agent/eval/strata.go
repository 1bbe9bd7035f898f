package eval

import (
	"cmp"
	"slices"
	"strings"
)

// Dimension is one way to divide the cases.
type Dimension struct {
	Name string
	// Overlapping: a case may be in several strata, so that the rows do not
	// add up to the whole.
	Overlapping bool
	of          func(Case) []string
	order       []string // nil: largest first
}

// dimensions in the order in which a report shows them.
var dimensions = []Dimension{
	{Name: "file", of: func(c Case) []string { return []string{c.File} }},
	{Name: "label", of: func(c Case) []string { return []string{labelStyle(c.LabelSource)} }},
	{Name: "ghost", of: func(c Case) []string { return []string{choose(c.Ghost, "ghost", "not ghost")} }},
	{Name: "cross-file", of: func(c Case) []string { return []string{choose(c.CrossFile, "cross-file", "same file")} }},
	{Name: "bug age", of: func(c Case) []string { return []string{ageBand(c.AgeDays)} }, order: ageBands},
	{Name: "language", of: languages, Overlapping: true},
	{Name: "repository", of: func(c Case) []string { return []string{c.Repo} }},
}

func choose(b bool, yes, no string) string {
	if b {
		return yes
	}
	return no
}

// labelStyle tells the two styles of truth apart: trailers point at origins,
// prose at the most recent cause (szz.md, section 4).
func labelStyle(source string) string {
	switch {
	case source == "":
		return "unknown"
	case strings.HasPrefix(source, "trailer"):
		return "trailer"
	default:
		return "prose"
	}
}

var ageBands = []string{"under 1 day", "1 to 7 days", "7 to 30 days", "30 to 365 days", "1 to 5 years", "over 5 years", "unknown"}

func ageBand(days *float64) string {
	if days == nil {
		return ageBands[len(ageBands)-1]
	}
	for i, limit := range []float64{1, 7, 30, 365, 5 * 365} {
		if *days < limit {
			return ageBands[i]
		}
	}
	return ageBands[5]
}

// languageNames are the file name endings that some case files give instead of
// a language.
var languageNames = map[string]string{
	"c": "C", "h": "C header", "cc": "C++", "cpp": "C++", "cxx": "C++", "hpp": "C++", "cs": "C#",
	"go": "Go", "java": "Java", "js": "JavaScript", "ts": "TypeScript", "php": "PHP", "py": "Python",
	"rb": "Ruby", "rs": "Rust", "sh": "Shell",
}

func languages(c Case) []string {
	var names []string
	for _, lang := range c.Langs {
		if name, ok := languageNames[strings.ToLower(lang)]; ok {
			lang = name
		}
		if lang != "" && !slices.Contains(names, lang) {
			names = append(names, lang)
		}
	}
	if names == nil {
		return []string{"unknown"}
	}
	return names
}

// strata sorts cases (by index) into the strata of a dimension. Strata come in
// the dimension's order, or the largest first.
func (d Dimension) strata(cases []Case, use func(index int) bool) (names []string, members map[string][]int) {
	members = map[string][]int{}
	for i, c := range cases {
		if !use(i) {
			continue
		}
		for _, name := range d.of(c) {
			if members[name] == nil {
				names = append(names, name)
			}
			members[name] = append(members[name], i)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(
			cmp.Compare(slices.Index(d.order, a), slices.Index(d.order, b)),
			cmp.Compare(len(members[b]), len(members[a])),
			cmp.Compare(a, b))
	})
	return names, members
}
