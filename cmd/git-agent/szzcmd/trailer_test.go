package szzcmd

import (
	"testing"
)

func TestPercentBelow(t *testing.T) {
	// A probability below the floor is never shown like the floor.
	t.Parallel()
	for _, c := range []struct {
		p, floor float64
		want     string
	}{{0.409, 0.55, "41%"}, {0.549, 0.55, "54.9%"}, {0.54999, 0.55, "54.9%"}, {0.9989, 0.999, "99.8%"}} {
		if got := percentBelow(c.p, c.floor); got != c.want {
			t.Errorf("%v below %v: %s, want %s", c.p, c.floor, got, c.want)
		}
	}
}
