package source

import (
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Bag is a multiset of tokens.
type Bag map[string]int

// Shorter or longer tokens are not counted, because they say nothing about a program.
const (
	minTokenLen = 2
	maxTokenLen = 60
)

// AddCode counts the identifiers and numbers of a source line.
func (b Bag) AddCode(line []byte) {
	start := -1
	for i := 0; i <= len(line); i++ {
		if i < len(line) && IsIdentByte(line[i]) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			if n := i - start; n >= minTokenLen && n <= maxTokenLen {
				b[string(line[start:i])]++
			}
			start = -1
		}
	}
}

// MaxPairedLine is the longest line, in bytes, whose pairs are counted.
const MaxPairedLine = 400

// AddPairs counts each pair of neighbouring identifiers or signs of a source line, with a space
// between them: "i <", "< n". No other token contains a space.
func (b Bag) AddPairs(line []byte) {
	last := ""
	for i := 0; i < min(len(line), MaxPairedLine); {
		end := i + 1
		for IsIdentByte(line[i]) && end < len(line) && IsIdentByte(line[end]) {
			end++
		}
		if c := line[i]; c != ' ' && c != '\t' && c != '\r' {
			now := string(line[i:end])
			if last != "" {
				b[last+" "+now]++
			}
			last = now
		}
		i = end
	}
}

// NotIdent reports whether a character is in no identifier of ASCII letters, digits and underscores.
// It splits a text into such words.
func NotIdent(r rune) bool { return r > 127 || !IsIdentByte(byte(r)) }

// WordIndex returns the index of name as a whole word in text, or -1.
func WordIndex(text, name string) int {
	from := 0
	for {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return -1
		}
		i += from
		end := i + len(name)
		if (i == 0 || !IsIdentByte(text[i-1])) && (end == len(text) || !IsIdentByte(text[end])) {
			return i
		}
		from = end
	}
}

