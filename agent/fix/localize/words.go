package localize

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"

	"git-agent/agent/source"
)

// Queries are the texts with which the words of functions are compared.
const (
	ofTest   = iota // the failing tests
	ofFocus         // the lines of them that say what fails, and their names
	ofReport        // what the user says
	ofOutput        // what the failing command prints
	queries
)

// These shape the comparison of words: Okapi BM25 (Robertson and Zaragoza, The
// Probabilistic Relevance Framework, 2009).
const (
	saturation = 1.2
	byLength   = 0.5
	maxQuery   = 400 // terms of a query
	maxOutput  = 20000
)

// A vocabulary holds the terms of all queries. A term is an identifier as it stands,
// or the stem of a word within identifiers or prose.
type vocabulary struct {
	ids    map[string]int
	terms  []string
	query  [queries][]float64 // weight of each term in each query
	cached map[string][]int   // the terms of an identifier
}

// textTerms returns the terms of a text: the identifiers with more than one word, and
// the stems of all words.
func textTerms(text []byte, b source.Bag) {
	tokens(text, func(t token) {
		if len(t.text) < 3 || len(t.text) > 60 {
			return
		}
		identTerms(string(t.text), b)
	})
}

func identTerms(ident string, b source.Bag) {
	words := source.Bag{}
	words.AddWords(ident)
	for w := range words {
		b[w]++
	}
	if len(words) > 1 {
		b["="+ident]++
	}
}

func newVocabulary(bags [queries]source.Bag) *vocabulary {
	v := &vocabulary{ids: map[string]int{}, cached: map[string][]int{}}
	for _, b := range bags {
		for _, t := range source.SortedTokens(b) {
			if _, ok := v.ids[t]; !ok {
				v.ids[t] = len(v.terms)
				v.terms = append(v.terms, t)
			}
		}
	}
	for q, b := range bags {
		v.query[q] = make([]float64, len(v.terms))
		for t, n := range b {
			v.query[q][v.ids[t]] = 1 + math.Log(float64(n))
		}
	}
	return v
}

// of returns the terms of an identifier that a query has.
func (v *vocabulary) of(ident []byte) []int {
	if ids, ok := v.cached[string(ident)]; ok {
		return ids
	}
	b := source.Bag{}
	identTerms(string(ident), b)
	var ids []int
	for t := range b {
		if id, ok := v.ids[t]; ok {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	v.cached[string(ident)] = ids
	return ids
}

// A document is a function with the terms of the queries that it has.
type document struct {
	file   *file
	index  int
	counts map[int]float64
	length float64
}

// nameWeight is how much a term in the name of a function counts.
const nameWeight = 4

func (v *vocabulary) document(f *file, i int) document {
	d := document{file: f, index: i, counts: map[int]float64{}}
	add := func(lines [][]byte, weight float64) {
		for _, l := range lines {
			tokens(l, func(t token) {
				if len(t.text) < 3 || len(t.text) > 60 {
					return
				}
				d.length++
				for _, id := range v.of(t.text) {
					d.counts[id] += weight
				}
			})
		}
	}
	add(f.body(i), 1)
	add(commentAbove(f.lines, f.functions[i].Start), 1)
	add([][]byte{[]byte(f.functions[i].Name)}, nameWeight)
	return d
}

// commentAbove returns the comment that ends on the line before a function.
func commentAbove(lines [][]byte, start int) [][]byte {
	const most = 30
	i := start - 1
	for i > 0 && start-i < most && (isComment(lines[i-1]) || bytes.HasPrefix(bytes.TrimSpace(lines[i-1]), []byte("*"))) {
		i--
	}
	return lines[i : start-1]
}

// addWords compares the words of all functions with the queries.
func (s *search) addWords(list []*file) {
	v := newVocabulary(s.queryBags())
	var docs []document
	df := make([]float64, len(v.terms))
	mean := 0.0
	for _, f := range list {
		if f.test || f.generated {
			continue
		}
		for i := range f.functions {
			d := v.document(f, i)
			for id := range d.counts {
				df[id]++
			}
			mean += d.length
			docs = append(docs, d)
		}
	}
	if len(docs) == 0 {
		return
	}
	mean /= float64(len(docs))
	idf := make([]float64, len(df))
	for i, n := range df {
		idf[i] = math.Log(1 + (float64(len(docs))-n+0.5)/(n+0.5))
	}
	var scores [queries][]float64
	var tops [queries]float64
	for q := range queries {
		scores[q] = make([]float64, len(docs))
		for i, d := range docs {
			for id, n := range d.counts {
				if w := v.query[q][id]; w > 0 {
					scores[q][i] += w * idf[id] * n * (saturation + 1) / (n + saturation*(1-byLength+byLength*d.length/mean))
				}
			}
			tops[q] = max(tops[q], scores[q][i])
		}
	}
	for i, d := range docs {
		c := s.suspect(d.file, d.index)
		for q := range queries {
			if tops[q] > 0 {
				c.words[q] = scores[q][i] / tops[q]
			}
		}
		c.tokens = d.length
	}
}

// queryBags returns the terms of the queries.
func (s *search) queryBags() [queries]source.Bag {
	var bags [queries]source.Bag
	for q := range bags {
		bags[q] = source.Bag{}
	}
	for _, r := range s.regions {
		for l := r.lines.Start; l <= min(r.lines.End, r.lines.Start+maxTestText); l++ {
			textTerms(r.file.lines[l-1], bags[ofTest])
		}
		for l := range r.focus {
			textTerms(r.file.lines[l-1], bags[ofFocus])
		}
	}
	for _, n := range s.in.Reproduction.Failing {
		textTerms([]byte(n), bags[ofTest])
		textTerms([]byte(n), bags[ofFocus])
	}
	for l := range strings.SplitSeq(s.in.Problem.Report, "\n") {
		textTerms([]byte(l), bags[ofReport])
	}
	for _, l := range s.outputLines() {
		textTerms(l, bags[ofOutput])
	}
	for q := range bags {
		bags[q] = rarest(bags[q])
	}
	return bags
}

// rarest bounds a query.
func rarest(b source.Bag) source.Bag {
	if len(b) <= maxQuery {
		return b
	}
	keys := source.SortedTokens(b)
	slices.SortStableFunc(keys, func(x, y string) int { return cmp.Compare(b[y], b[x]) })
	out := source.Bag{}
	for _, k := range keys[:maxQuery] {
		out[k] = b[k]
	}
	return out
}

var passes = source.Lazy(`(?i)^\s*(?:ok\b|=== |--- PASS|PASS\b|\[\s*(?:ok|run)\s*\]|\[ *\d+%\]|make(?:\[\d+\])?:|-- |gcc |cc )|:PASS\b|^\s*(?:✓|✔)`)

// outputLines returns the lines of the failing output that may say what fails.
func (s *search) outputLines() [][]byte {
	text := s.in.Reproduction.Output
	var out [][]byte
	size := 0
	for l := range bytes.SplitSeq(text, []byte("\n")) {
		if len(l) == 0 || passes().Match(l[:min(len(l), 300)]) {
			continue
		}
		out = append(out, l[:min(len(l), 500)])
		if size += len(l); size > maxOutput {
			break
		}
	}
	return out
}
