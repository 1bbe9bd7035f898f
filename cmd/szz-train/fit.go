package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"git-agent/agent/eval"
	"git-agent/agent/szz"
	"git-agent/agent/szz/trees"
)

// params were chosen once, by cross-validation over the training repositories.
var params = trees.Params{
	Rounds: 250, Leaves: 10, MinRows: 200, LearningRate: 0.05,
	L2: 40, FeatureShare: 0.5, RowShare: 0.7, Seed: 20261120,
}

// folds is into how many parts the repositories are dealt; a repository is
// never in the part that trains and in the one that tests.
const folds = 5

// fit writes a model trained on all rows; its calibration and threshold come
// from cross-validation, since scores of rows that trained a model are too sure.
func fit(args []string) error {
	rows, err := readRows(args)
	if err != nil {
		return err
	}
	scores := crossScores(rows)
	m := szz.Model{Features: szz.FeatureNames(), Calibrator: calibrate(rows, scores)}
	report := measure(rows, probabilities(m.Calibrator, scores), 2)
	m.Threshold = math.Round(50*report.F1) / 100
	m.Trees = *trees.Train(flatten(rows), params)
	shorten(&m.Trees)
	m.Made = provenance(rows, measure(rows, probabilities(m.Calibrator, scores), m.Threshold))
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	return json.NewEncoder(out).Encode(m)
}

// cross prints how well the method does on repositories outside its training:
// overall, by style of truth, and for the cases of -only alone.
func cross(args []string) error {
	fs := flag.NewFlagSet("cross", flag.ContinueOnError)
	only := fs.String("only", "", "report on the cases of this `file` beside the rest")
	if err := fs.Parse(args); err != nil {
		return err
	}
	rows, err := readRows(fs.Args())
	if err != nil {
		return err
	}
	named := map[string]bool{}
	if *only != "" {
		cases, _, err := eval.ReadCaseFiles([]string{*only})
		if err != nil {
			return err
		}
		for _, c := range cases {
			named[c.ID] = true
		}
	}
	scores := crossScores(rows)
	cal := calibrate(rows, scores)
	ps := probabilities(cal, scores)
	half := measure(rows, ps, 2).F1 / 2
	fmt.Printf("calibrator %+v, threshold %.2f\n", cal, half)
	report := func(name string, keep func(szz.Example) bool) {
		var part []szz.Example
		var pps [][]float64
		for i, r := range rows {
			if keep(r) {
				part, pps = append(part, r), append(pps, ps[i])
			}
		}
		if len(part) > 0 {
			fmt.Printf("%-12s first only %v\n%-12s short list %v\n", name, measure(part, pps, 2), name, measure(part, pps, half))
		}
	}
	report("all", func(szz.Example) bool { return true })
	report("trailer", func(r szz.Example) bool { return r.Style == "trailer" })
	report("prose", func(r szz.Example) bool { return r.Style == "prose" })
	report("only", func(r szz.Example) bool { return named[r.ID] })
	report("only trailer", func(r szz.Example) bool { return named[r.ID] && r.Style == "trailer" })
	report("only prose", func(r szz.Example) bool { return named[r.ID] && r.Style == "prose" })
	return nil
}

// readRows reads what extract wrote; a case that comes twice counts once.
func readRows(files []string) ([]szz.Example, error) {
	var rows []szz.Example
	seen := map[string]bool{}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		dec := json.NewDecoder(bufio.NewReaderSize(f, 1<<20))
		for dec.More() {
			var ex szz.Example
			if err := dec.Decode(&ex); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if ex.Truth > 0 && !seen[ex.ID] {
				rows = append(rows, ex)
			}
			seen[ex.ID] = true
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("no rows to train on")
	}
	slices.SortFunc(rows, func(a, b szz.Example) int { return strings.Compare(a.ID, b.ID) }) // extract writes as cases end
	return rows, nil
}

