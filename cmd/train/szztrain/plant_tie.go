package szztrain

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"time"

	"git-agent/agent/eval"
	"git-agent/agent/szz/check"
	"git-agent/cmd/train/material"
	"git-agent/gitext"
)

// A pairRow is a fix and a commit that its trailer names, or that a planted one names by its own
// subject.
type pairRow struct {
	Repo   string     `json:"repo"`
	Commit gitext.OID `json:"commit"`
	Named  gitext.OID `json:"named"`
	Kind   string     `json:"kind"` // an element of pairKinds
	Tie    []float64  `json:"tie"`  // in the order of check.TieNames
	// Ranked is what the ranking says, in the order of check.RankedNames with 0 for the tie; nil if it
	// was not asked.
	Ranked []float64 `json:"ranked,omitempty"`
}

func (r pairRow) repository() string { return r.Repo }

// pairKinds are the kinds of pairs: the right one, the culprit of another fix, and a commit that
// changed a file of the fix at another time.
var pairKinds = []string{"right", "other", "file"}

// plantPairs writes the pairs of repositories.
func plantPairs(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("pairs", flag.ContinueOnError)
	repos := fs.String("repos", "", "`folder` with the repositories")
	most := fs.Int("most", 1000, "take `n` commits with a trailer of a repository")
	ranked := fs.String("ranked", "", "`file` with what the ranking says, by the step rank; only its commits are taken")
	if err := fs.Parse(args); err != nil {
		return err
	}
	asked := map[string][]plantRow{}
	if *ranked != "" {
		rows, err := eval.ReadLines[plantRow](*ranked)
		if err != nil {
			return err
		}
		for _, r := range rows {
			if r.Named != "" {
				asked[r.Repo] = append(asked[r.Repo], r)
			}
		}
	}
	return material.WriteEach(ctx, fs.Args(), func(name string, out *json.Encoder) error {
		began := time.Now()
		rows, err := pairsOf(ctx, *repos, name, asked[name], *most)
		for _, r := range rows {
			out.Encode(r)
		}
		fmt.Fprintf(os.Stderr, "%s: %d pairs, %.1f s\n", name, len(rows), time.Since(began).Seconds())
		return err
	})
}

func pairsOf(ctx context.Context, repos, name string, rows []plantRow, most int) ([]pairRow, error) {
	repo, err := material.OpenIndexed(ctx, repos, name)
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	if rows == nil {
		if rows, err = drawTrailers(ctx, repo, name, most); err != nil {
			return nil, err
		}
	}
	var pairs []pairRow
	for i, r := range rows {
		pairs = append(pairs, pairRow{Repo: name, Commit: r.Commit, Named: r.Named, Kind: pairKinds[0]})
		other, err := otherCulprit(ctx, repo, rows, i)
		if err != nil {
			return nil, err
		}
		file, err := sameFile(ctx, repo, r)
		if err != nil {
			return nil, err
		}
		for k, o := range []gitext.OID{other, file} {
			if o != "" && o != r.Named {
				pairs = append(pairs, pairRow{Repo: name, Commit: r.Commit, Named: o, Kind: pairKinds[k+1]})
			}
		}
	}
	return pairs, tiePairs(ctx, repo, pairs, rows)
}

// otherCulprit returns the culprit of another fix that is in the history of this one, or "".
func otherCulprit(ctx context.Context, repo *gitext.Repo, rows []plantRow, i int) (gitext.OID, error) {
	const tries = 6
	for step := range tries {
		o := rows[(i+7+step)%len(rows)].Named
		if o == rows[i].Named || o == rows[i].Commit {
			continue
		}
		if in, err := repo.IsAncestor(ctx, o, rows[i].Commit); in || err != nil {
			return o, err
		}
	}
	return "", nil
}

// tiePairs computes the features of pairs.
func tiePairs(ctx context.Context, repo *gitext.Repo, pairs []pairRow, rows []plantRow) error {
	asked := map[gitext.OID]plantRow{}
	for _, r := range rows {
		asked[r.Commit] = r
	}
	var oids []gitext.OID
	for _, p := range pairs {
		oids = append(oids, p.Commit, p.Named)
	}
	slices.Sort(oids)
	commits, err := repo.Commits(ctx, slices.Compact(oids))
	if err != nil {
		return err
	}
	sides, err := check.ReadSides(ctx, repo, commits)
	if err != nil {
		return err
	}
	head, err := repo.Resolve(ctx, "HEAD")
	if err != nil {
		return err
	}
	words, err := check.ReadWeigher(ctx, repo, head)
	if err != nil {
		return err
	}
	for i := range pairs {
		p := &pairs[i]
		a, b := sides[p.Commit], sides[p.Named]
		if a == nil || b == nil {
			return fmt.Errorf("%s or %s: no patch", p.Commit.Short(), p.Named.Short())
		}
		p.Tie = words.Tie(a, b)
		if r := asked[p.Commit]; r.Ranked != nil {
			p.Ranked = check.Ranked(0, p.Named, r.candidates())
		}
	}
	return nil
}

// candidates returns the candidates of the ranking.
func (r plantRow) candidates() []check.Candidate {
	var list []check.Candidate
	const most = 50 // as many as szz --check reads
	for _, c := range r.Ranked[:min(most, len(r.Ranked))] {
		list = append(list, check.Candidate{Commit: gitext.Commit{OID: c.Commit}, P: c.P * r.Fixlike})
	}
	return list
}

// sameFile draws another commit that changed the first file that a fix modifies, or "".
func sameFile(ctx context.Context, repo *gitext.Repo, r plantRow) (gitext.OID, error) {
	fix, err := repo.Commit(ctx, r.Commit)
	if err != nil {
		return "", err
	}
	changes, err := repo.Changes(ctx, fix.Parents[0], fix.OID, gitext.PatchOptions{})
	if err != nil {
		return "", err
	}
	const most = 40 // changes of the file
	for _, f := range changes {
		if f.Status != 'M' {
			continue
		}
		var list []plantRow
		for e, err := range repo.Log(ctx, gitext.LogOptions{Tip: fix.Parents[0], NoMerges: true, Paths: []string{f.OldPath}, Max: most}) {
			if err != nil {
				return "", err
			}
			if e.OID != r.Named {
				list = append(list, plantRow{Commit: e.OID})
			}
		}
		slices.SortFunc(list, func(a, b plantRow) int { return cmp.Compare(a.Commit, b.Commit) })
		if list = drawRows(list, 1); len(list) > 0 {
			return list[0].Commit, nil
		}
	}
	return "", nil
}
