package main

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

	"git-agent/agent/eval"
	szzeval "git-agent/agent/eval/szz"
	"git-agent/agent/szz"
	"git-agent/agent/szz/rank"
	"git-agent/gitext"
)

func extract(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("extract", flag.ContinueOnError)
	repos := fs.String("repos", "", "`folder` with the repositories")
	most := fs.Int("most", 0, "take at most `n` cases of a repository, evenly spread; 0 is all")
	skip := fs.String("skip", "", "leave out the fixes of these case `files`, separated by commas")
	jobs := fs.Int("jobs", 2, "work on `n` cases at once")
	if err := fs.Parse(args); err != nil {
		return err
	}
	byRepo, err := readCases(ctx, fs.Args(), *skip)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	for _, name := range slices.Sorted(maps.Keys(byRepo)) {
		cases := pickEvenly(byRepo[name], *most)
		n, err := extractRepo(ctx, *repos, cases, *jobs, out)
		fmt.Fprintf(os.Stderr, "%s: %d of %d cases\n", name, n, len(cases))
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		}
		if err := errors.Join(ctx.Err(), out.Flush()); err != nil {
			return err
		}
	}
	return nil
}

// readCases reads case files and groups the cases by repository, without the
// fixes of skipFiles.
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
	cases, err := szzeval.ReadCaseFiles(ctx, strings.FieldsFunc(files, func(c rune) bool { return c == ',' }))
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

func extractRepo(ctx context.Context, root string, cases []szzeval.Case, jobs int, out *bufio.Writer) (int, error) {
	dir, ok := eval.Finder{Dir: root}.Find(cases[0].Mirror, cases[0].Repo)
	if !ok {
		return 0, fmt.Errorf("no such repository under %q", root)
	}
	repo, err := gitext.Open(ctx, gitext.OpenOptions{Dir: dir, Bloom: gitext.BloomBuild})
	if err != nil {
		return 0, err
	}
	defer repo.Close()
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
			ex, err := example(ctx, repo, c)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				fmt.Fprintf(os.Stderr, "%s: %v\n", c.ID, err)
				return
			}
			done++
			json.NewEncoder(out).Encode(ex) // the writer keeps its first error for Flush
		})
	}
	wg.Wait()
	return done, nil
}

func example(ctx context.Context, repo *gitext.Repo, c szzeval.Case) (*rank.Example, error) {
	fc, err := szz.NewContext(ctx, repo, c.Fix, szz.ContextOptions{NoAnnotations: true})
	if err != nil {
		return nil, err
	}
	ex, err := rank.Study(ctx, repo, fc)
	if err != nil {
		return nil, err
	}
	ex.ID, ex.Repo, ex.Style, ex.Ghost, ex.Cross, ex.Truth = c.ID, c.Repo, "prose", c.Ghost, c.CrossFile, len(c.BICs)
	if strings.HasPrefix(c.LabelSource, "trailer") {
		ex.Style = "trailer"
	}
	for _, oid := range ex.Candidates {
		hit := slices.Contains(c.BICs, oid)
		for _, twins := range c.Twins {
			hit = hit || slices.Contains(twins, oid)
		}
		ex.Hit = append(ex.Hit, hit)
	}
	return ex, nil
}
