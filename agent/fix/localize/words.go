package localize

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"git-agent/agent/fix"
	"git-agent/agent/source"
)

// These are the texts for comparison with the words of functions.
const (
	ofTest   = iota // the failing tests and their names
	ofFocus         // their lines about the failure
	ofOutput        // the output of the failing command
	ofReport        // the user's report
	queries
)

// These are parameters of the comparison: Okapi BM25, with the usual constants (Robertson and
// Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009).
const (
	saturation = 1.2
	byLength   = 0.5
	nameWeight = 4 // weight of a term in the name of a function, against 1 in its body
)

// These bound the comparison.
const (
	maxTerms       = 400 // of a query
	maxOutputText  = 20000
	maxOutputLine  = 500
	maxReportLines = 2000
	minIdentifier  = 3
	maxIdentifier  = 60
)

// A vocabulary contains the terms of all queries. A term is the stem of a word in an identifier
// or in prose, or "=" and a whole identifier of several words.
type vocabulary struct {
	ids    map[string]int
	terms  []string
	asked  [queries][]float64 // weight of each term in each query
	rarity []float64          // inverse document frequency of each term
	shown  map[string]string  // a readable word for each term
	cached map[string][]int   // the terms of an identifier
	length float64            // mean length of the documents
	docs   map[key]*document
}

// A document contains the terms of the queries that occur in one function.
type document struct {
	file   *file
	index  int
	counts map[int]float64
	length float64 // identifiers
	scores [queries]float64
}

// addTerms counts the terms of an identifier.
func addTerms(ident string, b source.Bag) {
	words := source.Bag{}
	words.AddWords(ident)
	for w := range words {
		b[w]++
	}
	if len(words) > 1 {
		b["="+ident]++
	}
}

// addLine counts the terms of a line of code or prose.
func addLine(line []byte, b source.Bag) {
	tokens(line, func(t token) {
		if minIdentifier <= len(t.text) && len(t.text) <= maxIdentifier {
			addTerms(string(t.text), b)
		}
	})
}

// newVocabulary prepares the queries.
func newVocabulary(bags [queries]source.Bag) *vocabulary {
	v := &vocabulary{ids: map[string]int{}, cached: map[string][]int{}, shown: map[string]string{}, docs: map[key]*document{}}
	for _, b := range bags {
		for _, t := range source.SortedTokens(b) {
			if _, ok := v.ids[t]; !ok {
				v.ids[t] = len(v.terms)
				v.terms = append(v.terms, t)
			}
		}
	}
	for q, b := range bags {
		v.asked[q] = make([]float64, len(v.terms))
		for t, n := range b {
			v.asked[q][v.ids[t]] = 1 + math.Log(float64(n))
		}
	}
	return v
}

// termsOf returns the terms of an identifier that occur in a query.
func (v *vocabulary) termsOf(ident []byte) []int {
	if ids, ok := v.cached[string(ident)]; ok {
		return ids
	}
	b := source.Bag{}
	addTerms(string(ident), b)
	var ids []int
	for _, t := range source.SortedTokens(b) {
		if id, ok := v.ids[t]; ok {
			ids = append(ids, id)
			v.show(t, string(ident))
		}
	}
	v.cached[string(ident)] = ids
	return ids
}

// show keeps a word of an identifier as the readable form of a term.
func (v *vocabulary) show(term, ident string) {
	if v.shown[term] != "" {
		return
	}
	word := strings.TrimPrefix(term, "=")
	if at := strings.Index(strings.ToLower(ident), word); at >= 0 && word == term {
		end := at + len(word)
		for end < len(ident) && 'a' <= ident[end] && ident[end] <= 'z' {
			end++
		}
		word = strings.ToLower(ident[at:min(end, len(ident))])
	}
	v.shown[term] = word
}

// read makes the document of a function: its body, the comment above it and its name.
func (v *vocabulary) read(f *file, i int) *document {
	d := &document{file: f, index: i, counts: map[int]float64{}}
	add := func(weight float64, lines ...[]byte) {
		for _, l := range lines {
			tokens(l, func(t token) {
				if len(t.text) < minIdentifier || len(t.text) > maxIdentifier {
					return
				}
				d.length++
				for _, id := range v.termsOf(t.text) {
					d.counts[id] += weight
				}
			})
		}
	}
	add(1, f.body(i)...)
	add(1, commentAbove(f.lines, f.functions[i].Start)...)
	add(nameWeight, []byte(f.functions[i].Name))
	return d
}

// commentAbove returns the comment directly above a function.
func commentAbove(lines [][]byte, start int) [][]byte {
	const most = 30 // lines
	i := start - 1
	for i > 0 && start-i < most && isComment(lines[i-1]) {
		i--
	}
	return lines[i : start-1]
}

// addWords compares the words of all functions with the failing tests, their output
// and the report.
func (s *search) addWords(context.Context) error {
	v := newVocabulary(s.queries())
	s.words = v
	if len(v.terms) == 0 {
		return nil
	}
	list := v.readAll(s.files.withLines(), s.editable)
	var best [queries]float64
	for _, d := range list {
		for q := range queries {
			for id := range d.counts {
				d.scores[q] += v.score(d, q, id)
			}
			best[q] = max(best[q], d.scores[q])
		}
	}
	for _, d := range list {
		for q := range queries {
			if best[q] > 0 {
				d.scores[q] /= best[q]
			}
		}
		if d.scores != [queries]float64{} {
			s.compare(d)
		}
	}
	return nil
}

