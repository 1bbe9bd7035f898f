// Package stat computes the statistics of evaluations: intervals, tests of
// difference, calibration, and logistic fits.
//
// It works on numbers only and imports no other package of this module. Equal input
// gives equal output, because random numbers are seeded.
//
// The methods and their sources are:
//   - bootstrap.go: percentile intervals of the bootstrap (Efron and
//     Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13), and the
//     two-sided bootstrap test of a paired difference.
//   - mcnemar.go: the exact form of McNemar's test (Psychometrika 12, 1947),
//     which is a binomial test on the discordant pairs.
//   - friedman.go: Friedman's test (Journal of the American Statistical Association
//     32, 1937), corrected for ties.
//   - wilcoxon.go: Wilcoxon's signed-rank test (Biometrics Bulletin 1, 1945) with
//     its exact distribution.
//   - calibration.go: the expected calibration error over bins of equal mass
//     (Naeini et al., AAAI 2015, with Nixon et al., CVPR Workshops 2019, for the
//     bins), Brier's score (Monthly Weather Review 78, 1950) and its skill, and
//     the area under the ROC curve as the statistic of Mann and Whitney.
//   - logistic.go: logistic regression by Newton's method.
//   - platt.go: Platt's calibration of probabilities (Advances in Large Margin
//     Classifiers, 1999), with the agreement of votes as a second input, and its
//     cross-validation.
package stat

// Flag returns 1 for true and 0 for false, as a feature of a model.
func Flag(b bool) float64 { return float64(Count(b)) }

// Count returns 1 for true and 0 for false.
func Count(b bool) int {
	if b {
		return 1
	}
	return 0
}
