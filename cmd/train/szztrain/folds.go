package szztrain

import (
	"math/rand/v2"
	"slices"
	"sync"

	"git-agent/agent/stat"
	"git-agent/agent/szz/rank"
)

// assignFolds assigns each family to a fold. It takes the largest family first and
// the fold with the fewest cases so far. With a seed other than 0 it takes the families
// in a random order.
func assignFolds(families []string, seed uint64) map[string]int {
	size := map[string]int{}
	for _, f := range families {
		size[f]++
	}
	if seed == 0 {
		fold, _ := stat.Folds(size, folds)
		return fold
	}
	names := slices.Compact(slices.Sorted(slices.Values(families)))
	rng := rand.New(rand.NewPCG(seed, 2))
	rng.Shuffle(len(names), func(a, b int) { names[a], names[b] = names[b], names[a] })
	fold, load := map[string]int{}, make([]int, folds)
	for _, name := range names {
		n := slices.Index(load, slices.Min(load))
		fold[name] = n
		load[n] += size[name]
	}
	return fold
}

// A training is the training data of a cross-validation.
type training struct {
	rows     []rank.Example
	families []string
	fold     map[string]int // of each family
	linear   []int          // columns with a linear weight, not read by the trees
	p        Params
	// plain are the same cases without an index. If set, trees trained on plain score the rows,
	// and second trees correct the scores.
	plain []rank.Example
	all   bool // the second trees read all features
}

// crossScores scores every case with a model trained without its family: trees that do not read
// the linear columns, plus weights of these columns fitted to the scores of the other folds. It
// also returns the weights fitted to the scores of all folds.
func crossScores(t training) (scores [][]float64, w []float64) {
	rows, families, linear := t.rows, t.families, t.linear
	scores = t.treeScores()
	weights := caseWeights(rows, families)
	w = fitLinear(rows, scores, weights, linear)
	if len(linear) == 0 {
		return scores, w
	}
	sums := make([][]float64, len(rows))
	for n := range folds {
		own := func(i int) bool { return t.fold[families[i]] == n }
		others := slices.Clone(weights)
		for i := range others {
			if own(i) {
				others[i] = 0
			}
		}
		part := fitLinear(rows, scores, others, linear)
		for i, r := range rows {
			if own(i) {
				sums[i] = plusLinear(r, scores[i], linear, part)
			}
		}
	}
	return sums, w
}

// treeScores scores every case with trees trained without its family.
func (t training) treeScores() [][]float64 {
	rows := hidden(t.rows, t.linear)
	if t.plain == nil {
		return t.foldScores(rows, rows, nil, t.p)
	}
	first := t.foldScores(hidden(t.plain, t.linear), rows, nil, t.p)
	second := corrected(rows, first, t.all)
	return t.foldScores(second, second, first, secondParams)
}

// secondParams are the parameters of trees that correct scores. They were chosen beforehand,
// because only a few hundred cases have an index.
var secondParams = Params{
	Rounds: 150, Leaves: 6, MinRows: 100, LearningRate: 0.05,
	L2: 40, FeatureShare: 0.5, RowShare: 0.7, Seed: 20261123,
}

// corrected returns the rows for second trees: the columns of rank.CorrectedNames. Unless all is
// set, those of the other features are 0.
func corrected(rows []rank.Example, scores [][]float64, all bool) []rank.Example {
	from := len(rank.FeatureNames())
	list := slices.Clone(rows)
	for n, r := range rows {
		list[n].X = make([][]float64, len(r.X))
		below := rank.Below(scores[n])
		for i, x := range r.X {
			x = append(slices.Clone(x), below[i])
			if !all {
				clear(x[:from])
			}
			list[n].X[i] = x
		}
	}
	return list
}

// foldScores scores the cases of each fold with trees trained on the other folds of train, which
// has the same cases. The trees correct the scores in start, if it is not nil.
func (t training) foldScores(train, score []rank.Example, start [][]float64, p Params) [][]float64 {
	scores := make([][]float64, len(score))
	var wg sync.WaitGroup
	for n := range folds {
		var part []rank.Example
		var of []string
		var from [][]float64
		for i, r := range train {
			if t.fold[t.families[i]] != n {
				part, of = append(part, r), append(of, t.families[i])
				if start != nil {
					from = append(from, start[i])
				}
			}
		}
		if len(part) == 0 {
			continue
		}
		wg.Go(func() {
			m := Train(flatten(part, caseWeights(part, of), from), p)
			for i, r := range score {
				if t.fold[t.families[i]] != n {
					continue
				}
				scores[i] = scoreAll(m, r)
				if start != nil {
					for j := range scores[i] {
						scores[i][j] += start[i][j]
					}
				}
			}
		})
	}
	wg.Wait()
	return scores
}

func scoreAll(m *rank.Forest, ex rank.Example) []float64 {
	s := make([]float64, len(ex.X))
	for i, x := range ex.X {
		s[i] = m.Score(x)
	}
	return s
}
