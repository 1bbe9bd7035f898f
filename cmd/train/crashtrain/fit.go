package crashtrain

import "math"

// A choiceSet is one case for the fit: the features of its files, the right files, and the weight
// index of "none".
type choiceSet struct {
	repo    string
	family  string // folds leave out whole families
	id      string
	vectors [][]float64
	right   []bool
	plain   bool // the first file in the order of the stacks is right
	managed bool
}

// none reports whether no file of the set is right.
func (c choiceSet) none() bool {
	for _, r := range c.right {
		if r {
			return false
		}
	}
	return true
}

// A choice has the weights of a conditional logit with the additional choice "none of them":
// first weights for all cases, then additions for managed languages. The last weight of each half
// is for "none".
type choice struct {
	shared, managed []float64
	scale           []float64 // of the features
}

// fitChoice fits the weights by maximum likelihood with a penalty on the squares of the weights
// of standardized features. The probability of a case is that of choosing any right file, or
// "none".
func fitChoice(sets []choiceSet, penalty float64) choice {
	n := len(sets[0].vectors[0])
	c := choice{shared: make([]float64, n+1), managed: make([]float64, n+1), scale: deviations(sets, n)}
	w := make([]float64, 2*(n+1))
	m, v := make([]float64, len(w)), make([]float64, len(w))
	const steps, rate = 1500, 0.03
	for t := 1; t <= steps; t++ {
		g := c.gradient(sets, w, penalty)
		// Adam (Kingma and Ba, 2015), with a rate that falls to zero.
		for i := range w {
			m[i] = 0.9*m[i] + 0.1*g[i]
			v[i] = 0.999*v[i] + 0.001*g[i]*g[i]
			mh, vh := m[i]/(1-math.Pow(0.9, float64(t))), v[i]/(1-math.Pow(0.999, float64(t)))
			w[i] -= rate * (1 - float64(t)/steps) * mh / (math.Sqrt(vh) + 1e-9)
		}
	}
	for i := range c.shared {
		scale := 1.0
		if i < n {
			scale = c.scale[i]
		}
		c.shared[i], c.managed[i] = w[i]/scale, w[n+1+i]/scale
	}
	return c
}

// gradient returns the gradient of the penalized loss at weights of standardized
// features.
func (c choice) gradient(sets []choiceSet, w []float64, penalty float64) []float64 {
	n := len(w)/2 - 1
	g := make([]float64, len(w))
	for i, x := range w {
		if i != n && i != 2*n+1 {
			g[i] = penalty * x
		}
	}
	for _, s := range sets {
		p, none := c.chosen(s, w)
		all := 0.0 // probability of the right choices
		noneRight := s.none()
		for i, q := range p {
			if s.right[i] {
				all += q
			}
		}
		if noneRight {
			all = none
		}
		all = max(all, 1e-12)
		add := func(at int, x float64) {
			g[at] += x
			if s.managed {
				g[n+1+at] += x
			}
		}
		for i, q := range p {
			d := q // derivative of the loss by the utility
			if s.right[i] {
				d -= q / all
			}
			for j, x := range s.vectors[i] {
				if x != 0 {
					add(j, d*x/c.scale[j])
				}
			}
		}
		d := none
		if noneRight {
			d -= 1
		}
		add(n, d)
	}
	return g
}

// chosen returns the probabilities of the files of a set, and of "none", at weights
// of standardized features.
func (c choice) chosen(s choiceSet, w []float64) (p []float64, none float64) {
	n := len(w)/2 - 1
	weight := func(j int) float64 {
		if s.managed {
			return w[j] + w[n+1+j]
		}
		return w[j]
	}
	none = math.Exp(weight(n))
	sum := none
	p = make([]float64, len(s.vectors))
	for i, vector := range s.vectors {
		u := 0.0
		for j, x := range vector {
			if x != 0 {
				u += weight(j) * x / c.scale[j]
			}
		}
		p[i] = math.Exp(u)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p, none / sum
}

// deviations returns the standard deviations of the features.
func deviations(sets []choiceSet, n int) []float64 {
	sum, square, count := make([]float64, n), make([]float64, n), 0.0
	for _, s := range sets {
		for _, v := range s.vectors {
			count++
			for j, x := range v {
				sum[j] += x
				square[j] += x * x
			}
		}
	}
	out := make([]float64, n)
	for j := range out {
		mean := sum[j] / count
		out[j] = math.Sqrt(max(square[j]/count-mean*mean, 1e-6))
	}
	return out
}
