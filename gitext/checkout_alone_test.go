package gitext_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// A checkout without history has the files, a commit that git can read, and no object of
// an earlier commit; one with it has them, so that the test can fail.
func TestCheckoutAlone(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	old := h.Commit("the past", gittest.Files{"a": "the old text\n", "b": "kept\n"})
	tip := h.Commit("the present", gittest.Files{"a": "the new text\n"})
	later := h.Commit("the future", gittest.Files{"a": "later\n"})
	repo := h.Open()
	over := gitext.Overlay{Path: "test", Mode: 0o100644, Content: []byte("laid over\n")}
	for _, alone := range []bool{true, false} {
		dir := filepath.Join(t.TempDir(), "tree")
		checkout := repo.Checkout
		if alone {
			checkout = repo.CheckoutAlone
		}
		for range 2 { // the second time, the copied objects are used again
			if err := checkout(t.Context(), tip, dir, over); err != nil {
				t.Fatal(err)
			}
		}
		git := func(args ...string) string {
			cmd := exec.Command("git", args...)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
			out, _ := cmd.CombinedOutput()
			return string(out)
		}
		if a, err := os.ReadFile(filepath.Join(dir, "a")); err != nil || string(a) != "the new text\n" {
			t.Errorf("alone %v: a has %q, %v", alone, a, err)
		}
		if got := git("status", "--porcelain"); got != "A  test\n" {
			t.Errorf("alone %v: status %q", alone, got)
		}
		if got := git("fsck", "--full"); alone && strings.Contains(got, "missing") {
			t.Errorf("fsck: %s", got)
		}
		known := strings.Count(git("log", "--format=%H"), "\n")
		all := git("cat-file", "--batch-check", "--batch-all-objects")
		reads := strings.Contains(git("log", "-p", "--all", "HEAD"), "the past")
		for _, secret := range []gitext.OID{old, tip, later} {
			reads = reads || strings.Contains(all, string(secret)) || !strings.Contains(git("cat-file", "-t", string(secret)), "fatal")
		}
		if alone && (known != 1 || reads) || !alone && (known != 2 || !reads) {
			t.Errorf("alone %v: %d commits, the past can be read: %v\n%s", alone, known, reads, all)
		}
	}
}
