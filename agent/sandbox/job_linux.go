package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// maxFileSize bounds each file that a confined command writes. Many files can
// still fill a disk.
const maxFileSize = 16 << 30

// noneLimits lists the processes that a command may leave running at level
// None.
func noneLimits() []string {
	if helps.Load() {
		return nil
	}
	return []string{"processes that leave the group of the command"}
}

// newJob prepares a command at a level.
func newJob(ctx context.Context, s Spec, st Isolation, env []string) (*job, error) {
	switch st.Level {
	case Bwrap:
		return bwrapJob(ctx, s, st.how, env)
	case Landlock:
		return landlockJob(ctx, s, st.how, env)
	}
	if helps.Load() {
		return supervised(ctx, s, plan{Argv: shellArgv(s), Env: env, Dir: s.Dir})
	}
	return plainJob(ctx, s, env), nil
}

// bwrapJob prepares a command in bubblewrap, which gets its filter through a pipe. bubblewrap's
// second process asks the kernel to be killed with the first one only after it made the mounts.
// If the first process dies before that, the helper above ends the second one.
func bwrapJob(ctx context.Context, s Spec, v variant, env []string) (*job, error) {
	home := homeDir()
	sights := visiblePaths(os.LookupEnv, home, s)
	if err := makeHome(s, "", nil); err != nil {
		return nil, err
	}
	var filter []byte // without a filter, the self-test decides whether the level counts
	number := 0
	if program, err := systemCallFilter(filterOptions{unix: !s.Network, inet: true}); err == nil {
		filter, number = filterBytes(program), planFD
	}
	argv := append(bwrapArgv(s, v, sights, home, number), shellArgv(s, shellLimits()...)...)
	if helps.Load() {
		j, err := supervised(ctx, s, plan{Argv: argv, Env: env, Dir: s.Dir, Filter: filter})
		if err == nil {
			j.depth = 3
		}
		return j, err
	}
	pipe, err := filled(filter)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = s.Dir, env
	cmd.ExtraFiles = []*os.File{pipe}
	ownGroup(ctx, cmd)
	cmd.WaitDelay = grace
	start := func() error {
		defer pipe.Close()
		return cmd.Start()
	}
	return &job{cmd: cmd, start: start, depth: 2, ended: func(res *Result) (int64, error) {
		res.Exit = exitOf(cmd.ProcessState)
		return 0, nil // bwrap does not wait for its children, so the peak would be its own
	}}, nil
}

// shellLimits returns the limits that a shell sets if there is no helper. From Linux 5.14 the
// number of processes counts only this sandbox; root has no such limit.
func shellLimits() []string {
	processes := max(4096, 128*runtime.NumCPU())
	return []string{
		"echo " + firstToEnd + " >" + oomScore,
		"ulimit -c 0",
		fmt.Sprintf("ulimit -f %d", maxFileSize/512),
		fmt.Sprintf("ulimit -u %d || ulimit -p %d", processes, processes), // bash, then dash
	}
}

// filled returns the reading end of a pipe that contains data.
func filled(data []byte) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	if _, err := w.Write(data); err != nil { // a few kilobytes, which fit into every pipe
		r.Close()
		return nil, err
	}
	return r, nil
}

func landlockJob(ctx context.Context, s Spec, v variant, env []string) (*job, error) {
	home := homeDir()
	c := &confinement{Isolated: v.isolated, Network: s.Network}
	for _, g := range withoutHidden(visiblePaths(os.LookupEnv, home, s), s.hiddenPaths()) {
		if g.write {
			c.Writable = append(c.Writable, g.path)
		} else {
			c.Readable = append(c.Readable, g.path)
		}
	}
	if err := makeHome(s, home, c.Readable); err != nil {
		return nil, err
	}
	if s.Cache != "" {
		c.Writable = append(c.Writable, freshHome(s))
	}
	return supervised(ctx, s, plan{Argv: shellArgv(s), Env: env, Dir: s.Dir, Confine: c})
}

// makeHome makes a new home directory for a command. If nothing can be mounted, the directory
// contains a link for each visible path below the real home directory.
func makeHome(s Spec, home string, sights []string) error {
	if s.Cache == "" {
		return nil
	}
	dir := freshHome(s)
	if err := RemoveAll(dir); err != nil {
		return fmt.Errorf("clean the home directory of the command: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make a home directory: %w", err)
	}
	for _, path := range sights {
		rel, err := filepath.Rel(home, path)
		if home == "" || err != nil || !filepath.IsLocal(rel) {
			continue
		}
		link := filepath.Join(dir, rel)
		if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
			return fmt.Errorf("make a home directory: %w", err)
		}
		if err := os.Symlink(path, link); err != nil && !errors.Is(err, os.ErrExist) {
			return fmt.Errorf("make a home directory: %w", err)
		}
	}
	return nil
}

// supervised prepares a plan for a helper, which ends the processes that the command leaves.
func supervised(ctx context.Context, s Spec, p plan) (*job, error) {
	cmd := helperCommand(ctx, roleSupervise)
	cmd.Dir = s.Dir
	h, err := newHelper(cmd, p)
	if err != nil {
		return nil, err
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that an interrupt at the terminal reaches only this process
	cmd.Cancel = func() error {
		if fullOf(ctx) != "" {
			h.hurry()
		}
		h.stop()
		return nil
	}
	cmd.WaitDelay = time.Minute // a helper on a busy machine needs long; if killed, it would leave stopped processes
	return &job{cmd: cmd, start: h.start, depth: 1, ended: func(res *Result) (int64, error) {
		defer h.answer.Close()
		defer h.stop()
		var e exitReport
		err := json.NewDecoder(h.answer).Decode(&e)
		switch {
		case err != nil && (res.TimedOut || res.Full != ""):
			e = exitReport{Exit: 128 + int(syscall.SIGKILL)}
		case err != nil:
			return 0, fmt.Errorf("the helper that runs it ended early (%v)", cmd.ProcessState)
		case e.Error != "":
			return 0, errors.New(strings.TrimSpace(e.Error))
		}
		res.Exit, res.Stayed = e.Exit, e.Stayed
		return e.Peak, nil
	}}, nil
}
