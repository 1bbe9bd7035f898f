package szz

import (
	"context"
	"slices"
	"strings"
	"testing"

	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// A history is a repository of a test, with what these tests ask of it.
type history struct{ *gittest.History }

func newHistory(t *testing.T) *history {
	t.Helper()
	return &history{gittest.New(t)}
}

func (h *history) trace(fix gitext.OID, variant string) *Verdict {
	h.T.Helper()
	ctx := context.Background()
	repo, err := gitext.Open(ctx, gitext.OpenOptions{Dir: h.Dir, DataDir: h.T.TempDir(), AllowShallow: true})
	if err != nil {
		h.T.Fatal(err)
	}
	defer repo.Close()
	fc, err := NewContext(ctx, repo, fix, ContextOptions{NoAnnotations: true})
	if err != nil {
		h.T.Fatal(err)
	}
	v, err := classic(ctx, repo, fc, variant)
	if err != nil {
		h.T.Fatalf("%s: %v", variant, err)
	}
	return v
}

func subjects(v *Verdict) []string {
	var out []string
	for _, s := range v.Suspects {
		out = append(out, s.Commit.Subject())
	}
	slices.Sort(out)
	return out
}

// head traces HEAD with each variant. want is "b: x y; ag ma: x".
func (h *history) head(want string) {
	h.T.Helper()
	fix := h.Head()
	for _, clause := range strings.Split(want, ";") {
		names, commits, _ := strings.Cut(clause, ":")
		for _, variant := range strings.Fields(names) {
			v := h.trace(fix, variant)
			got := strings.Join(subjects(v), " ")
			if exp := strings.Join(strings.Fields(commits), " "); got != exp {
				h.T.Errorf("%s: got %q, want %q; notes %q", variant, got, exp, v.Notes)
			}
			checkVerdict(h.T, v)
		}
	}
}

// checkVerdict holds what is true of every answer.
func checkVerdict(t testing.TB, v *Verdict) {
	t.Helper()
	for _, s := range v.Suspects {
		if !slices.Contains(v.Candidates, s.Commit.OID) {
			t.Errorf("%s: suspect %s is no candidate", v.Algorithm, s.Commit.OID)
		}
		if s.Reason == "" || len(s.Evidence) == 0 {
			t.Errorf("%s: suspect %s has no reason or no evidence", v.Algorithm, s.Commit.OID)
		}
	}
	if len(v.Suspects) == 0 && len(v.Notes) == 0 {
		t.Errorf("%s: nothing found and nothing said", v.Algorithm)
	}
}
