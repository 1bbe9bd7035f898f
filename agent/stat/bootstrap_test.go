package stat

import "testing"

// The bounds of an interval are without the zero before the point, and only without that one.
func TestEstimateString(t *testing.T) {
	of := func(value, low, high float64) string { return Estimate{&value, &low, &high}.String() }
	for want, got := range map[string]string{
		"0.436 [.401, 1.000]":    of(0.436, 0.401, 1),
		"9.000 [8.000, 10.000]":  of(9, 8, 10),
		"-0.500 [-.750, -1.000]": of(-0.5, -0.75, -1),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
