package classic

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"git-agent/gitext"
)

const (
	// minMoved is the least number of letters and digits in a moved block of two or more
	// lines. It is git blame's own measure for -C.
	minMoved = 40
	// minDistinctive is the least number of letters and digits in a line that tells one
	// function from another. "}", "else" and "return 0;" have fewer.
	minDistinctive = 9
	// minExtracted is the least number of distinctive lines in an extracted function.
	minExtracted = 3
	// maxAligned bounds the product of removed and added lines in one alignment.
	maxAligned = 1 << 18
	// maxPlaces bounds the searched places with the text of one line.
	maxPlaces = 32
)

// A place is one line of one side of a patch.
type place struct {
	path string
	line int
}

// An origin is the place of a refactored line before the commit.
type origin struct {
	place
	how       string // "reformatted", "renamed" or "moved"
	block     int    // number of lines moved together; 0 if the line was not moved
	whole     bool   // every line of its change differs only in form
	crossFile bool
}

// A change is one maximal block of removed and added lines, without blank ones.
type change struct {
	order          int // its place in the patch
	file           *gitext.FileChange
	removed, added []codeLine
}

// A codeLine is a removed or added line, cut into words.
type codeLine struct {
	num     int // its number, on its side
	words   []token
	text    string // the words with one space after each; renamed names in a removed line are replaced
	weight  int    // number of letters and digits
	matched bool   // its counterpart on the other side was found
}

// collect returns the changes of a patch.
func collect(p *gitext.Patch) []*change {
	var out []*change
	for i := range p.Files {
		f := &p.Files[i]
		if f.Binary || f.Submodule {
			continue
		}
		for _, h := range f.Hunks {
			for _, r := range changedBlocks(h.Lines) {
				c := newChange(f, r)
				c.order = len(out)
				out = append(out, c)
			}
		}
	}
	return out
}

func newChange(f *gitext.FileChange, lines []gitext.PatchLine) *change {
	c := &change{file: f}
	for _, l := range lines {
		code := codeLine{words: words(string(l.Text))}
		if len(code.words) == 0 {
			continue
		}
		for _, w := range code.words {
			if r, _ := utf8.DecodeRuneInString(w.Text); isWordRune(r) {
				code.weight += len(w.Text)
			}
		}
		code.text = joinWords(code.words, nil)
		if l.Op == '-' {
			code.num = l.Old
			c.removed = append(c.removed, code)
		} else {
			code.num = l.New
			c.added = append(c.added, code)
		}
	}
	return c
}

// match pairs added lines with their earlier, removed forms, the surest way first. It
// returns their origins by their places after the patch. renamed has the new names of
// identifiers, by old path and old name.
func match(changes []*change, renamed map[string]map[string]string) map[place]origin {
	m := &matcher{changes: changes, renamed: renamed, found: map[place]origin{}}
	for _, c := range changes {
		for i := range c.removed {
			c.removed[i].text = joinWords(c.removed[i].words, renamed[c.file.OldPath])
		}
	}
	for _, c := range changes {
		if !m.reformatted(c) {
			m.align(c, c, 0)
		}
	}
	m.index()
	for _, c := range changes {
		m.moved(c)
	}
	for _, c := range changes {
		m.extracted(c)
	}
	return m.found
}

// A matcher pairs the lines of the changes of one patch.
type matcher struct {
	changes []*change
	renamed map[string]map[string]string
	found   map[place]origin
	byText  map[string][]removedRef // removed lines
}

// A removedRef is a removed line of a change.
type removedRef struct {
	change *change
	line   int // index in change.removed
}

// pair records that an added line was a removed one. block is the number of lines moved
// together, 0 for a line that was not moved.
func (m *matcher) pair(c *change, added int, from removedRef, block int) {
	a, r := &c.added[added], &from.change.removed[from.line]
	if a.matched {
		return
	}
	o := origin{place: place{from.change.file.OldPath, r.num}, block: block, how: "reformatted"}
	o.crossFile = from.change.file != c.file
	switch {
	case block > 0:
		o.how = "moved"
	case r.text != joinWords(r.words, nil):
		o.how = "renamed"
	}
	a.matched, r.matched = true, true
	m.found[place{c.file.NewPath, a.num}] = o
}

// reformatted pairs the lines of a change whose two sides have the same words in the same
// order, and reports whether they do. The origin of an added line is the removed line
// with its first word.
func (m *matcher) reformatted(c *change) bool {
	var before, after strings.Builder
	for _, l := range c.removed {
		before.WriteString(l.text)
	}
	for _, l := range c.added {
		after.WriteString(l.text)
	}
	if len(c.removed) == 0 || before.String() != after.String() {
		return false
	}
	var owner []int // the removed line of each word
	for i, l := range c.removed {
		for range l.words {
			owner = append(owner, i)
		}
	}
	word := 0
	for i := range c.added {
		m.pair(c, i, removedRef{c, owner[word]}, 0)
		word += len(c.added[i].words)
	}
	for i := range c.removed {
		c.removed[i].matched = true
	}
	m.markWhole(c)
	return true
}

