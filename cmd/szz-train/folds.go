package main

import (
	"math/rand/v2"
	"slices"
	"sync"

	"git-agent/agent/stat"
	"git-agent/agent/szz/rank"
	"git-agent/agent/szz/rank/trees"
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

// crossScores scores every case by a model that was trained without its family: by its
// trees, which do not read the linear columns, and by weights of these columns, which
// were fitted to the scores of the other folds. It also returns the weights that fit the
// scores of all folds.
func crossScores(rows []rank.Example, families []string, fold map[string]int, linear []int, p trees.Params) (scores [][]float64, w []float64) {
	scores = treeScores(hidden(rows, linear), families, fold, p)
	weights := caseWeights(rows, families)
	w = fitLinear(rows, scores, weights, linear)
	if len(linear) == 0 {
		return scores, w
	}
	sums := make([][]float64, len(rows))
	for n := range folds {
		own := func(i int) bool { return fold[families[i]] == n }
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

// treeScores scores every case by trees that were trained without its family.
func treeScores(rows []rank.Example, families []string, fold map[string]int, p trees.Params) [][]float64 {
	scores := make([][]float64, len(rows))
	var wg sync.WaitGroup
	for n := range folds {
		var train []rank.Example
		var of []string
		for i, r := range rows {
			if fold[families[i]] != n {
				train, of = append(train, r), append(of, families[i])
			}
		}
		if len(train) == 0 {
			continue
		}
		wg.Go(func() {
			m := trees.Train(flatten(train, caseWeights(train, of)), p)
			for i, r := range rows {
				if fold[families[i]] == n {
					scores[i] = scoreAll(m, r)
				}
			}
		})
	}
	wg.Wait()
	return scores
}

func scoreAll(m *trees.Model, ex rank.Example) []float64 {
	s := make([]float64, len(ex.X))
	for i, x := range ex.X {
		s[i] = m.Score(x)
	}
	return s
}
