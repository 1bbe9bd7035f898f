package stat

import "math"

// A LogisticRow is one observation. Target is the probability to fit, from 0 to 1,
// and Weight says how often the row counts.
type LogisticRow struct {
	X      [3]float64
	Target float64
	Weight float64
}

// Logistic returns the probability with log-odds z.
func Logistic(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// A LogisticPrior pulls coefficients towards At. Force is the strength of the pull,
// in about as many rows. If Force is 0, the rows must suffice to determine the
// coefficient. Held coefficients are fixed at 0.
type LogisticPrior struct {
	At, Force [3]float64
	Held      [3]bool
}

// FitLogistic returns the coefficients w for which Logistic(w*x) fits the rows
// best. It minimizes the logistic loss, which is convex, by Newton's method.
func FitLogistic(rows []LogisticRow, prior LogisticPrior) (w [3]float64) {
	const (
		steps    = 100
		farthest = 2    // largest change in one step, because a flat loss would cause a huge one
		settled  = 1e-9 // the iteration ends when a step changes no coefficient by more
	)
	w = prior.At
	for j := range w {
		if prior.Held[j] {
			w[j] = 0
		}
	}
	for range steps {
		g, h := derivatives(rows, prior, w)
		for j := range w {
			if prior.Held[j] { // its equation becomes step = 0
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

// derivatives returns the gradient g of the loss at w and its second derivatives h.
func derivatives(rows []LogisticRow, prior LogisticPrior, w [3]float64) (g [3]float64, h [3][3]float64) {
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

// solve solves h*x = g by elimination. h must be symmetric and positive definite,
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
