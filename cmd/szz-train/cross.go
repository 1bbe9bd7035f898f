package main

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	szzeval "git-agent/agent/eval/szz"
	"git-agent/agent/stat"
	"git-agent/agent/szz/rank"
	"git-agent/agent/szz/rank/trees"
)

// folds is the number of parts for cross-validation. A family of repositories
// is never in both the training and the test part.
const folds = 5

// cross prints how well the method does on repositories that it was not trained on:
// overall, by style of label, and for the cases of each file of -on. With -without,
// the figures show what the features that are left out are worth.
func cross(args []string) error {
	fs := flag.NewFlagSet("cross", flag.ContinueOnError)
	on := fs.String("on", "", "report on the cases of these `files` too, separated by commas")
	without := fs.String("without", "", "leave out the features with these `names`, separated by commas")
	if err := fs.Parse(args); err != nil {
		return err
	}
	rows, err := readRows(fs.Args())
	if err != nil {
		return err
	}
	if err := leaveOut(rows, *without); err != nil {
		return err
	}
	families := familiesOf(rows)
	scores := crossScores(rows, families)
	cal := calibrate(rows, scores, caseWeights(rows, families))
	r := reporter{rows: rows, ps: probabilities(cal, scores)}
	r.from = nameThresholds{thresholdOf(rows, r.ps), ghostThreshold}
	fmt.Printf("%d families of repositories, calibrator %+v, thresholds %.2f\n", len(slices.Compact(slices.Sorted(slices.Values(families)))), cal, r.from)
	r.print("all", func(rank.Example) bool { return true })
	for _, file := range strings.FieldsFunc(*on, func(c rune) bool { return c == ',' }) {
		cases, err := szzeval.ReadCaseFiles(context.Background(), []string{file})
		if err != nil {
			return err
		}
		in := map[string]bool{}
		for _, c := range cases {
			in[c.ID] = true
		}
		r.print(filepath.Base(file), func(ex rank.Example) bool { return in[ex.ID] })
	}
	return nil
}

// A reporter prints the figures for subsets of the rows.
type reporter struct {
	rows []rank.Example
	ps   [][]float64
	from nameThresholds
}

// print prints the figures for the rows that keep accepts, together and by style of
// label.
func (r *reporter) print(name string, keep func(rank.Example) bool) {
	for _, style := range []string{"", "trailer", "prose"} {
		var part []rank.Example
		var ps [][]float64
		for i, ex := range r.rows {
			if keep(ex) && (style == "" || ex.Style == style) {
				part, ps = append(part, ex), append(ps, r.ps[i])
			}
		}
		if len(part) > 0 {
			fmt.Printf("%-20s %-7s first only %v\n%-20s %-7s short list %v\n", name, style, measure(part, ps, firstOnly), name, style, measure(part, ps, r.from))
			if c := stat.NewCalibration(namedForecasts(part, ps, r.from)); c != nil {
				fmt.Printf("%-20s %-7s ECE named  %v; were every probability right: %.3f on average, at most %.3f in 95 %%\n",
					name, style, c.ECE, c.ByChance.Mean, c.ByChance.High)
			}
		}
	}
}

// assignFolds assigns each family to a fold. It takes the largest family first and
// the fold with the fewest cases so far.
func assignFolds(families []string) map[string]int {
	size := map[string]int{}
	for _, f := range families {
		size[f]++
	}
	fold, _ := stat.Folds(size, folds)
	return fold
}

// crossScores scores every case by a model that was trained without its family.
func crossScores(rows []rank.Example, families []string) [][]float64 {
	fold := assignFolds(families)
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
			m := trees.Train(flatten(train, caseWeights(train, of)), params)
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
