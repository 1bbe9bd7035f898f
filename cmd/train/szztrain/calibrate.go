package szztrain

import (
	"math"

	"git-agent/agent/stat"
	"git-agent/agent/szz/rank"
)

// calibrate fits the three coefficients of the calibrator to all candidates. Each candidate has
// the weight of its case.
func calibrate(rows []rank.Example, scores [][]float64, weights []float64) rank.Calibrator {
	var all []stat.LogisticRow
	for i, r := range rows {
		rivals := rank.Rivals(scores[i])
		for j, hit := range r.Hit {
			row := stat.LogisticRow{X: [3]float64{scores[i][j], rivals[j], 1}, Weight: weights[i]}
			if hit {
				row.Target = 1
			}
			all = append(all, row)
		}
	}
	const touch = 1e-6 // a weak prior, needed if all rows have the same rivals
	w := stat.FitLogistic(all, stat.LogisticPrior{At: [3]float64{1, 0, 0}, Force: [3]float64{touch, touch, touch}})
	return rank.Calibrator{A: round4(w[0]), B: round4(w[1]), C: round4(w[2])}
}

// heldOut converts the scores of each fold to probabilities, with a calibrator fitted to the
// other folds.
func heldOut(rows []rank.Example, families []string, fold map[string]int, scores [][]float64, weights []float64) [][]float64 {
	ps := make([][]float64, len(rows))
	for n := range folds {
		var others []rank.Example
		var s [][]float64
		var w []float64
		for i, r := range rows {
			if fold[families[i]] != n {
				others, s, w = append(others, r), append(s, scores[i]), append(w, weights[i])
			}
		}
		cal := calibrate(others, s, w)
		for i := range rows {
			if fold[families[i]] == n {
				ps[i] = cal.Probabilities(scores[i])
			}
		}
	}
	return ps
}

func probabilities(c rank.Calibrator, scores [][]float64) [][]float64 {
	ps := make([][]float64, len(scores))
	for i, s := range scores {
		ps[i] = c.Probabilities(s)
	}
	return ps
}

func round4(x float64) float64 { return math.Round(x*1e4) / 1e4 }
