package coverage

import (
	"math"
	"slices"
	"testing"

	"git-agent/agent/fix"
)

func TestOchiaiValue(t *testing.T) {
	// The values are those of the formula ef / sqrt(f * (ef + ep)).
	t.Parallel()
	for _, c := range []struct {
		f, ef, ep int
		want      float64
	}{
		{1, 1, 0, 1}, {1, 1, 3, 0.5}, {2, 1, 0, math.Sqrt(0.5)}, {4, 4, 12, 0.5},
		{1, 0, 5, 0}, {0, 0, 0, 0}, {0, 1, 1, 0}, {1, -1, 1, 0}, {1, 1, -1, 0},
	} {
		if got := OchiaiValue(c.f, c.ef, c.ep); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("f %d ef %d ep %d: %g, want %g", c.f, c.ef, c.ep, got, c.want)
		}
	}
}

func TestOchiai(t *testing.T) {
	// The most suspicious line comes first. A line or a file that no failing test
	// executes is left out.
	t.Parallel()
	got := Ochiai(&fix.Spectrum{Failing: 2, Passing: 2, Files: map[string][]fix.LineHits{
		"a": {{Line: 1, Failing: 2, Passing: 2}, {Line: 2, Failing: 2}, {Line: 3, Passing: 2}, {Line: 4, Failing: 2}},
		"b": {{Line: 1, Passing: 1}},
	}})
	if want := []Score{{2, 1}, {4, 1}, {1, math.Sqrt(0.5)}}; len(got) != 1 || !slices.EqualFunc(got["a"], want, func(a, b Score) bool {
		return a.Line == b.Line && math.Abs(a.Value-b.Value) < 1e-12
	}) {
		t.Errorf("scores %v", got)
	}
	if got := Ochiai(nil); len(got) != 0 {
		t.Errorf("scores of no spectrum: %v", got)
	}
}
