package lineindex

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// smallCopies makes blocks small and all lines worth a copy.
func smallCopies(t *testing.T) {
	size, least := blockSize, minCopied
	t.Cleanup(func() { blockSize, minCopied = size, least })
	blockSize, minCopied = 300, 1
}

// large returns lines with a name that are worth a copy.
func large(name string) string {
	return "begin " + name + "\n" + strings.Repeat(name+" again and again\n", 100)
}

// copied makes a history with repeated lines: put into a folder, removed, picked to a
// branch.
func copied(t *testing.T) *gittest.History {
	h := gittest.New(t)
	h.Commit("made", gittest.Files{"a.c": large("alpha"), "b.c": large("beta")})
	h.Commit("tag", gittest.Files{"tags/1/a.c": large("alpha"), "tags/1/b.c": large("beta"), "note": "tagged alpha\n"})
	h.Commit("changed", gittest.Files{"a.c": large("alpha") + large("gamma")})
	h.Git("rm", "-rq", "tags")
	h.Git("commit", "-qm", "no tags")
	h.Git("revert", "--no-edit", "HEAD~1")
	h.Commit("again", gittest.Files{"a.c": large("alpha") + large("gamma")})
	return h
}

func TestCopies(t *testing.T) {
	h := copied(t)
	repo, dir := h.Open(), t.TempDir()
	build(t, dir, repo)
	x := opened(t, dir, repo)
	if n := len(x.copies[0]); x.Header.Blocks != 1 || n != 3 || x.Header.Originals != 3 {
		t.Errorf("%d originals have copies, of %+v", n, x.Header)
	}
	for text, want := range map[string]string{
		"begin alpha": "no tags tag made",
		"begin beta":  "no tags tag made",
		"begin gamma": `again Revert "changed" changed`,
		"alpha":       "no tags tag made",
	} {
		if got := changed(t, repo, x, h.Head(), text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	list, err := x.TextChanges(t.Context(), h.Head(), []string{"begin gamma", "begin beta"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, text := range list {
		for _, ch := range text.Changes {
			got = append(got, fmt.Sprintf("%d %s>%s -%d +%d", ch.Place, ch.OldPath, ch.Path, ch.Removed, ch.Added))
		}
	}
	want := []string{
		"1 a.c>a.c -0 +1", "2 a.c>a.c -1 +0", "4 a.c>a.c -0 +1",
		"3 tags/1/b.c> -1 +0", "5 tags/1/b.c>tags/1/b.c -0 +1", "6 b.c>b.c -0 +1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// The index does not depend on the number of builds, so a later build finds the stored
// lines again.
func TestCopiesAcrossBuilds(t *testing.T) {
	smallCopies(t)
	h := copied(t)
	repo := h.Open()
	whole := t.TempDir()
	build(t, whole, repo)
	want := opened(t, whole, repo)
	parts := t.TempDir()
	clone := &gittest.History{T: t, Dir: t.TempDir(), Time: h.Time}
	clone.Git("init", "-q")
	for n := 5; n >= 0; n-- {
		oid := strings.TrimSpace(h.Git("rev-parse", fmt.Sprintf("HEAD~%d", n)))
		clone.Git("fetch", "-q", h.Dir, oid+":refs/heads/part")
		build(t, parts, clone.Open())
	}
	got := opened(t, parts, repo)
	if !reflect.DeepEqual(want.copies, got.copies) || !slices.Equal(want.starts, got.starts) || want.Header.Originals != got.Header.Originals {
		t.Errorf("in one go %+v\n%v\nin six %+v\n%v", want.Header, want.copies, got.Header, got.copies)
	}
	if len(want.copies) < 3 {
		t.Errorf("%d blocks are too few", len(want.copies))
	}
	for _, text := range []string{"alpha", "beta", "begin gamma"} {
		if a, b := changed(t, repo, want, h.Head(), text), changed(t, repo, got, h.Head(), text); a != b {
			t.Errorf("%q: in one go %q, in six %q", text, a, b)
		}
	}
}

// Only the blocks of originals have a text, so a search for the newest commit must find
// that their blocks are needed.
func TestFirstOfCopies(t *testing.T) {
	smallCopies(t)
	h := gittest.New(t)
	h.Commit("made", gittest.Files{"a": large("alpha")})
	for i := range 3 * ahead {
		h.Commit(fmt.Sprint("other ", i), gittest.Files{"b": large(fmt.Sprint("beta", i))})
	}
	h.Commit("copied", gittest.Files{"c": large("alpha")})
	repo, dir := h.Open(), t.TempDir()
	build(t, dir, repo)
	x := opened(t, dir, repo)
	hits, _ := x.Candidates(t.Context(), gitext.ChangeQuery{Text: "again and again", Tip: h.Head()})
	for hit, err := range hits {
		if err != nil || hit.OID != h.Head() || !hit.Certain {
			t.Errorf("%+v, %v", hit, err)
		}
		break
	}
	if got := changed(t, repo, x, h.Head(), "begin alpha"); got != "copied made" {
		t.Errorf("%q", got)
	}
}

func TestDamagedCopies(t *testing.T) {
	blocks := [][]recordID{nil, {{0, 3}, {0, 3}, {2, 1}, {0, 1}}, {}, {{3, 0}}}
	data := encodeCopies(blocks)
	got, err := decodeCopies(data)
	want := [][]recordID{nil, {{0, 1}, {0, 3}, {2, 1}}, nil, {{3, 0}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := decodeCopies(data[:len(data)-1]); err == nil {
		t.Error("a part that ends early is read")
	}
}
