package stat

import "math"

// A LogisticRow is one observation: its inputs, what the probability should be, 0 to 1,
// and how often it counts.
type LogisticRow struct {
	X      [3]float64
	Target float64
	Weight float64
}

// Logistic is the probability that goes with the log-odds z.
func Logistic(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// A LogisticPrior is where coefficients are drawn to, and with the force of about how
// many rows; a force of nothing needs rows that tell the inputs apart. Held
// coefficients are 0 instead.
type LogisticPrior struct {
	At, Force [3]float64
	Held      [3]bool
}

// FitLogistic finds the coefficients w for which Logistic(w*x) fits the rows best: the least
// logistic loss, which is convex, by Newton's method.
func FitLogistic(rows []LogisticRow, prior LogisticPrior) (w [3]float64) {
	const (
		steps    = 100
		farthest = 2 // in one step, so that a flat loss does not throw it out
		settled  = 1e-9
	)
	w = prior.At
	for j := range w {
		if prior.Held[j] {
			w[j] = 0
		}
	}
	for range steps {
		g, h := slope(rows, prior, w)
		for j := range w {
			if prior.Held[j] { // its equation becomes "no step"
				g[j], h[j] = 0, [3]float64{}
				for a := range h {
					h[a][j] = 0
				}
				h[j][j] = 1
			}
		}
		far := 0.0
		for j, s := range solve(h, g) {
			s = min(max(s, -farthest), farthest)
			w[j] -= s
			far = max(far, math.Abs(s))
		}
		if far < settled {
			break
		}
	}
	return w
}

// slope is the gradient of the loss at w, and its second derivatives.
func slope(rows []LogisticRow, prior LogisticPrior, w [3]float64) (g [3]float64, h [3][3]float64) {
	for j := range w {
		g[j], h[j][j] = prior.Force[j]*(w[j]-prior.At[j]), prior.Force[j]
	}
	for _, r := range rows {
		p := Logistic(w[0]*r.X[0] + w[1]*r.X[1] + w[2]*r.X[2])
		for a := range r.X {
			g[a] += r.Weight * (p - r.Target) * r.X[a]
			for b := range r.X {
				h[a][b] += r.Weight * p * (1 - p) * r.X[a] * r.X[b]
			}
		}
	}
	return g, h
}

// solve solves h*x = g by elimination; h is symmetric and positive definite,
// so that no pivot is 0.
func solve(h [3][3]float64, g [3]float64) (x [3]float64) {
	for i := range h {
		for j := i + 1; j < len(h); j++ {
			f := h[j][i] / h[i][i]
			for k := i; k < len(h); k++ {
				h[j][k] -= f * h[i][k]
			}
			g[j] -= f * g[i]
		}
	}
	for i := len(h) - 1; i >= 0; i-- {
		x[i] = g[i]
		for j := i + 1; j < len(h); j++ {
			x[i] -= h[i][j] * x[j]
		}
		x[i] /= h[i][i]
	}
	return x
}
