package input

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

const (
	// decay is the exponent by which the weight of a function falls with each position, and shift
	// the one by which it falls with the distance between its positions in two signatures: the
	// factor is e to the power of minus these.
	decay = 0.4
	shift = 0.3
	// similar is the least similarity of two reports in one group.
	similar = 0.75
	// least is the minimum of positions in a comparison, so that a signature of one function is
	// not similar to all that begin with this function.
	least = 3
	// keyed is the number of first functions that make signatures candidates for a comparison.
	keyed = 2
	// crowd limits the neighbours, with a first function in common, that a signature is compared
	// with.
	crowd = 200
)

// A group is the reports of one fault.
type group struct {
	// Signature is the most frequent one of the members; among equals, the first in order.
	Signature Signature
	// Members are the indexes of the reports, ascending.
	Members []int
}

// groups puts the reports together by their signatures, the largest group first. Groups of equal size
// are ordered by their signatures. Each report without a signature has its own group.
func groups(signatures []Signature) []group {
	kinds := distinct(signatures)
	in := newPartition(len(kinds))
	for _, p := range candidates(kinds) {
		in.join(p, kinds)
	}
	var out []group
	for _, members := range in.parts {
		if len(members) > 0 {
			out = append(out, merged(kinds, members))
		}
	}
	slices.SortFunc(out, func(a, b group) int {
		return cmp.Or(len(b.Members)-len(a.Members), slices.Compare(a.Signature.Names, b.Signature.Names), a.Members[0]-b.Members[0])
	})
	return out
}

// distinct returns a group for each different signature, ordered by signature.
func distinct(signatures []Signature) []group {
	at := map[string]int{}
	var out []group
	for i, s := range signatures {
		key := strings.Join(s.Names, "\n")
		n, ok := at[key]
		if !ok || key == "" {
			n = len(out)
			at[key] = n
			out = append(out, group{Signature: s})
		}
		out[n].Members = append(out[n].Members, i)
	}
	slices.SortStableFunc(out, func(a, b group) int { return slices.Compare(a.Signature.Names, b.Signature.Names) })
	return out
}

// A pair is two similar signatures, by index.
type pair struct {
	a, b  int
	alike float64
}

// candidates returns the pairs of signatures that are similar enough for a group, the most
// similar first. It compares only signatures with one of their first functions in common.
func candidates(kinds []group) []pair {
	buckets := map[string][]int{}
	for i, k := range kinds {
		names := k.Signature.Names
		for j, name := range names[:min(len(names), keyed)] {
			if !slices.Contains(names[:j], name) {
				buckets[name] = append(buckets[name], i)
			}
		}
	}
	seen := map[[2]int]bool{}
	var pairs []pair
	for _, bucket := range buckets {
		for i, a := range bucket {
			for _, b := range bucket[i+1 : min(len(bucket), i+1+crowd)] {
				alike := similarity(kinds[a].Signature, kinds[b].Signature)
				if alike >= similar && !seen[[2]int{a, b}] {
					seen[[2]int{a, b}] = true
					pairs = append(pairs, pair{a, b, alike})
				}
			}
		}
	}
	slices.SortFunc(pairs, func(p, q pair) int {
		return cmp.Or(cmp.Compare(q.alike, p.alike), p.a-q.a, p.b-q.b)
	})
	return pairs
}

// A partition divides the signatures into groups, by index.
type partition struct {
	parts [][]int
	of    []int // the part of each signature
}

func newPartition(n int) *partition {
	in := &partition{parts: make([][]int, n), of: make([]int, n)}
	for i := range n {
		in.parts[i], in.of[i] = []int{i}, i
	}
	return in
}

// join merges the parts of a pair if each signature of one part is similar to each of the other.
// A chain of similarities is not enough, because it would connect most crashes of an interpreter.
func (in *partition) join(p pair, kinds []group) {
	a, b := in.of[p.a], in.of[p.b]
	if a == b || len(in.parts[a])*len(in.parts[b]) > crowd*crowd {
		return
	}
	for _, x := range in.parts[a] {
		for _, y := range in.parts[b] {
			if similarity(kinds[x].Signature, kinds[y].Signature) < similar {
				return
			}
		}
	}
	for _, y := range in.parts[b] {
		in.of[y] = a
	}
	in.parts[a] = append(in.parts[a], in.parts[b]...)
	in.parts[b] = nil
}

// merged merges several signatures with their reports into one group.
func merged(kinds []group, members []int) group {
	slices.Sort(members)
	out := group{Signature: kinds[members[0]].Signature}
	most := 0
	for _, i := range members {
		if n := len(kinds[i].Members); n > most {
			most = n
			out.Signature = kinds[i].Signature
		}
		out.Members = append(out.Members, kinds[i].Members...)
	}
	slices.Sort(out.Members)
	return out
}

// similarity compares two signatures. It is 1 if they are equal, or if one has at least three
// functions and is the beginning of the other. It is 0 if they have no function in common.
func similarity(a, b Signature) float64 {
	span := min(max(min(len(a.Names), len(b.Names)), least), max(len(a.Names), len(b.Names)))
	if span == 0 {
		return 0
	}
	all := 0.0
	for i := range span {
		all += math.Exp(-decay * float64(i))
	}
	return common(a.Names, b.Names) / all
}

// common returns the weight of the best common subsequence of two lists of names.
func common(a, b []string) float64 {
	row := make([]float64, len(b)+1)
	for i := range a {
		diagonal := 0.0
		for j := range b {
			best := max(row[j], row[j+1])
			if a[i] == b[j] {
				best = max(best, diagonal+math.Exp(-decay*float64(min(i, j))-shift*math.Abs(float64(i-j))))
			}
			diagonal, row[j+1] = row[j+1], best
		}
	}
	return row[len(b)]
}
