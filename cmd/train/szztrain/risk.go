package szztrain

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"sort"
	"time"

	"git-agent/agent/szz"
	"git-agent/agent/szz/check"
	"git-agent/agent/szz/risk"
	"git-agent/cmd/train/material"
	"git-agent/gitext"
)

// A riskRow has the features of a commit as szz --risk saw them at its parent.
type riskRow struct {
	Repo    string            `json:"repo"`
	Commit  gitext.OID        `json:"commit"`
	Author  string            `json:"author"`
	Named   bool              `json:"named"`   // a later commit named it in a Fixes: trailer
	Share   float64           `json:"share"`   // of named commits among all of these authors
	Indexed bool              `json:"indexed"` // the features of the index were computed
	X       []float64         `json:"x"`       // in the order of risk.Names
	Found   map[risk.Kind]int `json:"found"`   // findings
}

func (r riskRow) repository() string { return r.Repo }

// riskSteps runs a step of szz --risk: rows writes the features of commits that a later commit named
// and of random commits of the same authors, fit fits the model to rows, and judge measures the
// shipped model on rows.
func riskSteps(ctx context.Context, args []string) error {
	if len(args) > 0 {
		switch args[0] {
		case "rows":
			return riskRows(ctx, args[1:])
		case "fit":
			return riskFit(args[1:])
		case "judge":
			return riskJudge(args[1:])
		}
	}
	return errors.New("usage: train szz risk (rows | fit | judge) <arguments>")
}

// riskRows writes the rows of repositories.
func riskRows(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("rows", flag.ContinueOnError)
	repos := fs.String("repos", "", "`folder` with the repositories")
	most := fs.Int("most", 300, "take `n` named commits of a repository, and as many others")
	workers := fs.Int("workers", 1, "work on `n` commits at the same time")
	if err := fs.Parse(args); err != nil {
		return err
	}
	return material.WriteEach(ctx, fs.Args(), func(name string, out *json.Encoder) error {
		return riskRepo(ctx, *repos, name, *most, *workers, out)
	})
}

func riskRepo(ctx context.Context, repos, name string, most, workers int, out *json.Encoder) error {
	repo, err := material.OpenIndexed(ctx, repos, name)
	if err != nil {
		return err
	}
	defer repo.Close()
	rows, err := drawCommits(ctx, repo, name, most)
	if err != nil {
		return err
	}
	began := time.Now()
	writeRows(ctx, workers, rows, out, func(row *riskRow) error {
		if err := row.assess(ctx, repo); err != nil {
			return fmt.Errorf("%s: %w", row.Commit.Short(), err)
		}
		return nil
	})
	fmt.Fprintf(os.Stderr, "%s: %d commits, %.2f of them named among all of their authors, %.1f s\n",
		name, len(rows), rows[0].Share, time.Since(began).Seconds())
	return nil
}

// assess computes the features of a row.
func (r *riskRow) assess(ctx context.Context, repo *gitext.Repo) error {
	v, err := risk.Assess(ctx, repo, szz.Question{Fix: r.Commit, Index: repo.Indexed(ctx, r.Commit)})
	if err != nil {
		return err
	}
	r.X, r.Indexed, r.Found = v.Features(), v.Index, map[risk.Kind]int{}
	for _, f := range v.Findings {
		r.Found[f.Kind]++
	}
	return nil
}

// drawn is the state of drawing commits.
type drawn struct {
	all   []gitext.LogEntry // newest first, without merges
	named map[gitext.OID]bool
}

// untilNamed is the time in which a commit can be named: newer ones are not drawn.
const untilNamed = 365 * 24 * time.Hour

