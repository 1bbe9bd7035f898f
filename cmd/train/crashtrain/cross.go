package crashtrain

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"

	"git-agent/agent/crash/rank"
	"git-agent/agent/stat"
)

// penalty was chosen from 5, 20 and 60 by leaving repositories out.
const penalty = 20

// family returns a common name for repositories that share code, so that none of them is in the
// training of another.
func family(repo string) string {
	if repo == "ovn-org/ovn" {
		return "openvswitch/ovs"
	}
	return repo
}

// setsOf returns the core cases of the rows as choices.
func setsOf(rows []row) []choiceSet {
	var out []choiceSet
	for _, r := range rows {
		if !r.isCore() {
			continue
		}
		s := choiceSet{repo: family(r.Repo), id: r.ID, vectors: r.Vectors, managed: r.Managed}
		for _, p := range r.Paths {
			s.right = append(s.right, slices.Contains(r.FixFiles, p))
		}
		out = append(out, s)
	}
	return out
}

// standardized returns the weights for standardized features.
func (c choice) standardized() []float64 {
	n := len(c.scale)
	w := make([]float64, 2*(n+1))
	for i := range c.shared {
		scale := 1.0
		if i < n {
			scale = c.scale[i]
		}
		w[i], w[n+1+i] = c.shared[i]*scale, c.managed[i]*scale
	}
	return w
}

// leftOut returns, for each set, the shares of its files from a model fitted without the set's
// repository.
func leftOut(sets []choiceSet, penalty float64) [][]float64 {
	repos := map[string]bool{}
	for _, s := range sets {
		repos[s.repo] = true
	}
	out := make([][]float64, len(sets))
	for repo := range repos {
		var train []choiceSet
		for _, s := range sets {
			if s.repo != repo && len(s.vectors) > 0 {
				train = append(train, s)
			}
		}
		c := fitChoice(train, penalty)
		w := c.standardized()
		for i, s := range sets {
			if s.repo == repo {
				out[i], _ = c.chosen(s, w)
			}
		}
	}
	return out
}

// byShare returns the indexes of shares, largest share first.
func byShare(shares []float64) []int {
	order := make([]int, len(shares))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(shares[b], shares[a]) })
	return order
}

// ranks returns, for each set, whether its files in the order of falling shares are right.
func ranks(sets []choiceSet, shares [][]float64) [][]bool {
	out := make([][]bool, len(sets))
	for i, s := range sets {
		for _, j := range byShare(shares[i]) {
			out[i] = append(out[i], s.right[j])
		}
	}
	return out
}

func accAt(k int, ranked [][]bool) float64 {
	n := 0
	for _, r := range ranked {
		if slices.Contains(r[:min(k, len(r))], true) {
			n++
		}
	}
	return float64(n) / float64(max(len(ranked), 1))
}

// votesOf returns the shares of the first most files of each set as forecasts to
// calibrate.
func votesOf(sets []choiceSet, shares [][]float64, most int) []stat.Voted {
	var out []stat.Voted
	for i, s := range sets {
		order := byShare(shares[i])
		for _, j := range order[:min(most, len(order))] {
			out = append(out, stat.Voted{Raw: min(max(shares[i][j], 0.001), 0.999), Agreement: 1, Right: s.right[j]})
		}
	}
	return out
}

func cross(args []string) error {
	rows, err := readTraining(args, repoOf)
	if err != nil {
		return err
	}
	sets := setsOf(rows)
	if len(sets) == 0 {
		return errors.New("the rows hold no case")
	}
	shares := leftOut(sets, penalty)
	printTable(os.Stdout, rows, sets, shares)
	platt := stat.FitPlatt(votesOf(sets, shares, math.MaxInt))
	fmt.Printf("calibration %+v\n", platt)
	var top [][]stat.Forecast
	for i, s := range sets {
		best := -1
		for j, p := range shares[i] {
			if best < 0 || p > shares[i][best] {
				best = j
			}
		}
		if best >= 0 {
			p := min(max(shares[i][best], 0.001), 0.999)
			top = append(top, []stat.Forecast{{P: platt.Probability(p, 1), Right: s.right[best]}})
		}
	}
	fmt.Printf("ECE of the first file: %.3f over %d\n", stat.ECE(top), len(top))
	return nil
}

// printTable prints the accuracy of all cases and of the slices of interest.
func printTable(w io.Writer, rows []row, sets []choiceSet, shares [][]float64) {
	ranked := ranks(sets, shares)
	slice := func(name string, keep func(i int) bool) {
		var r [][]bool
		for i := range ranked {
			if keep(i) {
				r = append(r, ranked[i])
			}
		}
		fmt.Fprintf(w, "%-12s %4d", name, len(r))
		for _, k := range []int{1, 2, 3, 5, 10, math.MaxInt} {
			fmt.Fprintf(w, " %5.1f", 100*accAt(k, r))
		}
		fmt.Fprintln(w)
	}
	ecosystem := map[string]string{}
	kinds := map[string]bool{}
	for _, r := range rows {
		ecosystem[r.ID] = r.Ecosystem
		kinds[r.Ecosystem] = true
	}
	fmt.Fprintln(w, "acc@            n     1     2     3     5    10  list")
	slice("all", func(int) bool { return true })
	slice("8+ files", func(i int) bool { return len(sets[i].vectors) >= 8 })
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		slice(k, func(i int) bool { return ecosystem[sets[i].id] == k })
	}
}

// fit writes the model fitted to all rows.
func fit(args []string) error {
	flags := flag.NewFlagSet("fit", flag.ContinueOnError)
	if err := flags.Parse(args); err != nil {
		return err
	}
	rows, err := readTraining(flags.Args(), repoOf)
	if err != nil {
		return err
	}
	sets := setsOf(rows)
	shares := leftOut(sets, penalty)
	var usable []choiceSet
	repos := map[string]int{}
	for _, s := range sets {
		repos[s.repo]++
		if len(s.vectors) > 0 {
			usable = append(usable, s)
		}
	}
	c := fitChoice(usable, penalty)
	m := rank.Model{
		Native: stat.Choice{}, Managed: stat.Choice{},
		Calibration: stat.FitPlatt(votesOf(sets, shares, math.MaxInt)),
		Made:        rank.Made{Cases: len(sets), Repositories: repos, Penalty: penalty, AccAt1: round(accAt(1, ranks(sets, shares)))},
	}
	names := append(slices.Clone(rank.FeatureNames()), stat.NoneWeight)
	for i, name := range names {
		m.Native[name] = round(c.shared[i])
		m.Managed[name] = round(c.shared[i] + c.managed[i])
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "\t")
	return out.Encode(m)
}

func round(x float64) float64 { return math.Round(x*1e4) / 1e4 }
