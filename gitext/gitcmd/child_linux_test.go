package gitcmd

import (
	"bytes"
	"fmt"
	"os/exec"
	"testing"
)

// A git has its memory bound before its first instruction, or soon after it if it
// cannot be traced.
func TestStartBounded(t *testing.T) {
	const bound = 512 << 20
	was := untraceable.Load()
	defer untraceable.Store(was)
	for _, untraced := range []bool{was, true} {
		untraceable.Store(untraced)
		script := "ulimit -d"
		if untraced {
			script = "sleep 0.2; " + script
		}
		for range 20 {
			var out bytes.Buffer
			cmd, err := startBounded(func() *exec.Cmd {
				cmd := exec.Command("sh", "-c", script)
				cmd.Stdout = &out
				return cmd
			}, false, bound)
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Fatal(err)
			}
			if got, want := out.String(), fmt.Sprintf("%d\n", bound>>10); got != want {
				t.Fatalf("untraced %t: the limit is %q, want %q", untraced, got, want)
			}
			if untraced {
				break
			}
		}
	}
	if _, err := startBounded(func() *exec.Cmd { return exec.Command("/no/such/program") }, false, bound); err == nil {
		t.Error("a program that is not there is started")
	}
}
