package szz

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-agent/gitext"
)

// The variants are compared with the published answers of the reference
// implementation (Rosa et al., ICSE 2021, replication package, the contents of
// json-output-raw). Nothing of the package is in this repository, so the test
// needs to be told where things are:
//
//	GIT_AGENT_SZZ_PUBLISHED  folder with bic_<variant>_bugfix_commits_all.json
//	GIT_AGENT_SZZ_CASES      case file whose fixes are compared
//	GIT_AGENT_SZZ_REPOS      folder with <mirror>/repo
//	GIT_AGENT_SZZ_ONLY       ids, separated by commas (optional)
//
// It fails when a difference is left that no rule of the documentation of
// variants explains, and prints each difference with -v.
func TestPublishedAnswers(t *testing.T) {
	dir, casesFile, repos := os.Getenv("GIT_AGENT_SZZ_PUBLISHED"), os.Getenv("GIT_AGENT_SZZ_CASES"), os.Getenv("GIT_AGENT_SZZ_REPOS")
	if dir == "" || casesFile == "" || repos == "" {
		t.Skip("set GIT_AGENT_SZZ_PUBLISHED, GIT_AGENT_SZZ_CASES and GIT_AGENT_SZZ_REPOS")
	}
	names := []string{"b", "ag", "ma", "l", "r"} // ra answers Java only, which no case is
	p := &published{t: t, repos: repos, answers: map[string]map[gitext.OID][]gitext.OID{}, count: map[string]map[string]int{}}
	for _, n := range names {
		p.answers[n] = readPublished(t, filepath.Join(dir, "bic_"+n+"_bugfix_commits_all.json"))
		p.count[n] = map[string]int{}
	}
	for _, c := range readCases(t, casesFile) {
		p.compare(c, names)
	}
	for _, n := range names {
		t.Logf("%-3s %v", n, p.count[n])
	}
}

type published struct {
	t       *testing.T
	repos   string
	answers map[string]map[gitext.OID][]gitext.OID
	count   map[string]map[string]int
}

type publishedCase struct {
	ID, Mirror string
	Fix        gitext.OID
	BICs       []gitext.OID
}

func readPublished(t *testing.T, file string) map[gitext.OID][]gitext.OID {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Fix  gitext.OID   `json:"fix_commit_hash"`
		BICs []gitext.OID `json:"inducing_commit_hash"`
	}
	if err := json.Unmarshal(data, &rows); err != nil {
		t.Fatal(err)
	}
	out := map[gitext.OID][]gitext.OID{}
	for _, r := range rows {
		set := slices.DeleteFunc(r.BICs, func(o gitext.OID) bool { return o == "" })
		slices.Sort(set)
		out[r.Fix] = slices.Compact(set)
	}
	return out
}

func readCases(t *testing.T, file string) []publishedCase {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	only := os.Getenv("GIT_AGENT_SZZ_ONLY")
	var out []publishedCase
	for s := bufio.NewScanner(f); s.Scan(); {
		var c publishedCase
		if err := json.Unmarshal(bytes.TrimSpace(s.Bytes()), &c); err != nil {
			t.Fatal(err)
		}
		if only == "" || slices.Contains(strings.Split(only, ","), c.ID) {
			out = append(out, c)
		}
	}
	return out
}

// compare runs every variant on one fix and counts how it differs.
func (p *published) compare(c publishedCase, names []string) {
	ctx := context.Background()
	repo, err := gitext.Open(ctx, gitext.OpenOptions{Dir: filepath.Join(p.repos, c.Mirror, "repo"), DataDir: p.t.TempDir()})
	if err != nil {
		p.t.Logf("%s: %v", c.ID, err)
		return
	}
	defer repo.Close()
	fc, err := NewContext(ctx, repo, c.Fix, ContextOptions{NoAnnotations: true})
	if err != nil {
		p.t.Logf("%s: %v", c.ID, err)
		return
	}
	for _, n := range names {
		want, ok := p.answers[n][c.Fix]
		if !ok {
			continue
		}
		got, notes := p.run(ctx, repo, fc, n, variants[n])
		why := "equal"
		if !slices.Equal(got, want) {
			why = p.explain(ctx, repo, fc, n, got, want)
			p.t.Logf("%s %s %s: %s\n\tours      %s\n\tpublished %s\n\ttruth     %s\n\tnotes %q",
				c.ID, c.Fix.Short(), n, why, p.describe(ctx, repo, got), p.describe(ctx, repo, want), p.describe(ctx, repo, c.BICs), notes)
		}
		p.count[n][why]++
	}
}

func (p *published) run(ctx context.Context, repo *gitext.Repo, fc *FixContext, name string, r rules) ([]gitext.OID, []string) {
	v, err := classicBy(ctx, repo, fc, name, r)
	if err != nil {
		p.t.Errorf("%s %s: %v", fc.Fix.Short(), name, err)
		return nil, nil
	}
	var out []gitext.OID
	for _, s := range v.Suspects {
		out = append(out, s.Commit.OID)
	}
	slices.Sort(out)
	return out, v.Notes
}

// maxExplained bounds the answers for which all switches are tried: each try
// is a run of the variant.
const maxExplained = 16

// explain names the fewest rules without which the answer is the published one.
func (p *published) explain(ctx context.Context, repo *gitext.Repo, fc *FixContext, name string, got, want []gitext.OID) string {
	switches := []struct {
		name string
		off  func(*rules)
	}{
		{"blank lines", func(r *rules) { r.blanks = false }},
		{"format", func(r *rules) { r.cosmetic = false }},
		{"comments", func(r *rules) { r.comments = false }},
	}
	best := ""
	if len(got)+len(want) > maxExplained {
		return "large"
	}
	for set := 1; set < 1<<len(switches); set++ {
		r, label := variants[name], []string{}
		for i, s := range switches {
			if set&(1<<i) != 0 {
				s.off(&r)
				label = append(label, s.name)
			}
		}
		if now, _ := p.run(ctx, repo, fc, name, r); slices.Equal(now, want) {
			if l := strings.Join(label, "+"); best == "" || len(l) < len(best) {
				best = l
			}
		}
	}
	if best != "" {
		return best
	}
	return "other"
}

func (p *published) describe(ctx context.Context, repo *gitext.Repo, oids []gitext.OID) string {
	var out []string
	stats, _ := repo.Stats(ctx, oids)
	for i, o := range oids {
		c, err := repo.Commit(ctx, o)
		if err != nil {
			out = append(out, fmt.Sprintf("%s(absent)", o.Short()))
			continue
		}
		files := -1
		if i < len(stats) {
			files = stats[i].Files
		}
		out = append(out, fmt.Sprintf("%s(%d parents, %d files, %s)", o.Short(), len(c.Parents), files, c.Committer.Time.UTC().Format("06-01-02T15:04:05")))
	}
	return strings.Join(out, " ")
}
