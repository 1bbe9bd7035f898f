package main

import (
	"math"

	"git-agent/agent/stat"
	"git-agent/agent/szz/rank"
)

// calibrate fits the three coefficients of the calibrator to all candidates. A
// candidate has the weight of its case.
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

func probabilities(c rank.Calibrator, scores [][]float64) [][]float64 {
	ps := make([][]float64, len(scores))
	for i, s := range scores {
		ps[i] = c.Probabilities(s)
	}
	return ps
}

func round4(x float64) float64 { return math.Round(x*1e4) / 1e4 }
