package szzeval

import (
	"slices"
	"strings"

	"git-agent/agent/eval"
)

// dimensions are in the order of a report.
var dimensions = []eval.Dimension{
	eval.ByFile,
	{Name: "label", Of: eval.OfCase(func(c Case) string { return labelStyle(c.LabelSource) })},
	{Name: "ghost", OfScore: eval.OfRow(func(row scoreRow) string { return choose(row.Ghost, "ghost", "not ghost") })},
	{Name: "cross-file", OfScore: eval.OfRow(func(row scoreRow) string { return choose(row.CrossFile, "cross-file", "same file") })},
	{Name: "bug age", Of: eval.OfCase(func(c Case) string { return ageBand(c.AgeDays) }), Order: ageBands},
	{Name: "language", Of: func(c eval.Case) []string { return languages(c.(Case)) }, Overlapping: true},
	eval.ByRepository,
}

func choose(b bool, yes, no string) string {
	if b {
		return yes
	}
	return no
}

// labelStyle distinguishes the sources of labels. Trailers name the origin of a bug, prose
// names its most recent cause, and an executed test shows where it begins to fail.
func labelStyle(source string) string {
	switch {
	case source == "":
		return "unknown"
	case strings.HasPrefix(source, "trailer"):
		return "trailer"
	case strings.HasPrefix(source, "executed"):
		return source // a regression, or code that never worked
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

// languageNames maps file name extensions to languages, because some case files give extensions.
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
