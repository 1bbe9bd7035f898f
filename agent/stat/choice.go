package stat

import "math"

// Choice holds the weights of a conditional logit by the names of the features (McFadden,
// Conditional logit analysis of qualitative choice behavior, 1974). The utility of an item is the
// weighted sum of its features. "None of them" is a choice too; its utility has the name
// NoneWeight.
type Choice map[string]float64

// NoneWeight is the name of the utility of choosing none of the items.
const NoneWeight = "none"

// Shares returns the probability of choosing each item, from 0 to 1. names lists the features in
// the order of each vector. The sum is less than 1; the rest is the probability of choosing none.
func (c Choice) Shares(names []string, vectors [][]float64) []float64 {
	shares := make([]float64, len(vectors))
	sum := math.Exp(c[NoneWeight])
	for i, v := range vectors {
		utility := 0.0
		for j, x := range v {
			utility += c[names[j]] * x
		}
		shares[i] = math.Exp(utility)
		sum += shares[i]
	}
	for i := range shares {
		shares[i] /= sum
	}
	return shares
}
