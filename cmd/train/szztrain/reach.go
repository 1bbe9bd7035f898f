package szztrain

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	szzeval "git-agent/agent/eval/szz"
	"git-agent/agent/szz"
	"git-agent/agent/szz/candidate"
	"git-agent/cmd/train/material"
	"git-agent/gitext"
)

var errNoIndex = errors.New("there is no index of changed lines; 'git agent index build' builds one")

// reach prints the results of each way to search an index of changed lines for the texts of a
// fix: the number of cases with a true commit among the best commits, and the number of found
// commits.
func reach(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("reach", flag.ContinueOnError)
	repos := fs.String("repos", "", "`folder` with the repositories")
	most := fs.Int("most", 0, "take at most `n` cases of a repository, evenly spread; 0 is all")
	all := fs.Bool("all", false, "take all cases, not only cross-file ones")
	if err := fs.Parse(args); err != nil {
		return err
	}
	byRepo, err := readCases(ctx, fs.Args(), "")
	if err != nil {
		return err
	}
	var list []reached
	for _, name := range slices.Sorted(maps.Keys(byRepo)) {
		cases := byRepo[name]
		if !*all {
			cases = slices.DeleteFunc(cases, func(c szzeval.Case) bool { return !is(c.CrossFile) })
		}
		some, err := reachRepo(ctx, *repos, pickEvenly(cases, *most))
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		}
		fmt.Fprintf(os.Stderr, "%s: %d of %d cases\n", name, len(some), len(cases))
		list = append(list, some...)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if len(list) == 0 {
		return errNoIndex
	}
	printReach(list)
	return nil
}

func reachRepo(ctx context.Context, root string, cases []szzeval.Case) ([]reached, error) {
	if len(cases) == 0 {
		return nil, nil
	}
	repo, err := material.OpenIndexed(ctx, root, cases[0].Mirror, cases[0].Repo)
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	if !repo.HasIndex(ctx) {
		return nil, errNoIndex
	}
	var list []reached
	for _, c := range cases {
		r, err := reachCase(ctx, repo, c)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", c.ID, err)
			continue
		}
		list = append(list, r)
	}
	return list, nil
}

// A reached has the results of each way of searching for one case.
type reached struct {
	took   time.Duration  // of the look-up
	at     map[string]int // index of the first true commit among the commits of a way, from 0
	number map[string]int // of these commits
}

// A way is one way to search.
type way struct {
	name  string
	in    candidate.ClueSet // the texts to look up
	which string            // the changes of each text that count
}

// anyText are all texts of a fix.
const anyText = ^candidate.ClueSet(0)

// These are the changes of a text that a way counts.
const (
	newestOnly = "newest"
	newest3    = "newest 3"
	oldestOnly = "first"
	counting   = "that add or remove it"
	everything = "all"
)

var ways = []way{
	{"removed names", candidate.ClueRemoved, everything},
	{"added names", candidate.ClueAdded, everything},
	{"names around", candidate.ClueAround, everything},
	{"names in headings", candidate.ClueHeading, everything},
	{"words of the message", candidate.ClueSaid, everything},
	{"literals", candidate.ClueLiteral, everything},
	{"keys", candidate.ClueKey, everything},
	{"file names", candidate.ClueFile, everything},
	{"changed names", candidate.ClueRemoved | candidate.ClueAdded, everything},
	{"changed names and message", candidate.ClueRemoved | candidate.ClueAdded | candidate.ClueSaid, everything},
	{"all texts", anyText, oldestOnly},
	{"all texts", anyText, newestOnly},
	{"all texts", anyText, newest3},
	{"all texts", anyText, counting},
	{"all texts", anyText, everything},
}

func (w way) String() string { return w.name + ", changes: " + w.which }

// keep returns the changes of a text that the way counts, newest first.
func (w way) keep(list []gitext.TextChange) []gitext.TextChange {
	from, to := 0, len(list)
	number := 0
	for i := range list {
		if i == 0 || list[i].OID != list[i-1].OID {
			number++
			if w.which == newestOnly && number == 2 || w.which == newest3 && number == 4 {
				to = i
				break
			}
			from = i
		}
	}
	switch w.which {
	case oldestOnly:
		return list[from:]
	case newestOnly, newest3:
		return list[:to]
	case counting:
		return slices.DeleteFunc(slices.Clone(list), func(c gitext.TextChange) bool { return c.Removed == c.Added })
	}
	return list
}

func reachCase(ctx context.Context, repo *gitext.Repo, c szzeval.Case) (reached, error) {
	r := reached{at: map[string]int{}, number: map[string]int{}}
	fc, err := szz.NewContext(ctx, repo, c.Fix, szz.ContextOptions{NoAnnotations: true})
	if err != nil {
		return r, err
	}
	began := time.Now()
	clues := candidate.CluesOf(fc)
	texts := make([]string, len(clues))
	for i := range clues {
		texts[i] = clues[i].Text
	}
	found, _, err := repo.TextChanges(ctx, fc.Parent, texts)
	if err != nil {
		return r, err
	}
	r.took = time.Since(began)
	for _, w := range ways {
		var some []candidate.Clue
		var histories []gitext.TextHistory
		for i, h := range found {
			if clues[i].In&w.in != 0 {
				some = append(some, clues[i])
				histories = append(histories, gitext.TextHistory{Text: h.Text, Changes: w.keep(h.Changes)})
			}
		}
		best := candidate.ByScore(candidate.Namings(fc, some, histories))
		r.number[w.String()] = len(best)
		if at := slices.IndexFunc(best, func(oid gitext.OID) bool { return isTrue(c, oid) }); at >= 0 {
			r.at[w.String()] = at
		}
	}
	return r, nil
}

// isTrue reports whether a commit is a right answer to a case.
func isTrue(c szzeval.Case, oid gitext.OID) bool {
	if slices.Contains(c.BICs, oid) {
		return true
	}
	for _, twins := range c.Twins {
		if slices.Contains(twins, oid) {
			return true
		}
	}
	return false
}

func printReach(list []reached) {
	var took []int
	for _, r := range list {
		took = append(took, int(r.took.Milliseconds()))
	}
	median, high := quantiles(took)
	fmt.Printf("%d cases; the look-up took %d ms (median), %d ms (90 %%)\n", len(list), median, high)
	fmt.Printf(
		"%-60s %6s %6s %6s %6s %6s %8s %8s\n",
		"share of cases with a true commit among the first",
		"1",
		"3",
		"10",
		"20",
		"40",
		"all",
		"commits",
	)
	for _, w := range ways {
		fmt.Printf("%-60s", w)
		for _, first := range []int{1, 3, 10, 20, 40, 1 << 30} {
			n := 0
			for _, r := range list {
				if at, ok := r.at[w.String()]; ok && at < first {
					n++
				}
			}
			fmt.Printf(" %6.3f", share(n, len(list)))
		}
		var numbers []int
		for _, r := range list {
			numbers = append(numbers, r.number[w.String()])
		}
		median, high := quantiles(numbers)
		fmt.Printf("   %d (median), %d (90 %%)\n", median, high)
	}
}

// quantiles returns the median and the 90 % quantile.
func quantiles(list []int) (median, high int) {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2], list[len(list)*9/10]
}
