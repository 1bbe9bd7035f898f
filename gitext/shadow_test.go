package gitext

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"git-agent/gitext/gitdir"
)

func TestShadowIsPrivateAndReused(t *testing.T) {
	// Only the user can read the shadow; a second Open leaves it untouched.
	f := simple(t)
	r := f.open()
	shadow := r.shadow.Dir
	stamps := map[string]int64{}
	visit := func(check func(path string, info fs.FileInfo)) {
		err := filepath.WalkDir(shadow, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err == nil {
				check(path, info)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	visit(func(path string, info fs.FileInfo) {
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		stamps[path] = info.ModTime().UnixNano()
	})
	f.open()
	visit(func(path string, info fs.FileInfo) {
		if stamps[path] != info.ModTime().UnixNano() {
			t.Errorf("%s was written again", path)
		}
	})
}

func TestShadowIsMadeOnceByMany(t *testing.T) {
	// Many concurrent calls of Open for a new repository all succeed, and leave
	// no unfinished files.
	f := simple(t)
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			r, err := Open(t.Context(), OpenOptions{Dir: f.dir, Locate: dataOf})
			if err != nil {
				t.Error(err)
				return
			}
			defer r.Close()
			if _, err := r.Commit(t.Context(), f.oid("HEAD")); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	entries, err := os.ReadDir(dataOf(filepath.Join(f.dir, ".git")))
	if err != nil || len(entries) != 1 {
		t.Errorf("left: %v, %v", entries, err)
	}
}

func TestDamagedShadowIsRepaired(t *testing.T) {
	// Open repairs everything missing or wrong in the shadow.
	f := simple(t)
	shadow := f.open().shadow.Dir
	for _, damage := range []func() error{
		func() error { return os.Remove(filepath.Join(shadow, "config")) },
		func() error { return os.WriteFile(filepath.Join(shadow, "config"), nil, 0o600) },
		func() error { return os.RemoveAll(filepath.Join(shadow, "refs")) },
		func() error { return os.RemoveAll(filepath.Join(shadow, "objects")) },
		func() error {
			return os.WriteFile(filepath.Join(shadow, "objects", "info", "alternates"), []byte("/elsewhere\n"), 0o600)
		},
		func() error { return os.RemoveAll(shadow) },
		func() error { return os.Chmod(filepath.Join(shadow, "config"), 0) },
		func() error { return replaceBy(filepath.Join(shadow, "config"), "directory") },
		func() error { return replaceBy(filepath.Join(shadow, "objects", "info", "alternates"), "directory") },
		func() error { return replaceBy(filepath.Join(shadow, "objects", "info", "alternates"), "pipe") },
		func() error { return replaceBy(filepath.Join(shadow, "HEAD"), "pipe") },
		func() error { return replaceBy(filepath.Join(shadow, "objects", "info"), "pipe") },
		func() error { return os.Mkdir(filepath.Join(shadow, "objects", "info", "commit-graphs"), 0o700) },
		func() error {
			return os.WriteFile(filepath.Join(shadow, "objects", "pack", "multi-pack-index"), nil, 0o600)
		},
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		usable(t, f.open())
	}
}

func TestPlantedShadowIsThrownAway(t *testing.T) {
	// Files in the shadow that would lead git to foreign settings are not used,
	// and nothing behind a link is changed.
	f := simple(t)
	shadow := f.open().shadow.Dir
	canary := filepath.Join(t.TempDir(), "canary")
	evil := another(t)
	evil.git("config", "core.fsmonitor", "touch "+canary)
	for name, plant := range map[string]func() error{
		"commondir": func() error {
			return os.WriteFile(filepath.Join(shadow, "commondir"), []byte(evil.dir+"/.git\n"), 0o600)
		},
		"config.worktree": func() error { return os.WriteFile(filepath.Join(shadow, "config.worktree"), []byte("[core]\n"), 0o600) },
		"hooks":           func() error { return os.MkdirAll(filepath.Join(shadow, "hooks"), 0o700) },
		"info":            func() error { return os.MkdirAll(filepath.Join(shadow, "info"), 0o700) },
		"config link": func() error {
			os.Remove(filepath.Join(shadow, "config"))
			return os.Symlink(filepath.Join(evil.dir, ".git", "config"), filepath.Join(shadow, "config"))
		},
		"shadow link": func() error {
			os.RemoveAll(shadow)
			return os.Symlink(filepath.Join(evil.dir, ".git"), shadow)
		},
	} {
		t.Run(name, func(t *testing.T) {
			if err := plant(); err != nil {
				t.Fatal(err)
			}
			usable(t, openAt(t, OpenOptions{Dir: f.dir}))
			info, err := os.Lstat(shadow)
			if err != nil || !info.IsDir() {
				t.Fatalf("the link is still there: %v", err)
			}
			for _, planted := range []string{"commondir", "config.worktree", "hooks", "info"} {
				if _, err := os.Lstat(filepath.Join(shadow, planted)); err == nil {
					t.Errorf("%s is still there", planted)
				}
			}
		})
	}
	if out := evil.git("config", "core.fsmonitor"); !strings.Contains(out, "canary") {
		t.Error("the directory behind the link was changed")
	}
}

func TestDataWithoutAPlace(t *testing.T) {
	// If the data directory is unusable or not given, a temporary directory is
	// used and removed by Close. Nothing is written to the repository.
	f := simple(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{"", file, filepath.Join(file, "below")} {
		r := openAt(t, OpenOptions{Dir: f.dir, Locate: func(string) string { return place }})
		usable(t, r)
		r.Close()
		if _, err := os.Stat(r.dataDir); err == nil || !strings.HasPrefix(r.dataDir, os.TempDir()) {
			t.Errorf("%q: %q is left, %v", place, r.dataDir, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(f.dir, ".git", "agent")); err == nil {
		t.Error("the repository was written to")
	}
}

func TestDamagedGraphIsDropped(t *testing.T) {
	// git trusts a changed byte in a commit-graph. The next Open finds the
	// damage; a sound graph is read only once.
	f := simple(t)
	r := openAt(t, OpenOptions{Dir: f.dir, Bloom: BloomBuild})
	graph, seen := gitdir.Graph(r.shadow.Dir), filepath.Join(r.shadow.Dir, "graph-seen")
	whole, err := os.ReadFile(graph)
	if err != nil {
		t.Fatal(err)
	}
	if r = f.open(); !r.HasBloom() || r.BloomDropped() {
		t.Fatal("a whole graph was dropped")
	}
	if err := r.CheckBloom(t.Context()); err != nil {
		t.Errorf("a whole graph: %v", err)
	}
	before, err := os.Stat(seen)
	if err != nil {
		t.Fatal(err)
	}
	f.open()
	if after, err := os.Stat(seen); err != nil || !os.SameFile(before, after) {
		t.Errorf("read again: %v", err)
	}
	for at := 0; at < len(whole); at += len(whole)/20 + 1 {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 0x40
		os.Remove(graph) // git makes it read-only
		if err := os.WriteFile(graph, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		r := f.open()
		usable(t, r)
		if r.HasBloom() || !r.BloomDropped() {
			t.Errorf("byte %d: the damaged graph is used", at)
		}
	}
	for _, kind := range []string{"directory", "pipe", "link"} {
		if err := replaceBy(graph, kind); err != nil {
			t.Fatal(err)
		}
		if r := f.open(); r.HasBloom() {
			t.Errorf("a %s is used", kind)
		}
	}
	if r = openAt(t, OpenOptions{Dir: f.dir, Bloom: BloomBuild}); !r.HasBloom() || r.BloomDropped() {
		t.Error("the graph was not built again")
	}
}

// replaceBy replaces a file by something else.
func replaceBy(name, kind string) error {
	if err := os.RemoveAll(name); err != nil {
		return err
	}
	switch kind {
	case "directory":
		return os.Mkdir(name, 0o700)
	case "pipe":
		return mkfifo(name)
	}
	return os.Symlink("elsewhere", name)
}

func TestOddRepositoryPath(t *testing.T) {
	// A repository may have any path without a line break.
	f := simple(t)
	for _, name := range []string{"with space", "co:lon", "qu\"ote", "#hash", "back\\slash", "ünï", "tab\t", "[x]*"} {
		moved := filepath.Join(t.TempDir(), name)
		if err := os.Rename(f.dir, moved); err != nil {
			t.Fatal(err)
		}
		f.dir = moved
		usable(t, f.open())
	}
}

func TestBloomChangesNothing(t *testing.T) {
	// With filters written the answers are the same, git sees the filters, and
	// they are not written again for the same refs.
	f := newFixture(t)
	oddHistory(f)
	head := f.oid("HEAD")
	plain := f.open()
	want := collect(t, plain.Log(t.Context(), LogOptions{Tip: head, Paths: []string{"plain.c.moved"}, Files: true}))
	r := openAt(t, OpenOptions{Dir: f.dir, Bloom: BloomBuild})
	if !r.HasBloom() {
		t.Fatal("no filters")
	}
	graph := filepath.Join(r.shadow.Dir, "objects", "info", "commit-graph")
	before, err := os.Stat(graph)
	if err != nil {
		t.Fatal(err)
	}
	got := collect(t, r.Log(t.Context(), LogOptions{Tip: head, Paths: []string{"plain.c.moved"}, Files: true}))
	equal(t, "log", entryOIDs(got), entryOIDs(want))
	openAt(t, OpenOptions{Dir: f.dir, Bloom: BloomBuild})
	if after, err := os.Stat(graph); err != nil || !os.SameFile(before, after) {
		t.Errorf("written again: %v", err)
	}
	f.write("plain.c.moved", "new\n")
	next := f.commit("later")
	r = openAt(t, OpenOptions{Dir: f.dir, Bloom: BloomBuild})
	if after, err := os.Stat(graph); err != nil || os.SameFile(before, after) {
		t.Errorf("not written for the new commit: %v", err)
	}
	if e := collect(t, r.Log(t.Context(), LogOptions{Tip: next, Max: 1, Paths: []string{"plain.c.moved"}})); e[0].OID != next {
		t.Errorf("got %v", e)
	}
}

func TestBloomIsNeverNeeded(t *testing.T) {
	// If the filters cannot be written because another process has the lock,
	// everything works without filters; the lock of a dead process is no
	// obstacle.
	f := simple(t)
	info := filepath.Join(f.open().shadow.Dir, "objects", "info")
	lock := filepath.Join(info, "commit-graph.lock")
	if err := os.WriteFile(lock, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := openAt(t, OpenOptions{Dir: f.dir, Bloom: BloomBuild})
	usable(t, r)
	if r.HasBloom() {
		t.Error("written in spite of the lock")
	}
	if err := os.Chtimes(lock, time.Time{}, time.Now().Add(-2*staleLock)); err != nil {
		t.Fatal(err)
	}
	if r = openAt(t, OpenOptions{Dir: f.dir, Bloom: BloomBuild}); !r.HasBloom() {
		t.Error("the lock of a dead process still counts")
	}
}
