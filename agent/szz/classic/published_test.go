package classic

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

	"git-agent/agent/szz"
	"git-agent/gitext"
)

// The variants are compared with the published answers of the reference implementation
// (Rosa et al., ICSE 2021, replication package, the contents of json-output-raw). Nothing
// of the package is in this repository, so variables give the test its places:
//
//	GIT_AGENT_SZZ_PUBLISHED  folder with bic_<variant>_bugfix_commits_all.json
//	GIT_AGENT_SZZ_CASES      case file whose fixes are compared
//	GIT_AGENT_SZZ_REPOS      folder with <mirror>/repo
//	GIT_AGENT_SZZ_ONLY       ids, separated by commas (optional)
//
// With -v it prints each difference and the rule that causes it.
func TestPublishedAnswers(t *testing.T) {
	dir, casesFile, repos := os.Getenv("GIT_AGENT_SZZ_PUBLISHED"), os.Getenv("GIT_AGENT_SZZ_CASES"), os.Getenv("GIT_AGENT_SZZ_REPOS")
	if dir == "" || casesFile == "" || repos == "" {
		t.Skip("set GIT_AGENT_SZZ_PUBLISHED, GIT_AGENT_SZZ_CASES and GIT_AGENT_SZZ_REPOS")
	}
	names := []string{"b", "ag", "ma", "l", "r"} // ra answers only for Java, and no case is in Java
	p := &published{t: t, repos: repos, answers: map[string]map[gitext.OID][]gitext.OID{}, count: map[string]map[string]int{}, scores: map[string][3]int{}}
	for _, n := range names {
		p.answers[n] = readPublished(t, filepath.Join(dir, "bic_"+n+"_bugfix_commits_all.json"))
		p.count[n] = map[string]int{}
	}
	for _, c := range readCases(t, casesFile) {
		p.compare(c, names)
	}
	for _, n := range names {
		t.Logf("%-3s %v", n, p.count[n])
		for _, side := range []string{"ours", "published"} {
			s := p.scores[n+" "+side]
			precision, recall := float64(s[0])/float64(max(s[1], 1)), float64(s[0])/float64(max(s[2], 1))
			t.Logf("    %-9s precision %.3f recall %.3f F1 %.3f", side, precision, recall, 2*precision*recall/max(precision+recall, 1e-9))
		}
	}
}

