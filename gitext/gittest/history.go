// Package gittest writes git repositories for tests. It runs the real git with
// its own configuration and clock, so that equal calls give equal commits.
package gittest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"git-agent/gitext"
)

// History is a repository that a test writes commit by commit. Each commit is
// a minute later than the one before.
type History struct {
	T    testing.TB
	Dir  string // the work tree
	Time int    // of the last commit, in seconds since 1970
}

// Files maps the paths in a commit to their texts. The text Gone deletes the
// file.
type Files map[string]string

// Gone is the text of a file that a commit deletes.
const Gone = "\x00gone"

// New makes an empty repository with the branch main, in memory where UseMemory finds it. It is
// removed when the test ends.
func New(t testing.TB) *History {
	t.Helper()
	useMemory()
	h := &History{T: t, Dir: t.TempDir(), Time: 1_600_000_000}
	h.Git("init", "-q", "-b", "main")
	return h
}

// useMemory calls UseMemory for the first repository of a program.
var useMemory = sync.OnceFunc(UseMemory)

// settings go before each command of git. No commit starts a second git that looks whether there
// is something to clean up, and nothing waits until the disk has it: the tree is removed soon.
var settings = []string{"-c", "core.autocrlf=false", "-c", "protocol.file.allow=always", "-c", "maintenance.auto=false", "-c", "core.fsync=none"}

// Git runs git in the work tree and returns its output without the space around
// it. A failure ends the test.
func (h *History) Git(args ...string) string {
	h.T.Helper()
	return h.git("", args...)
}

// Import runs git fast-import with a stream of commits, for histories of many commits.
func (h *History) Import(stream string) {
	h.T.Helper()
	h.git(stream, "fast-import", "--quiet", "--force")
}

// git runs git with an input.
func (h *History) git(input string, args ...string) string {
	h.T.Helper()
	cmd := exec.Command("git", append(settings[:len(settings):len(settings)], args...)...)
	cmd.Dir = h.Dir
	cmd.Stdin = strings.NewReader(input)
	date := fmt.Sprintf("%d +0000", h.Time)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "HOME="+h.Dir,
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@x", "GIT_AUTHOR_DATE="+date,
		"GIT_COMMITTER_NAME=C", "GIT_COMMITTER_EMAIL=c@x", "GIT_COMMITTER_DATE="+date)
	out, err := cmd.CombinedOutput()
	if err != nil {
		h.T.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// Write writes and deletes files of the work tree.
func (h *History) Write(f Files) {
	h.T.Helper()
	for name, text := range f {
		path := filepath.Join(h.Dir, name)
		if text == Gone {
			if err := os.Remove(path); err != nil {
				h.T.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			h.T.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			h.T.Fatal(err)
		}
	}
}

// Commit writes the files and commits the whole work tree with the message.
func (h *History) Commit(message string, f Files) gitext.OID {
	h.T.Helper()
	h.Write(f)
	h.Time += 60
	h.Git("add", "-A")
	// commit tells "[BRANCH OID] SUBJECT" or "[BRANCH (root-commit) OID] SUBJECT".
	told := h.Git("-c", "core.abbrev=no", "-c", "advice.detachedHead=false", "commit", "--allow-empty", "-m", message)
	where, _, found := strings.Cut(strings.TrimPrefix(told, "["), "] ")
	if !found {
		h.T.Fatalf("git commit told %q", told)
	}
	return gitext.OID(where[strings.LastIndexByte(where, ' ')+1:])
}

// Head returns the checked-out commit.
func (h *History) Head() gitext.OID {
	h.T.Helper()
	return gitext.OID(h.Git("rev-parse", "HEAD"))
}

// Open opens the repository with a separate data directory. It is closed when the
// test ends.
func (h *History) Open() *gitext.Repo {
	h.T.Helper()
	repo, err := gitext.Open(context.Background(), gitext.OpenOptions{Dir: h.Dir, DataDir: h.T.TempDir()})
	if err != nil {
		h.T.Fatal(err)
	}
	h.T.Cleanup(func() { repo.Close() })
	return repo
}

// Shallow clones the last depth commits and opens the clone.
func (h *History) Shallow(depth int) *gitext.Repo {
	h.T.Helper()
	clone := &History{T: h.T, Dir: h.T.TempDir(), Time: h.Time}
	clone.Git("clone", "-q", fmt.Sprintf("--depth=%d", depth), "file://"+h.Dir, ".")
	return clone.Open()
}

// Lines returns a text with its arguments as lines.
func Lines(l ...string) string { return strings.Join(l, "\n") + "\n" }
