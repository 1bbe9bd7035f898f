package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A child process finds no key: neither in its own environment nor in ours, which the kernel
// would show without Harden.
func TestThreatT4ChildrenCannotReadOurs(t *testing.T) {
	top := t.TempDir()
	repo, bin, seen := filepath.Join(top, "repo"), filepath.Join(top, "bin"), filepath.Join(top, "seen")
	exe := filepath.Join(bin, "git-agent-main")
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		filepath.Join(bin, "git"): "#!/bin/sh\n{ echo asked; env; tr '\\0' '\\n' </proc/$PPID/environ; } >>" + seen + " 2>/dev/null\nexec " + git + " \"$@\"\n",
		filepath.Join(repo, "a"):  "x\n", seen: "",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	copyFile(t, exe, os.Args[0])
	if out, err := exec.Command("sh", "-ec", `cd "$1" && git init -q && git add a && git -c user.name=a -c user.email=a@x commit -qm one`, "sh", repo).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(exe, "tool", "git_show", `{"commit":"HEAD"}`)
	cmd.Dir = repo
	cmd.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + top, "GIT_AGENT_API_KEY=CANARY", "OPENAI_API_KEY=CANARY", "OTHER_TOKEN=CANARY"}
	if os.Getuid() == 0 {
		// These capabilities let the superuser read any process. A program started by this thread
		// cannot have them. The thread ends with the test.
		runtime.LockOSThread()
		for _, capability := range []uintptr{unix.CAP_SYS_PTRACE, unix.CAP_PERFMON, unix.CAP_SYS_ADMIN} {
			if err := unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0); err != nil {
				t.Skipf("cannot start a program without the capability %d: %v", capability, err)
			}
		}
	}
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "one") {
		t.Fatalf("%v\n%s", err, out)
	}
	data, err := os.ReadFile(seen)
	if err != nil || !strings.Contains(string(data), "asked") || !strings.Contains(string(data), "PATH=") {
		t.Fatalf("the child saw nothing: %v %q", err, data)
	}
	if strings.Contains(string(data), "CANARY") {
		t.Errorf("a child sees\n%s", data)
	}
}

func copyFile(t *testing.T, to, from string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}