// align pairs equal lines of one change's added side with another's removed side, as many
// as possible in their order.
func (m *matcher) align(c, from *change, block int) {
	pairs := commonLines(from.removed, c.added)
	for _, p := range pairs {
		m.pair(c, p[1], removedRef{from, p[0]}, block)
	}
	if c == from && len(pairs) == len(c.removed) && len(pairs) == len(c.added) {
		m.markWhole(c)
	}
}

// markWhole marks the origins of a change that differs only in form.
func (m *matcher) markWhole(c *change) {
	for i := range c.added {
		at := place{c.file.NewPath, c.added[i].num}
		o := m.found[at]
		o.whole = true
		m.found[at] = o
	}
}

// commonLines returns the longest common subsequence of two sides, as pairs of indices,
// without lines that are matched already. It returns nil for long sides.
func commonLines(old, new []codeLine) [][2]int {
	n, k := len(old), len(new)
	if n == 0 || k == 0 || n*k > maxAligned {
		return nil
	}
	length := make([]int, (n+1)*(k+1))
	at := func(i, j int) *int { return &length[i*(k+1)+j] }
	same := func(i, j int) bool { return !old[i].matched && !new[j].matched && old[i].text == new[j].text }
	for i := n - 1; i >= 0; i-- {
		for j := k - 1; j >= 0; j-- {
			if same(i, j) {
				*at(i, j) = *at(i+1, j+1) + 1
			} else {
				*at(i, j) = max(*at(i+1, j), *at(i, j+1))
			}
		}
	}
	var out [][2]int
	for i, j := 0, 0; i < n && j < k; {
		switch {
		case same(i, j):
			out = append(out, [2]int{i, j})
			i, j = i+1, j+1
		case *at(i+1, j) >= *at(i, j+1):
			i++
		default:
			j++
		}
	}
	return out
}

// index maps texts to the removed lines that are not matched yet.
func (m *matcher) index() {
	m.byText = map[string][]removedRef{}
	for _, c := range m.changes {
		for i := range c.removed {
			l := &c.removed[i]
			if !l.matched && len(m.byText[l.text]) < maxPlaces {
				m.byText[l.text] = append(m.byText[l.text], removedRef{c, i})
			}
		}
	}
}

// moved pairs the lines of blocks that the patch moves:
//
//	a.c   -f(x);    b.c   +  f(x);
//	      -g(x);          +  g(x);
func (m *matcher) moved(c *change) {
	for i := 0; i < len(c.added); {
		from, n := m.longestBlock(c, i)
		for k := range n {
			m.pair(c, i+k, removedRef{from.change, from.line + k}, n)
		}
		i += max(n, 1)
	}
}

// longestBlock finds the consecutive removed lines that equal the added lines from index
// i on. Among several such blocks it takes the one with most letters and digits.
func (m *matcher) longestBlock(c *change, i int) (best removedRef, lines int) {
	heaviest := minMoved - 1
	for _, s := range m.byText[c.added[i].text] {
		weight, n := 0, 0
		for i+n < len(c.added) && s.line+n < len(s.change.removed) {
			a, r := &c.added[i+n], &s.change.removed[s.line+n]
			if a.matched || r.matched || a.text != r.text {
				break
			}
			weight += a.weight
			n++
		}
		if n >= 2 && weight > heaviest {
			best, lines, heaviest = s, n, weight
		}
	}
	return best, lines
}

// extracted pairs the equal lines of a function that was moved and changed. From the
// first to the last added line that a removed part also has, three fifths of the
// distinctive lines have to come from that part.
func (m *matcher) extracted(c *change) {
	shared := map[*change][]int{}
	for i := range c.added {
		if c.added[i].matched || c.added[i].weight < minDistinctive {
			continue
		}
		var counted *change
		for _, s := range m.byText[c.added[i].text] {
			if s.change != c && s.change != counted && !s.change.removed[s.line].matched {
				shared[s.change] = append(shared[s.change], i)
				counted = s.change
			}
		}
	}
	sources := slices.Collect(maps.Keys(shared))
	slices.SortFunc(sources, func(a, b *change) int { return a.order - b.order })
	for _, from := range sources {
		hits := shared[from]
		if len(hits) < minExtracted {
			continue
		}
		window := c.added[hits[0] : hits[len(hits)-1]+1]
		if 5*len(hits) >= 3*countDistinctive(window) {
			m.align(c, from, len(hits))
		}
	}
}

// countDistinctive counts the distinctive lines that are not matched yet.
func countDistinctive(lines []codeLine) int {
	n := 0
	for i := range lines {
		if !lines[i].matched && lines[i].weight >= minDistinctive {
			n++
		}
	}
	return n
}
