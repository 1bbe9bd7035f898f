package detect

import (
	"math"

	"git-agent/agent/stat/logistic"
)

// Coefficients are those of the map from raw to calibrated probabilities,
// Platt's (Advances in Large Margin Classifiers, 1999) with the agreement of
// the runs as a second input:
//
//	p = sigma(Raw*logit(raw) + Agreement*(agreement-1) + Constant)
//
// Raw and Agreement are not negative, so that a suspect of which the model or
// the runs are surer never becomes less probable. One run agrees with itself:
// the second term is then nothing.
type Coefficients struct {
	Raw       float64 `json:"raw"`
	Agreement float64 `json:"agreement"`
	Constant  float64 `json:"constant"`
}

// Identity leaves probabilities as they are.
var Identity = Coefficients{Raw: 1}

// Bounds of what is believed: a model that says 1 and one that says 0.99 mean
// the same, and a few hundred cases cannot tell 0.999 from it either.
const (
	nearest = 0.01  // to 0 and 1, of raw probabilities
	surest  = 0.001 // of calibrated ones
)

// Probability is the calibrated probability of a suspect.
func (k Coefficients) Probability(raw, agreement float64) float64 {
	x := calibrationInputs(raw, agreement)
	p := logistic.Of(k.Raw*x[0] + k.Agreement*x[1] + k.Constant*x[2])
	return min(max(p, surest), 1-surest)
}

// calibrationInputs are those of the map: the log-odds of the raw probability,
// how much the runs disagree, and one.
func calibrationInputs(raw, agreement float64) [3]float64 {
	raw = min(max(raw, nearest), 1-nearest)
	return [3]float64{math.Log(raw / (1 - raw)), min(max(agreement, 0), 1) - 1, 1}
}

// Named is a suspect that the agent engine named in a case with a known answer.
type Named struct {
	Raw       float64 // probability before calibration
	Agreement float64 // share of the runs with a verdict that named it
	Absent    int     // runs that gave none
	Right     bool
}

// ridge pulls the coefficients towards Identity with the force of this many
// cases or so, which keeps them sane when nearly all answers are right. The
// constant, which no scale of the inputs touches, is nearly free.
var ridge = [3]float64{1, 1, 0.01}

// FitCalibration finds the coefficients that make the answers most probable,
// with Platt's smoothed targets. It takes any list; on a few it stays near
// Identity. A coefficient that would be negative is held at 0.
func FitCalibration(list []Named) Coefficients {
	right, wrong := smoothedTargets(list)
	rows := make([]logistic.Row, len(list))
	for i, n := range list {
		rows[i] = logistic.Row{X: calibrationInputs(n.Raw, n.Agreement), Target: wrong, Weight: 1}
		if n.Right {
			rows[i].Target = right
		}
	}
	prior := logistic.Prior{At: [3]float64{Identity.Raw, Identity.Agreement, Identity.Constant}, Force: ridge}
	for {
		w := logistic.Fit(rows, prior)
		switch { // one at a time: without it the other may turn positive
		case w[0] < 0 && w[0] <= w[1]:
			prior.Held[0] = true
		case w[1] < 0:
			prior.Held[1] = true
		default:
			return Coefficients{Raw: w[0], Agreement: w[1], Constant: w[2]}
		}
	}
}

// smoothedTargets are what right and wrong suspects are fitted to, a little
// inside of 1 and 0 (Platt, section 2.2).
func smoothedTargets(list []Named) (right, wrong float64) {
	n := 0.0
	for _, e := range list {
		if e.Right {
			n++
		}
	}
	return (n + 1) / (n + 2), 1 / (float64(len(list)) - n + 2)
}
