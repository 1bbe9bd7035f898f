package lineindex

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"

	"git-agent/gitext"
)

// These are the flags of a commit.
const (
	isUncertain = 1 << iota // not all of its changed lines are stored: git decides
	hasBinary               // it changes a binary file
)

// A graph holds commits by number. The parents of a commit have smaller numbers.
type graph struct {
	oidSize int    // bytes of an object id
	oids    []byte // one after the other
	times   []int64
	flags   []byte
	first   []uint32 // the start of each commit's parents
	parents []uint32
	table   []uint32 // number+1 of each commit, at the place of its id or the next free one; nil before index
}

func newGraph(oidSize int) *graph { return &graph{oidSize: oidSize, first: []uint32{0}} }

func (g *graph) len() int { return len(g.times) }

// grow makes room for the commits of the next parts.
func (g *graph) grow(commits int) {
	commits = min(commits, 8<<20) // even if a damaged header has more
	g.oids = slices.Grow(g.oids, commits*g.oidSize)
	g.times, g.flags = slices.Grow(g.times, commits), slices.Grow(g.flags, commits)
	g.first, g.parents = slices.Grow(g.first, commits), slices.Grow(g.parents, commits+commits/4)
}

// oid returns the id of a commit.
func (g *graph) oid(n uint32) gitext.OID {
	at := int(n) * g.oidSize
	return gitext.OID(hex.EncodeToString(g.oids[at : at+g.oidSize]))
}

// parentsOf returns the numbers of the parents.
func (g *graph) parentsOf(n uint32) []uint32 { return g.parents[g.first[n]:g.first[n+1]] }

// index makes the table for find. It is worth its cost for many ids. A map takes ten
// times the space.
func (g *graph) index() {
	size := 1024
	for size < 3*g.len() {
		size *= 2
	}
	g.table = make([]uint32, size)
	for n := range g.len() {
		g.enter(uint32(n))
	}
}

// enter puts a commit into the table.
func (g *graph) enter(n uint32) {
	mask := uint64(len(g.table) - 1)
	at := g.head(n) & mask
	for g.table[at] != 0 {
		at = (at + 1) & mask
	}
	g.table[at] = n + 1
}

// head returns the first bytes of the id of a commit.
func (g *graph) head(n uint32) uint64 { return binary.BigEndian.Uint64(g.oids[int(n)*g.oidSize:]) }

// find returns the number of a commit.
func (g *graph) find(oid gitext.OID) (uint32, bool) {
	raw, err := hex.DecodeString(string(oid))
	if err != nil || len(raw) != g.oidSize {
		return 0, false
	}
	head := binary.BigEndian.Uint64(raw)
	is := func(n uint32) bool {
		at := int(n) * g.oidSize
		return g.head(n) == head && string(g.oids[at:at+g.oidSize]) == string(raw)
	}
	if g.table == nil {
		for n := g.len() - 1; n >= 0; n-- { // the newest ones are asked for most
			if is(uint32(n)) {
				return uint32(n), true
			}
		}
		return 0, false
	}
	mask := uint64(len(g.table) - 1)
	for at := head & mask; g.table[at] != 0; at = (at + 1) & mask {
		if n := g.table[at] - 1; is(n) {
			return n, true
		}
	}
	return 0, false
}

var errGraphFull = errors.New("the history has too many commits for an index")

// add appends a commit whose parents are in the graph. A missing parent is an error.
func (g *graph) add(c gitext.Ancestor, parents []uint32) error {
	raw, err := hex.DecodeString(string(c.OID))
	if err != nil || len(raw) != g.oidSize {
		return fmt.Errorf("%q is not an object id of this repository", c.OID)
	}
	if g.len() == math.MaxInt32 {
		return errGraphFull
	}
	g.oids = append(g.oids, raw...)
	g.times = append(g.times, c.Time)
	g.flags = append(g.flags, 0)
	g.parents = append(g.parents, parents...)
	g.first = append(g.first, uint32(len(g.parents)))
	switch {
	case g.table == nil:
	case 2*g.len() > len(g.table):
		g.index()
	default:
		g.enter(uint32(g.len() - 1))
	}
	return nil
}

