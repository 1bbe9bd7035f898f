package eval

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"git-agent/cache"
	"git-agent/gitext"
)

// memory is a Journal in memory.
type memory struct {
	mu      sync.Mutex
	records []Record
	broken  error
}

func (m *memory) Kept(context.Context) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for _, r := range m.records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func (m *memory) Keep(_ context.Context, r Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.records = append(m.records, r)
	return m.broken
}

// engine is a Session whose answers are set by a test.
type engine struct {
	opened, closed, peak atomic.Int32
	asked                atomic.Int32
	begin                func(c question) ([]gitext.OID, error)
	trace                func(ctx context.Context, c question, algorithm string) (reply, error)
}

func (e *engine) open(context.Context, string, int) (Session, error) {
	e.peak.Store(max(e.peak.Load(), e.opened.Add(1)-e.closed.Load()))
	return e, nil
}

func (e *engine) Close() error { e.closed.Add(1); return nil }

func (e *engine) Begin(_ context.Context, of Case) (Answerer, []gitext.OID, error) {
	c := of.(question)
	var absent []gitext.OID
	if e.begin != nil {
		var err error
		if absent, err = e.begin(c); err != nil {
			return nil, nil, err
		}
	}
	return func(ctx context.Context, algorithm string) (Answer, error) {
		e.asked.Add(1)
		if e.trace != nil {
			return e.trace(ctx, c, algorithm)
		}
		return reply{Words: []string{c.Want}}, nil
	}, absent, nil
}

