package coverage

import (
	"math"
	"testing"
)

func TestOchiai(t *testing.T) {
	// The values are those of the formula ef / sqrt(f * (ef + ep)).
	t.Parallel()
	for _, c := range []struct {
		f, ef, ep int
		want      float64
	}{
		{1, 1, 0, 1}, {1, 1, 3, 0.5}, {2, 1, 0, math.Sqrt(0.5)}, {4, 4, 12, 0.5},
		{1, 0, 5, 0}, {0, 0, 0, 0}, {0, 1, 1, 0}, {1, -1, 1, 0}, {1, 1, -1, 0},
	} {
		if got := Ochiai(c.f, c.ef, c.ep); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("f %d ef %d ep %d: %g, want %g", c.f, c.ef, c.ep, got, c.want)
		}
	}
}
