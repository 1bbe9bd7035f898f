package engine

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"git-agent/agent"
	"git-agent/agent/fix"
)

// A regression is repaired with few runs of the test: the runs of the reproduction, one without
// the newest change, and the runs of the proof without and with the patch. The search does not
// repeat the runs of the reproduction.
func TestRegressionTakesFewRuns(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	log := filepath.Join(t.TempDir(), "log")
	b.question.Problem.Test = "echo run >>" + log + "; sh check_test.sh"
	b.Effort.Wall = time.Hour
	said, proving := "", ""
	ans, err := b.Answer(t.Context(), b.question, func(e agent.Event) {
		p, ok := e.(agent.Progress)
		switch {
		case ok && p.Lasting:
			said += p.Text
		case ok && strings.HasPrefix(p.Text, "proving"):
			proving += p.Text
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(ans.Plausible) != 1 || ans.Tried != 1 || ans.Plausible[0].Commit != b.broke || ans.Stopped != "" {
		t.Errorf("%d plausible patches of %d, stopped %q", len(ans.Plausible), ans.Tried, ans.Stopped)
	}
	runs, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(runs, []byte("run")); n != 3+1+2 {
		t.Errorf("the test ran %d times", n)
	}
	if !strings.HasPrefix(said, "one run of the test takes ") || !strings.Contains(said, "20 candidates fit into the ") {
		t.Errorf("said %q", said)
	}
	if !strings.HasPrefix(proving, "proving a patch, which reverts ") {
		t.Errorf("of the proof: %q", proving)
	}
}

// The number of candidates is left open if the first run of the test built the program: candidates
// are built too.
func TestAnnounce(t *testing.T) {
	t.Parallel()
	for first, want := range map[time.Duration]string{
		400 * time.Millisecond: "one run of the test takes 200ms; about 300 candidates fit into the 1m that are left",
		50 * time.Second:       "one run of the test takes 200ms and the first one, with a build, took 50s; candidates are built too, in the 1m that are left",
	} {
		said := ""
		s := study{engine: &Engine{}, answer: &fix.Answer{}, listen: func(e agent.Event) { said = e.(agent.Progress).Text }}
		s.answer.Reproduction = fix.Reproduction{Took: 200 * time.Millisecond, First: first}
		if s.announce(time.Minute); !strings.HasPrefix(said, want) {
			t.Errorf("first %s: %q", first, said)
		}
	}
}

// Where the first run took most of the time, candidates are tried all the same: it may have been a build. In json-c,
// the first run took 59 s of 100 s, and the next one would have built one file.
func TestOnlyRunMayBeABuild(t *testing.T) {
	t.Parallel()
	once := fix.Reproduction{Took: 8 * time.Second, First: 8 * time.Second, Runs: 1}
	twice := fix.Reproduction{Took: 8 * time.Second, First: 9 * time.Second, Runs: 2}
	if a, b := leastRun(once), leastRun(twice); a != 2*time.Second || b != 8*time.Second {
		t.Errorf("another run takes at least %s after one, %s after two", a, b)
	}
	said := ""
	s := study{engine: &Engine{}, answer: &fix.Answer{Reproduction: once}, listen: func(e agent.Event) { said = e.(agent.Progress).Text }}
	if s.announce(3 * time.Second); said != "the only run of the test took 8s, maybe with a build that the next one has; 3s are left" {
		t.Errorf("%q", said)
	}
}

// The shares of the time depend on the duration of one run, and leave most of the time to the
// search. The remaining time is never negative.
func TestClock(t *testing.T) {
	t.Parallel()
	c := clock{start: time.Now(), whole: time.Hour}
	quick, slow := fix.Reproduction{Took: time.Second, First: 10 * time.Second}, fix.Reproduction{Took: 20 * time.Second, First: time.Minute}
	if q, s := c.coverage(quick), c.coverage(slow); q != leastCoverage || s != coverageTime {
		t.Errorf("coverage may take %s and %s", q, s)
	}
	wall, proof := c.search(slow, 0)
	if left := time.Hour - wall; left < 140*time.Second || left > 3*time.Minute || proof != 140*time.Second+15*time.Minute {
		t.Errorf("the search ends %s before the end, a proof gets %s", left, proof)
	}
	if opt := c.reproduction(time.Minute); opt.Timeout != 0 || opt.Budget != time.Minute {
		t.Errorf("reproduction: %+v", opt)
	}
	short := clock{start: time.Now(), whole: 40 * time.Second}
	if opt := short.reproduction(time.Minute); opt.Timeout == 0 || opt.Timeout > 40*time.Second || opt.Budget != 5*time.Second {
		t.Errorf("reproduction within 40 s: %+v", opt)
	}
	if got := short.coverage(slow); got != 8*time.Second {
		t.Errorf("coverage within 40 s: %s", got)
	}
	if wall, proof := (clock{}).search(slow, 0); wall != 0 || proof != 0 {
		t.Errorf("without an end: %s, %s", wall, proof)
	}
}
