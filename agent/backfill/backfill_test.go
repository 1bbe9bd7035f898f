package backfill

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// served returns a history that serves partial clones.
func served(t *testing.T) *gittest.History {
	h := gittest.New(t)
	h.Git("config", "uploadpack.allowFilter", "true")
	h.Git("config", "uploadpack.allowAnySHA1InWant", "true")
	return h
}

// partial clones a history with a filter and without a checkout.
func partial(t *testing.T, h *gittest.History, filter string) (*gittest.History, *gitext.Repo) {
	t.Helper()
	clone := &gittest.History{T: t, Dir: t.TempDir(), Time: h.Time}
	clone.Git("clone", "-q", "--no-checkout", "--filter="+filter, "file://"+h.Dir, ".")
	return clone, clone.Open()
}

// missing counts the objects that a clone lacks.
func missing(clone *gittest.History) int {
	return strings.Count("\n"+clone.Git("rev-list", "--objects", "--all", "--missing=print"), "\n?")
}

func text(n int, change string) string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d of the file", i)
	}
	return gittest.Lines(append(lines, change)...)
}

func TestHistoryFollowsRenames(t *testing.T) {
	// A file is renamed twice, with changes, beside another file that stays. All its
	// versions arrive under all names, in one fetch for each name, and no version of the
	// other file arrives.
	t.Parallel()
	h := served(t)
	h.Commit("one", gittest.Files{"a.c": text(30, "1"), "other.c": "1\n"})
	h.Commit("two", gittest.Files{"a.c": text(30, "2"), "other.c": "2\n"})
	h.Commit("three", gittest.Files{"a.c": gittest.Gone, "b.c": text(30, "3")})
	h.Commit("four", gittest.Files{"b.c": gittest.Gone, "sub/c.c": text(30, "4")})
	head := h.Commit("five", gittest.Files{"sub/c.c": text(30, "5"), "other.c": "3\n"})
	clone, repo := partial(t, h, "blob:none")
	if n := missing(clone); n != 8 {
		t.Fatalf("%d objects are missing before", n)
	}
	var fetches []int
	f := &Fetcher{Repo: repo, OnFetch: func(objects int, remote string) {
		fetches = append(fetches, objects)
		if remote != "origin" {
			t.Errorf("fetched from %q", remote)
		}
	}}
	if !f.History(t.Context(), head, []string{"sub/c.c"}, nil) || f.Err() != nil {
		t.Fatalf("nothing arrived: %v", f.Err())
	}
	if _, err := repo.Blame(t.Context(), head, "sub/c.c", gitext.BlameOptions{}); err != nil {
		t.Error(err)
	}
	if n := missing(clone); n != 3 || len(fetches) > 3 {
		t.Errorf("%d objects are missing, after fetches of %v", n, fetches)
	}
	if f.History(t.Context(), head, []string{"sub/c.c"}, nil) || len(fetches) > 3 {
		t.Error("asked again for what had arrived")
	}
}

func TestFiles(t *testing.T) {
	// A search needs the files of one commit, and no earlier version.
	t.Parallel()
	h := served(t)
	h.Commit("one", gittest.Files{"a": "1\n", "d/b": "1 b\n", "d/c": "1 c\n"})
	head := h.Commit("two", gittest.Files{"a": "2\n", "d/b": "2 b\n"})
	clone, repo := partial(t, h, "blob:none")
	f := &Fetcher{Repo: repo}
	if !f.Files(t.Context(), head, "d") || missing(clone) != 3 {
		t.Errorf("%d objects are missing after a folder was fetched: %v", missing(clone), f.Err())
	}
	if !f.Files(t.Context(), head, "") || missing(clone) != 2 {
		t.Errorf("%d objects are missing after all files were fetched: %v", missing(clone), f.Err())
	}
}

func TestFailureEndsFetching(t *testing.T) {
	// After one remote was unreachable, no further fetch is tried, and the error is
	// git's.
	t.Parallel()
	h := served(t)
	head := h.Commit("one", gittest.Files{"a": "1\n", "b": "2\n"})
	clone, repo := partial(t, h, "blob:none")
	clone.Git("remote", "set-url", "origin", filepath.Join(t.TempDir(), "nowhere"))
	tries := 0
	f := &Fetcher{Repo: repo, OnFetch: func(int, string) { tries++ }}
	if f.Files(t.Context(), head, "a") || f.Files(t.Context(), head, "b") || tries != 1 {
		t.Errorf("%d tries", tries)
	}
	if f.Err() == nil || !strings.HasPrefix(f.Err().Error(), "git fetch: ") {
		t.Errorf("the error is %v", f.Err())
	}
}

func TestTreesAreNotGuessed(t *testing.T) {
	// In a clone without trees nothing is fetched, and the error says why.
	t.Parallel()
	h := served(t)
	h.Commit("one", gittest.Files{"a": "1\n"})
	head := h.Commit("two", gittest.Files{"a": "2\n"})
	clone, repo := partial(t, h, "tree:0")
	before := missing(clone)
	f := &Fetcher{Repo: repo}
	if f.History(t.Context(), head, []string{"a"}, nil) || !errors.Is(f.Err(), ErrTrees) || missing(clone) != before {
		t.Errorf("%v, and %d instead of %d objects are missing", f.Err(), missing(clone), before)
	}
}

func TestFetchIsGuarded(t *testing.T) {
	// A fetch runs no hook, moves no ref and writes no FETCH_HEAD, and a remote with an
	// option as its name is not used. An interrupted fetch is no failure of the remote.
	t.Parallel()
	h := served(t)
	head := h.Commit("one", gittest.Files{"a": "1\n"})
	clone, repo := partial(t, h, "blob:none")
	h.Git("tag", "later")
	h.Commit("two", gittest.Files{"a": "2\n"})
	hook := filepath.Join(clone.Dir, ".git", "hooks", "reference-transaction")
	if err := os.MkdirAll(filepath.Dir(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(hook, []byte("#!/bin/sh\ntouch hooked\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	clone.Git("config", "remote.--upload-pack=touch hooked.promisor", "true")
	refs := clone.Git("for-each-ref")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	f := &Fetcher{Repo: repo}
	if f.Files(stopped, head, "a") || f.Err() != nil {
		t.Errorf("an interrupted fetch: %v", f.Err())
	}
	if !f.Files(t.Context(), head, "a") || f.Err() != nil {
		t.Errorf("nothing arrived: %v", f.Err())
	}
	for _, name := range []string{"hooked", ".git/FETCH_HEAD", ".git/hooked"} {
		if _, err := os.Stat(filepath.Join(clone.Dir, name)); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	if now := clone.Git("for-each-ref"); now != refs {
		t.Errorf("the refs are %q", now)
	}
}
