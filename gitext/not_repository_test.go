package gitext

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/gitext/gitcmd"
)

func TestBrokenRepositoryIsSaid(t *testing.T) {
	// A repository that git refuses, or cannot open because of a broken file, is
	// not reported as missing.
	put := func(name, text string) func(*testing.T, string) {
		return func(t *testing.T, git string) {
			t.Helper()
			if err := os.WriteFile(filepath.Join(git, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	drop := func(name string) func(*testing.T, string) {
		return func(t *testing.T, git string) {
			t.Helper()
			if err := os.RemoveAll(filepath.Join(git, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	format := "[core]\n\trepositoryFormatVersion = 1\n"
	for name, c := range map[string]struct {
		spoil func(t *testing.T, git string)
		want  string
	}{
		"syntax": {put("config", "[core]\n[[["), "bad config line 2 in file .git/config"},
		"include": {func(t *testing.T, git string) {
			put("config", "[include]\n\tpath = more\n")(t, git)
			put("more", "[x\n")(t, git)
		}, "bad config line 1 in file .git/more"},
		"circular include":     {put("config", "[include]\n\tpath = config\n"), "exceeded maximum include depth"},
		"include of no file":   {put("config", "[include]\n\tpath = refs\n"), "refs': Is a directory; bad config line 2 in file .git/config"},
		"boolean":              {put("config", "[core]\n\tbare = maybe\n"), "bad boolean config value 'maybe' for 'core.bare'"},
		"version":              {put("config", "[core]\n\trepositoryFormatVersion = 99\n"), "xpected git repo version <= 1, found 99"},
		"extension":            {put("config", format+"[extensions]\n\tfoo = 1\n"), "unknown repository extension found: foo"},
		"object format":        {put("config", format+"[extensions]\n\tobjectFormat = sha9\n"), "'sha9'"},
		"no HEAD":              {drop("HEAD"), ".git\" is not a git repository: HEAD: no such file or directory"},
		"bad HEAD":             {put("HEAD", "garbage\n"), ".git\" is not a git repository: HEAD names neither a branch nor a commit"},
		"no objects":           {drop("objects"), "objects: no such file or directory"},
		"common dir elsewhere": {put("commondir", "nowhere\n"), "objects of the directory that its file commondir names: no such file or directory"},
	} {
		t.Run(name, func(t *testing.T) {
			f := simple(t)
			c.spoil(t, filepath.Join(f.dir, ".git"))
			_, err := Open(t.Context(), OpenOptions{Dir: f.dir})
			if err == nil || errors.Is(err, ErrNotRepository) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestBrokenConfigurationOfTheUserIsSaid(t *testing.T) {
	f := simple(t)
	appendTo(t, os.Getenv("GIT_CONFIG_GLOBAL"), "[broken\n")
	_, err := Open(t.Context(), OpenOptions{Dir: f.dir})
	if want := "bad config line 9 in file " + os.Getenv("GIT_CONFIG_GLOBAL"); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	t.Chdir(t.TempDir())
	if _, err := Settings(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "bad config line") {
		t.Errorf("outside of a repository: %v", err)
	}
	if _, err := gitcmd.UserVersion(t.Context()); err != nil {
		t.Errorf("git is blamed: %v", err)
	}
}

func TestWorkTreeElsewhere(t *testing.T) {
	// Files of a directory named only in the repository's configuration are not
	// read; files of a submodule, of a linked work tree and of a directory in the
	// user's environment are.
	f := simple(t)
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "f"), []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	plain := filepath.Join(t.TempDir(), "plain")
	f.git("init", "-q", "--separate-git-dir", filepath.Join(t.TempDir(), "git"), plain)
	if _, err := openAt(t, OpenOptions{Dir: plain}).PatchWorktree(t.Context(), PatchOptions{}); err != nil {
		t.Errorf("a separate git directory: %v", err)
	}
	f.git("config", "core.worktree", other)
	_, err := f.open().PatchWorktree(t.Context(), PatchOptions{})
	if err == nil || !strings.Contains(err.Error(), "core.worktree") {
		t.Errorf("elsewhere: %v", err)
	}
	t.Setenv("GIT_WORK_TREE", other)
	t.Setenv("GIT_DIR", filepath.Join(f.dir, ".git"))
	if p, err := openAt(t, OpenOptions{}).PatchWorktree(t.Context(), PatchOptions{}); err != nil || len(p.Files) != 1 {
		t.Errorf("named by the user: %+v, %v", p, err)
	}
}

func TestComplaintsQuoteNoFiles(t *testing.T) {
	// A line of a file may be secret if the file is a link.
	for said, want := range map[string]string{
		"fatal: bad shallow line: secret\n":                                                      "bad shallow line",
		"fatal: unexpected line in .git/packed-refs: secret\n":                                   "unexpected line in .git/packed-refs",
		"error: object directory /x/secret does not exist; check .git/objects/info/alternates\n": "object directory does not exist; check .git/objects/info/alternates",
		"fatal: bad config line 1 in file .git/config\n":                                         "bad config line 1 in file .git/config",
		"error: invalid value for 'x': 'y'\nfatal: bad config line 7 in file .git/config\n":      "bad config line 7 in file .git/config",
	} {
		e := &gitcmd.Error{Args: []string{"x"}, Exit: 128, Stderr: said}
		if got := e.Said(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
