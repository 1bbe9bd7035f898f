package trial

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"git-agent/agent/sandbox"
	"git-agent/gitext/gittest"
)

// BenchmarkFresh measures the cost of empty caches for each command of a proof: with the
// compilers' output for a program with net/http (3,000 files, 250 of them large), and without
// it.
func BenchmarkFresh(b *testing.B) {
	h := gittest.New(b)
	commit := h.Commit("c", gittest.Files{"a": "\n"})
	for _, files := range []int{0, 3000} {
		b.Run(fmt.Sprint(files), func(b *testing.B) {
			dir := filepath.Join(b.TempDir(), "compiled")
			for i := range files {
				at := filepath.Join(dir, "content", fmt.Sprintf("%02x", i%256))
				if err := os.MkdirAll(at, 0o700); err != nil {
					b.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(at, fmt.Sprint(i, "-d")), make([]byte, sizeOf(i)), 0o600); err != nil {
					b.Fatal(err)
				}
			}
			w, err := Open(b.Context(), h.Open(), Options{Sandbox: sandbox.None, Compiled: dir, Scratch: filepath.Join(b.TempDir(), "scratch")})
			if err != nil {
				b.Fatal(err)
			}
			defer w.Close()
			if err := w.Prepare(b.Context(), commit, nil); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if err := w.Fresh(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// sizeOf returns the size of a file as in Go's cache.
func sizeOf(i int) int {
	if i%12 == 0 {
		return 700 << 10
	}
	return 1400
}
