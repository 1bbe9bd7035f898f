package stat

import (
	"math"
	"slices"
)

// maxExactRanks is the largest number of differences with an exact p-value of Wilcoxon's test.
// The approximation is good for far fewer.
const maxExactRanks = 100

// Wilcoxon returns the statistic of Wilcoxon's signed-rank test and its two-sided p-value. The
// differences are those of paired values; the null hypothesis is that they are symmetric around
// 0. The statistic is the smaller of the sums of ranks of positive and of negative differences.
// Differences of 0 are left out, as Wilcoxon did, and so is NaN.
//
// The p-value counts all ways to sign the ranks, including ties. For more than 100 differences it
// uses the normal distribution, without correction for continuity. Without differences the result
// is 0 and 1.
func Wilcoxon(differences []float64) (statistic, p float64) {
	var sizes []float64
	var positive []bool
	for _, d := range differences {
		if d != 0 && !math.IsNaN(d) {
			sizes, positive = append(sizes, math.Abs(d)), append(positive, d > 0)
		}
	}
	if len(sizes) == 0 {
		return 0, 1
	}
	ranks, _ := Ranks(sizes)
	up, down := 0.0, 0.0
	for i, r := range ranks {
		if positive[i] {
			up += r
		} else {
			down += r
		}
	}
	statistic = min(up, down)
	if len(ranks) > maxExactRanks {
		return statistic, signedRankNormal(ranks, statistic)
	}
	return statistic, min(1, 2*signedRankTail(ranks, statistic))
}

// signedRankNormal returns the two-sided p-value by the normal approximation. The variance of a
// sum of signed ranks is a quarter of the sum of their squares.
func signedRankNormal(ranks []float64, statistic float64) float64 {
	sum, squares := 0.0, 0.0
	for _, r := range ranks {
		sum, squares = sum+r, squares+r*r
	}
	return math.Erfc((sum/2 - statistic) / math.Sqrt(squares/4) / math.Sqrt2)
}

// signedRankTail returns the probability that the sum of ranks, each included with probability
// 1/2, is at most the statistic. It counts in half ranks, because the ranks of ties are multiples
// of 1/2.
func signedRankTail(ranks []float64, statistic float64) float64 {
	total := 0
	for _, r := range ranks {
		total += int(2 * r)
	}
	sums := make([]float64, total+1) // probability of each sum of half ranks
	sums[0] = 1
	for _, r := range ranks {
		step := int(2 * r)
		for s := total; s >= 0; s-- {
			sums[s] /= 2
			if s >= step {
				sums[s] += sums[s-step] / 2
			}
		}
	}
	tail := 0.0
	for _, p := range sums[:int(2*statistic)+1] {
		tail += p
	}
	return tail
}

// Ranks returns the rank of each value, from 1 for the smallest. Equal values share the mean of
// their ranks. ties is the sum of t*t*t - t over the groups of t equal values, for the correction
// of tests for ties.
func Ranks(values []float64) (ranks []float64, ties float64) {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case values[a] < values[b]:
			return -1
		case values[a] > values[b]:
			return 1
		}
		return 0
	})
	ranks = make([]float64, len(values))
	for start := 0; start < len(order); {
		end := start + 1
		for end < len(order) && values[order[end]] == values[order[start]] {
			end++
		}
		for _, i := range order[start:end] {
			ranks[i] = float64(start+1+end) / 2
		}
		t := float64(end - start)
		ties += t*t*t - t
		start = end
	}
	return ranks, ties
}
