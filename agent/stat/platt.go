package stat

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Platt holds the coefficients of a map from raw to calibrated probabilities. It
// is Platt's (Advances in Large Margin Classifiers, 1999) with the agreement of
// several votes as a second input:
//
//	p = sigma(Raw*logit(raw) + Agreement*(agreement-1) + Constant)
//
// Raw and Agreement are not negative, so that an answer of which the voters are
// surer never becomes less probable. One voter agrees with itself: the second
// term is then nothing.
type Platt struct {
	Raw       float64 `json:"raw"`
	Agreement float64 `json:"agreement"`
	Constant  float64 `json:"constant"`
}

// identity leaves probabilities as they are.
var identity = Platt{Raw: 1}

// Bounds of what is believed: a model that says 1 and one that says 0.99 mean
// the same, and a few hundred cases cannot tell 0.999 from it either.
const (
	nearest = 0.01  // to 0 and 1, of raw probabilities
	surest  = 0.001 // of calibrated ones
)

// Probability is the calibrated probability.
func (k Platt) Probability(raw, agreement float64) float64 {
	x := plattInputs(raw, agreement)
	p := Logistic(k.Raw*x[0] + k.Agreement*x[1] + k.Constant*x[2])
	return min(max(p, surest), 1-surest)
}

// plattInputs are those of the map: the log-odds of the raw probability,
// how much the votes disagree, and one.
func plattInputs(raw, agreement float64) [3]float64 {
	raw = min(max(raw, nearest), 1-nearest)
	return [3]float64{math.Log(raw / (1 - raw)), min(max(agreement, 0), 1) - 1, 1}
}

// Voted is a prediction that votes made, and whether it came true.
type Voted struct {
	Raw       float64 // probability before calibration
	Agreement float64 // share of the votes for it
	Right     bool
}

// ridge pulls the coefficients towards identity with the force of this many
// cases or so, which keeps them sane when nearly all answers are right. The
// constant, which no scale of the inputs touches, is nearly free.
var ridge = [3]float64{1, 1, 0.01}

// FitPlatt finds the coefficients that make the answers most probable,
// with Platt's smoothed targets. It takes any list; on a few it stays near
// identity. A coefficient that would be negative is held at 0.
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
		switch { // one at a time: without it the other may turn positive
		case w[0] < 0 && w[0] <= w[1]:
			prior.Held[0] = true
		case w[1] < 0:
			prior.Held[1] = true
		default:
			return Platt{Raw: w[0], Agreement: w[1], Constant: w[2]}
		}
	}
}

// smoothedTargets are what right and wrong predictions are fitted to, a little
// inside of 1 and 0 (Platt, section 2.2).
func smoothedTargets(list []Voted) (right, wrong float64) {
	n := 0.0
	for _, e := range list {
		if e.Right {
			n++
		}
	}
	return (n + 1) / (n + 2), 1 / (float64(len(list)) - n + 2)
}

// Accuracy is how far probabilities can be believed.
type Accuracy struct {
	ECE   float64 `json:"ece"`   // mean distance of stated and true share in ten bins of equal mass
	Brier float64 `json:"brier"` // mean squared distance of each probability from what came of it, 1 or 0
}

// OutOfFold says how well a map does on cases that it was not fitted on.
type OutOfFold struct {
	By     string   `json:"by"` // what is never in two folds: "repository" or "case"
	Folds  int      `json:"folds"`
	Before Accuracy `json:"before"` // of the raw probabilities
	After  Accuracy `json:"after"`
}

// Validated is what cross-validation shows of a map: its accuracy, and the
// reliability of the probabilities before and after it.
type Validated struct {
	OutOfFold
	Raw, Mapped []Bin
}

// CrossValidate fits a map without each fold in turn, and looks how the fold
// comes out. group[i] is the group of list[i]; no group is in two folds, and
// there are at most so many folds.
func CrossValidate(list []Voted, group []string, most int) Validated {
	size := map[string]int{}
	for _, g := range group {
		size[g]++
	}
	fold, folds := Folds(size, most)
	var before, after []Mark
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
				before = append(before, Mark{v.Raw, v.Right})
				after = append(after, Mark{w.Probability(v.Raw, v.Agreement), v.Right})
			}
		}
	}
	out := Validated{OutOfFold: OutOfFold{Folds: folds}}
	out.Raw, out.Before = accuracyOf(before)
	out.Mapped, out.After = accuracyOf(after)
	return out
}

func accuracyOf(marks []Mark) ([]Bin, Accuracy) {
	marks = pickMarks(nil, marksOf([][]Mark{marks}), nil) // sorted
	bins := reliability(marks)
	return bins, Accuracy{ECE: ece(bins, len(marks)), Brier: brier(marks)}
}

// Folds deals groups of these sizes out to at most so many folds, the largest
// group first, each to the fold that has the fewest members so far. Equal input
// gives equal folds.
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
