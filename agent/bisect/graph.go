package bisect

import (
	"context"
	"math/bits"
	"slices"

	"git-agent/gitext"
)

// maxWindow bounds the commits that are compared with each other: their ancestors are kept as
// sets, 12 MB for this number.
const maxWindow = 10_000

// A graph has the commits that may be the culprit, newest first.
type graph struct {
	commits []gitext.OID
	index   map[gitext.OID]int
	parents [][]gitext.OID
	above   []set // the commit and its ancestors among commits
	deeper  bool  // the history goes on behind the last commit
}

// readGraph reads the newest commits in the history of tip that are not in the history of old.
func readGraph(ctx context.Context, repo *gitext.Repo, tip gitext.OID, old []gitext.OID) (*graph, error) {
	list, err := repo.Newest(ctx, tip, old, maxWindow+1)
	if err != nil {
		return nil, err
	}
	g := &graph{index: map[gitext.OID]int{}}
	if len(list) > maxWindow {
		list, g.deeper = list[:maxWindow], true
	}
	for i, c := range list {
		g.commits = append(g.commits, c.OID)
		g.parents = append(g.parents, c.Parents)
		g.index[c.OID] = i
	}
	g.above = make([]set, len(list))
	for i := len(list) - 1; i >= 0; i-- { // parents come behind their children
		g.above[i] = newSet(len(list))
		g.above[i].add(i)
		for _, p := range g.parents[i] {
			if k, ok := g.index[p]; ok {
				g.above[i].addAll(g.above[k])
			}
		}
	}
	return g, nil
}

// A set is a set of indexes of a graph.
type set []uint64

func newSet(n int) set           { return make(set, (n+63)/64) }
func (s set) add(i int)          { s[i/64] |= 1 << (i % 64) }
func (s set) has(i int) bool     { return s[i/64]>>(i%64)&1 == 1 }
func (s set) addAll(other set)   { combine(s, other, func(a, b uint64) uint64 { return a | b }) }
func (s set) keep(other set)     { combine(s, other, func(a, b uint64) uint64 { return a & b }) }
func (s set) subtract(other set) { combine(s, other, func(a, b uint64) uint64 { return a &^ b }) }

func combine(s, other set, f func(a, b uint64) uint64) {
	for i := range s {
		s[i] = f(s[i], other[i])
	}
}

// len returns the number of elements.
func (s set) len() int {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// sum returns the sum of the weights of the elements that are in other, too.
func (s set) sum(other set, weights []float64) float64 {
	total := 0.0
	for i, word := range s {
		for word &= other[i]; word != 0; word &= word - 1 {
			total += weights[i*64+bits.TrailingZeros64(word)]
		}
	}
	return total
}

// full returns the set of all commits of a graph.
func (g *graph) full() set {
	s := newSet(len(g.commits))
	for i := range g.commits {
		s.add(i)
	}
	return s
}

// known reports whether a commit is in the graph, and its index.
func (g *graph) known(c gitext.OID) (int, bool) {
	i, ok := g.index[c]
	return i, ok
}

// around returns a commit of the graph and its parents in the graph.
func (g *graph) around(i int) []int {
	out := []int{i}
	for _, p := range g.parents[i] {
		if k, ok := g.index[p]; ok && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}
