package cache

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// At the limit, the least recently used entries are removed first, and the file stays near the
// limit for any amount of stored data.
func TestPruneByLastUse(t *testing.T) {
	const limit, size = 1 << 20, 8 << 10
	dir, clock := t.TempDir(), newClock()
	opt := Options{Warn: fatalWarn(t), Limit: limitOf(limit), now: clock.now}
	c := Open(t.Context(), dir, opt)
	key := func(n int) Key { return Key{Kind: "test", Parts: []string{fmt.Sprint(n)}} }
	for n := range 400 {
		clock.at = clock.at.Add(2 * time.Hour)
		c.Put(t.Context(), key(n), noise(size, byte(n)))
		c.Get(t.Context(), key(0)) // used all the time
	}
	mustNot(t, c.Close())
	c = Open(t.Context(), dir, opt)
	defer c.Close()
	kept := map[int]bool{}
	for n := range 400 {
		if _, ok := c.Get(t.Context(), key(n)); ok {
			kept[n] = true
		}
	}
	if !kept[0] || kept[1] || kept[200] || !kept[399] || len(kept) < 90 || len(kept) > 128 {
		t.Errorf("kept %d entries: %v", len(kept), kept)
	}
	if used := sizeOf(filepath.Join(dir, cacheFormat.name)); used > 2*limit {
		t.Errorf("the file has %d bytes", used)
	}
}

// A value that would fill the cache is not stored.
func TestTooLargeValueIsNotKept(t *testing.T) {
	c := Open(t.Context(), t.TempDir(), Options{Warn: fatalWarn(t), Limit: limitOf(1 << 20)})
	defer c.Close()
	key, _ := sample(1)
	c.Put(t.Context(), key, make([]byte, 1<<20))
	if _, ok := c.Get(t.Context(), key); ok {
		t.Error("got it")
	}
}

// A use is written at most once an hour, and at the latest by Close.
func TestLastUseIsWrittenRarely(t *testing.T) {
	dir, clock := t.TempDir(), newClock()
	opt := Options{Warn: fatalWarn(t), now: clock.now}
	key, value := sample(1)
	start := clock.at
	use := func(later time.Duration) time.Duration {
		clock.at = start.Add(later)
		c := Open(t.Context(), dir, opt)
		if _, ok := c.Get(t.Context(), key); !ok {
			c.Put(t.Context(), key, value)
		}
		mustNot(t, c.Close())
		stats, err := c.Stats(t.Context())
		mustNot(t, err)
		return stats.Oldest.Sub(start)
	}
	for _, test := range []struct{ at, want time.Duration }{
		{0, 0}, {time.Minute, 0}, {59 * time.Minute, 0},
		{61 * time.Minute, 61 * time.Minute}, {2 * time.Hour, 61 * time.Minute}, {3 * time.Hour, 3 * time.Hour},
	} {
		if got := use(test.at); got != test.want {
			t.Errorf("after a use at %v the last use is %v, want %v", test.at, got, test.want)
		}
	}
}

// Stats counts by kind; Prune and Clear free the disk and remove what was set aside.
func TestStatsPruneAndClear(t *testing.T) {
	dir := t.TempDir()
	path := fill(t, dir, 200)
	mustNot(t, os.WriteFile(path+asideDamaged, noise(100_000, 1), 0o600))
	c := Open(t.Context(), dir, Options{Warn: fatalWarn(t)})
	defer c.Close()
	stats, err := c.Stats(t.Context())
	mustNot(t, err)
	if stats.Entries != 200 || len(stats.Kinds) != 3 || stats.Kinds[0].Kind != "kind0" || stats.Kinds[0].Entries != 67 ||
		stats.Kinds[0].Stored >= stats.Kinds[0].Size || len(stats.Aside) != 1 || stats.Limit != defaultLimit {
		t.Errorf("stats are %+v", stats)
	}
	pruned, err := c.Prune(t.Context(), 200_000)
	mustNot(t, err)
	if pruned.Removed == 0 || pruned.Before < pruned.After+100_000 || pruned.After > 300_000 {
		t.Errorf("pruned %+v", pruned)
	}
	cleared, err := c.Clear(t.Context())
	mustNot(t, err)
	if cleared.Removed != 200-pruned.Removed || cleared.After > 100_000 {
		t.Errorf("cleared %+v", cleared)
	}
	if stats, err = c.Stats(t.Context()); err != nil || stats.Entries != 0 || len(stats.Aside) != 0 {
		t.Errorf("stats are %+v, %v", stats, err)
	}
}

// Pruning or clearing a small file does not make it larger. The additional files of an open
// database do not count.
func TestPruneOfLittle(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 1)
	c := Open(t.Context(), dir, Options{Warn: fatalWarn(t)})
	defer c.Close()
	if pruned, err := c.Prune(t.Context(), 0); err != nil || pruned.Removed != 0 || pruned.After > pruned.Before {
		t.Errorf("pruned %+v of what has its place, %v", pruned, err)
	}
	if pruned, err := c.Prune(t.Context(), 1); err != nil || pruned.Removed != 1 || pruned.After > pruned.Before {
		t.Errorf("pruned %+v, %v", pruned, err)
	}
}

// In a directory without a cache, maintenance finds and creates nothing.
func TestMaintenanceOfNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "agent")
	c := Open(t.Context(), dir, Options{Warn: fatalWarn(t)})
	stats, err := c.Stats(t.Context())
	mustNot(t, err)
	_, err = c.Prune(t.Context(), 0)
	mustNot(t, err)
	_, err = c.Clear(t.Context())
	mustNot(t, err)
	report, err := c.Verify(t.Context())
	mustNot(t, err)
	_, err = StatTraces(t.Context(), dir)
	mustNot(t, err)
	if _, err := os.Stat(dir); err == nil || stats.Entries != 0 || len(report.Problems) != 0 {
		t.Errorf("%v, %+v, %+v", err, stats, report)
	}
}

// Verify finds a value with one changed byte, a damaged tree, and a file that is no
// database, and changes nothing.
func TestVerifyFindsDamage(t *testing.T) {
	for _, test := range []struct {
		name   string
		damage func(t *testing.T, path string)
		want   string
	}{
		{"none", func(*testing.T, string) {}, ""},
		{"value", func(t *testing.T, path string) {
			execSQL(t, path, "UPDATE entry SET value = zeroblob(length(value)) WHERE id = (SELECT min(id) FROM entry)")
		}, "checksum"},
		{"tree", func(t *testing.T, path string) {
			content, err := os.ReadFile(path)
			mustNot(t, err)
			copy(content[5*4096:], noise(4096, 3))
			mustNot(t, os.WriteFile(path, content, 0o600))
		}, "page"},
		{"text", func(t *testing.T, path string) {
			mustNot(t, os.WriteFile(path, []byte(strings.Repeat("text ", 1000)), 0o600))
		}, "not a database"},
		{"newer", func(t *testing.T, path string) { execSQL(t, path, "PRAGMA user_version = 99") }, "version 99"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			path := fill(t, dir, 200)
			test.damage(t, path)
			before, err := os.ReadFile(path)
			mustNot(t, err)
			report, err := Open(t.Context(), dir, Options{Warn: fatalWarn(t)}).Verify(t.Context())
			mustNot(t, err)
			if text := strings.Join(report.Problems, "\n"); !strings.Contains(text, test.want) || (test.want == "") != (text == "") {
				t.Errorf("problems are %q", report.Problems)
			}
			if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
				t.Errorf("the file was changed, %v", err)
			}
		})
	}
}

func limitOf(n int64) func(context.Context) int64 { return func(context.Context) int64 { return n } }
