package fixtrain

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"git-agent/agent/eval"
	"git-agent/agent/fix/localize"
	"git-agent/agent/stat"
	"git-agent/cmd/train/material"
)

// A place has the ranks that a model gives to the truth of a row.
type place struct {
	repo     string
	state    state
	function int // rank of the first true function, 0 if it is not among the candidates
	file     int // rank of the first true file
}

// cross prints the accuracy of models on repositories outside their training.
func cross(args []string) error {
	rows, err := readTraining(args)
	if err != nil {
		return err
	}
	printPlaces(leftOut(rows))
	return nil
}

// judge prints the accuracy of the program's model on repositories outside its training. It
// returns an error if one of them is in its training.
func judge(args []string) error {
	rows, err := eval.ReadLines[row](args...)
	if err != nil {
		return err
	}
	var places []place
	for _, r := range rows {
		model := localize.Fitted()
		if r.State == noTests {
			model = localize.FittedToReports()
		}
		if model.Made.Repositories[r.Repo] > 0 {
			return errors.New("the model was fitted to bugs of " + r.Repo + ": its figures there would flatter")
		}
		places = append(places, placeOf(r, model.Weights))
	}
	printPlaces(places)
	return nil
}

// mostFolds bounds the models that are fitted to judge the rows of other repositories.
const mostFolds = 20

// leftOut ranks each row with a model fitted to the other repositories. Where these are many, some are left out at once.
func leftOut(rows []row) []place {
	var out []place
	fold := row.repository
	if repos := reposOf(rows); len(repos) > mostFolds {
		fold = func(r row) string { return strconv.Itoa(slices.Index(repos, r.Repo) % mostFolds) }
	}
	material.EachRepo(rows, fold, func(_ string, own, others []row) {
		choice := stat.FitChoice(localize.FeatureNames(), choicesOf(others), penalty)
		for _, r := range own {
			out = append(out, placeOf(r, choice))
		}
	})
	return out
}

// reposOf returns the repositories of rows, sorted.
func reposOf(rows []row) []string {
	var repos []string
	for _, r := range rows {
		repos = append(repos, r.Repo)
	}
	slices.Sort(repos)
	return slices.Compact(repos)
}

// placeOf ranks the functions of a row.
func placeOf(r row, choice stat.Choice) place {
	order := make([]int, len(r.Vectors))
	for i := range order {
		order[i] = i
	}
	shares := choice.Shares(localize.FeatureNames(), r.Vectors)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(shares[b], shares[a]) })
	p := place{repo: r.Repo, state: r.State}
	var files []string
	for n, i := range order {
		name := r.Functions[i].Path
		if !slices.Contains(files, name) {
			files = append(files, name)
		}
		if p.file == 0 && slices.Contains(r.Files, name) {
			p.file = len(files)
		}
		if p.function == 0 && r.Right[i] {
			p.function = n + 1
		}
	}
	return p
}

func byState(places []place) map[state][]place {
	out := map[state][]place{}
	for _, p := range places {
		out[p.state] = append(out[p.state], p)
	}
	return out
}

// hitsOf counts the rows whose truth is among the first ones.
func hitsOf(places []place) localize.Hits {
	h := localize.Hits{Cases: len(places)}
	within := func(rank, n int) int { return stat.Count(0 < rank && rank <= n) }
	for _, p := range places {
		h.In1, h.In3 = h.In1+within(p.function, 1), h.In3+within(p.function, 3)
		h.In5, h.In10 = h.In5+within(p.function, 5), h.In10+within(p.function, 10)
		h.FileIn1, h.FileIn3 = h.FileIn1+within(p.file, 1), h.FileIn3+within(p.file, 3)
	}
	return h
}

// printPlaces prints shares with intervals at 95 %. Bugs of one repository are similar, so the
// intervals come from resampling repositories instead of bugs.
func printPlaces(places []place) {
	fmt.Printf(
		"%-22s %5s %5s   %-20s  %-20s  %-20s  %-20s  %-20s\n",
		"known",
		"cases",
		"repos",
		"function first",
		"in three",
		"in five",
		"in ten",
		"file first",
	)
	all := byState(places)
	for _, s := range states {
		groups := map[string][]place{}
		for _, p := range all[s] {
			groups[p.repo] = append(groups[p.repo], p)
		}
		names := slices.Sorted(maps.Keys(groups))
		if len(names) == 0 {
			continue
		}
		value := sharesOf(all[s])
		samples := make([][]float64, len(value))
		stat.Resample(len(names), func(pick []int) {
			var list []place
			for _, i := range pick {
				list = append(list, groups[names[i]]...)
			}
			for k, x := range sharesOf(list) {
				samples[k] = append(samples[k], x)
			}
		})
		fmt.Printf("%-22s %5d %5d ", s, len(all[s]), len(names))
		for k, x := range value {
			fmt.Printf("  %-20s", stat.Interval(x, samples[k]))
		}
		fmt.Println()
	}
}

// sharesOf returns the shares of rows whose truth is among the first ones.
func sharesOf(places []place) []float64 {
	h := hitsOf(places)
	var out []float64
	for _, n := range []int{h.In1, h.In3, h.In5, h.In10, h.FileIn1} {
		out = append(out, stat.Ratio(n, h.Cases))
	}
	return out
}
