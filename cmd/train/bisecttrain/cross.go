package bisecttrain

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"git-agent/agent/bisect/prior"
	"git-agent/agent/stat"
	"git-agent/cmd/train/material"
)

// The penalties were chosen by leaving owners out: from 10, 30 and 100, and from 5, 10 and 20.
const (
	penalty         = 30
	executedPenalty = 10
)

// folds is the number of folds of cross. No fold has a repository of another one's owners.
const folds = 10

// readRows reads rows to train or tune on, and leaves the named features out.
func readRows(files []string, without []string) ([]row, error) {
	list, err := material.ReadTraining("szz", files, func(r row) string { return r.Repo })
	if err != nil {
		return nil, err
	}
	for _, r := range list {
		for _, v := range r.Vectors {
			for j, name := range prior.FeatureNames() {
				if slices.Contains(without, name) {
					v[j] = 0
				}
			}
		}
	}
	return list, nil
}

// sampled is the number of commits beside the culprit that a fit takes from a range. A uniform
// sample of the alternatives leaves the estimate of a conditional logit consistent (McFadden,
// Modelling the Choice of Residential Location, 1978), and more of them brought nothing.
const sampled = 150

// choices returns the rows as choices between commits with one parent. The rows of a case have
// the weight 1 together.
func choices(list []row, features int) []stat.ChoiceSet {
	count := map[string]float64{}
	for _, r := range list {
		count[r.ID]++
	}
	out := make([]stat.ChoiceSet, len(list))
	for i, r := range list {
		s := stat.ChoiceSet{Weight: 1 / count[r.ID]}
		left := sampled
		for _, j := range rand.New(rand.NewPCG(uint64(len(r.Vectors)), 1)).Perm(len(r.Vectors)) {
			right := j == r.Place
			if r.Merges[j] || !right && left == 0 {
				continue
			}
			if !right {
				left--
			}
			s.Vectors = append(s.Vectors, r.Vectors[j][:features])
			s.Right = append(s.Right, right)
		}
		out[i] = s
	}
	return out
}

// model fits a choice to rows. The age takes part in the fit, so that no other feature stands for
// it, and not in the model: how a range was drawn decides it.
func model(list []row, penalty float64) stat.Choice {
	names := prior.FeatureNames()
	m := stat.FitChoice(names, choices(list, len(names)), penalty)
	delete(m, "age")
	return m
}

// executedModel fits the weights for ranges of which it is known what the failing tests execute: the
// utility of another model, times a weight, and the features of what is executed. So the cases without
// these lines take part through the other model, which has far more of them.
func executedModel(base stat.Choice, list []row, penalty float64) stat.Choice {
	names := prior.FeatureNames()
	first := slices.Index(names, prior.ExecutingNames()[0])
	own := append([]string{"base", "age"}, names[first:]...)
	sets := choices(list, len(names))
	for _, s := range sets {
		for i, v := range s.Vectors {
			utility := 0.0
			for j, x := range v {
				utility += base[names[j]] * x
			}
			s.Vectors[i] = append([]float64{utility, v[slices.Index(names, "age")]}, v[first:]...)
		}
	}
	fitted := stat.FitChoice(own, sets, penalty)
	m := stat.Choice{}
	for name, w := range base {
		m[name] = w * fitted["base"]
	}
	for _, name := range names[first:] {
		m[name] = fitted[name]
	}
	return m
}

// models fits both models to rows.
func models(list []row, penalty float64) (base, executed stat.Choice) {
	var with, without []row
	for _, r := range list {
		if r.executed() {
			with = append(with, r)
		} else {
			without = append(without, r)
		}
	}
	base = model(without, penalty)
	return base, executedModel(base, with, executedPenalty)
}

// leftOut returns the weight of the culprit of each row, and its place among the commits by their
// weights, from a model that was fitted without the repositories of the owner.
func leftOut(list []row, penalty float64) []guess {
	owner := func(r row) string { o, _, _ := strings.Cut(r.Repo, "/"); return o }
	size := map[string]int{}
	for _, r := range list {
		size[owner(r)]++
	}
	fold, n := stat.Folds(size, folds)
	out := make([]guess, len(list))
	for k := range n {
		var others []row
		for _, r := range list {
			if fold[owner(r)] != k {
				others = append(others, r)
			}
		}
		base, executed := models(others, penalty)
		for i, r := range list {
			switch {
			case fold[owner(r)] != k:
			case r.executed():
				out[i] = guessOf(executed, r)
			default:
				out[i] = guessOf(base, r)
			}
		}
	}
	return out
}

// A guess is what a model says of a row.
type guess struct {
	p    float64 // weight of the culprit
	rank int     // commits with a greater weight
	top  float64 // weight of the first commit
	// weights are those of all commits.
	weights []float64
}

func guessOf(m stat.Choice, r row) guess {
	w := prior.Mix(m.Shares(prior.FeatureNames(), r.Vectors), r.Merges)
	g := guess{p: w[r.Place], top: slices.Max(w), weights: w}
	for _, x := range w {
		if x > g.p {
			g.rank++
		}
	}
	return g
}

func (g guess) bits() float64 { return -math.Log2(g.p) }

