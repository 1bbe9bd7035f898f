//go:build linux

package scorecard

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// If a disk is full, a home is missing or closed, or a clock jumps, the answer is the same, no
// file is written in part, and nothing panics or waits.

// storing are command lines that read and write the program's stored data.
var storing = [][]string{
	{"szz", "--algorithm=b", "HEAD~2"},
	{"szz", "--quiet", "HEAD~2"},
	{"szz", "--algorithm=b", "--verify-cmd=grep -q nothing src/relay.c", "HEAD~2"},
	{"index", "build"},
	{"tool", "git_log_search", `{"pattern":"return"}`},
	{"fix", "--engine=offline", "--time=5s", "--test=grep -q nothing src/relay.c"},
	{"doctor"},
	{"doctor", "--fix"},
	{"trace", "list"},
	{"cache", "verify"},
	{"cache", "clear"},
}

// answersAlike marks the command lines of storing whose answer no surrounding may change.
func answersAlike(deed []string) bool {
	return deed[0] == "tool" || deed[0] == "szz" && !strings.Contains(deed[2], "verify")
}

// A surround is one state of the machine around the program. lay makes it and returns
// variables for the program.
type surround struct {
	name string
	lay  func(t *testing.T, s *stage) (env []string, ok bool)
}

// mountSmall mounts a small disk at a directory. free is the remaining free space.
func mountSmall(t *testing.T, dir string, size, free int64) bool {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d,mode=700", size)); err != nil {
		t.Logf("no disk can be mounted here: %v", err)
		return false
	}
	t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
	if fill := size - free; fill > 0 {
		if err := os.WriteFile(filepath.Join(dir, "ballast"), make([]byte, fill), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return true
}

func surrounds() []surround {
	var list []surround
	for _, free := range []int64{0, 4 << 10, 32 << 10, 128 << 10} {
		for _, name := range []string{".cache", ".local", "tmp"} {
			list = append(list, surround{fmt.Sprintf("%d KiB free in %s", free>>10, name), func(t *testing.T, s *stage) ([]string, bool) {
				return nil, mountSmall(t, filepath.Join(string(s.home), name), 256<<10, free)
			}})
		}
	}
	at := func(name string, when time.Time) surround {
		return surround{name, func(t *testing.T, s *stage) ([]string, bool) {
			s.run(t, command{dir: s.repo}, "szz", "HEAD~2")
			err := filepath.WalkDir(string(s.home), func(path string, d os.DirEntry, err error) error {
				if err != nil || d.Type()&os.ModeSymlink != 0 {
					return err
				}
				return os.Chtimes(path, when, when)
			})
			if err != nil {
				t.Fatal(err)
			}
			return nil, true
		}}
	}
	home := func(name string, lay func(dir string) (string, error)) surround {
		return surround{name, func(t *testing.T, s *stage) ([]string, bool) {
			value, err := lay(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			return []string{value, "GIT_CONFIG_GLOBAL=" + filepath.Join(string(s.home), ".gitconfig")}, true
		}}
	}
	return append(list,
		at("all files from 2100", time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)),
		at("all files from 1970", time.Unix(0, 0)),
		at("all files from before 1970", time.Unix(-1e9, 0)),
		surround{"a read-only disk in .cache and .local", func(t *testing.T, s *stage) ([]string, bool) {
			for _, name := range []string{".cache", ".local"} {
				dir := filepath.Join(string(s.home), name)
				if !mountSmall(t, dir, 64<<10, 64<<10) {
					return nil, false
				}
				if err := unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
					t.Fatal(err)
				}
			}
			return nil, true
		}},
		home("no HOME", func(string) (string, error) { return "HOME=", nil }),
		home("a HOME that is not there", func(dir string) (string, error) { return "HOME=" + filepath.Join(dir, "absent"), nil }),
		home("a HOME that is a file", func(dir string) (string, error) {
			return "HOME=" + filepath.Join(dir, "file"), os.WriteFile(filepath.Join(dir, "file"), nil, 0o600)
		}),
		home("a relative HOME", func(string) (string, error) { return "HOME=home", nil }),
		home("a HOME that links to itself", func(dir string) (string, error) {
			return "HOME=" + filepath.Join(dir, "loop"), os.Symlink("loop", filepath.Join(dir, "loop"))
		}),
		home("a HOME whose .cache is a file", func(dir string) (string, error) {
			return "HOME=" + dir, os.WriteFile(filepath.Join(dir, ".cache"), nil, 0o600)
		}),
		home("a HOME whose .local leads nowhere", func(dir string) (string, error) {
			return "HOME=" + dir, os.Symlink("/nowhere/at/all", filepath.Join(dir, ".local"))
		}),
		home("no TMPDIR", func(dir string) (string, error) { return "TMPDIR=" + filepath.Join(dir, "absent"), nil }),
		home("a TMPDIR that is a file", func(dir string) (string, error) {
			return "TMPDIR=" + filepath.Join(dir, "file"), os.WriteFile(filepath.Join(dir, "file"), nil, 0o600)
		}),
	)
}

func TestSurroundings(t *testing.T) {
	plain := newStage(t)
	want := map[string]outcome{}
	for _, deed := range storing {
		want[strings.Join(deed, " ")] = plain.run(t, command{dir: plain.repo, env: plain.env}, deed...)
	}
	for _, v := range sample(surrounds(), 4) {
		t.Run(v.name, func(t *testing.T) {
			s := newStage(t)
			env, ok := v.lay(t, s)
			if !ok {
				skipped(t, surroundings, v.name, "no disk can be mounted here")
				return
			}
			status := s.git(t, s.repo, "status", "--porcelain", "--ignored")
			for _, deed := range storing {
				got := s.run(t, command{dir: s.repo, env: slices.Concat(s.env, env), limit: 2 * time.Minute}, deed...)
				if why := judgeDeed(deed, got, want[strings.Join(deed, " ")]); why != "" {
					broke(t, surroundings, fmt.Sprintf("%s: %q", v.name, deed), "%s\nexit code %d after %s\n%.1500s\n%.1500s", why, got.code, got.took, got.stdout, got.stderr)
					continue
				}
				held(surroundings)
			}
			if after := s.git(t, s.repo, "status", "--porcelain", "--ignored"); after != status {
				broke(t, surroundings, v.name, "the work tree has %s", after)
			}
		})
	}
}

// judgeDeed returns the promise that a deed broke, or "".
func judgeDeed(deed []string, got, want outcome) string {
	text := got.stdout + got.stderr
	switch {
	case got.late:
		return "it does not end"
	case !slices.Contains(append(exitCodes, 4), got.code):
		return "the exit code is in no manual"
	case strings.Contains(text, "panic:") || strings.Contains(text, "goroutine "):
		return "it panics"
	case rawControl(text) >= 0:
		return "it prints a control"
	case answersAlike(deed) && (got.code != want.code || got.stdout != want.stdout):
		return fmt.Sprintf("another answer than exit code %d\n%s", want.code, want.stdout)
	case strings.Contains(text, "sandbox none") && !strings.Contains(want.stdout+want.stderr, "sandbox none"):
		return "it advises to run without a sandbox"
	case got.code == 128 && !strings.Contains(got.stderr, "fatal: ") && !strings.Contains(got.stdout, "fail "):
		return "it fails without a word"
	}
	return ""
}
