package szztrain

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	szzeval "git-agent/agent/eval/szz"
	"git-agent/agent/szz"
	"git-agent/agent/szz/rank"
	"git-agent/cmd/train/material"
	"git-agent/gitext"
)

func extract(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("extract", flag.ContinueOnError)
	repos := fs.String("repos", "", "`folder` with the repositories")
	most := fs.Int("most", 0, "take at most `n` cases of a repository, evenly spread; 0 is all")
	cross := fs.Int("cross", 0, "take at most `n` cross-file cases, too, and -most of the other cases; the weights of the rows make up for it")
	skip := fs.String("skip", "", "leave out the fixes of these case `files`, separated by commas")
	jobs := fs.Int("jobs", 2, "work on `n` cases at once")
	indexed := fs.String(
		"indexed",
		"",
		"also write to this `file` the rows with what the indexes of changed lines give; repositories without one are left out",
	)
	if err := fs.Parse(args); err != nil {
		return err
	}
	byRepo, err := readCases(ctx, fs.Args(), *skip)
	if err != nil {
		return err
	}
	out := rowWriter{plain: bufio.NewWriter(os.Stdout)}
	if *indexed != "" {
		f, err := os.Create(*indexed)
		if err != nil {
			return err
		}
		defer f.Close()
		out.indexed = bufio.NewWriter(f)
	}
	for _, name := range slices.Sorted(maps.Keys(byRepo)) {
		cases, weights := pickCases(byRepo[name], *most, *cross)
		out.weights = weights
		n, err := extractRepo(ctx, *repos, cases, *jobs, out)
		fmt.Fprintf(os.Stderr, "%s: %d of %d cases\n", name, n, len(cases))
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		}
		if err := errors.Join(ctx.Err(), out.flush()); err != nil {
			return err
		}
	}
	return nil
}

// readCases reads case files and groups the cases by repository, without the fixes in skipFiles.
func readCases(ctx context.Context, files []string, skipFiles string) (map[string][]szzeval.Case, error) {
	skip, err := fixesOf(ctx, skipFiles)
	if err != nil {
		return nil, err
	}
	cases, err := szzeval.ReadCaseFiles(ctx, files)
	if err != nil {
		return nil, err
	}
	byRepo := map[string][]szzeval.Case{}
	for _, c := range cases {
		if !skip[c.Fix] {
			byRepo[c.Repo] = append(byRepo[c.Repo], c)
		}
	}
	return byRepo, nil
}

// fixesOf returns the fixes in case files, whose names are separated by commas.
func fixesOf(ctx context.Context, files string) (map[gitext.OID]bool, error) {
	cases, err := szzeval.ReadCaseFiles(ctx, listed(files))
	if err != nil {
		return nil, err
	}
	fixes := map[gitext.OID]bool{}
	for _, c := range cases {
		fixes[c.Fix] = true
	}
	return fixes, nil
}

// pickEvenly picks n cases evenly from a list that is sorted by time.
func pickEvenly[T any](cases []T, n int) []T {
	if n <= 0 || len(cases) <= n {
		return cases
	}
	picked := make([]T, n)
	for i := range picked {
		picked[i] = cases[i*len(cases)/n]
	}
	return picked
}

// pickCases picks up to most cases of a repository. With cross, it picks up to cross cross-file
// cases and up to most others, and returns the weight of each case.
func pickCases(cases []szzeval.Case, most, cross int) ([]szzeval.Case, map[string]float64) {
	if cross <= 0 {
		return pickEvenly(cases, most), nil
	}
	var strata [2][]szzeval.Case
	for _, c := range cases {
		n := 0
		if is(c.CrossFile) {
			n = 1
		}
		strata[n] = append(strata[n], c)
	}
	var picked []szzeval.Case
	weights := map[string]float64{}
	some := [2][]szzeval.Case{pickEvenly(strata[0], most), pickEvenly(strata[1], cross)}
	for n, part := range some {
		for _, c := range part {
			standsFor := float64(len(strata[n])) / float64(len(part))
			weights[c.ID] = standsFor * float64(len(some[0])+len(some[1])) / float64(len(cases))
		}
		picked = append(picked, part...)
	}
	return picked, weights
}

func extractRepo(ctx context.Context, root string, cases []szzeval.Case, jobs int, out rowWriter) (int, error) {
	repo, err := material.OpenIndexed(ctx, root, cases[0].Mirror, cases[0].Repo)
	if err != nil {
		return 0, err
	}
	defer repo.Close()
	if out.indexed != nil && !repo.HasIndex(ctx) {
		return 0, errNoIndex
	}
	var (
		mu   sync.Mutex
		done int
		wg   sync.WaitGroup
		gate = make(chan struct{}, jobs)
	)
	for _, c := range cases {
		gate <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		wg.Go(func() {
			defer func() { <-gate }()
			plain, indexed, err := examples(ctx, repo, c, out.indexed != nil)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				fmt.Fprintf(os.Stderr, "%s: %v\n", c.ID, err)
				return
			}
			done++
			out.write(plain, indexed)
		})
	}
	wg.Wait()
	return done, nil
}

// A rowWriter writes the rows of cases, with and without an index. Its writers keep their
// first error for flush.
type rowWriter struct {
	plain, indexed *bufio.Writer
	weights        map[string]float64 // by case; nil if all are 1
}

func (w rowWriter) write(plain, indexed *rank.Example) {
	plain.Weight = w.weights[plain.ID]
	json.NewEncoder(w.plain).Encode(plain)
	if indexed != nil {
		indexed.Weight = w.weights[indexed.ID]
		json.NewEncoder(w.indexed).Encode(indexed)
	}
}

func (w rowWriter) flush() error {
	if w.indexed == nil {
		return w.plain.Flush()
	}
	return errors.Join(w.plain.Flush(), w.indexed.Flush())
}

// examples computes the rows of a case and, if both is set, the rows with an index.
func examples(ctx context.Context, repo *gitext.Repo, c szzeval.Case, both bool) (plain, indexed *rank.Example, err error) {
	fc, err := szz.NewContext(ctx, repo, c.Fix, szz.ContextOptions{NoAnnotations: true})
	if err != nil {
		return nil, nil, err
	}
	if both {
		plain, indexed, err = rank.StudyIndexed(ctx, repo, fc)
	} else {
		plain, err = rank.Study(ctx, repo, fc)
	}
	if err != nil {
		return nil, nil, err
	}
	for _, ex := range []*rank.Example{plain, indexed} {
		if ex != nil {
			label(ex, c)
		}
	}
	return plain, indexed, nil
}

// label marks the true candidates of an example.
func label(ex *rank.Example, c szzeval.Case) {
	ex.ID, ex.Repo, ex.Style, ex.Ghost, ex.Cross, ex.Truth = c.ID, c.Repo, "prose", is(c.Ghost), is(c.CrossFile), len(c.BICs)
	if strings.HasPrefix(c.LabelSource, "trailer") {
		ex.Style = "trailer"
	}
	for _, oid := range ex.Candidates {
		ex.Hit = append(ex.Hit, isTrue(c, oid))
	}
}

// is reports whether a field of a case file is present and true.
func is(field *bool) bool { return field != nil && *field }
