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

// A candidate is a function, or a range of lines outside of functions, with its evidence.
type candidate struct {
	file  *file
	index int // index of the function in the file, -1 outside of functions
	name  string
	lines gitext.LineRange

	given    int            // 1 for the first location that the user named, and so on; 0 if the user did not name it
	frame    float64        // 1 for the innermost frame of the project in a stack, less further out; 0 for none
	executed []fix.LineHits // the lines that failing tests execute
	ochiai   float64        // coefficient of its most suspicious line, 0 to 1
	calls    float64        // share of a walk from the failing tests, 1 for the largest
	asserted float64        // strength of the naming in a failed assertion, 0 to 1
	literal  float64        // share of this function in a text of the output, 1 if no other function has the text
	printed  string         // that text
	words    float64        // likeness to the failing tests and their output, 1 for the best
	named    string         // its name with its class or module in the user's report, "" if it is not named there
	report   float64        // likeness to the user's report, 1 for the best
	path     float64        // likeness of its path to the report, 1 for the best; 0 unless the report is all that is known
	inFile   float64        // likeness to the report of the most alike function of its file; likewise
	age      float64        // days since one of its lines changed
	changed  gitext.OID     // the last commit that changed the function, "" if unknown or uncommitted
	when     time.Time      // time of that change
	aged     bool           // age is known

	uncommitted bool // it has uncommitted changes

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

// These are the suspiciousness of lines from other sources than coverage, which has 0 to 1.
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

// location returns a candidate as a fix.Location.
func (s *search) location(c *candidate) fix.Location {
	grounds := slices.Concat(
		c.grounds, c.namedGrounds(), s.assertedGrounds(c), s.callGrounds(c), s.operatorGrounds(c), s.literalGrounds(c),
		s.wordGrounds(c), s.ageGrounds(c),
	)
	slices.SortStableFunc(grounds, func(a, b fix.Ground) int { return trust[a.Source] - trust[b.Source] })
	return fix.Location{
		Path: c.file.path, Lines: c.lines, Function: c.name, Hot: c.hotPlaces(), Score: c.score, Grounds: grounds,
	}
}

// hotPlaces returns the places with missing code, followed by the suspicious lines.
func (c *candidate) hotPlaces() []gitext.LineRange {
	var out []gitext.LineRange
	for _, at := range c.gaps {
		out = append(out, gitext.LineRange{Start: at, End: at - 1})
	}
	return append(out, hotRanges(c.hot, c.lines)...)
}

// maxHot bounds the listed ranges of suspicious lines of one function.
const maxHot = 8

// hotRanges joins neighbouring lines of equal suspiciousness and returns the ranges, the most
// suspicious first. It returns nil if a single range below frameHeat covers nearly the whole
// function.
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

// oncePerLine returns each line once with its highest score, in order.
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