// cross prints the accuracy of models that were fitted without the owner of a case.
func cross(args []string) error {
	flags := flag.NewFlagSet("cross", flag.ContinueOnError)
	without := flags.String("without", "", "features to leave out, with commas")
	strength := flags.Float64("penalty", penalty, "of the squared weights")
	each := flags.Bool("each", false, "leave out each feature in turn")
	show := flags.Bool("show", false, "print each row")
	if err := flags.Parse(args); err != nil {
		return err
	}
	gone := strings.Split(*without, ",")
	list, err := readRows(flags.Args(), gone)
	if err != nil {
		return err
	}
	guesses := leftOut(list, *strength)
	printAll(list, guesses)
	if *show {
		for i, g := range guesses {
			fmt.Printf("%-9s %5.2f bits of %5.2f, place %d: %s\n", list[i].State, g.bits(), math.Log2(float64(len(list[i].Vectors))), g.rank+1, list[i].ID)
		}
	}
	if !*each {
		return nil
	}
	base := bitsByState(list, guesses)
	for _, name := range prior.FeatureNames() {
		if slices.Contains(gone, name) {
			continue
		}
		rest, err := readRows(flags.Args(), append(slices.Clone(gone), name))
		if err != nil {
			return err
		}
		fmt.Printf("without %-16s", name)
		now := bitsByState(rest, leftOut(rest, *strength))
		for _, s := range states {
			fmt.Printf(" %s %+.3f", s, now[s]-base[s])
		}
		fmt.Println()
	}
	return nil
}

func bitsByState(list []row, guesses []guess) map[string]float64 {
	sum, n := map[string]float64{}, map[string]float64{}
	for i, g := range guesses {
		sum[list[i].State] += g.bits()
		n[list[i].State]++
	}
	for s := range sum {
		sum[s] /= n[s]
	}
	return sum
}

// printAll prints the table of cross.
func printAll(list []row, guesses []guess) {
	fmt.Println("                       cases  commits  uniform     bits   median    worst   in 1   in 3   in 5  in 10   top p  seconds")
	for _, s := range states {
		printSome(s, list, guesses, func(r row) bool { return r.State == s })
	}
	for _, l := range languages {
		printSome(l+", "+stateAll, list, guesses, func(r row) bool { return r.State == stateAll && r.Language == l })
		printSome(l+", "+stateTest, list, guesses, func(r row) bool { return r.State == stateTest && r.Language == l })
	}
	printSome("not run, "+stateTest, list, guesses, func(r row) bool { return r.State == stateTest && !r.Failed })
	printSome("run, "+stateTest, list, guesses, func(r row) bool { return r.State == stateTest && r.Failed })
	for _, b := range [][2]int{{0, 100}, {100, 400}, {400, 1500}, {1500, 1 << 30}} {
		printSome(fmt.Sprintf("%d commits, %s", b[0], stateTest), list, guesses, func(r row) bool {
			return r.State == stateTest && len(r.Vectors) >= b[0] && len(r.Vectors) < b[1]
		})
	}
	var all [][]stat.Forecast
	for i, g := range guesses {
		if list[i].State == stateTest {
			all = append(all, []stat.Forecast{{P: g.top, Right: g.rank == 0}})
		}
	}
	if c := stat.NewCalibration(all); c != nil {
		fmt.Printf("first commit, %s: ECE %.3f, by chance %.3f up to %.3f\n", stateTest, *c.ECE.Value, c.ByChance.Mean, c.ByChance.High)
		for _, b := range c.Bins {
			fmt.Printf("  said %.2f, right %.2f (%d)\n", b.Mean, b.Right, b.N)
		}
	}
}

func printSome(name string, list []row, guesses []guess, keep func(row) bool) {
	var bits []float64
	var uniform, commits, top, seconds, sum float64
	in := map[int]float64{}
	for i, g := range guesses {
		if !keep(list[i]) {
			continue
		}
		bits = append(bits, g.bits())
		sum += g.bits()
		uniform += math.Log2(float64(len(list[i].Vectors)))
		commits += float64(len(list[i].Vectors))
		top += g.top
		seconds += list[i].Seconds
		for _, k := range []int{1, 3, 5, 10} {
			in[k] += float64(stat.Count(g.rank < k))
		}
	}
	n := float64(len(bits))
	if n == 0 {
		return
	}
	slices.Sort(bits)
	fmt.Printf("%-22s %5.0f %8.0f %8.2f %8.2f %8.2f %8.2f", name, n, commits/n, uniform/n, sum/n, stat.Quantile(bits, 0.5), bits[len(bits)-1])
	for _, k := range []int{1, 3, 5, 10} {
		fmt.Printf(" %6.2f", in[k]/n)
	}
	fmt.Printf(" %7.2f %8.2f\n", top/n, seconds/n)
}

// fit writes the model fitted to all rows.
func fit(args []string) error {
	list, err := readRows(args, nil)
	if err != nil {
		return err
	}
	cheap := prior.CheapNames()
	base, executed := models(list, penalty)
	without := slices.DeleteFunc(slices.Clone(list), row.executed)
	cheapest := stat.FitChoice(cheap, choices(without, len(cheap)), penalty)
	delete(cheapest, "age")
	m := prior.Model{
		Weights:  rounded(base),
		Executed: rounded(executed),
		Cheap:    rounded(cheapest),
		Made:     prior.Made{Penalty: penalty, Repositories: map[string]int{}},
	}
	seen := map[string]bool{}
	for _, r := range list {
		if !seen[r.ID] {
			seen[r.ID] = true
			m.Made.Cases++
			m.Made.Repositories[r.Repo]++
		}
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "\t")
	return out.Encode(m)
}

func rounded(c stat.Choice) stat.Choice {
	out := stat.Choice{}
	for name, w := range c {
		out[name] = math.Round(w*1e4) / 1e4
	}
	return out
}
