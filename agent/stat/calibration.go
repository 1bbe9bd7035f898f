package stat

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// calibrationBins is the number of bins of equal mass. MinForecasts is the least number of
// predictions for a claim about calibration.
const (
	calibrationBins = 10
	MinForecasts    = 200
)

// Forecast is the stated probability of one prediction, and whether the prediction was right.
type Forecast struct {
	P     float64
	Right bool
}

// Calibration measures how well stated probabilities match results. Each forecast is one
// prediction; an answer to a case may contain several.
type Calibration struct {
	Forecasts int      `json:"predictions"`
	Enough    bool     `json:"enough"` // there are at least MinForecasts predictions
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

// NewCalibration measures the probabilities stated for each case. It returns nil if there are
// none. The interval comes from resampling the cases.
func NewCalibration(cases [][]Forecast) *Calibration {
	list := forecastsOf(cases)
	forecasts := list.forecasts
	if len(forecasts) == 0 {
		return nil
	}
	c := &Calibration{Forecasts: len(forecasts), Enough: len(forecasts) >= MinForecasts, Bins: list.reliability()}
	right := 0
	for _, m := range forecasts {
		right += Count(m.Right)
	}
	c.Brier, c.BaseRate = brier(forecasts), Ratio(right, len(forecasts))
	if reference := c.BaseRate * (1 - c.BaseRate); reference > 0 {
		c.Skill = Defined(1 - c.Brier/reference)
	}
	c.AUROC = Defined(auroc(forecasts))
	c.ECE = Interval(ece(c.Bins, len(forecasts)), list.resampled(len(cases)))
	c.ByChance = chanceOf(list)
	return c
}

// ECE returns the expected calibration error of the forecasts of all cases, or 0 without
// forecasts.
func ECE(cases [][]Forecast) float64 {
	list := forecastsOf(cases)
	return ece(list.reliability(), len(list.forecasts))
}

// resampled returns the ECE of each bootstrap sample of n cases that contains forecasts.
func (l *sample) resampled(n int) []float64 {
	if n < 2 {
		return nil
	}
	var samples []float64
	times := make([]uint32, n)
	d := newDraws(n)
	for range Resamples {
		clear(times)
		for pick := range d.sample() {
			for _, i := range pick {
				times[i]++
			}
		}
		l.size = 0
		for i, owner := range l.owners {
			l.times[i] = times[owner]
			l.size += int(times[owner])
		}
		if l.size > 0 {
			samples = append(samples, ece(l.reliability(), l.size))
		}
	}
	l.all()
	return samples
}

// chanceOf computes a Chance by simulation. It draws the results of the forecasts from their
// probabilities many times. Each forecast must be in the sample once.
func chanceOf(l *sample) Chance {
	random := rand.New(rand.NewPCG(Seed, uint64(len(l.forecasts))))
	bins, shown := l.reliability(), make([]float64, Resamples)
	shares := make([][]float64, len(bins)) // by bin and number of right results
	for i, b := range bins {
		shares[i] = make([]float64, b.N+1)
		for n := range b.N {
			shares[i][n+1] = shares[i][n] + 1/float64(b.N)
		}
	}
	sum := 0.0
	for i := range shown {
		rest := l.forecasts
		for j, b := range bins {
			right := 0
			for _, m := range rest[:b.N] {
				right += Count(random.Float64() < m.P)
			}
			rest, bins[j].Right = rest[b.N:], shares[j][right]
		}
		shown[i] = ece(bins, len(l.forecasts))
		sum += shown[i]
	}
	slices.Sort(shown)
	return Chance{Mean: sum / Resamples, High: Quantile(shown, 0.95)}
}

// sample is a list of forecasts, sorted by probability, with the number of times that each is in
// a bootstrap sample.
type sample struct {
	forecasts []Forecast
	owners    []uint32 // index of a forecast's case
	times     []uint32
	size      int // sum of times
}

// forecastsOf returns the forecasts of all cases, each once.
func forecastsOf(cases [][]Forecast) *sample {
	type ownedForecast struct {
		Forecast
		owner uint32
	}
	var owned []ownedForecast
	for i, c := range cases {
		for _, m := range c {
			owned = append(owned, ownedForecast{m, uint32(i)})
		}
	}
	slices.SortFunc(owned, func(a, b ownedForecast) int {
		return cmp.Or(cmp.Compare(a.P, b.P), cmp.Compare(Count(a.Right), Count(b.Right)))
	})
	l := &sample{forecasts: make([]Forecast, len(owned)), owners: make([]uint32, len(owned)), times: make([]uint32, len(owned))}
	for i, m := range owned {
		l.forecasts[i], l.owners[i] = m.Forecast, m.owner
	}
	l.all()
	return l
}

// all puts each forecast into the sample once.
func (l *sample) all() {
	for i := range l.times {
		l.times[i] = 1
	}
	l.size = len(l.times)
}

// reliability divides the forecasts into bins of about equal mass. Equal probabilities share a
// bin, so that the bins do not depend on the order of the cases.
func (l *sample) reliability() []Bin {
	var bins []Bin
	boundary := 0 // end of bin k, which without ties is k/10 of the forecasts
	at := 0       // the first forecast of the next bin
	for start, k := 0, 0; start < l.size; start = boundary {
		for boundary <= start {
			k++
			boundary = k * l.size / calibrationBins
		}
		for l.times[at] == 0 {
			at++
		}
		end, n := at, 0
		for ; start+n < boundary; end++ {
			n += int(l.times[end])
		}
		last := end - 1
		for ; end < len(l.times) && (l.times[end] == 0 || l.forecasts[end].P == l.forecasts[last].P); end++ {
			n += int(l.times[end])
			if l.times[end] > 0 {
				last = end
			}
		}
		boundary = start + n
		bins = append(bins, l.binOf(at, last+1, n))
		at = end
	}
	return bins
}

// binOf returns the bin of forecasts[from:to], of which n are in the sample. The first and the
// last of these forecasts are in the sample.
func (l *sample) binOf(from, to, n int) Bin {
	b := Bin{Low: l.forecasts[from].P, High: l.forecasts[to-1].P, N: n}
	right := 0
	for i, m := range l.forecasts[from:to] {
		times := l.times[from+i]
		share := m.P / float64(n)
		for range times {
			b.Mean += share
		}
		right += int(times) * Count(m.Right)
	}
	for range right {
		b.Right += 1 / float64(n)
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

// ece returns the expected calibration error: the mean difference between stated probability and
// share of right predictions, weighted by bin. n is the number of all predictions.
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
