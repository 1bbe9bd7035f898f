package gitext

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A fixture is a throw-away repository made by real git, with a fixed
// identity, clock, home and configuration. Its clock moves one minute with
// each commit.
type fixture struct {
	t     *testing.T
	dir   string
	clock int64
}

// isolate gives the test its own environment, for git and for gitext.
func isolate(t *testing.T) {
	t.Helper()
	home := t.TempDir()
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "GIT_") {
			t.Setenv(name, "") // remembers what to restore
			os.Unsetenv(name)
		}
	}
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, "config"), "XDG_CACHE_HOME": filepath.Join(home, "cache"),
		"GIT_CONFIG_GLOBAL": filepath.Join(home, "gitconfig"), "GIT_CONFIG_SYSTEM": os.DevNull,
		"GIT_AUTHOR_NAME": "Ann Author", "GIT_AUTHOR_EMAIL": "ann@example.org",
		"GIT_COMMITTER_NAME": "Carl Committer", "GIT_COMMITTER_EMAIL": "carl@example.org",
		"TZ": "UTC", "LC_ALL": "C.UTF-8",
	} {
		t.Setenv(name, value)
	}
	if err := os.WriteFile(os.Getenv("GIT_CONFIG_GLOBAL"), []byte("[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n[maintenance]\n\tauto = false\n[core]\n\tfsync = none\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func newFixture(t *testing.T, initArgs ...string) *fixture {
	t.Helper()
	isolate(t)
	return another(t, initArgs...)
}

// another is a second repository in the same environment.
func another(t *testing.T, initArgs ...string) *fixture {
	t.Helper()
	f := &fixture{t: t, dir: filepath.Join(t.TempDir(), "repo"), clock: 1_600_000_000}
	f.at(t.TempDir(), append([]string{"init", "-q"}, append(initArgs, f.dir)...)...)
	return f
}

// at runs git in some directory and returns its stdout.
func (f *fixture) at(dir string, args ...string) string {
	f.t.Helper()
	out, err := f.try(dir, args...)
	if err != nil {
		f.t.Fatalf("git %q: %v", args, err)
	}
	return string(out)
}

func (f *fixture) try(dir string, args ...string) ([]byte, error) {
	date := fmt.Sprintf("%d +0130", f.clock)
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, stderr.Bytes())
	}
	return out, err
}

func (f *fixture) git(args ...string) string {
	f.t.Helper()
	return f.at(f.dir, args...)
}

func (f *fixture) write(path, content string) {
	f.t.Helper()
	full := filepath.Join(f.dir, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

// commit commits the whole work tree.
func (f *fixture) commit(message string) OID {
	f.t.Helper()
	f.clock += 60
	f.git("add", "-A")
	f.git("commit", "-q", "--allow-empty", "--cleanup=verbatim", "-m", message)
	return f.oid("HEAD")
}

func (f *fixture) oid(rev string) OID {
	f.t.Helper()
	return OID(strings.TrimSpace(f.git("rev-parse", rev)))
}

func (f *fixture) open() *Repo {
	f.t.Helper()
	return openAt(f.t, OpenOptions{Dir: f.dir})
}

func openAt(t *testing.T, opt OpenOptions) *Repo {
	t.Helper()
	if opt.DataDir == "" && opt.Locate == nil {
		opt.Locate = dataOf
	}
	r, err := Open(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// dataOf is the tests' data directory for a repository.
func dataOf(commonDir string) string {
	return filepath.Join(os.Getenv("XDG_CACHE_HOME"), fmt.Sprintf("%x", sha256.Sum256([]byte(commonDir))))
}

// collect reads a sequence that must not fail.
func collect[T any](t *testing.T, seq func(func(T, error) bool)) []T {
	t.Helper()
	var all []T
	for v, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

func entryOIDs(entries []LogEntry) []OID {
	var oids []OID
	for _, e := range entries {
		oids = append(oids, e.OID)
	}
	return oids
}

// oidLines reads git's own listing.
func oidLines(out string) []OID {
	var oids []OID
	for line := range strings.FieldsSeq(out) {
		oids = append(oids, OID(line))
	}
	return oids
}

func equal[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %v\nwant %v", what, got, want)
	}
}

// oddPaths are file names that have broken parsers of git.
var oddPaths = []string{
	"plain.c", "with space.c", "-dash", "--output=x", "quo\"te", "back\\slash", "tab\there", "new\nline", "non-utf8-\xff\xfe",
	"ünïcode", "a b/x b/y", "HEAD", "colon:name", ":(top)magic", "star*[x]?", "trailing ", " leading", "bell\a", "del\x7f", "=end", "x -> y", "{a => b}",
}

// oddHistory has each of oddPaths added, changed and renamed.
func oddHistory(f *fixture) {
	for _, p := range oddPaths {
		f.write(p, "one "+p+"\ntwo\nthree\nfour\nfive\nsix\n")
	}
	f.commit("add odd names")
	for _, p := range oddPaths {
		f.write(p, "one "+p+"\ntwo\n3\nfour\nfive\nsix\n")
	}
	f.commit("change odd names")
	for _, p := range oddPaths {
		if err := os.Rename(filepath.Join(f.dir, p), filepath.Join(f.dir, p+".moved")); err != nil {
			f.t.Fatal(err)
		}
	}
	f.commit("move odd names")
}
