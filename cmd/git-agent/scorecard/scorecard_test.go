//go:build linux

package scorecard

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"

	"git-agent/gitext/gittest"
)

// full selects every vector. Without it each area tries a sample.
var full = flag.Bool("full", false, "try every vector, not a sample of each area")

// program is the path of the git-agent that TestMain built.
var program string

func TestMain(m *testing.M) {
	flag.Parse()
	gittest.UseMemory()
	os.Exit(runAll(m))
}

// runAll builds the program, runs the tests and prints the table.
func runAll(m *testing.M) int {
	dir, err := os.MkdirTemp("", "git-agent-scorecard-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if signal.Ignored(syscall.SIGHUP) { // as under nohup; the program would inherit it
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	program = filepath.Join(dir, "git-agent")
	if out, err := exec.Command("go", "build", "-trimpath", "-o", program, "git-agent/cmd/git-agent").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the program: %v\n%s", err, out)
		return 1
	}
	code := m.Run()
	card.print()
	return code
}

// An area is a kind of attack. Its goal is the least number of vectors that a full run
// tries.
type area struct {
	name string
	goal int
}

// These are the areas, in the order of the table.
var (
	repositories = area{"hostile repositories", 120}
	server       = area{"hostile server", 150}
	kills        = area{"kills", 1000}
	corruptions  = area{"corruptions", 500}
	sandboxes    = area{"sandbox probes", 80}
	outputs      = area{"terminal and JSON output", 40}
	frames       = area{"MCP frames", 75}
	proofs       = area{"forged proofs", 30}
	projects     = area{"hostile projects", 30}
	surroundings = area{"surroundings", 250}
)

// A tally counts the outcomes of one area.
type tally struct {
	tried, skipped int
	broken         []string
	notes          []string
}

// scores collects the tallies of all areas. It is safe for concurrent use.
type scores struct {
	mu    sync.Mutex
	areas map[area]*tally
}

var card = scores{areas: map[area]*tally{}}

func (s *scores) change(a area, f func(*tally)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.areas[a] == nil {
		s.areas[a] = &tally{}
	}
	f(s.areas[a])
}

// held records that a vector was tried and broke no promise.
func held(a area) { card.change(a, func(y *tally) { y.tried++ }) }

// broke records that a vector was tried and broke a promise, and fails the test.
func broke(t *testing.T, a area, vector, format string, args ...any) {
	t.Helper()
	text := vector + ": " + fmt.Sprintf(format, args...)
	card.change(a, func(y *tally) { y.tried++; y.broken = append(y.broken, text) })
	t.Errorf("%s", text)
}

// skipped records that a vector could not be tried on this machine, and why.
func skipped(t *testing.T, a area, vector, why string) {
	t.Helper()
	card.change(a, func(y *tally) { y.skipped++ })
	t.Logf("%s: not tried: %s", vector, why)
}

// note adds a figure to the table, such as the peak memory of an area.
func note(a area, format string, args ...any) {
	card.change(a, func(y *tally) { y.notes = append(y.notes, fmt.Sprintf(format, args...)) })
}

// print prints the table, followed by the vectors that broke a promise.
func (s *scores) print() {
	if len(s.areas) == 0 {
		return
	}
	kind := "sample"
	if *full {
		kind = "full"
	}
	fmt.Printf("%-26s %6s %6s %6s %8s   (%s run)\n", "area", "goal", "tried", "broken", "skipped", kind)
	for _, a := range []area{repositories, server, kills, corruptions, sandboxes, outputs, frames, projects, surroundings, proofs} {
		y := s.areas[a]
		if y == nil {
			continue
		}
		fmt.Printf("%-26s %6d %6d %6d %8d\n", a.name, a.goal, y.tried, len(y.broken), y.skipped)
		for _, text := range slices.Concat(y.notes, y.broken) {
			fmt.Printf("    %s\n", text)
		}
	}
}

// sample returns every vector in a full run. Otherwise it returns about n of them,
// evenly spread and always the same ones.
func sample[T any](vectors []T, n int) []T {
	if *full || len(vectors) <= n {
		return vectors
	}
	var some []T
	for i := range n {
		some = append(some, vectors[i*len(vectors)/n])
	}
	return some
}
