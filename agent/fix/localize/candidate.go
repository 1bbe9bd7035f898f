package localize

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

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
	executed []fix.LineHits // the lines that failing tests execute
	ochiai   float64        // of its most suspicious line, 0 to 1
	calls    float64        // share of a walk from the failing tests, 1 for the largest
	asserted float64        // how plainly a failed assertion names it, 0 to 1
	literal  float64        // share of it in a text of the output, 1 if no other function has the text
	printed  string         // that text
	words    float64        // likeness to the failing tests and their output, 1 for the best
	report   float64        // likeness to the user's report, 1 for the best
	age      float64        // days since one of its lines changed
	changed  gitext.OID     // the commit that changed it last, "" if it is unknown or uncommitted
	when     time.Time      // when that was
	aged     bool           // age is known

	hot     []hotLine
	gaps    []int // lines before which code is missing
	grounds []fix.Ground
	score   float64
}

// A hotLine is a line of a function with its suspiciousness.
type hotLine struct {
	line  int
	score float64
}

// The suspiciousness of lines that are not known by coverage, whose lines have from 0
// to 1.
const (
	givenHeat = 3 // the user named it
	frameHeat = 2 // a stack or the output names it
)

// because adds a ground.
func (c *candidate) because(source fix.Source, format string, args ...any) {
	c.grounds = append(c.grounds, fix.Ground{Source: source, Text: fmt.Sprintf(format, args...)})
}

// trust orders the sources, the most trusted first.
var trust = map[fix.Source]int{
	fix.SourceGiven: 0, fix.SourceStack: 1, fix.SourceCoverage: 2, fix.SourceReport: 3, fix.SourceHistory: 4,
}

// location returns a candidate for a reader.
func (s *search) location(c *candidate) fix.Location {
	grounds := slices.Concat(c.grounds, s.assertedGrounds(c), s.callGrounds(c), s.literalGrounds(c), s.wordGrounds(c), s.ageGrounds(c))
	slices.SortStableFunc(grounds, func(a, b fix.Ground) int { return trust[a.Source] - trust[b.Source] })
	return fix.Location{
		Path: c.file.path, Lines: c.lines, Function: c.name, Hot: c.hotPlaces(), Score: c.score, Grounds: grounds,
	}
}

// hotPlaces returns the suspicious lines, and before them the places where code is missing.
func (c *candidate) hotPlaces() []gitext.LineRange {
	var out []gitext.LineRange
	for _, at := range c.gaps {
		out = append(out, gitext.LineRange{Start: at, End: at - 1})
	}
	return append(out, hotRanges(c.hot, c.lines)...)
}

// maxHot bounds the ranges of suspicious lines that are listed of one function.
const maxHot = 8

// hotRanges joins neighbouring lines of one suspiciousness, the most suspicious first.
// It returns nil if the whole function is as suspicious.
func hotRanges(hot []hotLine, whole gitext.LineRange) []gitext.LineRange {
	type scored struct {
		gitext.LineRange
		score float64
	}
	var ranges []scored
	for _, h := range oncePerLine(hot) {
		if n := len(ranges); n > 0 && ranges[n-1].score == h.score && h.line <= ranges[n-1].End+1 {
			ranges[n-1].End = h.line
			continue
		}
		ranges = append(ranges, scored{gitext.LineRange{Start: h.line, End: h.line}, h.score})
	}
	if len(ranges) == 1 && ranges[0].Start <= whole.Start+1 && ranges[0].End >= whole.End-1 && ranges[0].score < frameHeat {
		return nil
	}
	slices.SortStableFunc(ranges, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var out []gitext.LineRange
	for _, r := range ranges[:min(len(ranges), maxHot)] {
		out = append(out, r.LineRange)
	}
	return out
}

// oncePerLine returns the lines in order, each with its highest score.
func oncePerLine(hot []hotLine) []hotLine {
	hot = slices.Clone(hot)
	slices.SortFunc(hot, func(a, b hotLine) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(b.score, a.score))
	})
	return slices.CompactFunc(hot, func(a, b hotLine) bool { return a.line == b.line })
}

// logShare returns the logarithm of a share, from leastShare to 0.
func logShare(x float64) float64 {
	if x <= 0 {
		return leastShare
	}
	return max(leastShare, math.Log(x))
}

// leastShare stands for a share of zero. It is the logarithm of a thousandth.
const leastShare = -7