// flatten turns cases into rows. A case weighs less the more its repository
// has of them, or two big projects would speak for all.
func flatten(cases []szz.Example) trees.Rows {
	count := map[string]float64{}
	for _, c := range cases {
		count[c.Repo]++
	}
	var r trees.Rows
	total := 0.0
	group := 0
	for _, c := range cases {
		if len(c.X) == 0 {
			continue
		}
		w := 1 / math.Sqrt(count[c.Repo])
		for i := range c.X {
			r.X, r.Y = append(r.X, c.X[i]), append(r.Y, c.Hit[i])
			r.Weight, r.Group = append(r.Weight, w), append(r.Group, group)
			total += w
		}
		group++
	}
	for i := range r.Weight {
		r.Weight[i] *= float64(len(r.Weight)) / total
	}
	return r
}

// crossScores scores every case by a model that saw no case of its repository.
func crossScores(rows []szz.Example) [][]float64 {
	repos := map[string]bool{}
	for _, r := range rows {
		repos[r.Repo] = true
	}
	part := map[string]int{}
	for i, name := range slices.Sorted(maps.Keys(repos)) {
		part[name] = i % folds
	}
	scores := make([][]float64, len(rows))
	for f := range folds {
		var train []szz.Example
		for _, r := range rows {
			if part[r.Repo] != f {
				train = append(train, r)
			}
		}
		if len(train) == 0 {
			continue
		}
		m := trees.Train(flatten(train), params)
		for i, r := range rows {
			if part[r.Repo] == f {
				scores[i] = scoreAll(m, r)
			}
		}
	}
	return scores
}

func scoreAll(m *trees.Model, ex szz.Example) []float64 {
	s := make([]float64, len(ex.X))
	for i, x := range ex.X {
		s[i] = m.Score(x)
	}
	return s
}

// calibrate fits the three numbers of the calibrator by Newton's method on the
// logistic loss of all candidates.
func calibrate(rows []szz.Example, scores [][]float64) szz.Calibrator {
	w := [3]float64{1, 0, 0}
	for range 30 {
		var g [3]float64
		var h [3][3]float64
		for i, r := range rows {
			rivals := szz.Rivals(scores[i])
			for j, hit := range r.Hit {
				z := [3]float64{scores[i][j], rivals[j], 1}
				p := 1 / (1 + math.Exp(-(w[0]*z[0] + w[1]*z[1] + w[2])))
				y := 0.0
				if hit {
					y = 1
				}
				for a := range 3 {
					g[a] += (p - y) * z[a]
					for b := range 3 {
						h[a][b] += p * (1 - p) * z[a] * z[b]
					}
				}
			}
		}
		step := solve3(h, g)
		for a := range w {
			w[a] -= step[a]
		}
	}
	return szz.Calibrator{A: round4(w[0]), B: round4(w[1]), C: round4(w[2])}
}

// solve3 solves h*x = g by Gaussian elimination with a touch of ridge.
func solve3(h [3][3]float64, g [3]float64) (x [3]float64) {
	for i := range 3 {
		h[i][i] += 1e-6
		for j := i + 1; j < 3; j++ {
			f := h[j][i] / h[i][i]
			for k := i; k < 3; k++ {
				h[j][k] -= f * h[i][k]
			}
			g[j] -= f * g[i]
		}
	}
	for i := 2; i >= 0; i-- {
		x[i] = g[i]
		for j := i + 1; j < 3; j++ {
			x[i] -= h[i][j] * x[j]
		}
		x[i] /= h[i][i]
	}
	return x
}

func probabilities(c szz.Calibrator, scores [][]float64) [][]float64 {
	ps := make([][]float64, len(scores))
	for i, s := range scores {
		ps[i] = c.Probabilities(s)
	}
	return ps
}

func round4(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// shorten rounds what is written: five digits decide the same.
func shorten(m *trees.Model) {
	for _, t := range m.Trees {
		for i := range t {
			t[i].Value = math.Round(t[i].Value*1e5) / 1e5
		}
	}
}
