package cache

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
)

// envKills asks for more rounds than the default run has time for.
const envKills = "GIT_AGENT_TEST_KILLS"

// Kill -9 of two writers at any moment loses no value whose Put had returned.
func TestKilledWritersLoseNothing(t *testing.T) {
	dir, kills, acknowledged := t.TempDir(), amount(envKills, 20), map[int]bool{}
	random := rand.New(rand.NewPCG(1, 2))
	for round := range kills / 2 {
		first := startChild(t, "put", dir, strconv.Itoa(round*100_000))
		second := startChild(t, "put", dir, strconv.Itoa(round*100_000+50_000))
		for i, c := range []*child{first, second} {
			lines := c.read(1 + random.IntN(60))
			mustNot(t, c.Process.Kill())
			for _, line := range append(lines, c.read(-1)...) {
				n, err := strconv.Atoi(line)
				mustNot(t, err)
				acknowledged[n] = true
			}
			if err := c.Wait(); err == nil || c.stderr.Len() > 0 {
				t.Fatalf("writer %d of round %d: %v, %s", i, round, err, c.stderr)
			}
		}
	}
	lost := 0
	c := Open(t.Context(), dir, Options{Warn: fatalWarn(t)})
	for n := range acknowledged {
		key, want := sample(n)
		if got, ok := c.Get(t.Context(), key); !ok || !bytes.Equal(got, want) {
			lost++
		}
	}
	report, err := c.Verify(t.Context())
	if lost > 0 || err != nil || len(report.Problems) > 0 || c.Close() != nil {
		t.Errorf("%d values lost; %v, %v", lost, report.Problems, err)
	}
	t.Logf("%d kills, %d acknowledged values, %d lost, %d in the file", kills, len(acknowledged), lost, report.Entries)
}

func putForever(ctx context.Context, dir, arg string) error {
	from, err := strconv.Atoi(arg)
	if err != nil {
		return err
	}
	var w warnings
	c := Open(ctx, dir, Options{Warn: w.warn})
	for n := from; len(w.said) == 0; n++ {
		key, value := sample(n)
		c.Put(ctx, key, value)
		fmt.Println(n)
	}
	return fmt.Errorf("warned: %q", w.said)
}

// Kill -9 of the process that works on a run loses no step whose Append had returned, and leaves
// no partial step. The run is then interrupted and can be resumed.
func TestKilledRunKeepsItsSteps(t *testing.T) {
	dir, kills := t.TempDir(), amount(envKills, 20)
	random := rand.New(rand.NewPCG(3, 4))
	traces := openTraces(t, dir, Options{})
	id, err := traces.StartRun(t.Context(), "test", "killed")
	mustNot(t, err)
	mustNot(t, traces.Close())
	acknowledged := 0
	for range kills {
		c := startChild(t, "append", dir, string(id))
		lines := c.read(1 + random.IntN(40))
		mustNot(t, c.Process.Kill())
		lines = append(lines, c.read(-1)...)
		if err := c.Wait(); err == nil || c.stderr.Len() > 0 {
			t.Fatalf("writer ended: %v, %s", err, c.stderr)
		}
		acknowledged, err = strconv.Atoi(lines[len(lines)-1])
		mustNot(t, err)
	}
	traces = openTraces(t, dir, Options{})
	defer traces.Close()
	run, err := traces.Lookup(t.Context(), string(id))
	if err != nil || run.State != Interrupted {
		t.Errorf("run is %q, %v", run.State, err)
	}
	n := 0
	for step, err := range traces.Steps(t.Context(), id) {
		mustNot(t, err)
		n++
		if want := stepAt(n); step.Seq != int64(n) || step.Key != want.Key || step.Kind != want.Kind || !bytes.Equal(step.Payload, want.Payload) {
			t.Fatalf("step %d is %s %q with %d bytes", n, step.Kind, step.Key, len(step.Payload))
		}
	}
	if n < acknowledged || n > acknowledged+2 {
		t.Errorf("%d steps were acknowledged, %d are there", acknowledged, n)
	}
	t.Logf("%d kills, %d acknowledged steps, %d in the file", kills, acknowledged, n)
}

// stepAt is the n-th step that appendForever writes: intents and results in turn.
func stepAt(n int) Step {
	_, payload := sample(n)
	kind := Intent
	if n%2 == 0 {
		kind = Result
	}
	return Step{Kind: kind, Key: fmt.Sprintf("step %d", (n+1)/2), Payload: payload}
}

// appendForever appends an intent alone, and a result with the next intent, to test that the
// steps of one transaction are stored together.
func appendForever(ctx context.Context, dir, arg string) error {
	traces, err := OpenTraces(ctx, dir, Options{})
	if err != nil {
		return err
	}
	if err := traces.Resume(ctx, RunID(arg)); err != nil {
		return err
	}
	n := 1
	for range traces.Steps(ctx, RunID(arg)) {
		n++
	}
	for {
		steps := []Step{stepAt(n)}
		if n%4 == 2 {
			steps = append(steps, stepAt(n+1))
		}
		if err := traces.Append(ctx, RunID(arg), steps...); err != nil {
			return err
		}
		n += len(steps)
		fmt.Println(n - 1)
	}
}

func openTraces(t testing.TB, dir string, opt Options) *Traces {
	t.Helper()
	if opt.Warn == nil {
		opt.Warn = fatalWarn(t)
	}
	traces, err := OpenTraces(t.Context(), dir, opt)
	mustNot(t, err)
	return traces
}
