//go:build unix

package gitext

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// patience is far above what any answer here takes: only a hang reaches it.
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

func TestOnlyRegularFilesAreOpened(t *testing.T) {
	// Whatever stands in the place of a file, reading it neither waits nor
	// goes on for ever.
	dir := t.TempDir()
	pipe, socket, file := filepath.Join(dir, "pipe"), filepath.Join(dir, "s"), filepath.Join(dir, "file")
	makePipe(t, pipe)
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if err := os.WriteFile(file, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, kind := range map[string]string{pipe: "a named pipe", socket: "a socket", dir: "a directory", "/dev/zero": "a device"} {
		_, err := ReadRegular(path, 10)
		if want := `"` + path + `" is ` + kind + ", not a regular file"; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if text, err := ReadRegular(file, 5); err != nil || string(text) != "12345" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := ReadRegular(file, 4); err == nil {
		t.Error("a file above the bound is read")
	}
}

func TestOpenNamedEndsWithItsContext(t *testing.T) {
	// A pipe that the user names is waited for, in both directions, until the
	// context ends.
	for _, flag := range []int{os.O_RDONLY, os.O_WRONLY} {
		pipe := filepath.Join(t.TempDir(), "pipe")
		makePipe(t, pipe)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := OpenNamed(ctx, pipe, flag, 0); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
	other := filepath.Join(t.TempDir(), "pipe")
	makePipe(t, other)
	go os.WriteFile(other, []byte("late\n"), 0)
	f, err := OpenNamed(t.Context(), other, os.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	text, err := readAtMost(f, other, 10)
	if err != nil || string(text) != "late\n" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestPipesInTheRepository(t *testing.T) {
	isolate(t)
	// A named pipe in the place of any file that git reads ends the call, with
	// its name.
	for _, name := range []string{
		".git/config", ".git/HEAD", ".git/packed-refs", ".git/commondir", ".git/shallow", ".git/refs/heads/main", ".git/info/attributes",
		".git/objects/info/alternates", ".git/objects/info/commit-graph", ".git/index", ".gitattributes", "sub/.gitattributes",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &fixture{t: t, dir: filepath.Join(t.TempDir(), "repo"), clock: 1_600_000_000}
			f.at(t.TempDir(), "init", "-q", f.dir)
			f.write("sub/f", "one\n")
			f.commit("one")
			f.write("sub/f", "two\n")
			makePipe(t, filepath.Join(f.dir, name))
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
				t.Errorf("got %v", err)
			}
		})
	}
}
