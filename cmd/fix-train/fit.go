package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"

	"git-agent/agent/fix/localize"
	"git-agent/agent/stat"
)

// penalty was chosen by leaving repositories out, of 0.2, 0.5, 2 and 5.
const penalty = 0.5

// choicesOf returns the rows as choices, those of one bug having one weight together.
func choicesOf(rows []row) []stat.ChoiceSet {
	count := map[string]float64{}
	for _, r := range rows {
		count[r.ID]++
	}
	out := make([]stat.ChoiceSet, len(rows))
	for i, r := range rows {
		out[i] = stat.ChoiceSet{Vectors: r.Vectors, Right: r.Right, Weight: 1 / count[r.ID]}
	}
	return out
}

func fit(args []string) error {
	rows, err := readLines[row](args)
	if err != nil {
		return err
	}
	m := localize.Model{Weights: stat.FitChoice(localize.FeatureNames(), choicesOf(rows), penalty)}
	m.Made.Penalty = penalty
	m.Made.Repositories = map[string]int{}
	seen := map[string]bool{}
	for _, r := range rows {
		if !seen[r.ID] {
			seen[r.ID] = true
			m.Made.Cases++
			m.Made.Repositories[r.Repo]++
		}
	}
	m.Made.LeftOut = map[string]localize.Hits{}
	for s, h := range leftOut(rows) {
		m.Made.LeftOut[string(s)] = h
	}
	text, err := json.MarshalIndent(m, "", "\t")
	if err == nil {
		_, err = fmt.Printf("%s\n", text)
	}
	return err
}

func cross(args []string) error {
	rows, err := readLines[row](args)
	if err != nil {
		return err
	}
	hits := leftOut(rows)
	fmt.Fprintf(os.Stdout, "%-24s %5s   function in the first 1, 3, 5, 10   file in the first 1, 3\n", "known", "cases")
	for _, s := range states {
		h := hits[s]
		fmt.Printf("%-24s %5d   %3d %3d %3d %3d                     %3d %3d\n", s, h.Cases, h.In1, h.In3, h.In5, h.In10, h.FileIn1, h.FileIn3)
	}
	return nil
}

// leftOut counts how models do on the rows of repositories that they were not fitted
// to.
func leftOut(rows []row) map[state]localize.Hits {
	repos := map[string][]row{}
	for _, r := range rows {
		repos[r.Repo] = append(repos[r.Repo], r)
	}
	out := map[state]localize.Hits{}
	for _, repo := range slices.Sorted(maps.Keys(repos)) {
		var others []row
		for _, r := range rows {
			if r.Repo != repo {
				others = append(others, r)
			}
		}
		choice := stat.FitChoice(localize.FeatureNames(), choicesOf(others), penalty)
		for _, r := range repos[repo] {
			h := out[r.State]
			count(&h, r, choice)
			out[r.State] = h
		}
	}
	return out
}

// count adds a row to the hits.
func count(h *localize.Hits, r row, choice stat.Choice) {
	order := make([]int, len(r.Vectors))
	for i := range order {
		order[i] = i
	}
	shares := choice.Shares(localize.FeatureNames(), r.Vectors)
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case shares[a] > shares[b]:
			return -1
		case shares[a] < shares[b]:
			return 1
		}
		return 0
	})
	function, file := 0, 0
	var files []string
	for n, i := range order {
		p := r.Functions[i].Path
		if !slices.Contains(files, p) {
			files = append(files, p)
		}
		if file == 0 && slices.Contains(r.Files, p) {
			file = len(files)
		}
		if function == 0 && r.Right[i] {
			function = n + 1
		}
	}
	h.Cases++
	within := func(rank, n int) int { return stat.Count(0 < rank && rank <= n) }
	h.In1, h.In3, h.In5, h.In10 = h.In1+within(function, 1), h.In3+within(function, 3), h.In5+within(function, 5), h.In10+within(function, 10)
	h.FileIn1, h.FileIn3 = h.FileIn1+within(file, 1), h.FileIn3+within(file, 3)
}
