package lineindex

import "math"

// A walk visits the commits that a tip reaches in the order of git log: among the commits
// with a visited child, the one with the latest time comes next, and among equal times
// the one that was found first.
type walk struct {
	g            *graph
	since, until int64
	seen         []bool
	queue        []walkEntry // a heap
	found        uint32
}

type walkEntry struct {
	time   int64
	found  uint32
	commit uint32
}

func (a walkEntry) before(b walkEntry) bool {
	return a.time > b.time || a.time == b.time && a.found < b.found
}

// newWalk begins at the tip. since and until are seconds since 1970; 0 is no bound.
func newWalk(g *graph, tip uint32, since, until int64) *walk {
	w := &walk{g: g, since: since, until: until, seen: make([]bool, g.len())}
	if w.since == 0 {
		w.since = math.MinInt64
	}
	if w.until == 0 {
		w.until = math.MaxInt64
	}
	w.push(tip)
	return w
}

func (w *walk) push(n uint32) {
	if w.seen[n] {
		return
	}
	w.seen[n] = true
	w.found++
	w.queue = append(w.queue, walkEntry{w.g.times[n], w.found, n})
	for i := len(w.queue) - 1; i > 0; {
		up := (i - 1) / 2
		if !w.queue[i].before(w.queue[up]) {
			break
		}
		w.queue[i], w.queue[up] = w.queue[up], w.queue[i]
		i = up
	}
}

func (w *walk) pop() walkEntry {
	q := w.queue
	top, last := q[0], len(q)-1
	q[0] = q[last]
	q = q[:last]
	w.queue = q
	for i := 0; ; {
		down := 2*i + 1
		if down >= last {
			return top
		}
		if down+1 < last && q[down+1].before(q[down]) {
			down++
		}
		if !q[down].before(q[i]) {
			return top
		}
		q[i], q[down] = q[down], q[i]
		i = down
	}
}

// next returns the next commit. As in git, the parents of a commit older than since are
// not visited.
func (w *walk) next() (uint32, bool) {
	for len(w.queue) > 0 {
		e := w.pop()
		if e.time < w.since {
			continue
		}
		for _, p := range w.g.parentsOf(e.commit) {
			w.push(p)
		}
		if e.time <= w.until {
			return e.commit, true
		}
	}
	return 0, false
}
