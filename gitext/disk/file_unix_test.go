//go:build unix

package disk

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func makeFIFO(t *testing.T, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestOnlyRegularFilesAreOpened(t *testing.T) {
	// Reading any kind of file neither waits nor continues for ever.
	dir := t.TempDir()
	pipe, socket, file := filepath.Join(dir, "pipe"), filepath.Join(dir, "s"), filepath.Join(dir, "file")
	makeFIFO(t, pipe)
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
		makeFIFO(t, pipe)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := Named(ctx, pipe, flag, 0); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
	other := filepath.Join(t.TempDir(), "pipe")
	makeFIFO(t, other)
	go os.WriteFile(other, []byte("late\n"), 0)
	f, err := Named(t.Context(), other, os.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	text, err := readAtMost(f, other, 10)
	if err != nil || string(text) != "late\n" {
		t.Errorf("%q, %v", text, err)
	}
}
