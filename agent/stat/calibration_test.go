package stat

import (
	"math"
	"testing"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// once returns the sample with each forecast once, each in its own case.
func once(forecasts ...Forecast) *sample {
	var cases [][]Forecast
	for _, m := range forecasts {
		cases = append(cases, []Forecast{m})
	}
	return forecastsOf(cases)
}

// The results for five forecasts equal those computed by hand: Brier, its skill, AUROC with a
// tie, and ECE with five bins of one forecast each.
func TestCalibrationByHand(t *testing.T) {
	forecasts := []Forecast{{0.9, true}, {0.8, false}, {0.6, true}, {0.6, false}, {0.2, false}}
	var cases [][]Forecast
	for _, m := range forecasts {
		cases = append(cases, []Forecast{m})
	}
	c := NewCalibration(cases)
	brier := (0.01 + 0.64 + 0.16 + 0.36 + 0.04) / 5
	near(t, "Brier", c.Brier, brier)
	near(t, "base rate", c.BaseRate, 0.4)
	near(t, "skill", *c.Skill, 1-brier/0.24)
	// pairs (right, wrong): .9 beats all three; .6 loses to .8, ties .6, beats .2
	near(t, "AUROC", *c.AUROC, (3+0.5+1)/6)
	near(t, "ECE", *c.ECE.Value, (0.1+0.8+0.2/2*2+0.2)/5)
	if c.Enough {
		t.Error("five predictions are claimed to be enough")
	}
}

// The ECE by chance is .5 for one even bet and 0 for certainties, and it falls as
// the number of predictions grows.
func TestByChance(t *testing.T) {
	near(t, "one even bet", chanceOf(once(Forecast{0.5, true})).Mean, 0.5)
	near(t, "certainties", chanceOf(once(Forecast{0, true}, Forecast{1, false})).High, 0)
	many := func(n int) (forecasts []Forecast) {
		for i := range n {
			forecasts = append(forecasts, Forecast{P: (float64(i) + 0.5) / float64(n)})
		}
		return forecasts
	}
	if few, more := chanceOf(once(many(40)...)), chanceOf(once(many(640)...)); more.Mean*3 > few.Mean || more.Mean*5 < few.Mean || few.High <= few.Mean {
		t.Errorf("%+v for 40 and %+v for 640, which should be a quarter", few, more)
	}
}

// Bins have equal mass if there are no ties, and equal probabilities share a bin.
func TestReliabilityBins(t *testing.T) {
	var forecasts []Forecast
	for i := range 100 {
		forecasts = append(forecasts, Forecast{float64(i+1) / 200, i%2 == 0})
	}
	bins := once(forecasts...).reliability()
	if len(bins) != calibrationBins {
		t.Fatalf("%d bins, want %d", len(bins), calibrationBins)
	}
	for _, b := range bins {
		if b.N != 10 {
			t.Errorf("bin %v holds %d, want 10", b, b.N)
		}
	}
	for i := range forecasts[20:55] {
		forecasts[20+i].P = 0.2
	}
	total := 0
	for _, b := range once(forecasts...).reliability() {
		total += b.N
		if b.Low <= 0.2 && b.High >= 0.2 && b.N != 35 {
			t.Errorf("bin %v parts a tie", b)
		}
	}
	if total != len(forecasts) {
		t.Errorf("bins hold %d of %d", total, len(forecasts))
	}
}

// AUROC and skill are undefined if all predictions are right.
func TestOneClass(t *testing.T) {
	c := NewCalibration([][]Forecast{{{0.7, true}, {0.4, true}}})
	if c.AUROC != nil || c.Skill != nil {
		t.Errorf("AUROC %v, skill %v of one class", c.AUROC, c.Skill)
	}
	if NewCalibration([][]Forecast{nil}) != nil {
		t.Error("a case without probabilities is calibrated")
	}
}
