package release

import (
	"context"
	"fmt"

	"git-agent/gitext"
)

// A graph holds the commits that may matter: those of all tips, without the history before the
// culprits. It answers what a commit contains without a git process for each question.
type graph struct {
	index   map[gitext.OID]int32
	oids    []gitext.OID
	parents [][]int32 // smaller numbers than the commit's own
	marks   []mark
	bugs    []uint64 // of each commit, the culprits that its history contains

	seen     []int32 // the question that reached a commit last
	question int32
}

// A mark says what is known of a commit.
type mark uint8

const (
	hasFix     mark = 1 << iota // its history contains the fix, or a pick of it
	isCut                       // its history is cut, so that what it contains is not known
	beforeFix                   // it is in the history of the fix
	wanted                      // it may be a pick
	underLack                   // it is in the history of a tag or branch without the fix
	underClear                  // it is in the history of a tag or branch without the culprit
)

// readGraph reads the history of tips without that of the commits in not.
func readGraph(ctx context.Context, repo *gitext.Repo, tips, not []gitext.OID) (*graph, error) {
	g := &graph{index: map[gitext.OID]int32{}}
	cut := repo.ShallowBoundary()
	for a, err := range repo.Ancestry(ctx, tips, not) { // parents come before their children
		if err != nil {
			return nil, fmt.Errorf("read the history of the tags: %w", err)
		}
		var parents []int32
		for _, p := range a.Parents {
			if i, ok := g.index[p]; ok {
				parents = append(parents, i)
			}
		}
		var m mark
		if cut[a.OID] {
			m = isCut
		}
		g.index[a.OID] = int32(len(g.oids))
		g.oids, g.parents, g.marks = append(g.oids, a.OID), append(g.parents, parents), append(g.marks, m)
	}
	g.seen, g.bugs = make([]int32, len(g.oids)), make([]uint64, len(g.oids))
	return g, nil
}

// spread passes on what commits contain to the commits after them.
func (g *graph) spread() {
	for i, parents := range g.parents {
		for _, p := range parents {
			g.marks[i] |= g.marks[p] & (hasFix | isCut)
			g.bugs[i] |= g.bugs[p]
		}
	}
}

// markHistory marks commits and those of their histories, which it enters only as far as they have
// no such mark yet.
func (g *graph) markHistory(of []int32, m mark) {
	open := of
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		if g.marks[at]&m != 0 {
			continue
		}
		g.marks[at] |= m
		open = append(open, g.parents[at]...)
	}
}

// has reports whether the history of a commit has another one, or is it.
func (g *graph) has(commit, other int32) bool {
	if commit == other {
		return true
	}
	g.question++
	open := []int32{commit}
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		for _, p := range g.parents[at] {
			if p == other {
				return true
			}
			if p > other && g.seen[p] != g.question {
				g.seen[p] = g.question
				open = append(open, p)
			}
		}
	}
	return false
}
