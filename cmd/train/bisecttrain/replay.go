package bisecttrain

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"git-agent/agent/bisect"
	"git-agent/agent/stat"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

// A replayed is a search whose outcomes are those of a known culprit.
type replayed struct {
	ID      string `json:"id"`
	Repo    string `json:"repo"`
	State   string `json:"state"`
	Commits int    `json:"commits"`
	Right   bool   `json:"right"`
	Runs    int    `json:"runs"`
	Git     int    `json:"git"`    // runs of git bisect run
	Needed  int    `json:"needed"` // runs at the tip, the culprit and its parents
}

// replay searches the ranges of rows with the search of git agent bisect, and runs nothing. The prior does not know
// the owner of a repository.
func replay(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("replay", flag.ContinueOnError)
	root := flags.String("repos", "", "`folder` with the repositories")
	from := flags.String("cases", "", "`file` with the cases of the rows")
	even := flags.Bool("even", false, "the rows were made with -even")
	show := flags.Bool("show", false, "print each search")
	if err := flags.Parse(args); err != nil {
		return err
	}
	list, err := readRows(flags.Args(), nil)
	if err != nil {
		return err
	}
	cases, err := readRegressions([]string{*from})
	if err != nil {
		return err
	}
	byID := map[string]regression{}
	for _, c := range cases {
		byID[c.ID] = c
	}
	guesses := leftOut(list, penalty)
	var done []replayed
	for i, r := range list {
		one, err := replayRow(ctx, *root, byID[r.ID], r, guesses[i].weights, *even)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", r.ID, err)
			continue
		}
		if done = append(done, *one); *show {
			err = json.NewEncoder(os.Stdout).Encode(one)
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
	}
	for _, s := range states {
		printReplays(s, slices.DeleteFunc(slices.Clone(done), func(d replayed) bool { return d.State != s }))
	}
	return nil
}

func replayRow(ctx context.Context, root string, c regression, r row, weights []float64, even bool) (*replayed, error) {
	if c.ID == "" {
		return nil, errors.New("no such case")
	}
	repo, bad, err := openBefore(ctx, root, c)
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	commits, good, err := drawRange(ctx, repo, c, bad, even)
	if err != nil {
		return nil, err
	}
	if len(commits) != len(weights) || commits[r.Place] != c.BICs[0] {
		return nil, errors.New("the row has another range")
	}
	if good == "" {
		return nil, errors.New("the range has no good commit")
	}
	has, err := descendants(ctx, repo, bad, c.BICs[0])
	if err != nil {
		return nil, err
	}
	out := &replayed{ID: c.ID, Repo: c.Repo, State: r.State, Commits: len(commits)}
	if err := out.search(ctx, repo, bad, good, has, weightsOf(commits, weights)); err != nil {
		return nil, err
	}
	out.Git, err = halve(ctx, repo, bad, good, has)
	return out, err
}

// weightsOf returns the prior of a search: the weights of commits; others have the least of them.
func weightsOf(commits []gitext.OID, weights []float64) func(gitext.OID) float64 {
	of := map[gitext.OID]float64{}
	for i, c := range commits {
		of[c] = weights[i]
	}
	least := slices.Min(weights)
	return func(c gitext.OID) float64 { return cmp.Or(of[c], least) }
}

// search runs the search of git agent bisect, and counts its runs.
func (p *replayed) search(
	ctx context.Context, repo *gitext.Repo, bad, good gitext.OID, has map[gitext.OID]bool, weight func(gitext.OID) float64,
) error {
	found, err := bisect.Find(ctx, repo, bisect.Question{Tip: bad, Old: []gitext.OID{good}}, bisect.Options{
		Try: func(_ context.Context, _ int, c gitext.OID) (trial.Result, error) {
			if has[c] {
				return trial.Result{Outcome: trial.Fails}, nil
			}
			return trial.Result{Outcome: trial.Passes}, nil
		},
		Prior: func(_ context.Context, _ gitext.OID, commits []gitext.OID) ([]float64, error) {
			out, total := make([]float64, len(commits)), 0.0
			for i, c := range commits {
				out[i] = weight(c)
				total += out[i]
			}
			for i := range out {
				out[i] /= total
			}
			return out, nil
		},
	})
	if err != nil {
		return err
	}
	culprit := has[found.First] && found.Status == bisect.Proved
	needed := []gitext.OID{bad, found.First}
	for _, parent := range found.Parents {
		culprit = culprit && !has[parent.Commit]
		needed = append(needed, parent.Commit)
	}
	p.Right, p.Runs = culprit, len(found.Runs)
	for _, r := range found.Runs {
		if slices.Contains(needed, r.Commit) {
			p.Needed++
		}
	}
	return nil
}

