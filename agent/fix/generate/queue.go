package generate

import "container/heap"

// An item is a candidate, or an unused source of more items.
type item struct {
	prior     float64 // prior of the candidate, or of the best possible candidate of the source
	candidate Candidate
	expand    func() []item // nil for a candidate
	order     int           // number of the put call, so that equal items keep their order
}

// A queue returns items by their priors, the highest first.
type queue struct {
	items []item
	put1  int
}

// put adds an item.
func (q *queue) put(it item) {
	q.put1++
	it.order = q.put1
	heap.Push(q, it)
}

// take removes the item with the highest prior.
func (q *queue) take() item { return heap.Pop(q).(item) }

func (q *queue) Len() int { return len(q.items) }

func (q *queue) Less(i, j int) bool {
	a, b := q.items[i], q.items[j]
	if a.prior != b.prior {
		return a.prior > b.prior
	}
	return a.order < b.order
}

func (q *queue) Swap(i, j int) { q.items[i], q.items[j] = q.items[j], q.items[i] }

// Push is for container/heap.
func (q *queue) Push(x any) { q.items = append(q.items, x.(item)) }

// Pop is for container/heap.
func (q *queue) Pop() any {
	last := q.items[len(q.items)-1]
	q.items = q.items[:len(q.items)-1]
	return last
}

// ready makes an item of a candidate.
func ready(c Candidate) item { return item{prior: c.Prior, candidate: c} }
