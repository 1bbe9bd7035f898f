package cache

import (
	"fmt"
	"strings"
	"testing"
)

// benchValue is 22 KB of text like a diff, the usual size of a tool's answer.
var benchValue = []byte(strings.Repeat("-	return errors.New(\"x\")\n+	return nil\n", 580))

func benchKey(n int) Key { return Key{Kind: "bench", Parts: []string{fmt.Sprint(n)}} }

// The benchmark measures a command that finds its answer in the cache: open, one Get, close.
func BenchmarkOpenToFirstGet(b *testing.B) {
	dir := b.TempDir()
	fill(b, dir, 1000)
	key, _ := sample(7)
	for b.Loop() {
		c := Open(b.Context(), dir, Options{Warn: fatalWarn(b)})
		if _, ok := c.Get(b.Context(), key); !ok {
			b.Fatal("missed")
		}
		mustNot(b, c.Close())
	}
}

// The benchmark measures a command that finds nothing and stores its answer.
func BenchmarkOpenMissPut(b *testing.B) {
	dir := b.TempDir()
	fill(b, dir, 1000)
	n := 0
	for b.Loop() {
		n++
		c := Open(b.Context(), dir, Options{Warn: fatalWarn(b)})
		if _, ok := c.Get(b.Context(), benchKey(n)); ok {
			b.Fatal("found")
		}
		c.Put(b.Context(), benchKey(n), benchValue)
		mustNot(b, c.Close())
	}
}

func BenchmarkCreate(b *testing.B) {
	for b.Loop() {
		c := Open(b.Context(), b.TempDir(), Options{Warn: fatalWarn(b)})
		c.Put(b.Context(), benchKey(1), benchValue)
		mustNot(b, c.Close())
	}
}

func BenchmarkGet(b *testing.B) {
	c := Open(b.Context(), b.TempDir(), Options{Warn: fatalWarn(b)})
	defer c.Close()
	c.Put(b.Context(), benchKey(1), benchValue)
	b.SetBytes(int64(len(benchValue)))
	for b.Loop() {
		if _, ok := c.Get(b.Context(), benchKey(1)); !ok {
			b.Fatal("missed")
		}
	}
}

func BenchmarkMiss(b *testing.B) {
	dir := b.TempDir()
	fill(b, dir, 1000)
	c := Open(b.Context(), dir, Options{Warn: fatalWarn(b)})
	defer c.Close()
	for b.Loop() {
		if _, ok := c.Get(b.Context(), benchKey(1)); ok {
			b.Fatal("found")
		}
	}
}

func BenchmarkPut(b *testing.B) {
	c := Open(b.Context(), b.TempDir(), Options{Warn: fatalWarn(b)})
	defer c.Close()
	b.SetBytes(int64(len(benchValue)))
	n := 0
	for b.Loop() {
		n++
		c.Put(b.Context(), benchKey(n), benchValue)
	}
}

func BenchmarkAppend(b *testing.B) {
	traces := openTraces(b, b.TempDir(), Options{})
	defer traces.Close()
	id, err := traces.StartRun(b.Context(), "bench", nil)
	mustNot(b, err)
	b.SetBytes(int64(len(benchValue)))
	for b.Loop() {
		mustNot(b, traces.Append(b.Context(), id, Step{Kind: Note, Payload: benchValue}))
	}
}
