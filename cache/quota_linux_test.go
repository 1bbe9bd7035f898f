package cache

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// On a full disk, the cache keeps its values, warns once, and continues without writing.
func TestFullDiskKeepsTheCache(t *testing.T) {
	for _, limit := range disks {
		t.Run(limit.name, func(t *testing.T) {
			dir, arg := limit.prepare(t)
			child := startChild(t, "quota", dir, arg)
			lines := child.read(-1)
			if err := child.Wait(); err != nil {
				t.Fatalf("%v: %s", err, child.stderr)
			}
			if warned := strings.Count(child.stderr.String(), "\n"); warned != 1 {
				t.Errorf("warned %d times: %s", warned, child.stderr)
			}
			c := Open(t.Context(), dir, Options{Warn: func(text string) { t.Log(text) }})
			defer c.Close()
			for _, line := range lines {
				n, err := strconv.Atoi(line)
				mustNot(t, err)
				key, want := sample(n)
				if got, ok := c.Get(t.Context(), key); !ok || !bytes.Equal(got, want) {
					t.Errorf("value %d is lost", n)
				}
			}
			t.Logf("%d values before the disk was full; %s", len(lines), child.stderr)
		})
	}
}

// On a full disk, Append returns an error, and every earlier step is complete.
func TestFullDiskKeepsTheSteps(t *testing.T) {
	for _, limit := range disks {
		t.Run(limit.name, func(t *testing.T) {
			dir, arg := limit.prepare(t)
			child := startChild(t, "steps", dir, arg)
			lines := child.read(-1)
			if err := child.Wait(); err == nil || !strings.Contains(child.stderr.String(), "disk") {
				t.Fatalf("%v: %s", err, child.stderr)
			}
			n := 0
			traces := openTraces(t, dir, Options{})
			defer traces.Close()
			for step, err := range traces.Steps(t.Context(), RunID(lines[0])) {
				mustNot(t, err)
				n++
				if !bytes.Equal(step.Payload, stepAt(n).Payload) {
					t.Errorf("step %d is not what was appended", n)
				}
			}
			if n != len(lines)-1 {
				t.Errorf("%d steps were acknowledged, %d are there", len(lines)-1, n)
			}
			t.Logf("%d steps before the disk was full; %s", n, child.stderr)
		})
	}
}

// If a disk has no room for a new file, the attempt leaves nothing behind.
func TestFullDiskLeavesNothing(t *testing.T) {
	for _, mode := range []string{"quota", "steps"} {
		for _, bytes := range []int{0, 100, 3000, 5000, 9000, 14000} {
			dir := t.TempDir()
			child := startChild(t, mode, dir, strconv.Itoa(max(bytes, 1)))
			child.read(-1)
			_ = child.Wait() // steps cannot be recorded, which is an error
			entries, err := os.ReadDir(dir)
			mustNot(t, err)
			for _, e := range entries {
				if strings.Contains(e.Name(), unnamed) {
					t.Errorf("%s with %d bytes leaves %s", mode, bytes, e.Name())
				}
			}
		}
	}
}

// disks are the ways to run out of space: a small file system, which needs root, and a limit on
// the size of files.
var disks = []struct {
	name    string
	prepare func(t *testing.T) (dir, arg string)
}{
	{"tmpfs", func(t *testing.T) (string, string) {
		dir := t.TempDir()
		if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
			t.Skipf("mount: %v", err)
		}
		t.Cleanup(func() { mustNot(t, unix.Unmount(dir, unix.MNT_DETACH)) })
		return dir, "0"
	}},
	{"rlimit", func(t *testing.T) (string, string) { return t.TempDir(), strconv.Itoa(2 << 20) }},
}

func limitFiles(arg string) error {
	bytes, err := strconv.ParseUint(arg, 10, 64)
	if err != nil || bytes == 0 {
		return err
	}
	signal.Ignore(unix.SIGXFSZ)
	return unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: bytes, Max: bytes})
}

// putWithQuota puts values until shortly after the first warning, and prints the values put
// before it.
func putWithQuota(ctx context.Context, dir, arg string) error {
	if err := limitFiles(arg); err != nil {
		return err
	}
	warned := false
	c := Open(ctx, dir, Options{Warn: func(text string) {
		warned = true
		fmt.Fprintln(os.Stderr, text)
	}})
	for n, after := 0, 0; after < 20 && n < 10_000; n++ {
		key, value := sample(n)
		c.Put(ctx, key, value)
		if warned {
			after++
			continue
		}
		fmt.Println(n)
	}
	return c.Close()
}

// appendWithQuota prints the id of its run and a line for each step, and ends with the
// error of the first Append that fails.
func appendWithQuota(ctx context.Context, dir, arg string) error {
	if err := limitFiles(arg); err != nil {
		return err
	}
	traces, err := OpenTraces(ctx, dir, Options{})
	if err != nil {
		return err
	}
	id, err := traces.StartRun(ctx, "test", nil)
	if err != nil {
		return err
	}
	fmt.Println(id)
	for n := 1; n < 10_000; n++ {
		if err := traces.Append(ctx, id, stepAt(n)); err != nil {
			return err
		}
		fmt.Println(n)
	}
	return nil
}
