package material

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-agent/gitext/gittest"
)

// A repository is found by the first of its names that is there, and its history has no merges.
func TestHistory(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("first", nil)
	h.Git("checkout", "-q", "-b", "side")
	h.Commit("second", nil)
	h.Git("checkout", "-q", "main")
	h.Git("merge", "-q", "--no-ff", "-m", "merge", "side")
	folder := t.TempDir()
	if err := os.Symlink(h.Dir, filepath.Join(folder, "owner+name")); err != nil {
		t.Fatal(err)
	}
	repo, err := Open(t.Context(), folder, "owner/mirror", "owner/name")
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	var subjects []string
	for c, err := range History(t.Context(), repo) {
		if err != nil {
			t.Fatal(err)
		}
		subjects = append(subjects, c.Subject())
	}
	if !slices.Equal(subjects, []string{"second", "first"}) {
		t.Errorf("history %q", subjects)
	}
	if _, err := Open(t.Context(), folder, "owner/other"); err == nil || !strings.Contains(err.Error(), "no owner/other under") {
		t.Errorf("a repository that is not there: %v", err)
	}
}

// Each repository is shown with its own rows, and with the others, which keep their order.
func TestEachRepo(t *testing.T) {
	t.Parallel()
	var shown []string
	EachRepo([]string{"b1", "a1", "b2"}, func(r string) string { return r[:1] }, func(name string, own, others []string) {
		shown = append(shown, fmt.Sprint(name, own, others))
	})
	if want := []string{"a[a1] [b1 b2]", "b[b1 b2] [a1]"}; !slices.Equal(shown, want) {
		t.Errorf("%q, want %q", shown, want)
	}
}
