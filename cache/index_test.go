package cache

import (
	"crypto/rand"
	"testing"
)

// A rebuilt index frees the space of the old one, even while a reader uses the old one.
func TestClearedIndexIsSmall(t *testing.T) {
	for _, read := range []bool{false, true} {
		dir := t.TempDir()
		w, err := WriteIndex(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		noise := make([]byte, 1<<20)
		rand.Read(noise)
		key := PartKey{Kind: 1, Num: 7}
		if err := w.Store(t.Context(), []Part{w.NewPart(key, noise)}, nil); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		var reader *IndexReader
		if read {
			reader, err = OpenIndex(t.Context(), dir)
			if err == nil {
				_, err = reader.Get(t.Context(), key) // the moment that it sees
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if w, err = WriteIndex(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
		if err := w.Clear(t.Context()); err != nil {
			t.Fatal(err)
		}
		if read {
			if got, err := reader.Get(t.Context(), key); err != nil || len(got) != len(noise) {
				t.Errorf("a reader from before: %d bytes, %v", len(got), err)
			}
			if err := reader.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if n := IndexSize(dir); n > 100<<10 {
			t.Errorf("with a reader %v: an empty index takes %d bytes", read, n)
		}
	}
}
