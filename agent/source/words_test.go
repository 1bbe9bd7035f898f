package source

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// A bag that is weighed once gives the same sums as a bag that is weighed for each comparison, to
// the last bit.
func TestWeighedIsExact(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	bag := func(n int) Bag {
		b := Bag{}
		for range n {
			b[fmt.Sprint("t", random.IntN(200))] += 1 + random.IntN(3)
		}
		return b
	}
	x := NewIDF()
	for range 50 {
		x.Add(bag(20))
	}
	for range 200 {
		want, have := bag(random.IntN(120)), bag(random.IntN(40))
		w := x.Weigh(want)
		if got, plain := w.Overlap(have), x.Overlap(want, have); got != plain {
			t.Fatalf("overlap %v, want %v", got, plain)
		}
		if got, plain := w.Jaccard(have), plainJaccard(x, want, have); got != plain {
			t.Fatalf("jaccard %v, want %v", got, plain)
		}
		if x.Best(want, have) != x.Best(have, want) {
			t.Fatal("best depends on the order")
		}
	}
}

// plainJaccard weighs all tokens of two bags in the order of the first, then of the second.
func plainJaccard(x *IDF, a, b Bag) float64 {
	shared, all := 0.0, 0.0
	for _, t := range SortedTokens(a) {
		all += max(0, x.Weight(t))
		if b[t] > 0 {
			shared += max(0, x.Weight(t))
		}
	}
	for _, t := range SortedTokens(b) {
		if a[t] == 0 {
			all += max(0, x.Weight(t))
		}
	}
	if len(a) == 0 || len(b) == 0 || all == 0 {
		return 0
	}
	return shared / all
}
