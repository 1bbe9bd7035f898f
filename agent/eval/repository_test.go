package eval

import (
	"slices"
	"strings"
	"testing"

	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// Changed-path filters are built only if there are enough cases to make them pay.
func TestFiltersForManyCases(t *testing.T) {
	h := gittest.New(t)
	h.Commit("one", gittest.Files{"f": "1\n"})
	h.Commit("two", gittest.Files{"f": "2\n"})
	for cases, want := range map[int]bool{fewCases: false, fewCases + 1: true} {
		repo, err := OpenRepository(t.Context(), h.Dir, cases, Opening{})
		if err != nil {
			t.Fatal(err)
		}
		if got := repo.HasBloom(); got != want {
			t.Errorf("%d cases: filters %t", cases, got)
		}
		if err := repo.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Absent returns the commits that are missing. An object other than a commit is an error.
func TestAbsent(t *testing.T) {
	h := gittest.New(t)
	there := h.Commit("one", gittest.Files{"f": "1\n"})
	gone := gitext.OID(strings.Repeat("1", len(there))) // of either hash
	repo := h.Open()
	if got, err := Absent(t.Context(), repo, there, gone); err != nil || !slices.Equal(got, []gitext.OID{gone}) {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := Absent(t.Context(), repo, gitext.OID(h.Git("rev-parse", "HEAD:f"))); err == nil {
		t.Errorf("a file as a commit: %q", got)
	}
}
