package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"git-agent/agent/szz"
	"git-agent/gitext"
)

// trainCase is what training needs of a case file's line.
type trainCase struct {
	ID     string                  `json:"id"`
	Repo   string                  `json:"repo"`
	Mirror string                  `json:"mirror"`
	Fix    gitext.OID              `json:"fix"`
	BICs   []gitext.OID            `json:"bics"`
	Twins  map[string][]gitext.OID `json:"bic_twins"`
	Source string                  `json:"label_source"`
	Ghost  bool                    `json:"ghost"`
	Cross  bool                    `json:"cross_file"`
}

func extract(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("extract", flag.ContinueOnError)
	repos := fs.String("repos", "", "`folder` with the repositories")
	most := fs.Int("most", 0, "take at most `n` cases of a repository, evenly spread; 0 is all")
	skip := fs.String("skip", "", "leave out the cases of this `file`")
	jobs := fs.Int("jobs", 2, "work on `n` cases at once")
	if err := fs.Parse(args); err != nil {
		return err
	}
	byRepo, err := readCases(fs.Args(), *skip)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for _, name := range slices.Sorted(mapsKeys(byRepo)) {
		cases := spread(byRepo[name], *most)
		n, err := extractRepo(ctx, *repos, cases, *jobs, out)
		fmt.Fprintf(os.Stderr, "%s: %d of %d cases\n", name, n, len(cases))
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

func mapsKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func readCases(files []string, skipFile string) (map[string][]trainCase, error) {
	skip := map[gitext.OID]bool{}
	if skipFile != "" {
		cases, err := readCaseFile(skipFile)
		if err != nil {
			return nil, err
		}
		for _, c := range cases {
			skip[c.Fix] = true
		}
	}
	byRepo := map[string][]trainCase{}
	for _, f := range files {
		cases, err := readCaseFile(f)
		if err != nil {
			return nil, err
		}
		for _, c := range cases {
			if !skip[c.Fix] {
				byRepo[c.Repo] = append(byRepo[c.Repo], c)
			}
		}
	}
	return byRepo, nil
}

func readCaseFile(name string) ([]trainCase, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var cases []trainCase
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		var c trainCase
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
		cases = append(cases, c)
	}
	return cases, nil
}

// spread picks n cases evenly over the file, which is in order of time.
func spread(cases []trainCase, n int) []trainCase {
	if n <= 0 || len(cases) <= n {
		return cases
	}
	picked := make([]trainCase, n)
	for i := range picked {
		picked[i] = cases[i*len(cases)/n]
	}
	return picked
}

func findRepo(root string, c trainCase) string {
	for _, name := range []string{c.Mirror, strings.ReplaceAll(c.Repo, "/", "+"), strings.ReplaceAll(c.Repo, "/", "__"), c.Repo} {
		if name == "" {
			continue
		}
		for _, dir := range []string{filepath.Join(root, name, "repo"), filepath.Join(root, name)} {
			if info, err := os.Stat(dir); err == nil && info.IsDir() {
				return dir
			}
		}
	}
	return ""
}

func extractRepo(ctx context.Context, root string, cases []trainCase, jobs int, out *bufio.Writer) (int, error) {
	dir := findRepo(root, cases[0])
	if dir == "" {
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
	return done, out.Flush()
}

func example(ctx context.Context, repo *gitext.Repo, c trainCase) (*szz.Example, error) {
	fc, err := szz.NewContext(ctx, repo, c.Fix, szz.ContextOptions{NoAnnotations: true})
	if err != nil {
		return nil, err
	}
	ex, err := szz.Study(ctx, repo, fc)
	if err != nil {
		return nil, err
	}
	ex.ID, ex.Repo, ex.Style, ex.Ghost, ex.Cross, ex.Truth = c.ID, c.Repo, "prose", c.Ghost, c.Cross, len(c.BICs)
	if strings.HasPrefix(c.Source, "trailer") {
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
