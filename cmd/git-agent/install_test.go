package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// install runs install.sh with PREFIX and the prefix's bin directory in PATH.
func install(t *testing.T, prefix string, args ...string) string {
	t.Helper()
	cmd := exec.Command(need(t, "sh"), append([]string{filepath.Join(top, "install.sh")}, args...)...)
	cmd.Env = append(os.Environ(), "PREFIX="+prefix, "PATH="+filepath.Join(prefix, "bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("install.sh %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func filesBelow(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			list = append(list, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// install.sh installs the program, pages and completions, says so, and takes
// away exactly that; a prefix with spaces is like any other.
func TestInstall(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	prefix := filepath.Join(t.TempDir(), "a prefix")
	said := install(t, prefix)
	got := filesBelow(t, prefix)
	for _, want := range []string{
		"bin/git-agent", "share/man/man1/git-agent.1", "share/man/man1/git-agent-szz.1",
		"share/bash-completion/completions/git-agent", "share/zsh/site-functions/_git-agent",
		"share/fish/vendor_completions.d/git-agent.fish",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is not installed", want)
		}
		if !strings.Contains(said, filepath.Join(prefix, want)) {
			t.Errorf("nothing was said about %s", want)
		}
	}
	if strings.Contains(said, "warning") {
		t.Errorf("a warning without a reason: %s", said)
	}
	out, err := exec.Command(filepath.Join(prefix, "bin", "git-agent"), "completion", "bash").Output()
	if err != nil {
		t.Fatal(err)
	}
	installed, err := os.ReadFile(filepath.Join(prefix, completionDir, "git-agent"))
	if err != nil || string(installed) != string(out) {
		t.Errorf("the installed completion is not the program's: %v", err)
	}

	kept := filepath.Join(prefix, "bin", "other")
	if err := os.WriteFile(kept, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	install(t, prefix, "--uninstall")
	if left := filesBelow(t, prefix); !slices.Equal(left, []string{"bin/other"}) {
		t.Errorf("left behind: %q", left)
	}
}

const completionDir = "share/bash-completion/completions"
