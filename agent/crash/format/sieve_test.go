package format

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/crash"

	"github.com/rogpeppe/go-internal/txtar"
)

// ciLines are lines from build logs, none of which belongs to a crash.
var ciLines = []string{
	"2024-05-06T07:08:09.1234567Z ##[group]Run actions/checkout@v4",
	"2024-05-06T07:08:10.1234567Z [command]/usr/bin/git config --local --get-regexp core\\.sshCommand",
	"  CC      drivers/net/ethernet/intel/e1000/e1000_main.o",
	"[ 45%%] Building CXX object src/core/CMakeFiles/core.dir/allocator_%d.cpp.o",
	"gcc -DHAVE_CONFIG_H -I. -I../include -O2 -g -Wall -MT foo-%d.lo -MD -MP -c -o foo.lo foo.c",
	"src/widget.c:%d:17: warning: unused variable 'count' [-Wunused-variable]",
	"[INFO] Downloaded from central: https://repo.maven.apache.org/maven2/org/a/b/1.%d/b.pom (3.4 kB at 210 kB/s)",
	"npm warn deprecated inflight@1.0.6: This module is not supported, and leaks memory.",
	"    Compiling serde_json v1.0.%d",
	"tests/test_models.py::test_save[case-%d] PASSED                                  [ 43%%]",
	"ok  	example.com/project/internal/store	%d.031s",
	"Get:%d http://deb.debian.org/debian bookworm/main amd64 libfoo1 amd64 1.2-3 [45.6 kB]",
	"=== RUN   TestRoundTrip/case_%d",
	"drwxr-xr-x 2 runner docker 4096 May  6 07:08 dist_%d",
	"",
}

// ciLog returns a log of a number of bytes without a crash.
func ciLog(size int64) io.Reader {
	rnd := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for b.Len() < 1<<20 {
		l := ciLines[rnd.IntN(len(ciLines))]
		if strings.Contains(l, "%d") {
			l = fmt.Sprintf(l, rnd.IntN(1000))
		}
		b.WriteString(l + "\n")
	}
	return io.LimitReader(&repeated{text: b.String()}, size)
}

type repeated struct {
	text string
	at   int
}

func (r *repeated) Read(p []byte) (int, error) {
	n := copy(p, r.text[r.at:])
	r.at = (r.at + n) % len(r.text)
	return n, nil
}

// goldenSamples returns the reports in testdata as samples.
func goldenSamples(t *testing.T) []sample {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	var out []sample
	for _, name := range files {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, sample{name: name, text: string(a.Files[0].Data)})
	}
	return out
}

// sieveChanges says what the sieve changes in the report in a text; "" for nothing.
func sieveChanges(t *testing.T, text string) string {
	t.Helper()
	all, err := readThrough(strings.NewReader(text), newSieve(math.MaxInt64), formats())
	if err != nil {
		t.Fatal(err)
	}
	some, err := readThrough(strings.NewReader(text), newSieve(0), formats())
	if err != nil {
		t.Fatal(err)
	}
	all.Mentions, some.Mentions = nil, nil // the lines that are left out may have some
	if reflect.DeepEqual(all, some) {
		return ""
	}
	return fmt.Sprintf("the sieve changes the report\nall:\n%s\nsome:\n%s", brief(all), brief(some))
}

// The sieve stops passing lines at any line of what follows, as a report may begin at any distance
// from the last one.
func TestSieveStopsWithinAReport(t *testing.T) {
	const first = "panic: x\n\ngoroutine 1 [running]:\nmain.f(0x1)\n\t/src/a.go:3 +0x1\n"
	for _, s := range goldenSamples(t) {
		if len(s.text) > 6000 {
			continue
		}
		for quiet := linesTaken - 10; quiet <= linesTaken+1; quiet++ {
			text := first + strings.Repeat("ok\n", quiet) + s.text
			if changes := sieveChanges(t, text); changes != "" {
				t.Errorf("%s: after %d lines %s", s.name, quiet, changes)
				break
			}
		}
	}
}

// TestSieve reads every sample and every golden report with and without the sieve, alone and
// within a log.
func TestSieve(t *testing.T) {
	log, _ := io.ReadAll(ciLog(10000))
	for _, s := range slices.Concat(samples, goldenSamples(t)) {
		for _, text := range []string{s.text, string(log) + "\n" + s.text + "\n" + string(log) + s.text} {
			if changes := sieveChanges(t, text); changes != "" {
				t.Errorf("%s: %s", s.name, changes)
			}
		}
	}
}

// A log without a crash gives nothing, and a crash deep in a log is found.
func TestSieveLargeLog(t *testing.T) {
	if _, err := Read(ciLog(3 << 20)); err != ErrUnknown {
		t.Errorf("a log without a crash: %v", err)
	}
	const trace = "kernel BUG at mm/slub.c:3035!\nRIP: 0010:__kmalloc_node+0x427/0x460\n"
	r, err := Read(io.MultiReader(ciLog(3<<20), strings.NewReader("\n"+trace), ciLog(1<<20)))
	if err != nil || len(r.Stacks) != 2 || r.Stacks[1].Frames[0].Function != "__kmalloc_node" || r.Stacks[1].Kind != crash.StackCrash {
		t.Errorf("%v %s", err, brief(r))
	}
}

func TestAutomaton(t *testing.T) {
	a := newAutomaton([]string{"#% ", "^bug: ", "ab", "x~y", "q%q"})
	for text, want := range map[string]bool{
		"#1 x": true, "a #9\tb": true, "#x ": false, "#12 ": false,
		"BUG: x": true, "debug: x": false, "x Bug: y": true,
		"xAB": true, "a b": false, "x y": true, "xy": false, "Q7q": true, "": false,
	} {
		if a.Match([]byte(text)) != want {
			t.Errorf("%q: not %v", text, want)
		}
	}
}

// TestOrdinaryLinesDoNotPass guards the speed of large logs: a mark that one line in fifteen has lets all lines pass.
func TestOrdinaryLinesDoNotPass(t *testing.T) {
	for _, l := range ciLines {
		if marks().Match([]byte(l)) || beginsAt([]byte(l)) {
			t.Errorf("%q passes", l)
		}
	}
}

func benchmarkLog(b *testing.B, v func() *sieve) {
	const size = 50 << 20
	b.SetBytes(size)
	for range b.N {
		if _, err := readThrough(ciLog(size), v(), formats()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLog reads a log without a crash through the sieve, BenchmarkLogWhole without it.
func BenchmarkLog(b *testing.B) {
	benchmarkLog(b, func() *sieve { return newSieve(attentive) })
}
func BenchmarkLogWhole(b *testing.B) {
	benchmarkLog(b, func() *sieve { return newSieve(math.MaxInt64) })
}
