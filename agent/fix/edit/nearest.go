package edit

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// Near is the part of a text with the greatest likeness to another text.
type Near struct {
	Start, End int     // lines of the part, from 1
	Like       float64 // share of the other text's characters in this part, 0 to 1
	// Line is the first different line of the other text, and At the corresponding line of the
	// part, both from 1. Line is 0 if no line differs. At is beyond the last line if the text
	// ends too early.
	Line, At int
}

// These bound the search for the nearest text.
const (
	maxWanted    = 400     // lines of the other text that are searched for
	maxSameLine  = 40      // places of a line; more frequent lines are ignored
	maxNearby    = 12      // candidates that are compared in full
	maxCompared  = 4000    // bytes of a comparison on each side
	maxWordBytes = 4 << 20 // bytes of a text for a search by words
	shift        = 3       // lines that may be missing before a line that both texts have
	minLike      = 0.4     // a smaller likeness counts as nothing
)

// Nearest returns the part of a text with the greatest likeness to wanted, and false if no part
// is similar. Both texts are lines without line breaks; spaces around a line do not matter.
// Candidates are the places of rare common lines, or, if there are none, of lines with common
// words. Candidates are compared by characters.
func Nearest(lines, wanted []string) (Near, bool) {
	all, want := keys(lines, strings.TrimSpace), keys(wanted, strings.TrimSpace)
	if strings.Join(want, "") == "" || len(all) == 0 {
		return Near{}, false
	}
	starts := byLines(all, want[:min(len(want), maxWanted)])
	if len(starts) == 0 {
		starts = byWords(all, want)
	}
	var best Near
	for _, start := range starts {
		if n := compare(all, want, start); n.Like > best.Like {
			best = n
		}
	}
	return best, best.Like >= minLike
}

// byLines returns the possible start indexes of a text in all, judged by rare common lines; the
// best first.
func byLines(all, want []string) []int {
	wanted := map[string][]int{}
	for i, line := range want {
		if telling(line) > 1 {
			wanted[line] = append(wanted[line], i)
		}
	}
	places := map[string][]int{}
	for i, line := range all {
		if _, ok := wanted[line]; ok && len(places[line]) <= maxSameLine {
			places[line] = append(places[line], i)
		}
	}
	votes := map[int]float64{}
	for line, at := range places {
		if len(at) > maxSameLine {
			continue
		}
		for _, i := range at {
			for _, j := range wanted[line][:min(len(wanted[line]), maxSameLine)] {
				votes[i-j] += float64(min(telling(line), 40)) / float64(len(at))
			}
		}
	}
	return bestStarts(votes)
}

// bestStarts returns the starts with the most votes, including votes of neighbours.
func bestStarts(votes map[int]float64) []int {
	type scored struct {
		start int
		score float64
	}
	var list []scored
	for start, own := range votes {
		s := scored{start, own}
		for d := 1; d <= shift; d++ {
			s.score += (votes[start-d] + votes[start+d]) / 2
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.start, b.start))
	})
	var starts []int
	for _, s := range list[:min(len(list), maxNearby)] {
		starts = append(starts, s.start)
	}
	return starts
}

// byWords returns the possible start indexes of a text in all, judged by the words of its most
// distinctive lines.
func byWords(all, want []string) []int {
	type line struct {
		at    int
		words map[string]bool
	}
	var lines []line
	for i, text := range want {
		lines = append(lines, line{i, wordsOf(text)})
	}
	const most = 5
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(len(b.words), len(a.words)) })
	lines = lines[:min(len(lines), most)]
	votes := map[int]float64{}
	read := 0
	for i, text := range all {
		if read += len(text); read > maxWordBytes {
			break
		}
		have := wordsOf(text)
		for _, l := range lines {
			shared := 0
			for w := range have {
				if l.words[w] {
					shared++
				}
			}
			if union := len(have) + len(l.words) - shared; shared > 0 && 3*shared >= union {
				votes[i-l.at] += float64(shared) * float64(shared) / float64(union)
			}
		}
	}
	return bestStarts(votes)
}

// wordsOf returns the words of the first part of a line.
func wordsOf(line string) map[string]bool {
	const most = 400 // bytes
	words := map[string]bool{}
	for w := range strings.FieldsFuncSeq(line[:min(len(line), most)], func(r rune) bool {
		return r < 0x80 && telling(string(r)) == 0 && r != '_'
	}) {
		words[w] = true
	}
	return words
}

// compare compares a text with the lines of all from an index on. The index may be a little
// before the first line.
func compare(all, want []string, start int) Near {
	first, last := max(0, start), min(len(all), max(0, start+len(want)))
	if first >= last {
		return Near{}
	}
	have := slices.Clone(all[first:last])
	at := func(i int) string { // the line of all for line i of want
		if k := start + i; k >= 0 && k < len(all) {
			return part(all[k], want[i], i == 0, i == len(want)-1)
		}
		return ""
	}
	for k := range have {
		have[k] = at(first + k - start)
	}
	n := Near{Start: first + 1, End: last, Like: alike(joinSome(have), joinSome(want))}
	for i := range want {
		if k := start + i; k < 0 || k >= len(all) || at(i) != want[i] {
			n.Line, n.At = i+1, min(max(k, 0), len(all))+1
			break
		}
	}
	return n
}

// part returns the part of a line for comparison with want: a text may begin in the middle of
// its first line, and end in the middle of its last.
func part(line, want string, first, last bool) string {
	if want != "" && (first && strings.HasSuffix(line, want) || last && strings.HasPrefix(line, want)) {
		return want
	}
	return line
}

// joinSome joins lines up to maxCompared bytes.
func joinSome(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		if b.Len()+len(line) > maxCompared {
			b.WriteString(line[:maxCompared-b.Len()])
			break
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return strings.ToValidUTF8(b.String(), "?")
}

// alike returns the share of common characters of two texts, in order.
func alike(a, b string) float64 {
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = 0 // the same result on any machine; the texts are short
	same := 0
	for _, d := range dmp.DiffMain(a, b, true) {
		if d.Type == diffmatchpatch.DiffEqual {
			same += utf8.RuneCountInString(d.Text)
		}
	}
	longer := max(utf8.RuneCountInString(a), utf8.RuneCountInString(b))
	return float64(same) / float64(max(longer, 1))
}

// firstDifference returns the offset, in bytes, of the first difference of two lines.
func firstDifference(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	for i > 0 && i < len(a) && !utf8.RuneStart(a[i]) {
		i--
	}
	return i
}
