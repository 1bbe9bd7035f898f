package cache

import (
	"bytes"
	"strings"
	"testing"
)

// A value comes back as it was put, across a reopening of the file, whatever its size.
func TestGetReturnsWhatPutKept(t *testing.T) {
	dir := t.TempDir()
	values := map[string][]byte{
		"empty": {}, "short": []byte("x"), "binary": {0, 255, 0},
		"long":   []byte(strings.Repeat("line\n", 10_000)),
		"random": noise(100_000, 1),
	}
	c := Open(t.Context(), dir, Options{Warn: fatalWarn(t)})
	for name, value := range values {
		c.Put(t.Context(), Key{Kind: "test", Parts: []string{name}}, value)
	}
	for range 2 {
		for name, want := range values {
			got, ok := c.Get(t.Context(), Key{Kind: "test", Parts: []string{name}})
			if !ok || !bytes.Equal(got, want) {
				t.Errorf("%s: got %d bytes, %t; want %d bytes", name, len(got), ok, len(want))
			}
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		c = Open(t.Context(), dir, Options{Warn: fatalWarn(t)})
	}
	defer c.Close()
	if _, ok := c.Get(t.Context(), Key{Kind: "test", Parts: []string{"other"}}); ok {
		t.Error("got a value that was never put")
	}
}
