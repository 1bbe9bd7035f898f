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

// A level is what a trial shows, not what a version number promises: containers
// and hardened kernels have the programs and forbid them their means. So this
// program is run in the sandbox, with the mounts and filters of a real command,
// and there tries what must not work (check_linux.go).

// selfTestLimit bounds one trial (measured: 30 ms).
const selfTestLimit = 10 * time.Second

// try finds the best variant of a level that passes the self-test.
func try(ctx context.Context, level Level) (Standing, error) {
	if !helps.Load() {
		return Standing{}, errors.New("this program cannot test it")
	}
	var variants []variant
	switch level {
	case Bwrap:
		if _, err := exec.LookPath("bwrap"); err != nil {
			return Standing{}, errors.New("bubblewrap is not installed")
		}
		variants = []variant{{userNS: true, noNestedNS: true}, {userNS: true}, {}}
	case Landlock:
		if abi := landlockABI(); abi < lowestABI {
			return Standing{}, errors.New("the kernel has no landlock, or one older than Linux 6.2")
		}
		variants = []variant{{isolated: true}, {}}
	}
	var first error
	for _, v := range variants {
		st, err := selfTest(ctx, Standing{Level: level, how: v})
		if err == nil || ctx.Err() != nil {
			return st, err
		}
		if first == nil {
			first = err
		}
	}
	return Standing{}, first
}

// A trial is what the check inside is told: things outside that it must not
// reach.
type trial struct {
	Level    Level
	Root     bool     // we are root, whose capabilities must be gone from all sets
	Parent   int      // a process outside
	Secret   string   // a file of ours
	Outside  string   // a directory of ours
	Socket   string   // a socket with a name
	Abstract string   // a socket without one
	TCP      string   // an address that is listened on
	Hidden   []string // what the home directory and the system have and no command may read
}

// A verdict is what the check found.
type verdict struct {
	Tried  int
	Broken []finding
}

// A finding is one thing that could be done. Tolerable ones are known limits of
// level Landlock where the kernel lacks the means.
type finding struct {
	What      string
	Tolerable bool
}

// selfTest runs the check in the sandbox.
func selfTest(ctx context.Context, st Standing) (Standing, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, selfTestLimit, errors.New("the self-test did not end"))
	defer cancel()
	exe, err := os.Executable()
	if err != nil {
		return st, err
	}
	if exe, err = filepath.EvalSymlinks(exe); err != nil {
		return st, fmt.Errorf("this program cannot be run again: %w", err)
	}
	scratch, err := NewScratch("") // what a kill leaves behind is swept by the next run
	if err != nil {
		return st, err
	}
	defer scratch.Close() // a rest is swept, too
	dir := scratch.dir
	s := Spec{Dir: filepath.Join(dir, "in"), Cache: filepath.Join(dir, "cache"), Readable: []string{exe}, MaxOutput: 64 << 10}
	for _, d := range []string{s.Dir, s.Cache, filepath.Join(dir, "out")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return st, err
		}
	}
	bait, remove, err := layBait(filepath.Join(dir, "out"), st.Level)
	if err != nil {
		return st, err
	}
	defer remove()
	text, err := json.Marshal(bait)
	if err != nil {
		return st, err
	}
	s.argv = []string{exe, helperMark + roleCheck, string(text)}
	res, err := runAt(ctx, s, st)
	if err != nil {
		return st, err
	}
	return judge(st, res)
}

// layBait makes things that the check must not reach.
func layBait(out string, level Level) (bait trial, remove func(), err error) {
	bait = trial{Level: level, Root: os.Getuid() == 0, Parent: os.Getpid(), Outside: out, Secret: filepath.Join(out, "secret"),
		Socket: filepath.Join(out, "socket"), Abstract: fmt.Sprintf("@git-agent-%d", os.Getpid()), Hidden: mustHide()}
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
			*at.address = "" // a path too long for a socket, a machine without IPv4: then nobody tries
			continue
		}
		open = append(open, l)
		if at.network == "tcp" {
			*at.address = l.Addr().String()
		}
	}
	return bait, remove, nil
}

// mustHide are the places that exist and that no sight shows: the entries of the
// home directory, files of the system with secrets, and directories at the top.
func mustHide() []string {
	const most = 200
	list := []string{"/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/ssh", "/etc/ssl/private", "/var", "/srv", "/mnt", "/media", "/root", "/boot", "/home"}
	home := homeDir()
	shown := visible(os.LookupEnv, home, Spec{Dir: os.TempDir()})
	if home != "" {
		entries, _ := os.ReadDir(home)
		for _, e := range entries[:min(len(entries), most)] {
			list = append(list, filepath.Join(home, e.Name()))
		}
	}
	return slices.DeleteFunc(list, func(path string) bool {
		_, err := os.Lstat(path)
		return err != nil || slices.ContainsFunc(shown, func(g sight) bool { return holds(g.path, path) || holds(path, g.path) })
	})
}

// judge turns what the check printed into a standing.
func judge(st Standing, res Result) (Standing, error) {
	var v verdict
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
