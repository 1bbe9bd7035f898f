//go:build unix

package gitext

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is far above the time for any answer here: only a hang reaches it.
const patience = time.Minute

func makePipe(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestPipesInTheRepository(t *testing.T) {
	isolate(t)
	// A named pipe instead of any file that git reads ends the call with the
	// pipe's name. All calls wait at the same time, each for seconds.
	var all sync.WaitGroup
	for _, name := range []string{
		".git/config", ".git/HEAD", ".git/packed-refs", ".git/commondir", ".git/shallow", ".git/refs/heads/main", ".git/info/attributes",
		".git/objects/info/alternates", ".git/objects/info/commit-graph", ".git/index", ".gitattributes", "sub/.gitattributes",
	} {
		f := &fixture{t: t, dir: filepath.Join(t.TempDir(), "repo"), clock: 1_600_000_000}
		f.at(t.TempDir(), "init", "-q", f.dir)
		f.write("sub/f", "one\n")
		f.commit("one")
		f.write("sub/f", "two\n")
		makePipe(t, filepath.Join(f.dir, name))
		all.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			err := func() error {
				r, err := Open(ctx, OpenOptions{Dir: f.dir})
				if err != nil {
					return err
				}
				defer r.Close()
				if _, err := r.Resolve(ctx, "HEAD"); err != nil {
					return err
				}
				_, err = r.PatchWorktree(ctx, PatchOptions{})
				return err
			}()
			if err == nil || !strings.Contains(err.Error(), filepath.Base(name)+`" is a named pipe`) {
				t.Errorf("%s: got %v", name, err)
			}
		})
	}
	all.Wait()
}
