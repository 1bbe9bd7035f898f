package release

import (
	"context"
	"fmt"

	"git-agent/gitext"
)

// A graph holds the commits that may matter: those of all tips, without the history before the
// culprits.
type graph struct {
	gitext.Lineage
	marks []mark
	bugs  []uint64 // of each commit, the culprits that its history contains
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
	l, err := repo.Lineage(ctx, tips, not)
	if err != nil {
		return nil, fmt.Errorf("read the history of the tags: %w", err)
	}
	g := &graph{Lineage: *l, marks: make([]mark, len(l.OIDs)), bugs: make([]uint64, len(l.OIDs))}
	for oid := range repo.ShallowBoundary() {
		if at, ok := g.Number[oid]; ok {
			g.marks[at] = isCut
		}
	}
	return g, nil
}

// spread passes on what commits contain to the commits after them.
func (g *graph) spread() {
	for i, parents := range g.Parents {
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
		open = append(open, g.Parents[at]...)
	}
}
