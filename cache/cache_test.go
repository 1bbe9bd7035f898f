package cache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A value of any size is read back unchanged, even after reopening the file.
func TestGetReturnsWhatPutKept(t *testing.T) {
	dir := t.TempDir()
	values := map[string][]byte{
		"empty": {}, "none": nil, "short": []byte("x"), "binary": {0, 255, 0},
		"long":   []byte(strings.Repeat("line\n", 10_000)),
		"random": noise(100_000, 1),
	}
	for range 2 {
		c := Open(t.Context(), dir, Options{Warn: fatalWarn(t)})
		for name, value := range values {
			c.Put(t.Context(), Key{Kind: "test", Parts: []string{name}}, value)
		}
		for name, want := range values {
			got, ok := c.Get(t.Context(), Key{Kind: "test", Parts: []string{name}})
			if !ok || !bytes.Equal(got, want) {
				t.Errorf("%s: got %d bytes, %t; want %d bytes", name, len(got), ok, len(want))
			}
		}
		if _, ok := c.Get(t.Context(), Key{Kind: "test", Parts: []string{"other"}}); ok {
			t.Error("got a value that was never put")
		}
		mustNot(t, c.Close())
	}
}

// A nil cache and a closed one behave like an empty one.
func TestCacheThatIsNotThere(t *testing.T) {
	closed := Open(t.Context(), t.TempDir(), Options{Warn: fatalWarn(t)})
	mustNot(t, closed.Close())
	for _, c := range []*Cache{nil, closed} {
		key, value := sample(1)
		c.Put(t.Context(), key, value)
		if _, ok := c.Get(t.Context(), key); ok {
			t.Error("got a value")
		}
		mustNot(t, c.Close())
	}
}

// Reading creates no file, and a canceled caller gets no value and no warning.
func TestReadingLeavesNoTrace(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "agent")
	c := Open(t.Context(), dir, Options{Warn: fatalWarn(t)})
	key, value := sample(1)
	if _, ok := c.Get(t.Context(), key); ok {
		t.Error("got a value")
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("directory was made: %v", err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	c.Put(canceled, key, value)
	c.Get(canceled, key)
	c.Put(t.Context(), key, value)
	if got, ok := c.Get(t.Context(), key); !ok || !bytes.Equal(got, value) {
		t.Error("the cache did not survive a canceled call")
	}
	mustNot(t, c.Close())
}

// Only the user can read the files, whatever the umask, even if others could
// read them before.
func TestFilesArePrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "agent")
	path := fill(t, dir, 3)
	mustNot(t, os.Chmod(path, 0o644))
	c := Open(t.Context(), dir, Options{Warn: fatalWarn(t)})
	defer c.Close()
	key, value := sample(9)
	c.Put(t.Context(), key, value)
	traces := openTraces(t, dir, Options{})
	defer traces.Close()
	_, err := traces.StartRun(t.Context(), "test", nil)
	mustNot(t, err)
	files := 0
	mustNot(t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		mustNot(t, err)
		info, err := entry.Info()
		mustNot(t, err)
		files++
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %s", path, info.Mode())
		}
		return nil
	}))
	if files < 8 { // two directories, two databases with log and index, and a lease
		t.Errorf("looked at %d files only", files)
	}
}

// Two keys that differ in one part, or in the end of one part, have separate
// values.
func TestKeysDoNotMeet(t *testing.T) {
	c := Open(t.Context(), t.TempDir(), Options{Warn: fatalWarn(t)})
	defer c.Close()
	keys := []Key{
		{}, {Kind: "a"}, {Parts: []string{"a"}}, {Parts: []string{""}}, {Parts: []string{"", ""}},
		{Kind: "a", Parts: []string{"b"}}, {Kind: "ab"}, {Parts: []string{"a", "b"}}, {Parts: []string{"ab"}},
	}
	for i, key := range keys {
		c.Put(t.Context(), key, fmt.Append(nil, i))
	}
	for i, key := range keys {
		if got, ok := c.Get(t.Context(), key); !ok || string(got) != fmt.Sprint(i) {
			t.Errorf("%q: got %q", key, got)
		}
	}
}

// A value in the row of another key is not returned.
func TestValueIsBoundToItsKey(t *testing.T) {
	dir := t.TempDir()
	path := fill(t, dir, 2)
	execSQL(t, path, `UPDATE entry SET (encoding, size, sum, value) =
		(SELECT encoding, size, sum, value FROM entry WHERE kind = 'kind1') WHERE kind = 'kind0'`)
	var w warnings
	c := Open(t.Context(), dir, Options{Warn: w.warn})
	defer c.Close()
	stranger, _ := sample(0)
	owner, want := sample(1)
	if _, ok := c.Get(t.Context(), stranger); ok || len(w.said) != 1 {
		t.Errorf("found: %t, warnings are %q", ok, w.said)
	}
	if got, ok := c.Get(t.Context(), owner); !ok || !bytes.Equal(got, want) {
		t.Error("the value is lost for its own key")
	}
}

// clock is a time controlled by tests.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func newClock() *clock { return &clock{time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC)} }
