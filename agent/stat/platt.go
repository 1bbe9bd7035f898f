package stat

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Platt holds the coefficients of a function from raw to calibrated probabilities.
// The function is Platt's (Advances in Large Margin Classifiers, 1999) with the
// agreement of several votes as a second input:
//
//	p = sigma(Raw*logit(raw) + Agreement*(agreement-1) + Constant)
//
// Raw and Agreement are not negative, so a higher raw probability or agreement
// never gives a lower probability. For a single vote the agreement is 1 and the
// second term is 0.
type Platt struct {
	Raw       float64 `json:"raw"`
	Agreement float64 `json:"agreement"`
	Constant  float64 `json:"constant"`
}

// identity is the Platt that leaves probabilities unchanged, within their bounds.
var identity = Platt{Raw: 1}

// Probabilities are clamped to these distances from 0 and 1. Models state 1 and 0.99 with the
// same meaning, and a few hundred cases cannot distinguish 0.999 from 1.
const (
	rawMargin        = 0.01  // for raw probabilities
	calibratedMargin = 0.001 // for calibrated probabilities
)

// Probability returns the calibrated probability.
func (k Platt) Probability(raw, agreement float64) float64 {
	x := plattInputs(raw, agreement)
	p := Logistic(k.Raw*x[0] + k.Agreement*x[1] + k.Constant*x[2])
	return min(max(p, calibratedMargin), 1-calibratedMargin)
}

// plattInputs returns the inputs of the function: the log-odds of the raw
// probability, the agreement minus 1, and 1.
func plattInputs(raw, agreement float64) [3]float64 {
	raw = min(max(raw, rawMargin), 1-rawMargin)
	return [3]float64{math.Log(raw / (1 - raw)), min(max(agreement, 0), 1) - 1, 1}
}

// Voted is a prediction by one or more votes, and whether the prediction was right.
type Voted struct {
	Raw       float64 // probability before calibration
	Agreement float64 // share of the votes for it
	Right     bool
	// Stated is the probability that was stated before a new calibration; 0 means Raw.
	Stated float64
}

// ridge pulls the coefficients towards identity with the force of about this many
// cases. This keeps them finite when nearly all answers are right. The constant does
// not depend on the scale of the inputs and is pulled very little.
var ridge = [3]float64{1, 1, 0.01}

// FitPlatt fits the coefficients to a list of predictions by maximum likelihood,
// with Platt's smoothed targets. Any list is valid; with few predictions the result
// stays near identity. A coefficient that would be negative is held at 0.
func FitPlatt(list []Voted) Platt {
	right, wrong := smoothedTargets(list)
	rows := make([]LogisticRow, len(list))
	for i, n := range list {
		rows[i] = LogisticRow{X: plattInputs(n.Raw, n.Agreement), Target: wrong, Weight: 1}
		if n.Right {
			rows[i].Target = right
		}
	}
	prior := LogisticPrior{At: [3]float64{identity.Raw, identity.Agreement, identity.Constant}, Force: ridge}
	for {
		w := FitLogistic(rows, prior)
		switch { // hold only one, since the other may then become positive
		case w[0] < 0 && w[0] <= w[1]:
			prior.Held[0] = true
		case w[1] < 0:
			prior.Held[1] = true
		default:
			return Platt{Raw: w[0], Agreement: w[1], Constant: w[2]}
		}
	}
}

// smoothedTargets returns the targets for right and wrong predictions. They are
// slightly less than 1 and slightly more than 0 (Platt, section 2.2).
func smoothedTargets(list []Voted) (right, wrong float64) {
	n := 0.0
	for _, e := range list {
		if e.Right {
			n++
		}
	}
	return (n + 1) / (n + 2), 1 / (float64(len(list)) - n + 2)
}

// Accuracy measures how well probabilities match results; lower is better.
type Accuracy struct {
	ECE   float64 `json:"ece"`   // mean difference of stated and true share in ten bins of equal mass
	Brier float64 `json:"brier"` // mean squared difference of each probability from its result, 1 or 0
}

// OutOfFold measures the accuracy of calibrated probabilities on cases outside the calibration's
// training data.
type OutOfFold struct {
	By     string   `json:"by"` // unit that is never split between folds: "repository" or "case"
	Folds  int      `json:"folds"`
	Before Accuracy `json:"before"` // accuracy of the raw probabilities
	After  Accuracy `json:"after"`  // accuracy of the calibrated ones
}

// Validated is the result of a cross-validation. Raw and Mapped are the reliability
// of the probabilities before and after calibration.
type Validated struct {
	OutOfFold
	Raw, Mapped []Bin
}

// validationFolds is the largest number of folds of a cross-validation.
const validationFolds = 5

// CrossValidate measures the effect of calibration by cross-validation. The Platt for each fold
// is fitted to the other folds. group[i] is the group of list[i]; no group is split between
// folds.
func CrossValidate(list []Voted, group []string) Validated {
	size := map[string]int{}
	for _, g := range group {
		size[g]++
	}
	fold, folds := Folds(size, validationFolds)
	var before, after []Forecast
	for k := range folds {
		var others []Voted
		for i, v := range list {
			if fold[group[i]] != k {
				others = append(others, v)
			}
		}
		w := FitPlatt(others)
		for i, v := range list {
			if fold[group[i]] == k {
				before = append(before, Forecast{cmp.Or(v.Stated, v.Raw), v.Right})
				after = append(after, Forecast{w.Probability(v.Raw, v.Agreement), v.Right})
			}
		}
	}
	out := Validated{OutOfFold: OutOfFold{Folds: folds}}
	out.Raw, out.Before = accuracyOf(before)
	out.Mapped, out.After = accuracyOf(after)
	return out
}

func accuracyOf(forecasts []Forecast) ([]Bin, Accuracy) {
	list := forecastsOf([][]Forecast{forecasts})
	bins := list.reliability()
	return bins, Accuracy{ECE: ece(bins, len(forecasts)), Brier: brier(list.forecasts)}
}

// Folds distributes groups over at most `most` folds. It takes the largest group
// first and puts each into the fold with the fewest members so far. The result
// depends only on the input.
func Folds(size map[string]int, most int) (fold map[string]int, folds int) {
	var names []string
	for name := range size {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(size[b], size[a]), strings.Compare(a, b)) })
	folds = min(most, len(names))
	fold, load := map[string]int{}, make([]int, folds)
	for _, name := range names {
		k := slices.Index(load, slices.Min(load))
		fold[name] = k
		load[k] += size[name]
	}
	return fold, folds
}
