package localize

import (
	"fmt"
	"slices"

	"git-agent/agent/fix"
	"git-agent/gitext"
)

// A candidate is a function, or a range of lines outside of functions, with what
// speaks for it.
type candidate struct {
	file  *file
	index int // of the function in the file, -1 outside of functions
	name  string
	lines gitext.LineRange

	given    int            // 1 for the first location that the user named, 0 if it names none
	frame    float64        // 1 for the innermost frame of the project in a stack, less further out; 0 for none
	crash    float64        // 1 for a file that the ranking of a report puts first, less below
	ochiai   float64        // of its most suspicious line, 0 to 1
	mean     float64        // of its lines that failing tests execute
	executed []fix.LineHits // the lines that failing tests execute
	age      float64        // days since a line that failing tests execute, or any, changed
	aged     bool           // age is known

	walk   float64
	direct bool
	node   *node
	words  [queries]float64
	tokens float64

	hot     []hotLine
	grounds []fix.Ground
	score   float64
}

// A hotLine is a line that is more suspicious than others of its function.
type hotLine struct {
	line  int
	score float64
}

// because adds a ground.
func (c *candidate) because(source fix.Source, format string, args ...any) {
	c.grounds = append(c.grounds, fix.Ground{Source: source, Text: fmt.Sprintf(format, args...)})
}

// maxHot bounds the suspicious ranges that are listed of one function.
const maxHot = 8

// location returns the candidate for a reader.
func (c *candidate) location() fix.Location {
	slices.SortStableFunc(c.grounds, func(a, b fix.Ground) int { return trust[a.Source] - trust[b.Source] })
	return fix.Location{
		Path: c.file.path, Lines: c.lines, Function: c.name, Hot: hotRanges(c.hot), Score: c.score, Grounds: c.grounds,
	}
}

// trust orders the sources.
var trust = map[fix.Source]int{
	fix.SourceGiven: 0, fix.SourceStack: 1, fix.SourceCoverage: 2, fix.SourceReport: 3, fix.SourceHistory: 4,
}

// hotRanges joins neighbouring lines of the same score, the most suspicious first.
func hotRanges(hot []hotLine) []gitext.LineRange {
	slices.SortFunc(hot, func(a, b hotLine) int { return a.line - b.line })
	type scored struct {
		gitext.LineRange
		score float64
	}
	var ranges []scored
	for _, h := range hot {
		if n := len(ranges); n > 0 && ranges[n-1].score == h.score && h.line <= ranges[n-1].End+1 {
			ranges[n-1].End = max(ranges[n-1].End, h.line)
			continue
		}
		ranges = append(ranges, scored{gitext.LineRange{Start: h.line, End: h.line}, h.score})
	}
	slices.SortStableFunc(ranges, func(a, b scored) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	var out []gitext.LineRange
	for _, r := range ranges[:min(len(ranges), maxHot)] {
		out = append(out, r.LineRange)
	}
	return out
}