// halve returns the number of runs of git bisect run.
func halve(ctx context.Context, repo *gitext.Repo, bad, good gitext.OID, has map[gitext.OID]bool) (int, error) {
	old := []gitext.OID{good}
	for runs := 0; ; runs++ {
		step, err := repo.Bisect(ctx, bad, old, nil)
		if err != nil || step.Next == "" {
			return runs, err
		}
		if has[step.Next] {
			bad = step.Next
		} else {
			old = append(old, step.Next)
		}
	}
}

// descendants returns the commits in the history of bad that have a culprit in theirs.
func descendants(ctx context.Context, repo *gitext.Repo, bad, culprit gitext.OID) (map[gitext.OID]bool, error) {
	all, parents, err := newestFirst(ctx, repo, bad, nil)
	has := map[gitext.OID]bool{culprit: true}
	for _, c := range slices.Backward(all) {
		if slices.ContainsFunc(parents[c], func(p gitext.OID) bool { return has[p] }) {
			has[c] = true
		}
	}
	return has, err
}

// printReplays prints the runs of searches in one state of knowledge; intervals take whole owners.
func printReplays(name string, list []replayed) {
	if len(list) == 0 {
		return
	}
	var owners [][]replayed
	place := map[string]int{}
	for _, r := range list {
		o, _, _ := strings.Cut(r.Repo, "/")
		if _, ok := place[o]; !ok {
			place[o] = len(owners)
			owners = append(owners, nil)
		}
		owners[place[o]] = append(owners[place[o]], r)
	}
	count := func(is func(replayed) bool) (n int) {
		for _, r := range list {
			n += stat.Count(is(r))
		}
		return n
	}
	fmt.Printf("%s: %d cases of %d owners, right %d, more than git %d\n", name, len(list), len(owners),
		count(func(r replayed) bool { return r.Right }), count(func(r replayed) bool { return r.Runs > r.Git }))
	for _, m := range replayMeasures {
		var samples []float64
		stat.Resample(len(owners), func(pick []int) {
			var some []replayed
			for _, i := range pick {
				some = append(some, owners[i]...)
			}
			samples = append(samples, m.of(some))
		})
		fmt.Printf("  %-24s %v\n", m.name, stat.Interval(m.of(list), samples))
	}
}

// replayMeasures are what the runs of searches say.
var replayMeasures = []struct {
	name string
	of   func([]replayed) float64
}{
	{"runs, median", func(l []replayed) float64 { return quantileOf(l, func(r replayed) float64 { return float64(r.Runs) }) }},
	{"runs, mean", func(l []replayed) float64 { return meanOf(l, func(r replayed) float64 { return float64(r.Runs) }) }},
	{"git's runs, mean", func(l []replayed) float64 { return meanOf(l, func(r replayed) float64 { return float64(r.Git) }) }},
	{"needed runs, mean", func(l []replayed) float64 { return meanOf(l, func(r replayed) float64 { return float64(r.Needed) }) }},
	{"of git's, median", func(l []replayed) float64 { return quantileOf(l, replayed.share) }},
	{"of git's, mean", func(l []replayed) float64 { return meanOf(l, replayed.share) }},
	{"at most half of git's", func(l []replayed) float64 {
		return meanOf(l, func(r replayed) float64 { return float64(stat.Count(r.half())) })
	}},
}

func (p replayed) share() float64 { return float64(p.Runs) / float64(max(p.Git, 1)) }
func (p replayed) half() bool     { return 2*p.Runs <= p.Git }

func quantileOf(list []replayed, value func(replayed) float64) float64 {
	values := make([]float64, len(list))
	for i, r := range list {
		values[i] = value(r)
	}
	slices.Sort(values)
	return stat.Quantile(values, 0.5)
}

func meanOf(list []replayed, value func(replayed) float64) float64 {
	sum := 0.0
	for _, r := range list {
		sum += value(r)
	}
	return sum / float64(len(list))
}
