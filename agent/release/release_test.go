package release_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/release"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// open opens the repository of a history.
func open(t *testing.T, h *gittest.History) *gitext.Repo {
	t.Helper()
	repo, err := gitext.Open(t.Context(), gitext.OpenOptions{Dir: h.Dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	return repo
}

// find asks which releases have a bug.
func find(t *testing.T, repo *gitext.Repo, fix string, culprits ...string) *release.Answer {
	t.Helper()
	var q release.Question
	for _, rev := range append([]string{fix}, culprits...) {
		oid, err := repo.Resolve(t.Context(), rev)
		if err != nil {
			t.Fatal(err)
		}
		c, err := repo.Commit(t.Context(), oid)
		if err != nil {
			t.Fatal(err)
		}
		if rev == fix {
			q.Fix = oid
		} else {
			q.Culprits = append(q.Culprits, release.Culprit{Commit: c, Probability: 1 / float64(len(culprits)+1) * float64(len(q.Culprits)+1)})
		}
	}
	v, err := release.Find(t.Context(), repo, q)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// stream builds the input of git fast-import.
type stream struct {
	strings.Builder
	n int
}

// commit adds a commit and returns its mark. from is 0 for a first commit; the author's time is at.
func (s *stream) commit(branch string, from, at int, message, path, text string) int {
	s.n++
	fmt.Fprintf(s, "commit refs/heads/%s\nmark :%d\nauthor A <a@x> %d +0000\ncommitter C <c@x> %d +0000\ndata %d\n%s\n",
		branch, s.n, 1_600_000_000+at, 1_600_000_000+100*s.n, len(message), message)
	if from > 0 {
		fmt.Fprintf(s, "from :%d\n", from)
	}
	fmt.Fprintf(s, "M 100644 inline %s\ndata %d\n%s\n", path, len(text), text)
	return s.n
}

func (s *stream) tag(name string, at int) {
	fmt.Fprintf(s, "reset refs/tags/%s\nfrom :%d\n\n", name, at)
}

// Picks are found by equal changes, by equal messages and through each other; a commit with the
// subject and other changes is none, and a reverted culprit is a fix.
func TestPicks(t *testing.T) {
	t.Parallel()
	const long = "lib: a fix of the first parser\n\nThe message of this fix is long enough that no other commit has it by chance, as those of backports have."
	var s stream
	base := s.commit("main", 0, 1, "base", "f", "1\n")
	culprit := s.commit("main", base, 2, "lib: a culprit that breaks", "f", "2\n")
	s.tag("v1.0", culprit)
	fix := s.commit("main", culprit, 3, long, "f", "3\n")
	s.tag("v2.0", fix)
	side := func(branch, message string, at int, text string, fixed bool) {
		a := s.commit(branch, culprit, 100+s.n, "other work in "+branch, "g", branch)
		b := s.commit(branch, a, at, message, "f", text)
		s.tag(map[bool]string{true: "fixed-", false: "bad-"}[fixed]+branch+"-1.0", b)
	}
	side("same-changes", "lib: a fix of the first parser", 50, "3\n", true)
	side("part-of-subject", "[1.x] lib: a fix of the first parser (#12)", 51, "3\n", true)
	side("message", long, 52, "3!\n", true)
	side("date", "lib: other work at the same time", 3, "3!!\n", false)
	side("other-changes", "lib: a fix of the first parser", 53, "4\n", false)
	picked := s.commit("clear", base, 2, "lib: a culprit that breaks", "f", "2\n")
	s.tag("bad-picked-1.0", picked)
	chain := s.commit("clear", picked, 70, "something else\n\nBackport of 0000000", "g", "x")
	s.tag("bad-chain-1.1", chain)
	for _, format := range []string{"sha1", "sha256"} {
		h := gittest.New(t)
		h.Git("init", "-q", "-b", "main", "--object-format="+format, h.Dir+"/r")
		h.Dir += "/r"
		h.Import(s.String())
		v := find(t, open(t, h), "main", "main~1")
		for _, tag := range v.Affected {
			if !strings.HasPrefix(tag, "bad-") && tag != "v1.0" {
				t.Errorf("%s: %s is affected: %+v", format, tag, v.Picks)
			}
		}
		if want := len(strings.Split(h.Git("tag", "--list", "bad-*"), "\n")) + 1; len(v.Affected) != want {
			t.Errorf("%s: %q are affected, want %d", format, v.Affected, want)
		}
	}
}

// Several culprits have a probability each, and a release that of the likeliest it contains.
func TestCulprits(t *testing.T) {
	t.Parallel()
	var s stream
	last := 0
	for i := range 5 {
		last = s.commit("main", last, i, fmt.Sprintf("commit %d", i), "f", fmt.Sprint(i))
		s.tag(fmt.Sprintf("v1.%d.0", i), last)
	}
	h := gittest.New(t)
	h.Import(s.String())
	v := find(t, open(t, h), "v1.4.0", "v1.1.0", "v1.3.0")
	var got []string
	for _, r := range v.Ranges {
		got = append(got, fmt.Sprintf("%s %s %.2f %s", r.First, r.Last, r.Probability, r.FixedIn))
	}
	if want := []string{"v1.1.0 v1.2.0 0.33 ", "v1.3.0 v1.3.0 0.67 v1.4.0"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Odd and very many tags are no problem.
func TestManyTags(t *testing.T) {
	t.Parallel()
	var s stream
	a := s.commit("main", 0, 1, "culprit", "f", "1")
	b := s.commit("main", a, 2, "fix", "f", "2")
	for i := range 500 {
		s.tag(fmt.Sprintf("v%d.%d.0", i/50, i%50), a)
	}
	odd := []string{"-d", "--all", "a'b", "x;y", "v1.2.3-é", "1.2.3$(id)", "v1.99999999999999999999"}
	for _, name := range odd {
		s.tag(name, a)
	}
	s.tag("v99.0.0", b)
	h := gittest.New(t)
	h.Import(s.String())
	v := find(t, open(t, h), "main", "main~1")
	if v.Tags != 501+len(odd) || len(v.Affected) != v.Tags-1 || len(v.Ranges) < 1 || v.Ranges[0].First != "v0.0.0" {
		t.Errorf("%d tags, %d affected, ranges %d", v.Tags, len(v.Affected), len(v.Ranges))
	}
}
