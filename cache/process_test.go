package cache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"
)

// Several processes that start together in an empty directory make one cache, and each finds the
// others' values.
func TestProcessesShareOneCache(t *testing.T) {
	const processes, each = 4, 60
	dir := t.TempDir()
	var started []*child
	for i := range processes {
		started = append(started, startChild(t, "some", dir, strconv.Itoa(i*each)))
	}
	for _, c := range started {
		c.read(-1)
		if err := c.Wait(); err != nil || c.stderr.Len() > 0 {
			t.Errorf("process: %v, %s", err, c.stderr)
		}
	}
	c := Open(t.Context(), dir, Options{Warn: fatalWarn(t)})
	defer c.Close()
	for n := range processes * each {
		key, want := sample(n)
		if got, ok := c.Get(t.Context(), key); !ok || !bytes.Equal(got, want) {
			t.Errorf("value %d is missing or wrong", n)
		}
	}
}

// putSome puts 60 values, reads them and those of the others, and fails on a warning.
func putSome(ctx context.Context, dir, arg string) error {
	from, err := strconv.Atoi(arg)
	if err != nil {
		return err
	}
	var w warnings
	c := Open(ctx, dir, Options{Warn: w.warn})
	for n := range 60 {
		key, value := sample(from + n)
		c.Put(ctx, key, value)
		if got, ok := c.Get(ctx, key); !ok || !bytes.Equal(got, value) {
			return fmt.Errorf("value %d was lost at once", from+n)
		}
		key, want := sample(n)
		if got, ok := c.Get(ctx, key); ok && !bytes.Equal(got, want) {
			return fmt.Errorf("value %d is wrong", n)
		}
	}
	if len(w.said) > 0 {
		return fmt.Errorf("warned: %q", w.said)
	}
	return c.Close()
}

// Goroutines may share a cache, also while it is being closed.
func TestGoroutinesShareOneCache(t *testing.T) {
	c := Open(t.Context(), t.TempDir(), Options{Warn: fatalWarn(t)})
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for n := range 40 {
				key, value := sample(g%2*40 + n)
				c.Put(t.Context(), key, value)
				if got, ok := c.Get(t.Context(), key); ok && !bytes.Equal(got, value) {
					t.Errorf("value %d is wrong", n)
				}
				if g == 7 && n == 30 {
					mustNot(t, c.Close())
				}
			}
		})
	}
	wg.Wait()
}

// Goroutines continue while another process sets the file aside.
func TestGoroutinesFollowTheNewFile(t *testing.T) {
	dir := t.TempDir()
	path := fill(t, dir, 1)
	c := Open(t.Context(), dir, Options{Warn: fatalWarn(t)})
	defer c.Close()
	key, want := sample(0)
	for range 5 {
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 20 {
					c.Put(t.Context(), key, want)
					if got, ok := c.Get(t.Context(), key); ok && !bytes.Equal(got, want) {
						t.Error("got another value")
					}
				}
			})
		}
		if _, err := setAside(path, nil, asideDamaged, time.Time{}); err != nil {
			t.Error(err)
		}
		wg.Wait()
	}
	c.Put(t.Context(), key, want)
	if got, ok := c.Get(t.Context(), key); !ok || !bytes.Equal(got, want) {
		t.Error("the new file does not hold the value")
	}
}

// A run belongs to the process that started or resumed it, until that process ends.
func TestRunIsHeldByOneProcess(t *testing.T) {
	dir := t.TempDir()
	c := startChild(t, "hold", dir, "")
	id := RunID(c.read(1)[0])
	traces := openTraces(t, dir, Options{})
	defer traces.Close()
	run, err := traces.Lookup(t.Context(), string(id))
	if err != nil || run.State != Running {
		t.Errorf("run is %q while its process lives, %v", run.State, err)
	}
	if err := traces.Resume(t.Context(), id); !errors.Is(err, ErrHeld) {
		t.Errorf("resumed the run of another process: %v", err)
	}
	if err := traces.Append(t.Context(), id, Step{Kind: Note}); !errors.Is(err, ErrNotRunning) {
		t.Errorf("appended to the run of another process: %v", err)
	}
	mustNot(t, c.stdin.Close())
	mustNot(t, c.Wait())
	if run, err = traces.Lookup(t.Context(), string(id)); err != nil || run.State != Interrupted {
		t.Errorf("run is %q after its process ended, %v", run.State, err)
	}
	mustNot(t, traces.Resume(t.Context(), id))
	mustNot(t, traces.Append(t.Context(), id, Step{Kind: Note}))
	mustNot(t, traces.Finish(t.Context(), id, Done))
	if err := traces.Append(t.Context(), id, Step{Kind: Note}); !errors.Is(err, ErrNotRunning) {
		t.Errorf("appended to a finished run: %v", err)
	}
}

// holdRun starts a run, prints its id, and ends without finishing it at the end of stdin.
func holdRun(ctx context.Context, dir, _ string) error {
	traces, err := OpenTraces(ctx, dir, Options{})
	if err != nil {
		return err
	}
	id, err := traces.StartRun(ctx, "test", nil)
	if err != nil {
		return err
	}
	fmt.Println(id)
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}