// IsDigit reports whether a byte is a decimal digit of ASCII.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// IsHexDigit reports whether a byte is a hexadecimal digit of ASCII, in either case.
func IsHexDigit(c byte) bool { return IsDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F' }

// IsIdentByte reports whether a byte may be part of an identifier. Bytes above ASCII may, because
// most languages allow them.
func IsIdentByte(c byte) bool {
	return c == '_' || c >= utf8.RuneSelf ||
		IsDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// AddWords counts the words of prose. Identifiers in the prose, such as "ovs_vsctl" and
// "parseFlag", are counted by their parts. The marks for hidden hints are not words.
func (b Bag) AddWords(text string) {
	for _, field := range strings.FieldsFunc(Masks.Replace(text), func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		for _, w := range splitIdentifier(field) {
			w = strings.ToLower(w)
			if len(w) >= 3 && len(w) <= maxTokenLen && !StopWords[w] {
				b[stem(w)]++
			}
		}
	}
}

// splitIdentifier splits at underscores and at changes from lower to upper case.
func splitIdentifier(s string) []string {
	var parts []string
	start := 0
	rs := []rune(s)
	for i, r := range rs {
		camel := i > start && unicode.IsUpper(r) && unicode.IsLower(rs[i-1])
		if r == '_' || camel {
			if i > start {
				parts = append(parts, string(rs[start:i]))
			}
			start = i
			if r == '_' {
				start = i + 1
			}
		}
	}
	if start < len(rs) {
		parts = append(parts, string(rs[start:]))
	}
	return parts
}

// stem removes the most common English endings, so that "leaks", "leaked" and "leaking" are
// equal. The result need not be a word.
func stem(w string) string {
	for _, end := range []string{"ing", "ed", "es", "s"} {
		if strings.HasSuffix(w, end) && len(w)-len(end) >= 3 {
			return w[:len(w)-len(end)]
		}
	}
	return w
}

// StopWords are words that most messages contain, whatever their subject.
var StopWords = WordSet(`the and for that this with from are not was but have has
had when which will would can could should may into also then than them they its
it's been being there their where what who why how all any some such only other
more most very just now after before because since while during use used using
uses make makes made due one two new old same case does doesn done don isn aren
fix fixes fixed fixing bug bugs issue issues problem commit commits change changes
changed patch patches quoted link signed off reviewed acked tested reported cc
http https www com org`)

// WordSet returns the set of the words of a text.
func WordSet(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}

// SortedTokens returns the tokens in order, because a sum of floats must not depend on the order
// of a map.
func SortedTokens(b Bag) []string { return slices.Sorted(maps.Keys(b)) }

// Minus returns the tokens that are more frequent in b than in o, with the difference.
func (b Bag) Minus(o Bag) Bag {
	d := Bag{}
	for t, n := range b {
		if n > o[t] {
			d[t] = n - o[t]
		}
	}
	return d
}

// An IDF weighs a token by the number of documents with it (inverse document frequency).
type IDF struct {
	df map[string]int
	n  int
}

// NewIDF returns an IDF without documents.
func NewIDF() *IDF { return &IDF{df: map[string]int{}} }

// Add adds a document.
func (x *IDF) Add(doc Bag) {
	x.n++
	for t := range doc {
		x.df[t]++
	}
}

// Weight returns the weight of a token.
func (x *IDF) Weight(t string) float64 {
	return math.Log((float64(x.n) + 1) / (float64(x.df[t]) + 0.5))
}

// Overlap returns the share, by weight, of the tokens of want that are also in have: 0 to 1.
func (x *IDF) Overlap(want, have Bag) float64 {
	hit, all := 0.0, 0.0
	for _, t := range SortedTokens(want) {
		w := max(0, x.Weight(t))
		all += w
		if have[t] > 0 {
			hit += w
		}
	}
	if all == 0 {
		return 0
	}
	return hit / all
}

// Best returns the weight of the rarest shared token, because one rare common name says more than
// ten frequent ones.
func (x *IDF) Best(want, have Bag) float64 {
	if len(have) < len(want) {
		want, have = have, want
	}
	top := 0.0
	for t, n := range want {
		if n > 0 && have[t] > 0 {
			top = max(top, x.Weight(t))
		}
	}
	return top
}

// A Weighed is a bag with a known total weight, for comparison with many other bags.
type Weighed struct {
	x   *IDF
	bag Bag
	all float64 // the weight of its tokens
}

// Weigh prepares a bag. No document may be added to x afterwards.
func (x *IDF) Weigh(bag Bag) *Weighed {
	w := &Weighed{x: x, bag: bag}
	for _, t := range SortedTokens(bag) {
		w.all += max(0, x.Weight(t))
	}
	return w
}

// Overlap returns the same as IDF.Overlap of the bag and have. Its time depends only on the
// tokens of have.
func (w *Weighed) Overlap(have Bag) float64 {
	if w.all == 0 {
		return 0
	}
	hit := 0.0
	for _, t := range SortedTokens(have) {
		if _, ok := w.bag[t]; ok && have[t] > 0 {
			hit += max(0, w.x.Weight(t))
		}
	}
	return hit / w.all
}

// Jaccard returns the weight of the shared tokens divided by the weight of all tokens. Its time
// depends only on the tokens of b.
func (w *Weighed) Jaccard(b Bag) float64 {
	if len(w.bag) == 0 || len(b) == 0 {
		return 0
	}
	shared, all := 0.0, w.all
	for _, t := range SortedTokens(b) {
		switch {
		case w.bag[t] == 0:
			all += max(0, w.x.Weight(t))
		case b[t] > 0:
			shared += max(0, w.x.Weight(t))
		}
	}
	if all == 0 {
		return 0
	}
	return shared / all
}

// Masks removes the marks that szz.Prose inserts. The author did not write them: a message with a
// masked hash is not about hashes.
var Masks = strings.NewReplacer("<hash>", " ", "<quoted>", " ", "<bug>", " ", "<ref>", " ", "<link>", " ")

// Unite returns the tokens of both bags.
func Unite(a, b Bag) Bag {
	u := make(Bag, len(a)+len(b))
	for t, n := range a {
		u[t] += n
	}
	for t, n := range b {
		u[t] += n
	}
	return u
}

// FirstBytes returns the first n bytes of s.
func FirstBytes(s string, n int) string { return s[:min(len(s), n)] }

// Cut shortens a text to at most n bytes, at the end of a character.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// CodeWordsOf returns the identifiers and numbers of a source line.
func CodeWordsOf(line []byte) Bag {
	b := Bag{}
	b.AddCode(line)
	return b
}

// AddMarks counts the words and pairs by which a line can be recognised.
func (b Bag) AddMarks(line []byte) {
	b.AddCode(line)
	b.AddPairs(line)
}

// Without returns the words that o lacks or, if it lacks none, the pairs that o lacks.
func (b Bag) Without(o Bag) []string {
	var words, pairs []string
	for _, w := range SortedTokens(b) {
		switch {
		case o[w] > 0:
		case strings.Contains(w, " "):
			pairs = append(pairs, w)
		default:
			words = append(words, w)
		}
	}
	if len(words) > 0 {
		return words
	}
	return pairs
}

// Shared returns the words of three or more bytes that are also in o.
func (b Bag) Shared(o Bag) []string {
	var words []string
	for _, w := range SortedTokens(b) {
		if o[w] > 0 && len(w) > 2 && !strings.Contains(w, " ") {
			words = append(words, w)
		}
	}
	return words
}
