package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/agent/sandbox"
	"git-agent/gitext/gittest"

	"github.com/rogpeppe/go-internal/testscript"
)

// The scripts in testdata/script drive the real program against the real git.
//
//	go test ./cmd/git-agent -run Script/szz_b      one script
//	go test ./cmd/git-agent -run Script -update    write golden files anew
//	GIT_AGENT_TEST_HOSTILE=1 go test ...           under testdata/hostile.gitconfig
//	GIT_DEFAULT_HASH=sha256 go test ...            in SHA-256 repositories

func TestMain(m *testing.M) {
	sandbox.Helper()
	if strings.HasSuffix(os.Args[0], ".test") { // and not a program of the tests
		gittest.UseMemory()
	}
	testscript.Main(m, map[string]func(){
		"git-agent": func() {
			os.Exit(run(context.Background(), os.LookupEnv, os.Stdin, os.Stdout, os.Stderr, os.Args[1:]))
		},
		"git-agent-main": main, // with what main does before
		"git-agent-record": func() {
			if err := recordRun(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		},
	})
}

func TestScript(t *testing.T) {
	if !flag.Parsed() {
		flag.Parse()
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Setup:               setupScript,
		Condition:           scriptCondition,
		Cmds:                scriptCommands,
	})
}

// setupScript gives each script its own home, clock and identity. testscript
// passes on nothing of the caller's environment, which a git hook may have set.
func setupScript(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, ".home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	config := filepath.Join(home, ".gitconfig")
	if err := writeConfig(config, home); err != nil {
		return err
	}
	for _, pair := range []string{
		"HOME=" + home, "GIT_CONFIG_GLOBAL=" + config, "GIT_CONFIG_SYSTEM=" + os.DevNull,
		"XDG_CONFIG_HOME=" + filepath.Join(home, ".config"), "XDG_CACHE_HOME=" + filepath.Join(home, ".cache"),
		"GORACE=atexit_sleep_ms=10", // a program built for the race detector sleeps a second at its end
		"TZ=UTC", "LC_ALL=C.UTF-8", "TERM=dumb", "GIT_TERMINAL_PROMPT=0", "GIT_CEILING_DIRECTORIES=" + env.WorkDir,
		"GIT_AUTHOR_NAME=Ada Author", "GIT_AUTHOR_EMAIL=ada@example.com",
		"GIT_COMMITTER_NAME=Cy Committer", "GIT_COMMITTER_EMAIL=cy@example.com",
		"GIT_AUTHOR_DATE=2024-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2024-01-01T00:00:00Z",
	} {
		name, value, _ := strings.Cut(pair, "=")
		env.Setenv(name, value)
	}
	machines, err := filepath.Abs(filepath.Join("..", "..", "man", "machines"))
	if err != nil {
		return err
	}
	env.Setenv("MACHINES", machines) // the files that the manual shows
	if hash := os.Getenv("GIT_DEFAULT_HASH"); hash != "" {
		env.Setenv("GIT_DEFAULT_HASH", hash)
	}
	return nil
}

// writeConfig writes the global configuration: harmless, or hostile.
func writeConfig(file, home string) error {
	config := "[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"
	if hostile() {
		data, err := os.ReadFile(filepath.Join("testdata", "hostile.gitconfig"))
		if err != nil {
			return err
		}
		config += string(data)
		for name, text := range map[string]string{
			"hostile.attributes":  "* diff=hostile -text filter=none\n",
			"hostile.order":       "z*\n",
			"hostile.ignore-revs": "# none\n",
			"hostile.mailmap":     "Mallory <mallory@example.com> <ada@example.com>\n",
		} {
			if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o644); err != nil {
				return err
			}
		}
	}
	return os.WriteFile(file, []byte(config), 0o644)
}

func hostile() bool { return os.Getenv("GIT_AGENT_TEST_HOSTILE") != "" }

// scriptCondition adds [git:V] (git is V or newer), [sha256], [hostile], [root],
// [sandbox] (something confines commands here) and [gdb] (gdb can run a program
// here).
func scriptCondition(cond string) (bool, error) {
	switch {
	case cond == "sha256":
		return os.Getenv("GIT_DEFAULT_HASH") == "sha256", nil
	case cond == "root":
		return os.Geteuid() == 0, nil
	case cond == "hostile":
		return hostile(), nil
	case cond == "sandbox":
		_, err := sandbox.Probe(context.Background(), sandbox.Auto)
		return err == nil, nil
	case cond == "gdb":
		out, _ := exec.Command("gdb", "-nx", "-nh", "-batch", "-ex", "set startup-with-shell off", "-ex", "run", "true").CombinedOutput()
		return strings.Contains(string(out), "exited normally"), nil
	case strings.HasPrefix(cond, "git:"):
		return gitAtLeast(strings.TrimPrefix(cond, "git:"))
	}
	return false, fmt.Errorf("unknown condition %q", cond)
}

func gitAtLeast(want string) (bool, error) {
	out, err := exec.Command("git", "version").Output()
	if err != nil {
		return false, err
	}
	var major, minor, wantMajor, wantMinor int
	if _, err := fmt.Sscanf(string(out), "git version %d.%d", &major, &minor); err != nil {
		return false, err
	}
	if _, err := fmt.Sscanf(want, "%d.%d", &wantMajor, &wantMinor); err != nil {
		return false, err
	}
	return major > wantMajor || major == wantMajor && minor >= wantMinor, nil
}
