package sandbox

import (
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

func TestHardenMakesTheProcessUndumpable(t *testing.T) {
	// After Harden the kernel refuses other processes of the user a look at this one's memory
	// and environment. The test runs in a separate process.
	if os.Getenv("HARDEN") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), "HARDEN=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	if err := Harden(); err != nil {
		t.Fatal(err)
	}
	if got, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0); err != nil || got != 0 {
		t.Errorf("dumpable is %d, %v", got, err)
	}
}
