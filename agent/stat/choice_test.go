package stat

import (
	"math"
	"testing"
)

func TestShares(t *testing.T) {
	// Shares are proportional to the exponential of the utility, and "none" has its own utility.
	t.Parallel()
	c := Choice{"a": math.Log(2), "b": -1, NoneWeight: math.Log(5)}
	got := c.Shares([]string{"a", "b"}, [][]float64{{0, 0}, {2, 0}})
	for i, want := range []float64{0.1, 0.4} { // 1 and 4 of 1 + 4 + 5
		if math.Abs(got[i]-want) > 1e-12 {
			t.Errorf("item %d: %f, want %f", i, got[i], want)
		}
	}
	if got := c.Shares(nil, nil); len(got) != 0 {
		t.Errorf("no items: %v", got)
	}
}
