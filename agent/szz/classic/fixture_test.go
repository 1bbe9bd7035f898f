package classic

import (
	"context"
	"strings"
	"testing"

	"git-agent/agent/szz"
	"git-agent/agent/szz/szztest"
	"git-agent/gitext"
)

func (h *history) trace(fix gitext.OID, variant string) *szz.Answer {
	h.T.Helper()
	ctx := context.Background()
	repo, err := gitext.Open(ctx, gitext.OpenOptions{Dir: h.Dir, DataDir: h.T.TempDir()})
	if err != nil {
		h.T.Fatal(err)
	}
	defer repo.Close()
	fc, err := szz.NewContext(ctx, repo, fix, szz.ContextOptions{NoAnnotations: true})
	if err != nil {
		h.T.Fatal(err)
	}
	v, err := Trace(ctx, repo, fc, variant)
	if err != nil {
		h.T.Fatalf("%s: %v", variant, err)
	}
	return v
}

// head traces HEAD with each variant. want is "b: x y; ag ma: x".
func (h *history) head(want string) {
	h.T.Helper()
	fix := h.Head()
	for _, clause := range strings.Split(want, ";") {
		names, commits, _ := strings.Cut(clause, ":")
		for _, variant := range strings.Fields(names) {
			v := h.trace(fix, variant)
			got := strings.Join(szztest.Subjects(v), " ")
			if exp := strings.Join(strings.Fields(commits), " "); got != exp {
				h.T.Errorf("%s: got %q, want %q; notes %q", variant, got, exp, v.Notes)
			}
			szztest.CheckAnswer(h.T, v)
		}
	}
}

// A history is a repository of a test, with the methods that these tests need.
type history struct{ *szztest.History }

func newHistory(t testing.TB) *history {
	t.Helper()
	return &history{szztest.New(t)}
}
