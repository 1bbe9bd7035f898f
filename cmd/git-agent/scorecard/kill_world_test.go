//go:build linux

package scorecard

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A stage is a home with a repository in which one deed is done many times, each time
// from the same state. Its path never changes, because the program finds its data by
// the path of the repository.
type stage struct {
	home
	repo string // a program's history of fifteen commits
	kept string // a copy of the home, from which reset restores it
	env  []string

	server *listener     // nil if no model is configured
	took   time.Duration // time of the undisturbed deed
}

// forget resets the list of requests.
func (s *stage) forget() {
	if s.server != nil {
		s.server.forget()
	}
}

// asked returns the turns that were requested of the model since forget.
func (s *stage) asked() []int {
	if s.server == nil {
		return nil
	}
	return s.server.asked()
}

// relayFix is a commit of the history that fixes a bug. relayCulprit is the commit
// that introduced the bug.
const (
	relayFix     = "HEAD~2"
	relayCulprit = "HEAD~11"
)

func newStage(t testing.TB) *stage {
	t.Helper()
	dir := t.TempDir()
	s := &stage{home: newHome(t), kept: filepath.Join(dir, "kept")}
	s.repo = filepath.Join(string(s.home), "relay")
	s.env = []string{"TMPDIR=" + filepath.Join(string(s.home), "tmp")}
	if err := os.Mkdir(filepath.Join(string(s.home), "tmp"), 0o700); err != nil {
		t.Fatal(err)
	}
	relay.Do(func() { s.makeRelay(t) })
	replaceTree(t, relayDir(), s.repo)
	return s
}

// relay ensures that the history that every stage copies is built only once.
var relay sync.Once

// relayDir returns the directory of the history. It is beside the program and is
// removed with it.
func relayDir() string { return filepath.Join(filepath.Dir(program), "relay") }

func (s *stage) makeRelay(t testing.TB) {
	t.Helper()
	mbox, err := filepath.Abs(filepath.Join("..", "testdata", "desk", "relay.mbox"))
	if err != nil {
		t.Fatal(err)
	}
	s.git(t, string(s.home), "init", "-q", relayDir())
	s.git(t, relayDir(), "am", "-q", "--committer-date-is-author-date", mbox)
	s.git(t, relayDir(), "repack", "-q", "-a", "-d") // leaves few files, which are quick to copy and to compare
}

// keep saves the current state for reset.
func (s *stage) keep(t testing.TB) { replaceTree(t, string(s.home), s.kept) }

// reset restores the saved state.
func (s *stage) reset(t testing.TB) { replaceTree(t, s.kept, string(s.home)) }

// replaceTree replaces a directory by a copy of another one.
func replaceTree(t testing.TB, from, to string) {
	t.Helper()
	if err := os.RemoveAll(to); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cp", "-a", from, to).CombinedOutput(); err != nil {
		t.Fatalf("copy: %v: %s", err, out)
	}
}

// processes returns the processes that were started in this home and are not reaped
// yet. It recognizes them by environment or working directory, whatever process group
// or session they are in.
func (s *stage) processes() []int {
	mark := []byte("HOME=" + string(s.home) + "\x00")
	var pids []int
	entries, _ := os.ReadDir("/proc") // with an unreadable /proc the first vector fails, because its run is not found
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		environ, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "environ")) // an error means that it has ended or is another user's
		cwd, _ := os.Readlink(filepath.Join("/proc", e.Name(), "cwd"))
		if bytes.Contains(environ, mark) || strings.HasPrefix(cwd+"/", string(s.home)+"/") {
			pids = append(pids, pid)
		}
	}
	return pids
}

// leaveLimit is the time that a killed process may take to end. Only a process that
// was not killed reaches it.
const leaveLimit = 10 * time.Second

// alone waits until no process of this home is left. If some are left at the limit, it
// returns an error that names them, and kills them so that they do not disturb the next
// vector.
func (s *stage) alone() error {
	deadline := time.Now().Add(leaveLimit)
	for {
		pids := s.processes()
		if len(pids) == 0 {
			return nil
		}
		late := !awaitExit(pids[0], time.Until(deadline))
		if late {
			left := s.describe(pids)
			for _, pid := range pids {
				unix.Kill(pid, unix.SIGKILL)
				awaitExit(pid, leaveLimit)
			}
			return fmt.Errorf("left running: %s", left)
		}
	}
}

func (s *stage) describe(pids []int) string {
	var all []string
	for _, pid := range pids {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // an error means that it has ended
		words := strings.Split(string(line), "\x00")
		if len(words) > 30 {
			words = append(words[:1:1], words[len(words)-10:]...)
		}
		all = append(all, fmt.Sprintf("%d %s", pid, strings.Join(words, " ")))
	}
	return strings.Join(all, "; ")
}

// awaitExit waits until a process has ended and reports whether it has.
func awaitExit(pid int, limit time.Duration) bool {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return errors.Is(err, unix.ESRCH)
	}
	defer unix.Close(fd)
	for deadline := time.Now().Add(limit); ; {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(max(0, time.Until(deadline).Milliseconds())))
		if !errors.Is(err, unix.EINTR) {
			return n == 1
		}
	}
}

// isOurs reports whether a path below a repository belongs to the program.
func isOurs(path string) bool { return strings.Contains(path+"/", "/.git/agent/") }

// userFiles returns a checksum of the names, modes and contents of all files of the
// user: the repositories, the configuration and other files in the home. It leaves out
// the program's cache, state and scratch directories, and files that the deed declares
// to write.
func (s *stage) userFiles(t testing.TB, deeds ...string) string {
	t.Helper()
	ours := append([]string{".cache", ".local", "tmp"}, deeds...)
	sum := sha256.New()
	s.walk(t, func(path, rel string, d fs.DirEntry) error {
		for _, o := range ours {
			if rel == o || strings.HasPrefix(rel, o+"/") {
				return nil
			}
		}
		if isOurs(path) {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%q %v\n", rel, info.Mode())
		switch {
		case info.Mode().IsRegular():
			content, err := os.ReadFile(path)
			fmt.Fprintf(sum, "%x\n", sha256.Sum256(content))
			return err
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			fmt.Fprintf(sum, "%q\n", target)
			return err
		}
		return nil
	})
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// keptFiles returns the files and folders that the program stores for itself.
func (s *stage) keptFiles(t testing.TB) []string {
	t.Helper()
	var files []string
	s.walk(t, func(path, rel string, d fs.DirEntry) error {
		top, _, _ := strings.Cut(rel, "/")
		if isOurs(path) || top == ".cache" || top == ".local" || top == "tmp" {
			files = append(files, rel)
		}
		return nil
	})
	return files
}

func (s *stage) walk(t testing.TB, visit func(path, rel string, d fs.DirEntry) error) {
	t.Helper()
	err := filepath.WalkDir(string(s.home), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(string(s.home), path)
		if err != nil {
			return err
		}
		return visit(path, rel, d)
	})
	if err != nil {
		t.Error(err)
	}
}
