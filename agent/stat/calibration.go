package stat

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// calibrationBins is the number of bins, which have equal mass. MinMarks is the
// least number of predictions that allows a claim about calibration. Both follow
// harness.md, section 5.
const (
	calibrationBins = 10
	MinForecasts    = 200
)

// Forecast is the probability that was stated for one prediction. It also says whether
// the prediction was right.
type Forecast struct {
	P     float64
	Right bool
}

// Calibration measures how well stated probabilities match results. Each forecast is
// one prediction; an answer to a case may hold several.
type Calibration struct {
	Forecasts int      `json:"predictions"`
	Enough    bool     `json:"enough"` // there are at least MinMarks predictions
	BaseRate  float64  `json:"base_rate"`
	ECE       Estimate `json:"ece"`
	ByChance  Chance   `json:"ece_by_chance"`
	Brier     float64  `json:"brier"`
	// Skill is 1 - Brier/(Brier of always stating the base rate). It is nil if all
	// predictions are right or all are wrong.
	Skill *float64 `json:"brier_skill"`
	AUROC *float64 `json:"auroc"`
	Bins  []Bin    `json:"bins"`
}

// Chance is the ECE that the same number of predictions would show by chance if
// every stated probability were true. With few predictions it is well above 0.
type Chance struct {
	Mean float64 `json:"mean"`
	High float64 `json:"high"` // 95 % of draws have an ECE of at most this
}

// Bin is one row of the reliability table. It covers the predictions with
// probabilities from Low to High.
type Bin struct {
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	N     int     `json:"n"`
	Mean  float64 `json:"mean_probability"`
	Right float64 `json:"right"` // share of predictions that are right
}

// NewCalibration measures the probabilities that were stated for each case. It
// returns nil if there are none. The interval comes from resampling the cases.
func NewCalibration(cases [][]Forecast) *Calibration {
	owned := forecastsOf(cases)
	forecasts := pickForecasts(nil, owned, nil)
	if len(forecasts) == 0 {
		return nil
	}
	c := &Calibration{Forecasts: len(forecasts), Enough: len(forecasts) >= MinForecasts, Bins: reliability(forecasts)}
	right := 0
	for _, m := range forecasts {
		right += Count(m.Right)
	}
	c.Brier, c.BaseRate = brier(forecasts), Ratio(right, len(forecasts))
	if reference := c.BaseRate * (1 - c.BaseRate); reference > 0 {
		c.Skill = Defined(1 - c.Brier/reference)
	}
	c.AUROC = Defined(auroc(forecasts))
	var samples []float64
	times := make([]int, len(cases))
	var sample []Forecast
	Resample(len(cases), func(pick []int) {
		clear(times)
		for _, i := range pick {
			times[i]++
		}
		if sample = pickForecasts(sample[:0], owned, times); len(sample) > 0 {
			samples = append(samples, ece(reliability(sample), len(sample)))
		}
	})
	c.ECE = Interval(ece(c.Bins, len(forecasts)), samples)
	c.ByChance = chanceOf(forecasts)
	return c
}

// ECE returns the expected calibration error of the forecasts of all cases. It is 0 if
// there are no forecasts.
func ECE(cases [][]Forecast) float64 {
	forecasts := pickForecasts(nil, forecastsOf(cases), nil)
	return ece(reliability(forecasts), len(forecasts))
}

// chanceOf computes a Chance by simulation. It draws the results of the forecasts from
// their probabilities many times. The forecasts must be sorted.
func chanceOf(forecasts []Forecast) Chance {
	random := rand.New(rand.NewPCG(Seed, uint64(len(forecasts))))
	drawn, shown := slices.Clone(forecasts), make([]float64, Resamples)
	sum := 0.0
	for i := range shown {
		for j := range drawn {
			drawn[j].Right = random.Float64() < drawn[j].P
		}
		shown[i] = ece(reliability(drawn), len(drawn))
		sum += shown[i]
	}
	slices.Sort(shown)
	return Chance{Mean: sum / Resamples, High: Quantile(shown, 0.95)}
}

// ownedForecast is a forecast with the case that it belongs to.
type ownedForecast struct {
	Forecast
	owner int // index of its case
}

// forecastsOf collects the forecasts of all cases, sorted by probability.
func forecastsOf(cases [][]Forecast) []ownedForecast {
	var forecasts []ownedForecast
	for i, c := range cases {
		for _, m := range c {
			forecasts = append(forecasts, ownedForecast{m, i})
		}
	}
	slices.SortFunc(forecasts, func(a, b ownedForecast) int {
		return cmp.Or(cmp.Compare(a.P, b.P), cmp.Compare(Count(a.Right), Count(b.Right)))
	})
	return forecasts
}

// pickForecasts appends each forecast to a list as often as its case is in a sample. A nil
// times means once. It keeps the order, so sorted forecasts need no sorting again.
func pickForecasts(to []Forecast, forecasts []ownedForecast, times []int) []Forecast {
	for _, m := range forecasts {
		n := 1
		if times != nil {
			n = times[m.owner]
		}
		for range n {
			to = append(to, m.Forecast)
		}
	}
	return to
}

// reliability divides sorted forecasts into bins of about equal mass. Equal
// probabilities share a bin, so that the bins do not depend on the order of the
// cases.
func reliability(forecasts []Forecast) []Bin {
	var bins []Bin
	boundary := 0 // end of bin k, which without ties is k/10 of the forecasts
	for start, k := 0, 0; start < len(forecasts); start = boundary {
		for boundary <= start {
			k++
			boundary = k * len(forecasts) / calibrationBins
		}
		for boundary < len(forecasts) && forecasts[boundary].P == forecasts[boundary-1].P {
			boundary++
		}
		bins = append(bins, binOf(forecasts[start:boundary]))
	}
	return bins
}

func binOf(forecasts []Forecast) Bin {
	b := Bin{Low: forecasts[0].P, High: forecasts[len(forecasts)-1].P, N: len(forecasts)}
	for _, m := range forecasts {
		b.Mean += m.P / float64(len(forecasts))
		b.Right += float64(Count(m.Right)) / float64(len(forecasts))
	}
	return b
}

// brier returns the Brier score: the mean squared difference between a probability
// and its result, which is 1 or 0.
func brier(forecasts []Forecast) float64 {
	sum := 0.0
	for _, m := range forecasts {
		d := m.P - float64(Count(m.Right))
		sum += d * d
	}
	return sum / float64(len(forecasts))
}

// ece returns the expected calibration error: the mean difference between stated
// probability and share of right predictions, weighted by bin. n is the number of
// all predictions.
func ece(bins []Bin, n int) float64 {
	sum := 0.0
	for _, b := range bins {
		sum += float64(b.N) / float64(n) * math.Abs(b.Mean-b.Right)
	}
	return sum
}

// auroc returns the probability that a right prediction has a higher probability
// than a wrong one. Ties count half.
func auroc(sorted []Forecast) float64 {
	var wins float64
	right, wrong := 0, 0
	for start := 0; start < len(sorted); {
		end, r := start, 0
		for end < len(sorted) && sorted[end].P == sorted[start].P {
			r += Count(sorted[end].Right)
			end++
		}
		w := end - start - r
		wins += float64(r)*float64(wrong) + float64(r)*float64(w)/2
		right, wrong, start = right+r, wrong+w, end
	}
	if right == 0 || wrong == 0 {
		return math.NaN()
	}
	return wins / float64(right) / float64(wrong)
}
