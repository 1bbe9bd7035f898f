package szztrain

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"

	"git-agent/agent/eval"
	szzeval "git-agent/agent/eval/szz"
	"git-agent/agent/szz"
	"git-agent/agent/szz/fixlike"
	"git-agent/cmd/train/material"
)

// A purposeRow has the features of a commit, which may have a known purpose.
type purposeRow struct {
	ID   string    `json:"id"`
	Repo string    `json:"repo"`
	Fix  bool      `json:"fix"`            // its message names a culprit
	Read string    `json:"read,omitempty"` // a reader's judgement, "fix" or "other"; "" for an unread commit
	X    []float64 `json:"x"`              // in the order of fixlike.Names
}

func (r purposeRow) repository() string { return r.Repo }

// A purposeCase is a commit of a case file, perhaps judged by a reader.
type purposeCase struct {
	szzeval.Case
	Read string `json:"read"`
}

// purpose writes the features of package fixlike for the fixes of case files. Cases
// without a culprit are other commits.
func purpose(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("purpose", flag.ContinueOnError)
	root := fs.String("repos", "", "`folder` with the repositories")
	most := fs.Int("most", 0, "take at most `n` cases of a repository, evenly spread; 0 is all")
	if err := fs.Parse(args); err != nil {
		return err
	}
	cases, err := eval.ReadLines[purposeCase](fs.Args()...)
	if err != nil {
		return err
	}
	byRepo := map[string][]purposeCase{}
	for _, c := range cases {
		byRepo[c.Repo] = append(byRepo[c.Repo], c)
	}
	return material.WriteEach(ctx, slices.Sorted(maps.Keys(byRepo)), func(name string, out *json.Encoder) error {
		return purposeRepo(ctx, *root, pickEvenly(byRepo[name], *most), out)
	})
}

func purposeRepo(ctx context.Context, root string, cases []purposeCase, out *json.Encoder) error {
	repo, err := material.Open(ctx, root, cases[0].Mirror, cases[0].Repo)
	if err != nil {
		return err
	}
	defer repo.Close()
	for _, c := range cases {
		fc, err := szz.NewContext(ctx, repo, c.Fix, szz.ContextOptions{NoAnnotations: true})
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", c.ID, err)
			continue
		}
		out.Encode(purposeRow{c.ID, c.Repo, len(c.BICs) > 0, c.Read, fixlike.Vector(fc)})
	}
	return nil
}