// drawCommits draws named commits, and for each of them another commit of its author. The same
// repository gives the same commits.
func drawCommits(ctx context.Context, repo *gitext.Repo, name string, most int) ([]riskRow, error) {
	d, err := readNamed(ctx, repo)
	if err != nil {
		return nil, err
	}
	if len(d.named) == 0 {
		return nil, errors.New("no trailer names a commit")
	}
	byAuthor := map[string][]gitext.LogEntry{}
	var named []gitext.LogEntry
	for _, e := range d.all {
		byAuthor[e.AuthorEmail] = append(byAuthor[e.AuthorEmail], e)
		if d.named[e.OID] {
			named = append(named, e)
		}
	}
	shuffle(named)
	var rows []riskRow
	used, authors := map[gitext.OID]bool{}, map[string]bool{}
	for _, e := range named {
		others := byAuthor[e.AuthorEmail]
		if !authors[e.AuthorEmail] {
			shuffle(others)
			authors[e.AuthorEmail] = true
		}
		i := slices.IndexFunc(others, func(o gitext.LogEntry) bool { return !d.named[o.OID] && !used[o.OID] })
		if i < 0 {
			continue
		}
		used[others[i].OID] = true
		rows = append(rows, riskRow{Repo: name, Commit: e.OID, Author: e.AuthorEmail, Named: true},
			riskRow{Repo: name, Commit: others[i].OID, Author: e.AuthorEmail})
		if len(rows) >= 2*most {
			break
		}
	}
	n, of := 0, 0
	for author := range authors {
		for _, e := range byAuthor[author] {
			of++
			if d.named[e.OID] {
				n++
			}
		}
	}
	for i := range rows {
		rows[i].Share = float64(n) / float64(of)
	}
	return rows, nil
}

// shuffle orders commits by a hash of their names.
func shuffle(list []gitext.LogEntry) {
	key := func(e gitext.LogEntry) [32]byte { return sha256.Sum256([]byte("risk " + e.OID)) }
	slices.SortFunc(list, func(a, b gitext.LogEntry) int {
		x, y := key(a), key(b)
		return slices.Compare(x[:], y[:])
	})
}

// readNamed lists the commits since the first trailers, except those of the last year, and the
// commits that trailers name.
func readNamed(ctx context.Context, repo *gitext.Repo) (*drawn, error) {
	head, err := repo.Resolve(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	var all []gitext.LogEntry
	for e, err := range repo.Log(ctx, gitext.LogOptions{Tip: head, NoMerges: true}) {
		if err != nil {
			return nil, err
		}
		if len(e.Parents) == 1 {
			all = append(all, e)
		}
	}
	ids := make([]string, len(all))
	for i, e := range all {
		ids[i] = string(e.OID)
	}
	slices.Sort(ids)
	commits, err := trailed(ctx, repo, head, 0)
	if err != nil || len(commits) == 0 {
		return &drawn{}, err
	}
	d := &drawn{named: map[gitext.OID]bool{}}
	var times []time.Time
	for _, c := range commits {
		times = append(times, c.Committer.Time)
		for _, n := range check.Trailers(c.Message) {
			at := sort.SearchStrings(ids, n.ID)
			if at < len(ids) && len(ids[at]) >= len(n.ID) && ids[at][:len(n.ID)] == n.ID && gitext.OID(ids[at]) != c.OID {
				d.named[gitext.OID(ids[at])] = true
			}
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	from, to := times[len(times)/50], all[0].CommitTime.Add(-untilNamed) // single early trailers do not count
	for _, e := range all {
		if e.CommitTime.After(from) && e.CommitTime.Before(to) {
			d.all = append(d.all, e)
		}
	}
	return d, nil
}

// riskFit fits the model to rows, and prints it.
func riskFit(args []string) error {
	fs := flag.NewFlagSet("fit", flag.ContinueOnError)
	about := fs.String("about", "", "a `text` about the rows, which the model keeps")
	if err := fs.Parse(args); err != nil {
		return err
	}
	rows, err := material.ReadTraining("szz", fs.Args(), riskRow.repository)
	if err != nil {
		return err
	}
	sortRisk(rows)
	m := fitRisks(rows)
	m.About = *about
	return material.PrintModel(m)
}

func sortRisk(rows []riskRow) {
	slices.SortFunc(rows, func(a, b riskRow) int { return cmp.Or(cmp.Compare(a.Repo, b.Repo), cmp.Compare(a.Commit, b.Commit)) })
}
