package gittool

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/gitext"
)

// lose removes the loose object of a file.
func (f *fixture) lose(commit, path string) string {
	f.t.Helper()
	gone := f.git("rev-parse", string(f.oid[commit])+":"+path)
	if err := os.Remove(filepath.Join(f.dir, ".git", "objects", gone[:2], gone[2:])); err != nil {
		f.t.Fatal(err)
	}
	return gone
}

func TestGapSaysWhatWasNotSearched(t *testing.T) {
	// If a blob is missing, an answer names the file and the commit that need it, the
	// unsearched period and the path of the search.
	t.Parallel()
	f := newFixture(t)
	f.write("d/a.c", "int old;\n")
	f.write("b.c", "int b;\n")
	f.commit("one", "one\n")
	f.write("d/a.c", "int changed;\n")
	f.commit("two", "two\n")
	f.write("d/a.c", "int changed;\nint more;\n")
	f.commit("three", "three\n")
	gone := f.lose("one", "d/a.c")[:12]
	box := f.toolbox(Scope{Tip: f.oid["three"]}, Options{})
	for _, test := range [][3]string{
		{"git_log_search", `{"pattern":"more"}`, "(d/a.c at {two12}); not searched: {two12} and older commits (2020-02-01 and before), in any file; searched: only newer ones"},
		{"git_log_search", `{"pattern":"more","path":"d/a.c"}`, "and before), in d/a.c; searched"},
		{"git_log_search", `{"pattern":"nowhere"}`, "error: this clone lacks object " + gone + " (d/a.c at {two12}); not searched: {two12}"},
		{"git_log_function", `{"path":"d/a.c","start":1,"end":2}`, "(d/a.c at {two12}); not searched: {two12}"},
		{"git_blame", `{"path":"d/a.c"}`, "lacks object"},
		{"git_grep", `{"pattern":"int","commit":"{one}"}`, "(d/a.c) and perhaps others; files that need them were not searched, all others at {one12} were"},
		{"git_show", `{"commit":"{two}"}`, "M d/a.c +0 -0 (patch not read)"},
	} {
		got := f.transcript(box, [][2]string{{test[0], test[1]}})
		if want := f.expand(test[2]); !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
}

func TestGapOfAPartialClone(t *testing.T) {
	// A clone without blobs names the commit that ended the search.
	t.Parallel()
	f := newFixture(t)
	f.write("a.c", "int old;\n")
	f.commit("one", "one\n")
	f.write("a.c", "int new;\n")
	f.commit("two", "two\n")
	c := cloneOf(f, "--filter=blob:none")
	got := f.transcript(c.toolbox(Scope{Tip: f.oid["two"]}, Options{}), [][2]string{{"git_log_search", `{"pattern":"old"}`}})
	if want := f.expand("(a.c at {two12}); not searched: {two12} and older commits (2020-02-01 and before), in any file"); !strings.Contains(got, want) {
		t.Errorf("no %q in %s", want, got)
	}
}

func TestGapWithoutTrees(t *testing.T) {
	// An object that no readable tree has is named without a place.
	t.Parallel()
	f := newFixture(t)
	f.write("a.c", "int old;\n")
	f.commit("one", "one\n")
	b := &scopedRepo{repo: f.open(), scope: Scope{Tip: f.oid["one"]}}
	object := strings.Repeat("1", 40)
	if gap := b.gapAt(t.Context(), gitext.LogOptions{Tip: f.oid["one"]}, object); gap != nil {
		t.Errorf("%s is at %v", object, gap)
	}
	if got := gapNote(object, nil, ""); got != "note: this clone lacks object 111111111111; commits behind it were not searched" {
		t.Errorf("got %q", got)
	}
}
