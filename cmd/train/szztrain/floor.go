package szztrain

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"

	"git-agent/agent/stat"
	"git-agent/agent/szz"
	"git-agent/agent/szz/fixlike"
	"git-agent/agent/szz/offline"
	"git-agent/cmd/train/material"
)

// floor measures the reliability of the first suspect's probability. It traces the fixes of case
// files without their annotations, and prints, for each probability, the number of first suspects
// that reach it and the share of right ones. Cases without a culprit are commits that are no
// fixes, so every suspect is wrong. The figures hold for new repositories only if no case is from
// a repository of the ranker's training.
func floor(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("floor", flag.ContinueOnError)
	root := fs.String("repos", "", "`folder` with the repositories")
	most := fs.Int("most", 0, "take at most `n` cases of a repository, evenly spread; 0 is all")
	if err := fs.Parse(args); err != nil {
		return err
	}
	cases, err := material.ReadTraining("szz", fs.Args(), func(c purposeCase) string { return c.Repo })
	if err != nil {
		return err
	}
	byRepo := map[string][]purposeCase{}
	for _, c := range cases {
		if c.Read != "fix" { // the culprits of those are unknown
			byRepo[c.Repo] = append(byRepo[c.Repo], c)
		}
	}
	var fixes, others firsts
	for _, cases := range byRepo {
		if err := floorRepo(ctx, *root, pickEvenly(cases, *most), &fixes, &others); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", cases[0].Repo, err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	fixes.print("fixes")
	others.print("other commits")
	return nil
}

// firsts are the forecasts for the first suspects, with and without the model of package fixlike.
type firsts struct{ tempered, plain []stat.Forecast }

func floorRepo(ctx context.Context, root string, cases []purposeCase, fixes, others *firsts) error {
	repo, err := material.Open(ctx, root, cases[0].Mirror, cases[0].Repo)
	if err != nil {
		return err
	}
	defer repo.Close()
	for _, c := range cases {
		fc, err := szz.NewContext(ctx, repo, c.Fix, szz.ContextOptions{NoAnnotations: true})
		if err != nil {
			return err
		}
		v, err := offline.Trace(ctx, repo, fc, "", 1)
		if err != nil {
			return err
		}
		if len(v.Suspects) == 0 {
			continue
		}
		s := v.Suspects[0]
		f := stat.Forecast{P: s.Probability, Right: slices.Contains(c.BICs, s.Commit.OID)}
		to := others
		if len(c.BICs) > 0 {
			to = fixes
		}
		to.tempered = append(to.tempered, f)
		f.P /= fixlike.Judge(fc).Probability
		to.plain = append(to.plain, f)
	}
	return nil
}

func (f *firsts) print(name string) {
	if len(f.plain) == 0 {
		return
	}
	fmt.Printf("%s: %d first suspects, mean probability %.3f (%.3f without fixlike), ECE %.3f (%.3f)\n", name, len(f.plain),
		meanP(f.tempered), meanP(f.plain), stat.ECE(alone(f.tempered)), stat.ECE(alone(f.plain)))
	for percent := 0; percent < 100; percent += 5 {
		n, right := 0, 0
		for _, s := range f.tempered {
			if s.P >= float64(percent)/100 {
				n++
				right += stat.Count(s.Right)
			}
		}
		fmt.Printf("  from %2d %%: %4d suspects, %.3f right\n", percent, n, share(right, n))
	}
}

func meanP(list []stat.Forecast) float64 {
	sum := 0.0
	for _, f := range list {
		sum += f.P
	}
	return sum / float64(max(1, len(list)))
}

// alone puts each forecast into a separate group, as if each were a case.
func alone(list []stat.Forecast) [][]stat.Forecast {
	groups := make([][]stat.Forecast, len(list))
	for i, f := range list {
		groups[i] = []stat.Forecast{f}
	}
	return groups
}
