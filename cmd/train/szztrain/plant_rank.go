package szztrain

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"git-agent/agent/szz"
	"git-agent/agent/szz/check"
	"git-agent/agent/szz/fixlike"
	"git-agent/agent/szz/rank"
	"git-agent/cmd/train/material"
	"git-agent/gitext"
)

// A plantRow has what the ranking says about a commit, whose message it reads without trailers.
type plantRow struct {
	Repo    string        `json:"repo"`
	Commit  gitext.OID    `json:"commit"`
	Subject string        `json:"subject"`
	Named   gitext.OID    `json:"named"`   // by its only trailer, which nothing is complained of; "" if it has no trailer
	Fixlike float64       `json:"fixlike"` // probability that it is a fix
	Ranked  []plantRanked `json:"ranked"`  // most probable first, without that probability
	Seconds float64       `json:"seconds"`
}

// A plantRanked is a candidate of the ranking.
type plantRanked struct {
	Commit gitext.OID `json:"commit"`
	P      float64    `json:"p"`
}

// plantRank writes what the ranking says about commits with one right trailer, and about commits
// without a trailer whose subjects say that they fix something.
func plantRank(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("rank", flag.ContinueOnError)
	repos := fs.String("repos", "", "`folder` with the repositories")
	most := fs.Int("most", 100, "take `n` commits with a trailer of a repository")
	without := fs.Int("without", 50, "take `n` commits without a trailer")
	workers := fs.Int("workers", 1, "work on `n` commits at the same time")
	if err := fs.Parse(args); err != nil {
		return err
	}
	return material.WriteEach(ctx, fs.Args(), func(name string, out *json.Encoder) error {
		return plantRankRepo(ctx, *repos, name, *most, *without, *workers, out)
	})
}

func plantRankRepo(ctx context.Context, repos, name string, most, without, workers int, out *json.Encoder) error {
	repo, err := material.OpenIndexed(ctx, repos, name)
	if err != nil {
		return err
	}
	defer repo.Close()
	rows, err := drawTrailers(ctx, repo, name, most)
	if err != nil {
		return err
	}
	others, err := drawWithout(ctx, repo, name, without)
	if err != nil {
		return err
	}
	began, n := time.Now(), len(rows)
	writeRows(ctx, workers, append(rows, others...), out, func(row *plantRow) error {
		if err := row.rank(ctx, repo); err != nil {
			return fmt.Errorf("%s: %w", row.Commit.Short(), err)
		}
		return nil
	})
	fmt.Fprintf(os.Stderr, "%s: %d commits with a trailer, %d without, %.1f s\n", name, n, len(others), time.Since(began).Seconds())
	return nil
}

// rank asks the ranking.
func (r *plantRow) rank(ctx context.Context, repo *gitext.Repo) error {
	began := time.Now()
	fc, err := szz.NewContext(ctx, repo, r.Commit, szz.ContextOptions{NoAnnotations: true})
	if err != nil {
		return err
	}
	_, ranked, err := rank.Assess(ctx, repo, fc)
	if err != nil {
		return err
	}
	for _, j := range ranked {
		r.Ranked = append(r.Ranked, plantRanked{j.Candidate.OID, j.Probability})
	}
	r.Subject, r.Fixlike, r.Seconds = fc.Commit.Subject(), fixlike.Judge(fc).Probability, time.Since(began).Seconds()
	return nil
}

// newestTrailers bounds the commits with a trailer from which some are drawn.
const newestTrailers = 2000

// trailed returns the newest commits with a trailer, at most n, or all if n is 0.
func trailed(ctx context.Context, repo *gitext.Repo, tip gitext.OID, n int) ([]gitext.Commit, error) {
	var oids []gitext.OID
	for e, err := range repo.Log(ctx, gitext.LogOptions{Tip: tip, NoMerges: true, GrepLine: "^Fixes: [0-9a-f]{6,}", Max: n}) {
		if err != nil {
			return nil, err
		}
		oids = append(oids, e.OID)
	}
	return repo.Commits(ctx, oids)
}

// A checkedHistory has the newest commits with a trailer, and what a checker that has read their
// habit complains of.
type checkedHistory struct {
	commits    []gitext.Commit
	checker    *check.Checker
	problems   map[check.Problem]int
	complained map[gitext.OID]bool
}

// checkNewest checks the newest commits with a trailer, at most n.
func checkNewest(ctx context.Context, repo *gitext.Repo, n int) (*checkedHistory, error) {
	head, err := repo.Resolve(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	h := &checkedHistory{checker: &check.Checker{Repo: repo}, problems: map[check.Problem]int{}, complained: map[gitext.OID]bool{}}
	if h.commits, err = trailed(ctx, repo, head, n); err != nil {
		return nil, err
	}
	if h.checker.Habit, err = check.ReadHabit(ctx, repo, head); err != nil {
		return nil, err
	}
	found, err := h.checker.Check(ctx, h.commits)
	for _, f := range found {
		h.problems[f.Problem]++
		h.complained[f.Commit] = true
	}
	return h, err
}

// drawTrailers draws commits with one trailer, which nothing is complained of.
func drawTrailers(ctx context.Context, repo *gitext.Repo, name string, most int) ([]plantRow, error) {
	h, err := checkNewest(ctx, repo, newestTrailers)
	if err != nil {
		return nil, err
	}
	var rows []plantRow
	for _, c := range h.commits {
		named := check.Trailers(c.Message)
		if len(named) != 1 || h.complained[c.OID] || len(c.Parents) != 1 {
			continue
		}
		looked, err := repo.Abbreviated(ctx, []string{named[0].ID})
		if err != nil {
			return nil, err
		}
		if looked[0].OID != "" { // else a commit of another tree, in one that was taken from there
			rows = append(rows, plantRow{Repo: name, Commit: c.OID, Named: looked[0].OID})
		}
	}
	return drawRows(rows, most), nil
}

// drawWithout draws commits without a trailer, as new as those with one, whose subjects say that
// they fix something.
func drawWithout(ctx context.Context, repo *gitext.Repo, name string, most int) ([]plantRow, error) {
	head, err := repo.Resolve(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	var rows []plantRow
	for e, err := range repo.Log(ctx, gitext.LogOptions{Tip: head, NoMerges: true, Max: 3 * newestTrailers}) {
		if err != nil {
			return nil, err
		}
		if len(e.Parents) != 1 {
			continue
		}
		c, err := repo.Commit(ctx, e.OID)
		if err != nil {
			return nil, err
		}
		if check.SaysFix(c.Subject()) && !strings.Contains(strings.ToLower(c.Message), "\nfixes:") {
			rows = append(rows, plantRow{Repo: name, Commit: e.OID})
		}
	}
	return drawRows(rows, most), nil
}

// drawRows draws rows by a hash of the commits' names.
func drawRows(rows []plantRow, most int) []plantRow {
	key := func(r plantRow) [32]byte { return sha256.Sum256([]byte("plant " + r.Commit)) }
	slices.SortFunc(rows, func(a, b plantRow) int {
		x, y := key(a), key(b)
		return slices.Compare(x[:], y[:])
	})
	return rows[:min(most, len(rows))]
}
