package gitext

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestBlobs(t *testing.T) {
	// Content is returned byte for byte, for any path; too large, missing and
	// other objects than files have different errors.
	f := newFixture(t)
	oddHistory(f)
	f.write("bin", "a\x00b\r\n\n")
	f.write("empty", "")
	f.write("dir/file", "x")
	if err := os.Symlink("bin", f.dir+"/link"); err != nil {
		t.Fatal(err)
	}
	head := f.commit("more")
	r := f.open()
	want := map[string]string{"bin": "a\x00b\r\n\n", "empty": "", "dir/file": "x", "link": "bin"}
	for _, p := range oddPaths {
		want[p+".moved"] = "one " + p + "\ntwo\n3\nfour\nfive\nsix\n"
	}
	for path, content := range want {
		if got, err := r.BlobAt(t.Context(), head, path, 0); err != nil || string(got) != content {
			t.Errorf("%q: got %q, %v", path, got, err)
		}
	}
	for _, path := range []string{"nope", "dir", "dir/nope", "bin/x", "", "/bin", "./bin", "../bin", "\x00", "no\nfile"} {
		if got, err := r.BlobAt(t.Context(), head, path, 0); !errors.Is(err, ErrNotExist) {
			t.Errorf("%q: got %q, %v, want ErrNotExist", path, got, err)
		}
	}
	var large *TooLargeError
	if _, err := r.BlobAt(t.Context(), head, "bin", 5); !errors.As(err, &large) || large.Size != 6 || large.Max != 5 {
		t.Errorf("too large: %v", err)
	}
	if got, err := r.BlobAt(t.Context(), head, "bin", 6); err != nil || len(got) != 6 {
		t.Errorf("just fits: %q, %v", got, err)
	}
	if _, err := r.Blob(t.Context(), head, 0); err == nil {
		t.Error("a commit is no blob")
	}
	if _, err := r.Blob(t.Context(), OID(strings.Repeat("1", 40)), 0); !errors.As(err, new(*MissingObjectError)) {
		t.Errorf("absent: %v", err)
	}
}

func TestManyAskAtOnce(t *testing.T) {
	// Many goroutines, of which some give up, get right answers from one
	// repository.
	f := newFixture(t)
	var oids []OID
	for i := range 30 {
		oids = append(oids, f.commit("commit "+string(rune('a'+i))))
	}
	r := f.open()
	missing := OID(strings.Repeat("2", 40))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 5 {
				commits, err := r.Commits(t.Context(), oids)
				if err != nil {
					t.Error(err)
					return
				}
				for i, c := range commits {
					if c.OID != oids[i] || c.Subject() != "commit "+string(rune('a'+i)) {
						t.Errorf("got %q for %s", c.Message, oids[i])
					}
				}
				if _, err := r.Commit(t.Context(), missing); !errors.As(err, new(*MissingObjectError)) {
					t.Errorf("got %v", err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				cancel()
				if _, err := r.Commits(ctx, oids); !errors.Is(err, context.Canceled) {
					t.Errorf("got %v", err)
				}
			}
		})
	}
	all.Wait()
}

func TestCommitsFailTogether(t *testing.T) {
	// Commits names the unreadable commits; no answer is shifted.
	f := simple(t)
	head, tree := f.oid("HEAD"), f.oid("HEAD^{tree}")
	r := f.open()
	missing := OID(strings.Repeat("3", 40))
	if _, err := r.Commits(t.Context(), []OID{head, missing, head}); !errors.As(err, new(*MissingObjectError)) {
		t.Errorf("missing: %v", err)
	}
	for _, bad := range []OID{tree, "HEAD", "", "--all"} {
		if got, err := r.Commits(t.Context(), []OID{head, bad}); err == nil {
			t.Errorf("%q: got %v", bad, got)
		}
	}
	got, err := r.Commits(t.Context(), slices.Repeat([]OID{head}, 500))
	if err != nil || len(got) != 500 || got[499].OID != head {
		t.Errorf("after failures: %d commits, %v", len(got), err)
	}
}

func TestCorruptObject(t *testing.T) {
	// An unreadable object affects only its own answer.
	f := simple(t)
	f.write("f", strings.Repeat("much text to damage\n", 100))
	blob := OID(strings.TrimSpace(f.git("hash-object", "-w", "f")))
	head := f.oid("HEAD")
	loose := f.dir + "/.git/objects/" + string(blob[:2]) + "/" + string(blob[2:])
	if err := os.Chmod(loose, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(loose, []byte("no zlib stream"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := f.open()
	if got, err := r.Blob(t.Context(), blob, 0); err == nil {
		t.Errorf("got %q", got)
	}
	if _, err := r.Commit(t.Context(), head); err != nil {
		t.Error(err)
	}
}

func TestOldGitReads(t *testing.T) {
	// A repository can also be read with a git before 2.36, whose cat-file has no
	// --batch-command.
	f := simple(t)
	head := f.oid("HEAD")
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script := "#!/bin/sh\nfor word; do test \"$word\" = --batch-command && exit 129; done\nexec '" + git + "' \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	r := f.open()
	if got, err := r.BlobAt(t.Context(), head, "f", 100); err != nil || string(got) != "one\n2\n" {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := r.BlobAt(t.Context(), head, "f", 3); !errors.As(err, new(*TooLargeError)) {
		t.Errorf("got %v", err)
	}
	usable(t, r)
}