// clone returns a graph that can grow while others read g.
func (g *graph) clone() *graph {
	n := *g
	n.oids, n.times, n.flags = clip(g.oids), clip(g.times), clip(g.flags)
	n.first, n.parents, n.table = clip(g.first), clip(g.parents), nil // without the table, because both graphs would change it
	return &n
}

// extend adds the commits that the tips reach and the graph lacks.
func (g *graph) extend(ctx context.Context, repo *gitext.Repo, tips []gitext.OID) error {
	heads := g.heads()
	g.index()
	for c, err := range repo.Ancestry(ctx, tips, heads) {
		if err != nil {
			return err
		}
		if _, known := g.find(c.OID); known {
			continue // its descendants in the index are gone from the repository
		}
		parents := make([]uint32, 0, 2)
		for _, p := range c.Parents {
			n, ok := g.find(p)
			if !ok {
				return fmt.Errorf("git listed %s before its parent %s", c.OID, p)
			}
			parents = append(parents, n)
		}
		if err := g.add(c, parents); err != nil {
			return err
		}
	}
	return nil
}

// commits returns the commits from number first to before end.
func (g *graph) commits(first, end int) []gitext.Ancestor {
	list := make([]gitext.Ancestor, 0, end-first)
	for n := first; n < end; n++ {
		c := gitext.Ancestor{OID: g.oid(uint32(n)), Time: g.times[n]}
		for _, p := range g.parentsOf(uint32(n)) {
			c.Parents = append(c.Parents, g.oid(p))
		}
		list = append(list, c)
	}
	return list
}

func clip[T any](s []T) []T { return s[:len(s):len(s)] }

// heads returns the commits without children.
func (g *graph) heads() []gitext.OID {
	isParent := make([]bool, g.len())
	for _, p := range g.parents {
		isParent[p] = true
	}
	var heads []gitext.OID
	for n, is := range isParent {
		if !is {
			heads = append(heads, g.oid(uint32(n)))
		}
	}
	return heads
}

// chapter is the number of commits in one part of the graph.
const chapter = 8192

// encode returns the part with the commits from number first to before end.
func (g *graph) encode(first, end int) []byte {
	out := binary.AppendUvarint(nil, uint64(end-first))
	out = append(out, g.oids[first*g.oidSize:end*g.oidSize]...)
	out = append(out, g.flags[first:end]...)
	var before int64
	for n := first; n < end; n++ {
		out = binary.AppendVarint(out, g.times[n]-before)
		before = g.times[n]
		parents := g.parentsOf(uint32(n))
		out = binary.AppendUvarint(out, uint64(len(parents)))
		for _, p := range parents {
			out = binary.AppendUvarint(out, uint64(n)-uint64(p))
		}
	}
	return out
}

var errGraph = errors.New("the index is damaged: its list of commits cannot be read")

// decode appends the commits of a part.
func (g *graph) decode(data []byte) error {
	count, ok := number(&data)
	if !ok || count > chapter || uint64(len(data)) < count*uint64(g.oidSize+1) {
		return errGraph
	}
	n := int(count)
	g.oids = append(g.oids, data[:n*g.oidSize]...)
	data = data[n*g.oidSize:]
	g.flags = append(g.flags, data[:n]...)
	data = data[n:]
	var before int64
	for range n {
		delta, w := binary.Varint(data)
		if w <= 0 {
			return errGraph
		}
		data = data[w:]
		before += delta
		parents, ok := number(&data)
		if !ok {
			return errGraph
		}
		for range parents {
			back, ok := number(&data)
			if !ok || back == 0 || back > uint64(len(g.times)) {
				return errGraph
			}
			g.parents = append(g.parents, uint32(uint64(len(g.times))-back))
		}
		g.times = append(g.times, before)
		g.first = append(g.first, uint32(len(g.parents)))
	}
	return nil
}
