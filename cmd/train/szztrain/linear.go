package szztrain

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"git-agent/agent/szz/rank"
)

// rareFeatures are features of few candidates. The trees cannot use them, because each leaf needs
// params.MinRows candidates, so each gets a linear weight that is added to the score of the trees
// (see rank.Model).
const rareFeatures = "beside_share,applied_together"

// columnsOf returns the columns of features among all, from names separated by commas. Features
// missing in the rows are left out.
func columnsOf(rows []rank.Example, all []string, names string) ([]int, error) {
	var columns []int
	for _, name := range listed(names) {
		at := slices.Index(all, name)
		if at < 0 {
			return nil, fmt.Errorf("no feature %q", name)
		}
		if width(rows) > at {
			columns = append(columns, at)
		}
	}
	return columns, nil
}

// keptOf returns the names of a list, separated by commas, that are not in left.
func keptOf(names string, left []string) string {
	list := slices.DeleteFunc(strings.Split(names, ","), func(name string) bool { return !slices.Contains(left, name) })
	return strings.Join(list, ",")
}

// width returns the number of columns of the rows.
func width(rows []rank.Example) int {
	for _, r := range rows {
		for _, x := range r.X {
			return len(x)
		}
	}
	return 0
}

// hidden returns the rows with zeros in some columns, for training trees that do not
// read them.
func hidden(rows []rank.Example, columns []int) []rank.Example {
	if len(columns) == 0 {
		return rows
	}
	rows = slices.Clone(rows)
	for n, r := range rows {
		rows[n].X = make([][]float64, len(r.X))
		for i, x := range r.X {
			x = slices.Clone(x)
			for _, c := range columns {
				x[c] = 0
			}
			rows[n].X[i] = x
		}
	}
	return rows
}

// fitLinear fits a weight for each column, with fixed scores, by the loss of the trees' training:
// a softmax over the candidates of a case. The prior keeps the weight finite if all candidates
// with a feature are true, or none is.
func fitLinear(rows []rank.Example, scores [][]float64, weights []float64, columns []int) []float64 {
	const (
		prior   = 1.0 // the pull towards 0, in cases
		steps   = 50
		settled = 1e-6
	)
	w := make([]float64, len(columns))
	if len(columns) == 0 {
		return w
	}
	total := 0.0
	for _, x := range weights {
		total += x
	}
	for range steps {
		far := 0.0
		for n := range columns {
			g, h := prior*w[n], prior
			for i, r := range rows {
				a, b := slopes(r, plusLinear(r, scores[i], columns, w), columns[n])
				scale := weights[i] * float64(len(weights)) / total
				g, h = g+scale*a, h+scale*b
			}
			step := min(max(g/h, -1), 1)
			w[n] -= step
			far = max(far, math.Abs(step))
		}
		if far < settled {
			break
		}
	}
	return w
}

// slopes returns the first and second derivative of a case's loss by the weight of a
// column. A case without a true candidate has none.
func slopes(r rank.Example, scores []float64, column int) (g, h float64) {
	truths, has := 0.0, false
	for j, hit := range r.Hit {
		has = has || r.X[j][column] != 0
		if hit {
			truths++
		}
	}
	if truths == 0 || !has {
		return 0, 0
	}
	top, sum := slices.Max(scores), 0.0
	for _, s := range scores {
		sum += math.Exp(s - top)
	}
	mean, square := 0.0, 0.0
	for j, s := range scores {
		p, x := math.Exp(s-top)/sum, r.X[j][column]
		mean, square = mean+p*x, square+p*x*x
		if r.Hit[j] {
			g -= x / truths
		}
	}
	return g + mean, square - mean*mean
}

// plusLinear adds the weighted columns to the scores of a case.
func plusLinear(r rank.Example, scores []float64, columns []int, w []float64) []float64 {
	if len(columns) == 0 {
		return scores
	}
	sums := slices.Clone(scores)
	for j, x := range r.X {
		for n, c := range columns {
			sums[j] += w[n] * x[c]
		}
	}
	return sums
}
