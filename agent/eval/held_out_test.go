package eval

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A repository is held out by the hash of its name, whoever owns it, and only for its
// task.
func TestHeldOut(t *testing.T) {
	file := filepath.Join(t.TempDir(), "held")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(fmt.Sprintf("crash %x\n\nszz %x\n", sha256.Sum256([]byte("tool")), sha256.Sum256([]byte("other"))))
	held, err := ReadHeldOut(file, "crash")
	if err != nil {
		t.Fatal(err)
	}
	for repo, want := range map[string]bool{"owner/tool": true, "fork/Tool": true, "owner/other": false, "tool/owner": false} {
		if held.Has(repo) != want {
			t.Errorf("%s: %v", repo, held.Has(repo))
		}
	}
	if none, err := ReadHeldOut("", "crash"); err != nil || none.Has("owner/tool") {
		t.Errorf("no file: %v, %v", none, err)
	}
	write("crash tool\n")
	if _, err := ReadHeldOut(file, "crash"); err == nil || !strings.Contains(err.Error(), "held:1:") {
		t.Errorf("a name in place of a hash: %v", err)
	}
}