// clones creates empty folders that look like the repositories o/r0, o/r1, ...
func clones(t testing.TB, n int) Finder {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		if err := os.MkdirAll(filepath.Join(dir, fmt.Sprintf("o+r%d", i), "repo", ".git"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return Finder{dir}
}

// plan returns a plan of 12 cases in 3 repositories.
func plan(t testing.TB, e *engine) Plan {
	p := Plan{Task: toy{}, Algorithms: []string{"b", "rank"}, Version: "v1", Repos: clones(t, 3), Open: e.open, Journal: &memory{}, Jobs: 2}
	for i := range 12 {
		p.Cases = append(p.Cases, question{ID: fmt.Sprintf("case-%02d", i), Repo: fmt.Sprintf("o/r%d", i%3), Fix: fmt.Sprint(i), Want: "a", File: "x.jsonl"})
	}
	return p
}

// Every case is asked once per algorithm. A repository is closed after its last case, so that no
// more are open than there are jobs.
func TestRun(t *testing.T) {
	e := &engine{}
	p := plan(t, e)
	var last Progress
	p.OnProgress = func(q Progress) { last = q }
	res, err := Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if n := e.asked.Load(); n != 24 {
		t.Errorf("asked %d times, want 24", n)
	}
	if e.opened.Load() != 3 || e.closed.Load() != 3 || int(e.peak.Load()) > p.Jobs {
		t.Errorf("opened %d, closed %d, at once %d", e.opened.Load(), e.closed.Load(), e.peak.Load())
	}
	if last.Done != 12 || last.Total != 12 || last.Left != 0 {
		t.Errorf("last progress is %+v", last)
	}
	if f1 := NewReport(toy{}, About{}, res).Algorithms[1].Overall.Value("score").Value; *f1 != 1 {
		t.Errorf("F1 is %v, want 1", *f1)
	}
}

// A second run asks for nothing, another version asks for everything, and a
// further algorithm asks only for its own answers.
func TestResume(t *testing.T) {
	e := &engine{}
	p := plan(t, e)
	first, err := Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		version    string
		algorithms []string
		asked      int32
	}{{"v1", []string{"b", "rank"}, 0}, {"v2", []string{"b", "rank"}, 24}, {"v1", []string{"rank", "b", "r"}, 12}} {
		before := e.asked.Load()
		p.Version, p.Algorithms = step.version, step.algorithms
		res, err := Run(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if n := e.asked.Load() - before; n != step.asked {
			t.Errorf("version %s, %v: asked %d times, want %d", step.version, step.algorithms, n, step.asked)
		}
		if got, want := mainOf(res.Outcomes["rank"]), mainOf(first.Outcomes["rank"]); got != want {
			t.Errorf("F1 became %v, was %v", got, want)
		}
	}
}

// Predictions of another build are used only for the algorithms in Plan.Reuse.
func TestReuse(t *testing.T) {
	e := &engine{}
	p := plan(t, e)
	if _, err := Run(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	p.Version, p.Reuse = "v2", []string{"b"}
	res, err := Run(t.Context(), p)
	if err != nil || e.asked.Load() != 24+12 || len(res.Versions["b"]) != 1 || res.Versions["b"][0] != "v1" || res.Versions["rank"][0] != "v2" {
		t.Errorf("asked %d times in all, want 36; versions %v; %v", e.asked.Load(), res.Versions, err)
	}
	p.Setting = "hints"
	if _, err := Run(t.Context(), p); err != nil || e.asked.Load() != 36+24 {
		t.Errorf("another setting: asked %d times in all, want 60; %v", e.asked.Load(), err)
	}
}

// An error, a panic and a time-out of an engine are results of their case only. The
// other cases are answered, and the next run tries the failed ones again.
func TestFailingCases(t *testing.T) {
	synctest.Test(t, failingCases) // the fake clock makes the minute take no time
}

func failingCases(t *testing.T) {
	e := &engine{}
	e.trace = func(ctx context.Context, c question, algorithm string) (reply, error) {
		switch {
		case algorithm == "rank":
		case c.ID == "case-03":
			return reply{}, errors.New("boom")
		case c.ID == "case-04":
			panic("no such thing")
		case c.ID == "case-05":
			<-ctx.Done()
			return reply{}, ctx.Err()
		}
		return reply{Words: []string{"a"}}, nil
	}
	p := plan(t, e)
	p.Timeout = time.Minute
	res, err := Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Failed) != 3 {
		t.Fatalf("%d failed, want 3: %v", len(res.Failed), res.Failed)
	}
	for i, want := range []string{"boom", "panic: no such thing", "timed out after 1m0s"} {
		if !strings.HasPrefix(res.Failed[i].Error, want) || res.Failed[i].Algorithm != "b" {
			t.Errorf("row %d is %q, want %q", i, res.Failed[i].Error, want)
		}
	}
	r := NewReport(toy{}, About{}, res)
	if row := r.Algorithms[0].Overall; row.Cases != 12 || row.Failed != 3 || *row.Value("recall").Value != 0.75 {
		t.Errorf("b: %+v", row)
	}
	before := e.asked.Load()
	if _, err := Run(t.Context(), p); err != nil || e.asked.Load()-before != 3 {
		t.Errorf("the next run asked %d times, want 3 (%v)", e.asked.Load()-before, err)
	}
}

// Cases with a missing repository or fix are listed and count nowhere. A missing BIC counts as
// missed.
func TestMissing(t *testing.T) {
	e := &engine{}
	e.begin = func(c question) ([]gitext.OID, error) {
		switch c.ID {
		case "case-00":
			return nil, &AbsentError{[]gitext.OID{gitext.OID(strings.Repeat("f", 40))}}
		case "case-03":
			return []gitext.OID{"a"}, nil
		}
		return nil, nil
	}
	p := plan(t, e)
	moved := p.Cases[1].(question)
	moved.Repo = "o/elsewhere"
	p.Cases[1] = moved
	res, err := Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Skipped) != 2 || res.Skipped[0].ID != "case-00" || !strings.Contains(res.Skipped[1].Reason, `no repository "o/elsewhere"`) {
		t.Errorf("skipped: %v", res.Skipped)
	}
	if len(res.Partial) != 1 || res.Partial[0].ID != "case-03" {
		t.Errorf("partial: %v", res.Partial)
	}
	if r := NewReport(toy{}, About{}, res); r.Evaluated != 10 || r.Algorithms[0].Overall.Cases != 10 {
		t.Errorf("%d evaluated, want 10", r.Evaluated)
	}
	recalled, err := Recall(t.Context(), toy{}, p.Journal)
	if err != nil || len(recalled.Skipped) != 2 || len(recalled.Partial) != 1 {
		t.Errorf("from the journal: %v, %v, %v", recalled.Skipped, recalled.Partial, err)
	}
}

// A repository that cannot be opened affects only its own cases.
func TestUnreadableRepository(t *testing.T) {
	e := &engine{}
	p := plan(t, e)
	p.Open = func(ctx context.Context, dir string, cases int) (Session, error) {
		if strings.Contains(dir, "r1") {
			return nil, errors.New("damaged")
		}
		return e.open(ctx, dir, cases)
	}
	res, err := Run(t.Context(), p)
	if err != nil || len(res.Skipped) != 4 || !strings.Contains(res.Skipped[0].Reason, `"o/r1" is not readable: damaged`) {
		t.Errorf("skipped %v, %v", res.Skipped, err)
	}
}

// An interrupted run stores the finished answers and returns them with the error. A case that one
// algorithm has not answered counts for no algorithm, but its answers are stored.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	e := &engine{}
	e.trace = func(ctx context.Context, c question, _ string) (reply, error) {
		if e.asked.Load() == 10 {
			cancel()
			return reply{}, ctx.Err()
		}
		return reply{Words: []string{"a"}}, nil
	}
	p := plan(t, e)
	p.Jobs = 1
	res, err := Run(ctx, p)
	if !errors.Is(err, context.Canceled) || res == nil || res.Unfinished != 8 {
		t.Fatalf("%v, %+v", err, res)
	}
	if n := NewReport(toy{}, About{}, res).Algorithms[0].Overall.Cases; n != 4 {
		t.Errorf("the half case counts for one algorithm: %d cases, want 4", n)
	}
	if e.opened.Load() != e.closed.Load() {
		t.Errorf("opened %d, closed %d", e.opened.Load(), e.closed.Load())
	}
	before := e.asked.Load()
	if res, err = Run(t.Context(), p); err != nil || e.asked.Load()-before != 24-9 || res.Reused != 9 {
		t.Errorf("the next run asked %d times and reused %d: %v", e.asked.Load()-before, res.Reused, err)
	}
}

