package crashtrain

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"git-agent/agent/crash/rank"
	"git-agent/agent/stat"
	"git-agent/cmd/train/material"
)

// penalty was chosen from 20, 80, 160 and 300 by leaving owners of repositories out.
const penalty = 80

// family returns a common name for repositories that share code and people, so that none of them is
// in the training of another: their owner.
func family(repo string) string {
	owner, _, _ := strings.Cut(strings.ToLower(repo), "/")
	if owner == "ovn-org" {
		return "openvswitch"
	}
	return owner
}

// setsOf returns the core cases of the rows as choices.
func setsOf(rows []row) []choiceSet {
	var out []choiceSet
	for _, r := range rows {
		if !r.isCore() {
			continue
		}
		s := choiceSet{
			repo: r.Repo, family: family(r.Repo), id: r.ID, vectors: r.Vectors, managed: r.Managed,
			plain: len(r.InOrder) > 0 && slices.Contains(r.FixFiles, r.InOrder[0]),
		}
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
// family.
func leftOut(sets []choiceSet, penalty float64) [][]float64 {
	families := map[string]bool{}
	for _, s := range sets {
		families[s.family] = true
	}
	out := make([][]float64, len(sets))
	for left := range families {
		var train []choiceSet
		for _, s := range sets {
			if s.family != left && len(s.vectors) > 0 {
				train = append(train, s)
			}
		}
		c := fitChoice(train, penalty)
		w := c.standardized()
		for i, s := range sets {
			if s.family == left {
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

// calibratedFiles is the number of first files of a set that the calibration is fitted to: these are the
// probabilities that a reader sees.
const calibratedFiles = 3

// calibrationOf fits the calibration to the shares from left-out models.
func calibrationOf(sets []choiceSet, shares [][]float64) rank.Calibration {
	of := func(managed bool) stat.Platt {
		var part []choiceSet
		var theirs [][]float64
		for i, s := range sets {
			if s.managed == managed {
				part, theirs = append(part, s), append(theirs, shares[i])
			}
		}
		return stat.FitPlatt(votesOf(part, theirs, calibratedFiles))
	}
	return rank.Calibration{Native: of(false), Managed: of(true)}
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
	rows, err := readRows(args)
	if err != nil {
		return err
	}
	sets := setsOf(rows)
	if len(sets) == 0 {
		return errors.New("the rows hold no case")
	}
	shares := leftOut(sets, penalty)
	calibration := calibrationOf(sets, shares)
	printTable(rows, sets, shares, calibration)
	fmt.Printf("calibration %+v\n", calibration)
	return nil
}

// printTable prints, for all cases and by language, the accuracy, that of the order of the stacks,
// the difference with its interval, and the calibration error of the first file.
func printTable(rows []row, sets []choiceSet, shares [][]float64, calibration rank.Calibration) {
	ranked := ranks(sets, shares)
	ecosystem := map[string]string{}
	kinds := map[string]bool{}
	for _, r := range rows {
		ecosystem[r.ID] = r.Ecosystem
		kinds[r.Ecosystem] = true
	}
	fmt.Println("acc@            n     1     3    10  list  in order  lead of the first  alone right  ECE, by chance")
	slice := func(name string, keep func(i int) bool) {
		var part []int
		var r [][]bool
		for i := range ranked {
			if keep(i) {
				part = append(part, i)
				r = append(r, ranked[i])
			}
		}
		fmt.Printf("%-12s %4d", name, len(r))
		for _, k := range []int{1, 3, 10, math.MaxInt} {
			fmt.Printf(" %5.1f", 100*accAt(k, r))
		}
		plain, lead, ours, theirs := leadOf(sets, ranked, part)
		c := stat.NewCalibration(firstForecasts(sets, shares, part, calibration))
		fmt.Printf("  %8.1f  %s  %d : %d", 100*plain, lead.Signed(), ours, theirs)
		if c != nil {
			fmt.Printf("  %.3f, %.3f", *c.ECE.Value, c.ByChance.Mean)
		}
		fmt.Println()
	}
	slice("all", func(int) bool { return true })
	slice("8+ files", func(i int) bool { return len(sets[i].vectors) >= 8 })
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		slice(k, func(i int) bool { return ecosystem[sets[i].id] == k })
	}
}

// leadOf compares the first files of some sets with those in the order of the stacks. It returns the
// accuracy of the latter, the difference with an interval that comes from resampling families, and
// the numbers of sets for which only one of both is right.
func leadOf(sets []choiceSet, ranked [][]bool, part []int) (plain float64, lead stat.Estimate, ours, theirs int) {
	gained, size := map[string]int{}, map[string]int{}
	for _, i := range part {
		right := len(ranked[i]) > 0 && ranked[i][0]
		ours += stat.Count(right && !sets[i].plain)
		theirs += stat.Count(!right && sets[i].plain)
		plain += float64(stat.Count(sets[i].plain)) / float64(len(part))
		gained[sets[i].family] += stat.Count(right) - stat.Count(sets[i].plain)
		size[sets[i].family]++
	}
	families := slices.Sorted(maps.Keys(size))
	var samples []float64
	stat.Resample(len(families), func(pick []int) {
		sum, n := 0, 0
		for _, f := range pick {
			sum, n = sum+gained[families[f]], n+size[families[f]]
		}
		samples = append(samples, float64(sum)/float64(n))
	})
	return plain, stat.Interval(float64(ours-theirs)/float64(max(len(part), 1)), samples), ours, theirs
}

// firstForecasts returns the probabilities of the first files of some sets.
func firstForecasts(sets []choiceSet, shares [][]float64, part []int, calibration rank.Calibration) [][]stat.Forecast {
	var out [][]stat.Forecast
	for _, i := range part {
		if len(shares[i]) == 0 {
			continue
		}
		best := byShare(shares[i])[0]
		p := calibration.Probability(shares[i][best], sets[i].managed)
		out = append(out, []stat.Forecast{{P: p, Right: sets[i].right[best]}})
	}
	return out
}

// fit writes the model fitted to all rows.
func fit(args []string) error {
	rows, err := readRows(args)
	if err != nil {
		return err
	}
	sets := setsOf(rows)
	shares := leftOut(sets, penalty)
	c, repos := fitAll(sets, penalty)
	m := rank.Model{
		Native: stat.Choice{}, Managed: stat.Choice{},
		Calibration: calibrationOf(sets, shares),
		Made:        rank.Made{Cases: len(sets), Repositories: repos, Penalty: penalty, AccAt1: round(accAt(1, ranks(sets, shares)))},
	}
	c.name(rank.FeatureNames(), m.Native, m.Managed)
	return material.PrintModel(m)
}

// fitAll fits a choice to all sets, and counts the sets of each repository.
func fitAll(sets []choiceSet, penalty float64) (choice, map[string]int) {
	var usable []choiceSet
	repos := map[string]int{}
	for _, s := range sets {
		repos[s.repo]++
		if len(s.vectors) > 0 {
			usable = append(usable, s)
		}
	}
	return fitChoice(usable, penalty), repos
}

// name writes the weights of both kinds of sets under the names of the features.
func (c choice) name(features []string, native, managed map[string]float64) {
	for i, name := range append(slices.Clone(features), stat.NoneWeight) {
		native[name] = round(c.shared[i])
		managed[name] = round(c.shared[i] + c.managed[i])
	}
}

func round(x float64) float64 { return math.Round(x*1e4) / 1e4 }
