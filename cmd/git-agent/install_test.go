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

// install.sh installs and lists the program, pages and completions, and uninstalls exactly these;
// a prefix with spaces works like any other.
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
		"share/fish/vendor_completions.d/git-agent.fish", "share/fish/vendor_conf.d/git-agent.fish", "share/doc/git-agent/LICENSE", "share/doc/git-agent/notices.txt",
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

	if text, err := os.ReadFile(filepath.Join(prefix, "share/doc/git-agent/notices.txt")); err != nil || string(text) != notices {
		t.Errorf("the installed notices are not the program's: %v", err)
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

// The command of a hint works for any odd prefix.
func TestInstallHints(t *testing.T) {
	archive, dir := pack(t, release(t, runsHere)), t.TempDir()
	odd := filepath.Join(dir, "it's \"odd\" $(touch evil) `touch evil` $HOME \\ * ;& #é")
	said := installApart(t, odd, archive)
	_, hint, found := strings.Cut(said, "\nhint: ")
	_, hint, line := strings.Cut(hint, "\nhint: ")
	if !found || !line {
		t.Fatalf("no hint: %s", said)
	}
	sh := exec.Command("sh", "-c", strings.TrimSpace(hint)+"\ncommand -v git-agent")
	sh.Dir = dir
	out, err := sh.Output()
	if want := filepath.Join(odd, "bin", "git-agent"); err != nil || string(out) != want+"\n" {
		t.Errorf("after %s sh finds %q (%v), not %q", hint, out, err, want)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("the hint ran something: %v", entries)
	}
	if said := installApart(t, filepath.Join(dir, "a:b"), archive); strings.Contains(said, "export") || !strings.Contains(said, "\nhint: choose a PREFIX without a colon") {
		t.Errorf("a hint that does not help: %s", said)
	}
	if said := installApart(t, filepath.Join(dir, "a\x1b[2Jb\n")); said != "fatal: PREFIX holds a control character\n" {
		t.Errorf("said %q", said)
	}
}

// installApart runs install.sh with a prefix that is not in PATH.
func installApart(t *testing.T, prefix string, args ...string) string {
	t.Helper()
	cmd := exec.Command(need(t, "sh"), append([]string{filepath.Join(top, "install.sh")}, args...)...)
	cmd.Env = append(os.Environ(), "PREFIX="+prefix)
	out, _ := cmd.CombinedOutput() // what it says tells how it ended
	return string(out)
}

// Obstacles to an installation are reported before the build, and a slash at the end of the
// prefix or of an entry of PATH makes no difference.
func TestInstallTarget(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, prefix := range []string{file, filepath.Join(file, "below")} {
		if said := installApart(t, prefix); !strings.HasPrefix(said, "fatal: "+file+" is in the way: it is no directory\nhint: PREFIX=DIRECTORY ") {
			t.Errorf("said %q", said)
		}
	}
	if os.Getuid() != 0 { // root can write anywhere
		closed := filepath.Join(dir, "closed")
		if err := os.Mkdir(closed, 0o555); err != nil {
			t.Fatal(err)
		}
		if said := installApart(t, closed); !strings.HasPrefix(said, "fatal: "+closed+" cannot be written by you\nhint: ") {
			t.Errorf("said %q", said)
		}
	}
	programs := filepath.Join(dir, "programs")
	if err := os.Mkdir(programs, 0o755); err != nil {
		t.Fatal(err)
	}
	for script, want := range map[string]string{ // Debian 12 has go 1.19
		"echo go1.19.8\n": "fatal: go 1.19.8 is too old\nhint: see https://go.dev/dl;",
		"case $2 in GOVERSION) echo go1.26.8 ;; GO*) echo caches ;; *) echo 'cannot find module' >&2; exit 1 ;; esac\n": "\nfatal: the program does not build; go says above why not\nhint: a first build downloads modules;",
	} {
		if err := os.WriteFile(filepath.Join(programs, "go"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(need(t, "sh"), filepath.Join(top, "install.sh"))
		cmd.Env = append(os.Environ(), "PREFIX="+filepath.Join(dir, "nothing"), "PATH="+programs+":"+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains("\n"+string(out), "\n"+strings.TrimPrefix(want, "\n")) || !strings.Contains(string(out), "./install.sh <archive>") {
			t.Errorf("said %q (%v)", out, err)
		}
	}
	if said := install(t, filepath.Join(dir, "nothing"), "--uninstall"); !strings.HasPrefix(said, "git-agent is not installed below ") {
		t.Errorf("said %q", said)
	}
	cmd := exec.Command(need(t, "sh"), filepath.Join(top, "install.sh"), "--help")
	cmd.Env = append(os.Environ(), "PREFIX="+dir+"//")
	if out, err := cmd.Output(); err != nil || !strings.HasSuffix(string(out), "it is "+dir+".\n") {
		t.Errorf("said %q, %v", out, err)
	}
}
