package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A level is tested and not judged by version numbers: containers and hardened kernels may
// forbid system calls that installed programs need. So this program runs itself in the sandbox,
// with the mounts and filters of a real command, and makes forbidden attempts there
// (check_linux.go).

// selfTestLimit bounds one self-test (measured: 30 ms).
const selfTestLimit = 10 * time.Second

// probeLevel finds the best variant of a level that passes the self-test.
func probeLevel(ctx context.Context, level Level) (Isolation, error) {
	if !helps.Load() {
		return Isolation{}, errors.New("this program cannot test it")
	}
	var variants []variant
	switch level {
	case Bwrap:
		if _, err := exec.LookPath("bwrap"); err != nil {
			return Isolation{}, errors.New("bubblewrap is not installed")
		}
		variants = []variant{{userNS: true, noNestedNS: true}, {userNS: true}, {}}
	case Landlock:
		if abi := landlockABI(); abi < lowestABI {
			return Isolation{}, errors.New("the kernel has no landlock, or one older than Linux 6.2")
		}
		variants = []variant{{isolated: true}, {}}
	}
	var first error
	for _, v := range variants {
		st, err := selfTest(ctx, Isolation{Level: level, how: v})
		if err == nil || ctx.Err() != nil || errors.As(err, new(*TemporaryError)) {
			return st, err
		}
		if first == nil {
			first = err
		}
	}
	return Isolation{}, first
}

// An escapeTargets tells the check in the sandbox which things outside must be out of reach.
type escapeTargets struct {
	Level    Level
	Root     bool     // the user is root, so all sets of capabilities must be empty
	Parent   int      // a process outside
	Secret   string   // a file of this process
	Outside  string   // a directory of this process
	Socket   string   // a socket with a name
	Abstract string   // a socket without one
	TCP      string   // an address with a listener
	Hidden   []string // existing files and directories that no command may read
}

// A checkResult is the result of the check.
type checkResult struct {
	Tried  int
	Broken []finding
}

// A finding is one attempt that succeeded. A tolerable finding is a known limit of level
// Landlock on kernels without the needed rights.
type finding struct {
	What      string
	Tolerable bool
}

// selfTest runs the check in the sandbox.
func selfTest(ctx context.Context, st Isolation) (Isolation, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, selfTestLimit, errors.New("the self-test did not end"))
	defer cancel()
	exe, err := os.Executable()
	if err != nil {
		return st, err
	}
	if exe, err = filepath.EvalSymlinks(exe); err != nil {
		return st, fmt.Errorf("this program cannot be run again: %w", err)
	}
	scratch, err := NewScratch("") // after a kill, the next run removes it
	if err != nil {
		return st, &TemporaryError{err}
	}
	defer scratch.Close() // after a failure, the next run removes it
	dir := scratch.dir
	s := Spec{Dir: filepath.Join(dir, "in"), Cache: filepath.Join(dir, "cache"), Readable: []string{exe}, MaxOutput: 64 << 10}
	for _, d := range []string{s.Dir, s.Cache, filepath.Join(dir, "out")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return st, &TemporaryError{err}
		}
	}
	bait, remove, err := makeTargets(filepath.Join(dir, "out"), st.Level, exe)
	defer remove()
	if err != nil {
		return st, &TemporaryError{err}
	}
	text, err := json.Marshal(bait)
	if err != nil {
		return st, err
	}
	s.Argv = []string{exe, helperMark + roleCheck, string(text)}
	res, err := runAt(ctx, s, st)
	if err != nil {
		return st, err
	}
	if st, err = isolationOf(st, res); err == nil {
		return st, nil
	}
	if above := shownAbove(bait.Secret, s); above != "" {
		err = fmt.Errorf("%w: commands see %s, because PATH or a variable of a toolchain names it; set TMPDIR to a directory outside of it", err, above)
	}
	return st, err
}

// shownAbove returns the directory that commands see and that holds path, or "".
func shownAbove(path string, s Spec) string {
	for _, g := range visiblePaths(os.LookupEnv, homeDir(), s) {
		if holds(g.path, path) {
			return g.path
		}
	}
	return ""
}

// makeTargets creates things that the check, which is the program exe, must not reach.
func makeTargets(out string, level Level, exe string) (bait escapeTargets, remove func(), err error) {
	bait = escapeTargets{Level: level, Root: os.Getuid() == 0, Parent: os.Getpid(), Outside: out, Secret: filepath.Join(out, "secret"),
		Socket: filepath.Join(out, "socket"), Abstract: fmt.Sprintf("@git-agent-%d", os.Getpid()), Hidden: mustHide(exe)}
	var open []net.Listener
	remove = func() {
		for _, l := range open {
			l.Close()
		}
	}
	if err := os.WriteFile(bait.Secret, []byte("secret"), 0o600); err != nil {
		return bait, remove, err
	}
	for _, at := range []struct {
		network string
		address *string
	}{{"unix", &bait.Socket}, {"unix", &bait.Abstract}, {"tcp", &bait.TCP}} {
		address := *at.address
		if at.network == "tcp" {
			address = "127.0.0.1:0"
		}
		l, err := net.Listen(at.network, address)
		if err != nil {
			*at.address = "" // the path is too long for a socket, or there is no IPv4: skip this check
			continue
		}
		open = append(open, l)
		if at.network == "tcp" {
			*at.address = l.Addr().String()
		}
	}
	return bait, remove, nil
}

// mustHide returns existing paths that must not be visible: entries of the home
// directory, system files with secrets, and top-level directories. The entry that holds the program of
// the check is there, with nothing else in it.
func mustHide(exe string) []string {
	const most = 200
	list := []string{
		"/etc/shadow",
		"/etc/gshadow",
		"/etc/sudoers",
		"/etc/ssh",
		"/etc/ssl/private",
		"/var",
		"/srv",
		"/mnt",
		"/media",
		"/root",
		"/boot",
		"/home",
	}
	home := homeDir()
	shown := visiblePaths(os.LookupEnv, home, Spec{Dir: os.TempDir(), Readable: []string{exe}})
	if home != "" {
		entries, _ := os.ReadDir(home)
		for _, e := range entries[:min(len(entries), most)] {
			list = append(list, filepath.Join(home, e.Name()))
		}
	}
	return slices.DeleteFunc(list, func(path string) bool {
		_, err := os.Lstat(path)
		return err != nil || slices.ContainsFunc(shown, func(g visiblePath) bool { return holds(g.path, path) || holds(path, g.path) })
	})
}

// isolationOf interprets the output of the check.
func isolationOf(st Isolation, res Result) (Isolation, error) {
	var v checkResult
	if err := json.Unmarshal(lastLine(res.Output), &v); err != nil || v.Tried == 0 {
		first, _, _ := strings.Cut(strings.TrimSpace(string(res.Output)), "\n")
		return st, fmt.Errorf("it does not start here: %s", strings.TrimPrefix(first, "bwrap: "))
	}
	var fatal []string
	for _, f := range v.Broken {
		if f.Tolerable {
			st.Limits = append(st.Limits, f.What)
			continue
		}
		fatal = append(fatal, f.What)
	}
	if len(fatal) > 0 {
		return st, fmt.Errorf("its self-test failed, for a command reached %s", strings.Join(fatal, ", "))
	}
	st.Tried = v.Tried - len(v.Broken)
	return st, nil
}

func lastLine(out []byte) []byte {
	text := strings.TrimSpace(string(out))
	return []byte(text[strings.LastIndexByte(text, '\n')+1:])
}
