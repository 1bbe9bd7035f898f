package szz

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-agent/gitext"
)

// A history is a repository that a test writes commit by commit. Commits are
// named by their subjects.
type history struct {
	t    *testing.T
	dir  string
	time int
}

// files are what a commit writes; gone deletes.
type files map[string]string

const gone = "\x00gone"

func newHistory(t *testing.T) *history {
	t.Helper()
	h := &history{t: t, dir: t.TempDir(), time: 1_600_000_000}
	h.git("init", "-q", "-b", "main")
	return h
}

func (h *history) git(args ...string) string {
	h.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "core.autocrlf=false", "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir = h.dir
	date := fmt.Sprintf("%d +0000", h.time)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "HOME="+h.dir,
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@x", "GIT_AUTHOR_DATE="+date,
		"GIT_COMMITTER_NAME=C", "GIT_COMMITTER_EMAIL=c@x", "GIT_COMMITTER_DATE="+date)
	out, err := cmd.CombinedOutput()
	if err != nil {
		h.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (h *history) write(f files) {
	h.t.Helper()
	for name, text := range f {
		path := filepath.Join(h.dir, name)
		if text == gone {
			if err := os.Remove(path); err != nil {
				h.t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			h.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			h.t.Fatal(err)
		}
	}
}

// commit records the files a minute after the commit before.
func (h *history) commit(subject string, f files) gitext.OID {
	h.t.Helper()
	h.write(f)
	h.time += 60
	h.git("add", "-A")
	h.git("commit", "-q", "--allow-empty", "-m", subject)
	return gitext.OID(h.git("rev-parse", "HEAD"))
}

func (h *history) trace(fix gitext.OID, variant string) *Verdict {
	h.t.Helper()
	ctx := context.Background()
	repo, err := gitext.Open(ctx, gitext.OpenOptions{Dir: h.dir, DataDir: h.t.TempDir(), AllowShallow: true})
	if err != nil {
		h.t.Fatal(err)
	}
	defer repo.Close()
	fc, err := NewContext(ctx, repo, fix, ContextOptions{NoAnnotations: true})
	if err != nil {
		h.t.Fatal(err)
	}
	v, err := classic(ctx, repo, fc, variant)
	if err != nil {
		h.t.Fatalf("%s: %v", variant, err)
	}
	return v
}

func subjects(v *Verdict) []string {
	var out []string
	for _, s := range v.Suspects {
		out = append(out, s.Commit.Subject())
	}
	slices.Sort(out)
	return out
}

// head traces HEAD with each variant. want is "b: x y; ag ma: x".
func (h *history) head(want string) {
	h.t.Helper()
	fix := gitext.OID(h.git("rev-parse", "HEAD"))
	for _, clause := range strings.Split(want, ";") {
		names, commits, _ := strings.Cut(clause, ":")
		for _, variant := range strings.Fields(names) {
			v := h.trace(fix, variant)
			got := strings.Join(subjects(v), " ")
			if exp := strings.Join(strings.Fields(commits), " "); got != exp {
				h.t.Errorf("%s: got %q, want %q; notes %q", variant, got, exp, v.Notes)
			}
			checkVerdict(h.t, v)
		}
	}
}

// checkVerdict holds what is true of every answer.
func checkVerdict(t *testing.T, v *Verdict) {
	t.Helper()
	for _, s := range v.Suspects {
		if !slices.Contains(v.Candidates, s.Commit.OID) {
			t.Errorf("%s: suspect %s is no candidate", v.Algorithm, s.Commit.OID)
		}
		if s.Reason == "" || len(s.Evidence) == 0 {
			t.Errorf("%s: suspect %s has no reason or no evidence", v.Algorithm, s.Commit.OID)
		}
	}
	if len(v.Suspects) == 0 && len(v.Notes) == 0 {
		t.Errorf("%s: nothing found and nothing said", v.Algorithm)
	}
}

// lines joins its arguments to a file.
func lines(l ...string) string { return strings.Join(l, "\n") + "\n" }