// A journal that cannot be written ends the run, because going on would lose answers.
func TestBrokenJournal(t *testing.T) {
	e := &engine{}
	p := plan(t, e)
	p.Journal = &memory{broken: errors.New("disk full")}
	_, err := Run(t.Context(), p)
	if err == nil || !strings.Contains(err.Error(), "disk full") || e.asked.Load() > 8 {
		t.Errorf("asked %d times: %v", e.asked.Load(), err)
	}
}

// killAt is the number of predictions after which the child process of TestKill
// kills itself.
const killAt = 7

// A run that is killed half way loses no kept prediction, and the next run does
// not ask for them again.
func TestKill(t *testing.T) {
	dir := os.Getenv(envKill)
	e := &engine{}
	p := plan(t, e)
	p.Jobs = 1
	if dir != "" {
		e.trace = func(context.Context, question, string) (reply, error) {
			if e.asked.Load() > killAt {
				die()
			}
			return reply{Words: []string{"a"}, P: 0.5}, nil
		}
		runTraced(t, dir, p)
		return
	}
	dir = t.TempDir()
	child := exec.Command(os.Args[0], "-test.run=^TestKill$")
	child.Env = append(os.Environ(), envKill+"="+dir)
	if out, err := child.CombinedOutput(); err == nil || child.ProcessState.ExitCode() == 1 {
		t.Fatalf("the child was not killed: %v\n%s", err, out)
	}
	res := runTraced(t, dir, p)
	if n := e.asked.Load(); n != 24-killAt || res.Reused != killAt {
		t.Errorf("asked %d times and reused %d, want %d and %d", n, res.Reused, 24-killAt, killAt)
	}
	if len(res.Outcomes["b"]) != 12 || mainOf(res.Outcomes["b"]) != 1 {
		t.Errorf("outcomes: %+v", res.Outcomes["b"])
	}
}

// die ends the process like kill -9, so that no deferred function runs and nothing
// is flushed.
func die() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill() // on failure, the parent sees that the child is still alive
	}
	select {}
}

func runTraced(t *testing.T, dir string, p Plan) *Results {
	t.Helper()
	traces, err := cache.OpenTraces(t.Context(), dir, cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer traces.Close()
	journal, err := OpenJournal(t.Context(), toy{}, traces, "killed")
	if err != nil {
		t.Fatal(err)
	}
	p.Journal = journal
	res, err := Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if err := journal.Finish(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return res
}

// Two writers may share a run's name. The one that ends first does not stop the
// other.
func TestSharedRun(t *testing.T) {
	traces, err := cache.OpenTraces(t.Context(), t.TempDir(), cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer traces.Close()
	var journals []*RunJournal
	for range 2 {
		j, err := OpenJournal(t.Context(), toy{}, traces, "shared")
		if err != nil {
			t.Fatal(err)
		}
		journals = append(journals, j)
	}
	if err := journals[0].Finish(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if err := journals[1].Keep(t.Context(), Record{Key: "k", Case: question{ID: "1"}, Algorithm: "b"}); err != nil {
		t.Fatal(err)
	}
	found, err := FindJournal(t.Context(), toy{}, traces, "shared")
	if err != nil {
		t.Fatal(err)
	}
	res, err := Recall(t.Context(), toy{}, found)
	if err != nil || len(res.Cases) != 1 {
		t.Errorf("recalled %+v, %v", res, err)
	}
	if _, err := FindJournal(t.Context(), toy{}, traces, "nowhere"); !errors.Is(err, cache.ErrNoRun) {
		t.Errorf("a run that does not exist: %v", err)
	}
}

// CompareRuns compares the common cases of both runs, algorithm by algorithm.
func TestCompareRuns(t *testing.T) {
	e := &engine{}
	p := plan(t, e)
	all, err := Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	e.trace = func(context.Context, question, string) (reply, error) {
		return reply{Words: []string{"x"}}, nil
	}
	p.Cases, p.Algorithms, p.Journal = p.Cases[4:], []string{"rank"}, &memory{}
	part, err := Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	a, b := Contender{Name: "all", Results: all}, Contender{Name: "part", Results: part}
	list, err := CompareRuns(toy{}, a, b)
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	if c := list[0]; c.A != "all:rank" || c.B != "part:rank" || c.Cases != 8 || c.OnlyA != 4 || c.ARight != 8 || c.MainB != 0 {
		t.Errorf("%+v", c)
	}
	a.Algorithm = "b"
	if list, err = CompareRuns(toy{}, a, b); err != nil || list[0].A != "all:b" || list[0].B != "part:rank" {
		t.Errorf("%v, %v", list, err)
	}
	a.Algorithm = "ma"
	if _, err = CompareRuns(toy{}, a, b); err == nil {
		t.Error("an algorithm that the run lacks was compared")
	}
}