type published struct {
	t       *testing.T
	repos   string
	answers map[string]map[gitext.OID][]gitext.OID
	count   map[string]map[string]int
	scores  map[string][3]int
	repo    *gitext.Repo
	traced  map[string]*tracer // by rules, for the current fix
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

// compare runs every variant on one fix and counts the differences.
func (p *published) compare(c publishedCase, names []string) {
	ctx := context.Background()
	repo, err := gitext.Open(ctx, gitext.OpenOptions{Dir: filepath.Join(p.repos, c.Mirror, "repo"), DataDir: p.t.TempDir()})
	if err != nil {
		p.t.Logf("%s: %v", c.ID, err)
		return
	}
	defer repo.Close()
	fc, err := szz.NewContext(ctx, repo, c.Fix, szz.ContextOptions{NoAnnotations: true})
	if err != nil {
		p.t.Logf("%s: %v", c.ID, err)
		return
	}
	if len(fc.Patch.Files) > 10 {
		if err := repo.BuildBloom(ctx, c.Fix); err != nil {
			p.t.Logf("%s: %v", c.ID, err)
		}
	}
	p.repo, p.traced = repo, map[string]*tracer{}
	for _, n := range names {
		want, ok := p.answers[n][c.Fix]
		if !ok {
			continue
		}
		got, tr := p.run(ctx, fc, variants[n])
		why := "equal"
		if !slices.Equal(got, want) {
			why = p.explain(ctx, fc, n, got, want, tr)
			p.t.Logf("%s %s %s: %s\n\tours only %s\n\tpublished only %s\n\tboth %d\n\ttruth     %s\n\tnotes %q",
				c.ID, c.Fix.Short(), n, why, p.describe(ctx, repo, without(got, want)), p.describe(ctx, repo, without(want, got)),
				len(got)-len(without(got, want)), p.describe(ctx, repo, c.BICs), tr.notes)
		}
		p.count[n][why]++
		p.score(n, got, want, c.BICs)
	}
}

func without(a, b []gitext.OID) []gitext.OID {
	return slices.DeleteFunc(slices.Clone(a), func(o gitext.OID) bool { return slices.Contains(b, o) })
}

// score keeps hits, answers and truths of both sides.
func (p *published) score(name string, ours, theirs, truth []gitext.OID) {
	for side, got := range map[string][]gitext.OID{"ours": ours, "published": theirs} {
		key := name + " " + side
		s := p.scores[key]
		s[0] += len(got) - len(without(got, truth))
		s[1] += len(got)
		s[2] += len(truth)
		p.scores[key] = s
	}
}

// run traces once for all variants that differ only in the pick.
func (p *published) run(ctx context.Context, fc *szz.FixContext, r rules) ([]gitext.OID, *tracer) {
	base := r
	base.pick, base.superlative = nil, ""
	key := fmt.Sprintf("%d files %+v", len(fc.Patch.Files), base)
	t := p.traced[key]
	if t == nil {
		t = newTracer(p.repo, fc, base)
		if err := t.trace(ctx); err != nil {
			p.t.Errorf("%s: %v", fc.Fix.Short(), err)
			return nil, t
		}
		p.traced[key] = t
	}
	t.rules = r
	v := &szz.Answer{}
	if err := t.answer(ctx, v); err != nil {
		p.t.Errorf("%s: %v", fc.Fix.Short(), err)
	}
	var out []gitext.OID
	for _, s := range v.Suspects {
		out = append(out, s.Commit.OID)
	}
	slices.Sort(out)
	return out, t
}

// maxExplained bounds the answers for which all switches are tried: each attempt is a run
// of the variant.
const maxExplained = 16

// explain names the fewest rules whose absence gives the published answer, or the defect
// of the reference implementation that made the difference.
func (p *published) explain(ctx context.Context, fc *szz.FixContext, name string, got, want []gitext.OID, tr *tracer) string {
	switch {
	case len(fc.Commit.Parents) > 1 && len(want) == 0:
		return "merge fix"
	case len(want) > 0 && len(without(want, got)) == 0 && collided(tr, without(got, want)):
		return "collision"
	case name == "r" && len(got) == 1 && len(want) == 1 && p.sameSecond(ctx, got[0], want[0]):
		return "tie"
	case len(got)+len(want) > maxExplained && name == "ag":
		if now, _ := p.run(ctx, lastFile(fc), variants[name]); slices.Equal(now, want) {
			return "last file"
		}
		return "large"
	case len(got)+len(want) > maxExplained || len(fc.Patch.Files) > maxExplained:
		return "large"
	}
	switches := []struct {
		name string
		off  func(*rules, **szz.FixContext)
	}{
		{"blank", func(r *rules, _ **szz.FixContext) { r.blanks = false }},
		{"format", func(r *rules, _ **szz.FixContext) { r.cosmetic = false }},
		{"comments", func(r *rules, _ **szz.FixContext) { r.comments = false }},
		{"last file", func(_ *rules, fc **szz.FixContext) { *fc = lastFile(*fc) }},
	}
	if name != "ag" {
		switches = switches[:3]
	}
	best := ""
	for set := 1; set < 1<<len(switches); set++ {
		r, fix, label := variants[name], fc, []string{}
		for i, s := range switches {
			if set&(1<<i) != 0 {
				s.off(&r, &fix)
				label = append(label, s.name)
			}
		}
		if now, t := p.run(ctx, fix, r); slices.Equal(now, want) || len(without(want, now)) == 0 && collided(t, without(now, want)) {
			if l := strings.Join(label, "+"); best == "" || len(l) < len(best) {
				best = l
			}
		}
	}
	if best == "" {
		return "other"
	}
	return best
}

func (p *published) sameSecond(ctx context.Context, a, b gitext.OID) bool {
	cs, err := p.repo.Commits(ctx, []gitext.OID{a, b})
	return err == nil && cs[0].Committer.Time.Equal(cs[1].Committer.Time)
}

// lastFile is the fix as AG-SZZ saw it in 2021: it kept only the answer of the last file
// with a deleted line (mended in grosa1/pyszz 22d6005, July 2022, after the answers were
// published).
func lastFile(fc *szz.FixContext) *szz.FixContext {
	out, patch := *fc, *fc.Patch
	out.Patch = &patch
	for i, f := range slices.Backward(patch.Files) {
		for _, h := range f.Hunks {
			if f.Status != 'A' && h.OldLines > 0 && slices.ContainsFunc(h.Lines, func(l gitext.PatchLine) bool { return l.Op == '-' }) {
				patch.Files = patch.Files[i : i+1]
				return &out
			}
		}
	}
	return &out
}

// collided reports whether the reference implementation may have lost the commits because
// it treats lines of two commits with one path and one original number as the same.
func collided(t *tracer, lost []gitext.OID) bool {
	owners := map[place][]gitext.OID{}
	for _, f := range t.files {
		for _, l := range f.lines {
			key := place{l.blame.Path, l.blame.OrigLine}
			owners[key] = append(owners[key], l.blame.Commit)
		}
	}
	for _, f := range t.files {
		for _, l := range f.lines {
			alone := !slices.ContainsFunc(owners[place{l.blame.Path, l.blame.OrigLine}], func(o gitext.OID) bool { return !slices.Contains(lost, o) })
			if slices.Contains(lost, l.blame.Commit) && alone {
				return false
			}
		}
	}
	return true
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
