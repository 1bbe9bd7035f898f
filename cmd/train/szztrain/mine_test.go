package szztrain

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-agent/gitext"
)

// mineRepo makes a case only from a message that blames a commit, and only one case for a fix
// that is also in a fork.
func TestMine(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "o+r")
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=A", "-c", "user.email=a@example.com"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %s: %v", strings.Join(args, " "), err)
		}
		return strings.TrimSpace(string(out))
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	run("init", "-q")
	commit := func(message string) gitext.OID {
		t.Helper()
		run("commit", "-q", "--allow-empty", "-m", message)
		return gitext.OID(run("rev-parse", "HEAD"))
	}
	bug := commit("a feature")
	other := commit("another feature")
	prose := commit(fmt.Sprintf("mend it\n\nThe bug was introduced in %s.", bug[:10]))
	trailer := commit(fmt.Sprintf("mend that\n\nFixes: %s (\"another feature\")", other[:12]))
	for _, idle := range []string{
		"mention it, see also " + string(bug[:10]),
		"fix a regression that " + string(bug[:10]) + " was cherry-picked for",
		"Revert \"a feature\"\n\nThis reverts commit " + string(bug) + ", which broke all.",
		"fix a regression since 0123456789ab",
		"broken\n\ngit-svn-id: svn://host@1 a592a061-630c-0410-9148-cb99ea01b6c8",
	} {
		commit(idle)
	}
	known := map[gitext.OID]bool{}
	cases, err := mineRepo(t.Context(), root, "o/r", known)
	if err != nil || len(cases) != 2 {
		t.Fatalf("%+v, %v", cases, err)
	}
	for i, want := range []struct {
		fix, bic gitext.OID
		label    string
	}{{prose, bug, "prose:mined"}, {trailer, other, "trailer:mined"}} {
		if c := cases[i]; c.Fix != want.fix || !slices.Equal(c.BICs, []gitext.OID{want.bic}) || c.LabelSource != want.label || c.Repo != "o/r" {
			t.Errorf("case %d: %+v, want %+v", i, c, want)
		}
	}
	if again, err := mineRepo(t.Context(), root, "o/r", known); err != nil || len(again) != 0 {
		t.Errorf("a fork's cases: %+v, %v", again, err)
	}
	if _, err := mineRepo(t.Context(), root, "o/absent", known); err == nil {
		t.Error("an absent repository is no error")
	}
}
