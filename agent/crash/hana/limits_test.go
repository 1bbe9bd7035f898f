package hana

import (
	"bytes"
	"flag"
	"io"
	"runtime"
	"strings"
	"testing"

	"git-agent/agent/crash/hana/hanatest"
)

// A peak samples the size of the heap during reading.
type peak struct {
	io.Reader
	every, next, read int64
	heap              uint64
}

func (p *peak) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	p.read += int64(n)
	if p.read >= p.next {
		p.next += p.every
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		p.heap = max(p.heap, m.HeapAlloc)
	}
	return n, err
}

func TestMemoryIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 60 MB")
	}
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	p := &peak{Reader: hanatest.New(hanatest.Options{Size: 60 << 20}), every: 1 << 20}
	r, err := Read(p, "")
	if err != nil || len(r.Stacks) == 0 || p.read < 50<<20 {
		t.Fatal(err, p.read)
	}
	if grown := int64(p.heap) - int64(before.HeapAlloc); grown > 24<<20 {
		t.Errorf("the heap grew by %d MB", grown>>20)
	}
}

// A line without an end, and any number of sections, take no more memory.
func TestHostile(t *testing.T) {
	for name, text := range map[string]string{
		"one line":      "[CRASH_STACK]  x: (Local)\n" + strings.Repeat("0: a", 1<<20),
		"many sections": strings.Repeat("[CRASH_STACK]  x: (Local)\n0: f + 0x1\n", 1e5),
		"many names":    strings.Repeat("exception  1: no.1  (A.cpp:1)\n", 1e5),
		"many labels":   "[CRASH_STACK]  x: (Local)\n0: f + 0x1\n" + strings.Repeat("  Source: a:1\n", 1e5),
		"deep":          "[CRASH_STACK]  x: (Local)\n" + strings.Repeat("1: 0x1 in f+0x1 (m)\n", 1e5),
	} {
		r := read(t, text)
		if len(r.Stacks) > maxStacks || len(r.Sections) > maxSections || len(r.Problems) > maxExceptions+1 {
			t.Errorf("%s: %d stacks, %d sections", name, len(r.Stacks), len(r.Sections))
		}
	}
}

func FuzzHANA(f *testing.F) {
	f.Add([]byte(quoted))
	f.Add([]byte(strings.ReplaceAll(quoted, "\n", "\r\n")))
	data, _ := io.ReadAll(io.LimitReader(hanatest.New(hanatest.Options{}), 12000))
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Read(bytes.NewReader(data), "")
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range r.Sections {
			if s.Start < 0 || s.End < s.Start || s.End > int64(len(data)) {
				t.Fatalf("section %+v of %d bytes", s, len(data))
			}
			if _, _, err := ReadSection(bytes.NewReader(data), s, 100); err != nil {
				t.Fatal(err)
			}
		}
		for _, s := range r.Stacks {
			if len(s.Frames) == 0 || s.Problem >= len(r.Problems) {
				t.Fatalf("stack %+v", s)
			}
		}
	})
}

var benchSize = flag.Int64("dump-mb", 300, "megabytes of the dump that BenchmarkRead reads")

// BenchmarkRead reads a dump of 300 MB, or of 30 MB with -short.
func BenchmarkRead(b *testing.B) {
	size := *benchSize << 20
	if testing.Short() {
		size = 30 << 20
	}
	b.SetBytes(size)
	var heap uint64
	for range b.N {
		p := &peak{Reader: hanatest.New(hanatest.Options{Size: size}), every: 4 << 20}
		if _, err := Read(p, ""); err != nil {
			b.Fatal(err)
		}
		heap = max(heap, p.heap)
	}
	b.ReportMetric(float64(heap)/1e6, "peak-heap-MB")
}
