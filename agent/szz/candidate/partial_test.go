package candidate

import (
	"testing"

	"git-agent/gitext"
)

// fileOf returns a change of a file with n lines.
func fileOf(name string, n int) *gitext.FileChange {
	return &gitext.FileChange{Status: 'D', OldPath: name, Hunks: []gitext.Hunk{{Lines: make([]gitext.PatchLine, n)}}}
}

// The largest files are kept, up to their number and their lines, and the first one at
// any size.
func TestLargestFiles(t *testing.T) {
	t.Parallel()
	files := []*gitext.FileChange{fileOf("a", 10), fileOf("b", 30), fileOf("c", 20), fileOf("d", 5)}
	for _, c := range []struct {
		n, most int
		want    string
	}{{4, 100, "bcad"}, {2, 100, "bc"}, {4, 60, "bca"}, {4, 50, "bc"}, {4, 1, "b"}} {
		got := ""
		for _, f := range largestFiles(files, c.n, c.most) {
			got += f.OldPath
		}
		if got != c.want {
			t.Errorf("%d files of %d lines: %s, want %s", c.n, c.most, got, c.want)
		}
	}
}

// The note about omitted files begins with git's count of them.
func TestPartialNote(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		counts [3]int
		want   string
	}{
		{[3]int{30, 30, 24}, "the fix changes 30 files; only the 24 with most changed lines were traced"},
		{[3]int{5509, 2590, 1}, "the fix changes 5509 files, 2590 of them with lines that can be traced; only the one with most changed lines was traced"},
	} {
		if got := partialNote(c.counts[0], c.counts[1], c.counts[2]); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
