package usercmd

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"git-agent/gitext/gittest"
)

func appendTo(t *testing.T, file, text string) {
	t.Helper()
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(old, text...), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestPagerIsTheUsers(t *testing.T) {
	// A pager in the repository's configuration or in its included files is not used; the user's
	// own settings keep git's order.
	f := gittest.New(t)
	t.Chdir(f.Dir)
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(t.TempDir(), "gitconfig"))
	t.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	for _, name := range []string{"PAGER", "GIT_PAGER"} {
		t.Setenv(name, "") // remembers what to restore
		os.Unsetenv(name)
	}
	local := func(text string) {
		appendTo(t, filepath.Join(f.Dir, ".git", "config"), text)
	}
	usual := PagerCommand(t.Context())
	if usual == "" {
		t.Error("no default")
	}
	appendTo(t, filepath.Join(f.Dir, ".git", "more"), "[core]\n\tpager = evil\n")
	local("[core]\n\tpager = evil\n[pager]\n\tagent = evil\n\tvar = evil\n[include]\n\tpath = more\n[includeIf \"gitdir:**\"]\n\tpath = more\n")
	f.Git("config", "extensions.worktreeConfig", "true")
	appendTo(t, filepath.Join(f.Dir, ".git", "config.worktree"), "[core]\n\tpager = evil\n")
	for _, step := range []struct {
		what string
		set  func()
		want string
	}{
		{"nothing of the user's", func() {}, usualPager},
		{"PAGER", func() { t.Setenv("PAGER", "by-env") }, "by-env"},
		{"the user's configuration", func() { appendTo(t, os.Getenv("GIT_CONFIG_GLOBAL"), "[core]\n\tpager = by-config\n") }, "by-config"},
		{"-c", func() { t.Setenv("GIT_CONFIG_PARAMETERS", "'core.pager'='by-option'") }, "by-option"},
		{"GIT_PAGER", func() { t.Setenv("GIT_PAGER", "by-git-env") }, "by-git-env"},
		{"cat", func() { t.Setenv("GIT_PAGER", "cat") }, ""},
		{"empty", func() { t.Setenv("GIT_PAGER", "") }, ""},
	} {
		step.set()
		if got := PagerCommand(t.Context()); got != step.want {
			t.Errorf("%s: got %q, want %q", step.what, got, step.want)
		}
	}
}

// The shell reports that a missing pager, or one that is no program, cannot be run. A pager that
// fails by itself is not reported.
func TestPagerCannotBeRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]error{"no-such-pager -x": ErrNoPager, file: ErrNoPager, "cat >/dev/null; exit 3": nil} {
		p, err := StartPager(command, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Close(); !errors.Is(err, want) {
			t.Errorf("%s: %v", command, err)
		}
	}
	p, err := StartPager("no-such-pager", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = p.wait()
	if _, err := p.Write([]byte("x")); !errors.Is(err, ErrNoPager) {
		t.Errorf("writing: %v", err)
	}
}
