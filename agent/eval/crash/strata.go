package crasheval

import (
	"cmp"
	"slices"
	"strings"

	"git-agent/agent/eval"
	"git-agent/agent/source"
)

// dimensions are in the order of a report.
var dimensions = []eval.Dimension{
	eval.ByFile,
	{Name: "set", Of: eval.OfCase(setOf), Order: []string{setCore, setLeak, setState}},
	{Name: "files in the trace", OfScore: eval.OfRow(breadthOf), Order: breadths},
	{Name: "language", Of: eval.OfCase(func(c Case) string { return cmp.Or(c.Ecosystem, "not stated") })},
	{Name: "signal", OfScore: eval.OfRow(classOf), Order: classes},
	{Name: "type", Of: eval.OfCase(func(c Case) string { return typeOf(c.Type) })},
	{Name: "format", OfScore: formatsOf, Overlapping: true},
	{Name: "source", Of: eval.OfCase(func(c Case) string { return cmp.Or(c.Source, "not stated") })},
	eval.ByRepository,
}

// These sets separate the cases that count for headline figures from the others, see Core.
const (
	setCore  = "core"
	setLeak  = "leak"
	setState = "three functions"
)

func setOf(c Case) string {
	switch {
	case Core(c):
		return setCore
	case c.Source == stateSource:
		return setState
	}
	return setLeak
}

var breadths = []string{"1", "2-3", "4-7", "8+", "none"}

// breadthOf returns the stratum of a case by the number of files in its stacks. With more files,
// it is harder to rank the right one first.
func breadthOf(row scoreRow) string {
	switch n := row.Traced; {
	case n == 0:
		return "none"
	case n == 1:
		return "1"
	case n <= 3:
		return "2-3"
	case n <= 7:
		return "4-7"
	}
	return "8+"
}

// formatsOf returns the formats in the report of a case.
func formatsOf(s eval.Score) []string {
	row, _ := s.Row.(scoreRow)
	if len(row.Formats) == 0 {
		return []string{"none"}
	}
	formats := slices.Clone(row.Formats)
	slices.Sort(formats)
	return slices.Compact(formats)
}

// access is the end of a type of ClusterFuzz, as in "Heap-buffer-overflow READ 4".
var access = source.Lazy(`(?i) (?:read|write)(?: (?:\d+|\{\*\}))?$`)

// typeOf returns the type of a crash without the size and the kind of the access.
func typeOf(kind string) string {
	return cmp.Or(strings.ToLower(access().ReplaceAllString(kind, "")), "not stated")
}
