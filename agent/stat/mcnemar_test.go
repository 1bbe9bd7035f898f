package stat

import (
	"math"
	"testing"
)

// The p-values equal those computed by hand from the binomial distribution.
func TestMcNemar(t *testing.T) {
	for _, c := range []struct {
		b, c int
		p    float64
	}{{0, 0, 1}, {1, 1, 1}, {0, 1, 1}, {0, 5, 2.0 / 32}, {1, 8, 2 * 10.0 / 512}, {8, 1, 2 * 10.0 / 512}} {
		if got := McNemar(c.b, c.c); math.Abs(got-c.p) > 1e-9 {
			t.Errorf("McNemar(%d, %d) is %v, want %v", c.b, c.c, got, c.p)
		}
	}
	if p := McNemar(400, 700); !(p > 0 && p < 1e-15) {
		t.Errorf("McNemar(400, 700) is %v, want tiny and positive", p)
	}
}
