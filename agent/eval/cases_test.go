package eval

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Find knows every layout of clones, bare or not, and prefers the mirror to the repository.
func TestFinder(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{"o/nested/.git", "o__flat/objects", "o__flat/HEAD", "o+plus/.git", "o+inside/repo/objects", "o+inside/repo/HEAD",
		"o+bare.git/HEAD", "o+bare.git/objects", "o/both/.git", "fork+both/.git", "o/empty"} {
		if err := os.MkdirAll(filepath.Join(dir, path), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ repo, mirror, want string }{
		{"o/nested", "", "o/nested"}, {"o/flat", "", "o__flat"}, {"o/plus", "", "o+plus"}, {"o/inside", "", "o+inside/repo"},
		{"o/bare", "", "o+bare.git"}, {"o/both", "fork+both", "fork+both"}, {"o/both", "fork/both", "fork+both"}, {"o/both", "../x", "o/both"},
		{"o/empty", "", ""}, {"o/none", "", ""},
	} {
		got, ok := Finder{dir}.Find(c.mirror, c.repo)
		if want := filepath.Join(dir, c.want); ok != (c.want != "") || ok && got != want {
			t.Errorf("%s with mirror %q is %q, want %q", c.repo, c.mirror, got, c.want)
		}
	}
}

// A sample is the same each time and keeps the order, and a larger sample contains
// a smaller one.
func TestSample(t *testing.T) {
	var cases []Case
	for i := range 100 {
		cases = append(cases, question{ID: string(rune('A' + i))})
	}
	small, large := Sample(cases, 10), Sample(cases, 30)
	if len(small) != 10 || len(large) != 30 || len(Sample(cases, 0)) != 100 || len(Sample(cases, 200)) != 100 {
		t.Fatalf("%d and %d cases", len(small), len(large))
	}
	if !slices.IsSortedFunc(large, func(a, b Case) int { return strings.Compare(a.Head().ID, b.Head().ID) }) {
		t.Error("the order changed")
	}
	for _, c := range small {
		if !slices.ContainsFunc(large, func(d Case) bool { return c.Head().ID == d.Head().ID }) {
			t.Errorf("%s is in the smaller sample only", c.Head().ID)
		}
	}
}
