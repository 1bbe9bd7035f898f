package szztrain

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"git-agent/agent/szz/check"
	"git-agent/cmd/train/material"
	"git-agent/gitext"
)

// plant measures szz --check. Its steps are about the commit that a trailer names: rank writes what
// the ranking says about commits, pairs writes fixes with the commits that right and planted trailers
// name, fit fits the model to pairs, judge measures it, and missing measures the rest.
//
// Without a step, it is about the form of trailers: it prints how many of the newest trailers of a repository are
// complained of, by problem, and how many faults are found that are planted into the others: the id
// of another commit, the subject of another commit, and an id of which only eight digits are left.
func plant(ctx context.Context, args []string) error {
	if len(args) > 0 {
		switch args[0] {
		case "rank":
			return plantRank(ctx, args[1:])
		case "pairs":
			return plantPairs(ctx, args[1:])
		case "fit":
			return plantFit(args[1:])
		case "missing":
			return plantMissing(args[1:])
		case "judge":
			return plantJudge(args[1:])
		}
	}
	fs := flag.NewFlagSet("plant", flag.ContinueOnError)
	repos := fs.String("repos", "", "`folder` with the repositories")
	most := fs.Int("most", 2000, "check the newest `n` commits with a trailer")
	if err := fs.Parse(args); err != nil {
		return err
	}
	for _, name := range fs.Args() {
		if err := plantRepo(ctx, *repos, name, *most); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		}
	}
	return ctx.Err()
}

func plantRepo(ctx context.Context, repos, name string, most int) error {
	repo, err := material.Open(ctx, repos, name)
	if err != nil {
		return err
	}
	defer repo.Close()
	h, err := checkNewest(ctx, repo, most)
	if err != nil {
		return err
	}
	trailers := 0
	for _, commit := range h.commits {
		trailers += len(check.Trailers(commit.Message))
	}
	fmt.Printf("%s: %d trailers, complained of %v\n", name, trailers, h.problems)
	return h.plantFaults(ctx)
}

// plantFaults plants a fault of each kind into each commit that nothing is complained of.
func (h *checkedHistory) plantFaults(ctx context.Context) error {
	kinds := []string{"wrong id", "wrong subject", "cut id"}
	tried, seen := 0, make([]int, len(kinds))
	for i, commit := range h.commits {
		named := check.Trailers(commit.Message)
		other := h.commits[(i+7)%len(h.commits)]
		if h.complained[commit.OID] || len(named) != 1 || named[0].Subject == "" || other.OID == commit.OID {
			continue
		}
		tried++
		n := named[0]
		for k, with := range []string{
			inTrailer(commit.Message, n.ID, string(other.OID[:len(n.ID)])),
			inTrailer(commit.Message, n.Subject, other.Subject()),
			inTrailer(commit.Message, n.ID, n.ID[:min(8, len(n.ID)-1)]),
		} {
			planted := commit
			planted.Message = with
			found, err := h.checker.Check(ctx, []gitext.Commit{planted})
			if err != nil {
				return err
			}
			if len(found) > 0 {
				seen[k]++
			}
		}
	}
	for k, kind := range kinds {
		fmt.Printf("  %s: %d of %d found\n", kind, seen[k], tried)
	}
	return nil
}

// inTrailer replaces a text in the line of the trailer.
func inTrailer(message, before, after string) string {
	lines := strings.Split(message, "\n")
	for i, l := range lines {
		if strings.HasPrefix(strings.ToLower(l), "fixes:") {
			lines[i] = strings.Replace(l, before, after, 1)
		}
	}
	return strings.Join(lines, "\n")
}
