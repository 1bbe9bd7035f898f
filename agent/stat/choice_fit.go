package stat

import "math"

// A ChoiceSet is a choice with known right items.
type ChoiceSet struct {
	Vectors [][]float64 // the features of each item
	Right   []bool      // which of the items are right
	Weight  float64     // weight of the set
}

// FitChoice fits the weights of a choice by maximum likelihood. The likelihood of a set is the
// probability of choosing any of its right items. penalty multiplies the squared weights of
// standardized features. FitChoice skips sets without a right item, and gives no weight to "none
// of them".
func FitChoice(names []string, sets []ChoiceSet, penalty float64) Choice {
	n := len(names)
	w, m, v := make([]float64, n), make([]float64, n), make([]float64, n)
	scale := spread(sets, n)
	const steps, rate = 400, 0.1
	for t := 1; t <= steps; t++ {
		// Adam (Kingma and Ba, 2015), with a rate that falls to zero.
		for i, g := range choiceGradient(sets, w, scale, penalty) {
			m[i] = 0.9*m[i] + 0.1*g
			v[i] = 0.999*v[i] + 0.001*g*g
			mh, vh := m[i]/(1-math.Pow(0.9, float64(t))), v[i]/(1-math.Pow(0.999, float64(t)))
			w[i] -= rate * (1 - float64(t)/steps) * mh / (math.Sqrt(vh) + 1e-9)
		}
	}
	c := Choice{}
	for i, name := range names {
		c[name] = w[i] / scale[i]
	}
	return c
}

// choiceGradient returns the gradient of the penalized loss at the given weights of standardized
// features.
func choiceGradient(sets []ChoiceSet, w, scale []float64, penalty float64) []float64 {
	g := make([]float64, len(w))
	for i, x := range w {
		g[i] = penalty * x
	}
	for _, s := range sets {
		chosen := chosenOf(s.Vectors, w, scale)
		right := 0.0
		for i, p := range chosen {
			if s.Right[i] {
				right += p
			}
		}
		if right == 0 {
			continue
		}
		for i, p := range chosen {
			d := p // derivative of the loss by the utility
			if s.Right[i] {
				d -= p / right
			}
			for j, x := range s.Vectors[i] {
				g[j] += s.Weight * d * x / scale[j]
			}
		}
	}
	return g
}

// chosenOf returns the probabilities of the items at the given weights of standardized features.
func chosenOf(vectors [][]float64, w, scale []float64) []float64 {
	p := make([]float64, len(vectors))
	top := math.Inf(-1)
	for i, v := range vectors {
		for j, x := range v {
			p[i] += w[j] * x / scale[j]
		}
		top = max(top, p[i])
	}
	sum := 0.0
	for i := range p {
		p[i] = math.Exp(p[i] - top)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// spread returns the standard deviations of the features over all items, or 1 for a constant
// feature.
func spread(sets []ChoiceSet, n int) []float64 {
	sum, square, count := make([]float64, n), make([]float64, n), 0.0
	for _, s := range sets {
		for _, v := range s.Vectors {
			count++
			for j, x := range v {
				sum[j] += x
				square[j] += x * x
			}
		}
	}
	out := make([]float64, n)
	for j := range out {
		mean := sum[j] / max(count, 1)
		if out[j] = math.Sqrt(max(0, square[j]/max(count, 1)-mean*mean)); out[j] < 1e-9 {
			out[j] = 1
		}
	}
	return out
}
