package stat

import "math"

// Friedman returns the statistic of Friedman's test and its p-value, both corrected for ties.
// Each row has the values of one case under the same number of conditions; the null hypothesis is
// that the conditions do not differ. The p-value uses the chi-squared distribution, which is an
// approximation for few rows. Without rows, without a second condition, or if all values of each
// row are equal, the result is 0 and 1.
func Friedman(rows [][]float64) (statistic, p float64) {
	n := float64(len(rows))
	if n == 0 || len(rows[0]) < 2 {
		return 0, 1
	}
	k := float64(len(rows[0]))
	sums := make([]float64, len(rows[0]))
	tied := 0.0
	for _, row := range rows {
		ranks, ties := Ranks(row)
		tied += ties
		for i, r := range ranks {
			sums[i] += r
		}
	}
	spread := 0.0
	for _, s := range sums {
		d := s - n*(k+1)/2
		spread += d * d
	}
	scale := n*k*(k+1) - tied/(k-1)
	if scale <= 0 {
		return 0, 1
	}
	statistic = 12 * spread / scale
	return statistic, chiSquared(statistic, len(sums)-1)
}

// chiSquared returns the probability that a chi-squared variable with the given degrees of
// freedom is at least x. It sums the recurrence from n to n+2 degrees (Abramowitz and Stegun,
// Handbook of Mathematical Functions, 26.4.8).
func chiSquared(x float64, degrees int) float64 {
	if x <= 0 || degrees < 1 {
		return 1
	}
	half := x / 2
	tail, n := math.Exp(-half), 2
	if degrees%2 == 1 {
		tail, n = math.Erfc(math.Sqrt(half)), 1
	}
	for ; n < degrees; n += 2 {
		gamma, _ := math.Lgamma(float64(n)/2 + 1)
		tail += math.Exp(float64(n)/2*math.Log(half) - half - gamma)
	}
	return min(1, tail)
}
