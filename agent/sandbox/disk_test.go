//go:build linux

package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A command that adds too much to the disk is ended, at each level, although it ignores
// SIGTERM, and whether it writes one file or many, in its directory or in its home.
func TestDiskIsBounded(t *testing.T) {
	t.Parallel()
	for _, level := range levels(t) {
		for name, command := range map[string]string{
			"a file":     `trap "" TERM; head -c 30000000 /dev/zero >big; sleep 1000`,
			"many files": `i=0; while [ $i -lt 300 ]; do i=$((i+1)); head -c 100000 /dev/zero >f$i; done; setsid sleep 1000; sleep 1000`,
			"the home":   `head -c 30000000 /dev/zero >"$HOME/big"; sleep 1000`,
		} {
			if name == "the home" && level == None {
				continue // it is the user's
			}
			t.Run(string(level)+"/"+name, func(t *testing.T) {
				t.Parallel()
				res := mustRun(t, Spec{Command: command, Cache: t.TempDir(), Home: filepath.Join(t.TempDir(), "home"), Disk: NewDisk(20 << 20), Sandbox: level})
				if !strings.HasPrefix(res.Full, "it added ") || !strings.HasSuffix(res.Full, " to the disk, and 20.0 MiB are allowed") || res.TimedOut || res.Exit == 0 {
					t.Errorf("%+v", res)
				}
			})
		}
	}
}

// Existing files do not count, and a command is not ended for the files of an earlier one, so
// that it can clean up.
func TestDiskCountsWhatIsAdded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "old"), make([]byte, 30<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond) // the kernel's clock of files has a tick
	disk := NewDisk(10 << 20)
	run := func(command string) Result {
		return mustRun(t, Spec{Dir: dir, Command: command, Disk: disk, Sandbox: None})
	}
	if res := run("echo x >new; sleep 0.3"); res.Full != "" || res.Exit != 0 {
		t.Errorf("%+v", res)
	}
	if res := run("head -c 20000000 /dev/zero >big; sleep 1000"); res.Full == "" {
		t.Errorf("%+v", res)
	}
	if res := run("sleep 0.5; rm big"); res.Full != "" || res.Exit != 0 {
		t.Errorf("%+v", res)
	}
	if res := run("head -c 20000000 /dev/zero >big; sleep 1000"); res.Full == "" {
		t.Errorf("%+v", res)
	}
}

// A command may use half of the free space, and a part of the rest if other programs have used
// this half.
func TestFloor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := NewDisk(0)
	d.first[dir] = space{1 << 50, 1 << 50}
	crowded := d.floors([]string{dir})[dir]
	free := freeSpace(dir)
	if least := crowded.least.bytes; least <= free.bytes/4*3 || least >= free.bytes {
		t.Errorf("%d must be left of %d", least, free.bytes)
	}
	f := floor{first: space{1000 << 20, 100}, least: space{500 << 20, 50}}
	for now, want := range map[space]string{
		{500 << 20, 50}:  "",
		{-1, -1}:         "",
		{499 << 20, 100}: "the disk has 499.0 MiB left of the 1000.0 MiB that were free",
		{900 << 20, 49}:  "the disk has room for 49 files left of 100",
	} {
		if got := f.reached(now); got != want {
			t.Errorf("%v: %q", now, got)
		}
	}
}
