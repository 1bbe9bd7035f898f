//go:build linux

package scorecard

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminal opens a small pseudo-terminal.
func terminal(t testing.TB) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 5, Col: 80})
	}
	if err == nil {
		slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Skip(err)
	}
	return master, slave
}

// onTerminal runs the program on a terminal, where it may start a pager.
func (p *prey) onTerminal(t testing.TB, args ...string) {
	t.Helper()
	master, slave := terminal(t)
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = p.repo, p.environ("TERM=xterm")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = nil, slave, slave
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	go io.Copy(io.Discard, master) // ends when the program and its pager have ended
	kill := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer kill.Stop()
	_ = cmd.Wait() // the exit code does not matter
	master.Close()
}

// TestRepositoryPager checks on a terminal that a pager named by the repository does
// not start and one named by the user does.
func TestRepositoryPager(t *testing.T) {
	template := newTemplate(t)
	for _, where := range []string{"config", "include", "worktree"} {
		p := spoil(t, template, trap{plant: func(t testing.TB, p *prey) {
			text := "[core]\n\tpager = " + p.program(t, "pager") + "\n[pager]\n\tagent = " + p.program(t, "pager-agent") + "\n"
			switch where {
			case "config":
				p.config(t, text)
			case "include":
				p.put(t, p.in(".git/more"), text)
				p.config(t, "[include]\n\tpath = more\n")
			case "worktree":
				p.config(t, "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tworktreeConfig = true\n")
				p.put(t, p.in(".git/config.worktree"), text)
			}
			p.put(t, filepath.Join(p.lair, "bin", "less"), "#!/bin/sh\ncat\n") // stands for the default pager, but needs no keyboard
			if err := os.Chmod(filepath.Join(p.lair, "bin", "less"), 0o755); err != nil {
				t.Fatal(err)
			}
		}})
		t.Setenv("PATH", filepath.Join(p.lair, "bin")+":"+os.Getenv("PATH"))
		failed := false
		for _, args := range [][]string{{"man"}, {"szz", "HEAD"}, {"trace", "list"}} {
			p.onTerminal(t, args...)
			if names := p.marks(t); names != nil && !failed {
				broke(t, repositories, "pager in "+where, "%q: %q ran", args, names)
				failed = true
			}
		}
		if !failed {
			held(repositories)
		}
		p.git(t, p.repo, "config", "--global", "core.pager", p.program(t, "own"))
		p.onTerminal(t, "man")
		if names := p.marks(t); len(names) != 1 || names[0] != "own" {
			t.Errorf("the user's pager: %q ran", names)
		}
	}
}