// compare notes the likeness of a function and the queries. The lines of a test about the
// failure count twice.
func (s *search) compare(d *document) {
	c := s.at[key{d.file.path, d.file.functions[d.index].Start}]
	if c == nil && !d.file.aside {
		c = s.suspect(d.file, d.index)
	}
	if c != nil {
		c.words = (d.scores[ofTest] + 2*d.scores[ofFocus] + d.scores[ofOutput]) / 4
		c.report = d.scores[ofReport]
	}
}

// readAll makes the documents of all functions in files that a patch may change, and computes
// the rarity of the terms.
func (v *vocabulary) readAll(list []*file, editable func(*file) bool) []*document {
	var docs []*document
	having := make([]float64, len(v.terms))
	for _, f := range list {
		if !editable(f) {
			continue
		}
		for i, fn := range f.functions {
			d := v.read(f, i)
			for id := range d.counts {
				having[id]++
			}
			v.length += d.length
			v.docs[key{f.path, fn.Start}] = d
			docs = append(docs, d)
		}
	}
	all := float64(len(docs))
	v.length /= max(all, 1)
	v.rarity = make([]float64, len(having))
	for i, n := range having {
		v.rarity[i] = math.Log(1 + (all-n+0.5)/(n+0.5))
	}
	return docs
}

// score returns a term's contribution to the likeness of a document and a query.
func (v *vocabulary) score(d *document, query, id int) float64 {
	n := d.counts[id]
	if n == 0 || v.asked[query][id] == 0 {
		return 0
	}
	return v.asked[query][id] * v.rarity[id] * n * (saturation + 1) / (n + saturation*(1-byLength+byLength*d.length/v.length))
}

// queries returns the terms of the queries.
func (s *search) queries() [queries]source.Bag {
	var bags [queries]source.Bag
	for q := range bags {
		bags[q] = source.Bag{}
	}
	for _, r := range s.regions {
		for l := r.lines.Start; l <= min(r.lines.End, r.lines.Start+maxTestText); l++ {
			addLine(r.file.lines[l-1], bags[ofTest])
		}
		for l := range r.focus {
			addLine(r.file.lines[l-1], bags[ofFocus])
		}
	}
	for _, n := range s.in.Reproduction.Failing[:min(len(s.in.Reproduction.Failing), maxNames)] {
		addLine([]byte(n), bags[ofTest])
		addLine([]byte(n), bags[ofFocus])
	}
	for i, l := range strings.Split(s.in.Problem.Report, "\n") {
		if i < maxReportLines {
			addLine([]byte(l), bags[ofReport])
		}
	}
	for _, l := range tellingLines(s.in.Reproduction.Output) {
		addLine(l, bags[ofOutput])
	}
	for q := range bags {
		bags[q] = mostFrequent(bags[q])
	}
	return bags
}

// mostFrequent bounds the terms of a query.
func mostFrequent(b source.Bag) source.Bag {
	if len(b) <= maxTerms {
		return b
	}
	terms := source.SortedTokens(b)
	slices.SortStableFunc(terms, func(x, y string) int { return cmp.Compare(b[y], b[x]) })
	out := source.Bag{}
	for _, t := range terms[:maxTerms] {
		out[t] = b[t]
	}
	return out
}

// routine matches lines that test tools and builds print even if no test fails.
var routine = source.Lazy(`(?i)^\s*(?:ok\b|=== |--- PASS|PASS\b|\[\s*(?:ok|run)\s*\]|\[ *\d+%\]|make(?:\[\d+\])?:|-- |gcc |cc |✓|✔)|:PASS\b`)

// tellingLines returns the lines of an output that may describe the failure.
func tellingLines(output []byte) [][]byte {
	var out [][]byte
	size := 0
	for l := range bytes.SplitSeq(output, []byte("\n")) {
		l = l[:min(len(l), maxOutputLine)]
		if len(l) == 0 || routine().Match(l) {
			continue
		}
		out = append(out, l)
		if size += len(l); size > maxOutputText {
			break
		}
	}
	return out
}

// wordGrounds says which words a function shares with the failing tests and with the
// report.
func (s *search) wordGrounds(c *candidate) []fix.Ground {
	const likely = 0.4 // share of the best function's likeness
	var out []fix.Ground
	d := s.words.docs[key{c.file.path, c.lines.Start}]
	if d == nil || c.index < 0 {
		return nil
	}
	add := func(text string, queries ...int) {
		if words := s.words.shared(d, queries...); words != "" {
			out = append(out, fix.Ground{Source: fix.SourceReport, Text: text + words})
		}
	}
	if c.report >= likely {
		add("the report speaks of ", ofReport)
	}
	if c.words >= likely {
		add("the failing test speaks of ", ofTest, ofFocus, ofOutput)
	}
	return out
}

// shared lists the terms with the largest contributions to the likeness of a document and
// queries. Keywords count for the likeness, but tell a reader nothing.
func (v *vocabulary) shared(d *document, queries ...int) string {
	const most = 3
	weight := map[int]float64{}
	for id := range d.counts {
		for _, q := range queries {
			if x := v.score(d, q, id); x > 0 {
				weight[id] += x
			}
		}
	}
	ids := make([]int, 0, len(weight))
	for id := range weight {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b int) int { return cmp.Or(cmp.Compare(weight[b], weight[a]), a-b) })
	var words []string
	for _, id := range ids {
		name := v.shown[v.terms[id]]
		contains := func(w string) bool { return strings.Contains(strings.ToLower(w), strings.ToLower(name)) }
		if source.IsKeyword(name) || slices.ContainsFunc(words, contains) {
			continue
		}
		if words = append(words, name); len(words) == most {
			break
		}
	}
	return strings.Join(words, ", ")
}
