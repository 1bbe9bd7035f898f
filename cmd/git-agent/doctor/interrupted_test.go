//go:build unix

package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"git-agent/agent/fix"
	"git-agent/agent/fix/deliver"
	"git-agent/agent/sandbox"
	"git-agent/cmd/git-agent/store"
	"git-agent/gitext"
	"git-agent/gitext/disk"
	"git-agent/gitext/gittest"
)

// repairs returns the output of doctor --fix for a repository, and the findings afterwards.
func repairs(t *testing.T, repo *gitext.Repo) (said string, found []finding, err error) {
	t.Helper()
	var notices strings.Builder
	v := &visit{Input: Input{Stdout: io.Discard, Stderr: &notices, Data: &store.Store{}, Fix: true}}
	v.removeTemporary()
	err = v.recoverDelivery(context.WithoutCancel(t.Context()), repo)
	for _, check := range []func() (finding, bool){
		checkTemporary, func() (finding, bool) { return checkDelivery(t.Context(), repo) },
	} {
		if f, there := check(); there {
			found = append(found, f)
		}
	}
	return notices.String(), found, err
}

func TestUnfinishedDelivery(t *testing.T) {
	// The journal of a patch whose writer was killed is found, and the patch is reverted, except
	// for a file changed since. A commit that was made stays, and the command in the journal is
	// not shown.
	t.Setenv("TMPDIR", t.TempDir())
	for _, target := range []deliver.Target{deliver.WorkTree, deliver.Commit} {
		h := gittest.New(t)
		h.Git("config", "user.name", "a")
		h.Git("config", "user.email", "a@example.com")
		h.Git("config", "commit.gpgSign", "false")
		base := h.Commit("base", gittest.Files{"a.c": "old\n", "b.c": "old\n"})
		repo := h.Open()
		patch := fix.Patch{Files: []gitext.Overlay{{Path: "a.c", Mode: 0o100644, Content: []byte("new\n")}, {Path: "b.c", Mode: 0o100644, Content: []byte("new\n")}}}
		done, err := deliver.Apply(t.Context(), repo, fix.Trial{Patch: patch}, fix.Tree{Commit: base}, deliver.Options{Target: target, Message: "repair"})
		if err != nil {
			t.Fatal(err)
		}
		// A process killed after its last write leaves all its files, and the journal.
		note, err := json.Marshal(map[string]any{"Name": filepath.Base(done.Backup), "Target": target, "Head": base, "Branch": "main", "Undo": "rm -rf $HOME",
			"Began": time.Now(), "Files": []map[string]any{{"Path": []byte("a.c"), "Perm": 0o644}, {"Path": []byte("b.c"), "Perm": 0o644}}})
		if err == nil {
			err = os.WriteFile(filepath.Join(h.Dir, ".git", "git-agent-delivery"), note, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		h.Write(gittest.Files{"b.c": "mine\n"})
		f, found := checkDelivery(t.Context(), repo)
		if !found || f.Status != checkFail || f.Fix != repairHint || !strings.Contains(f.Detail, ": a.c, b.c; "+done.Backup) {
			t.Errorf("%+v", f)
		}
		said, list, err := repairs(t, repo)
		want := map[deliver.Target]string{
			deliver.WorkTree: "the patch of 'git agent fix --apply' is taken back: a.c, b.c\nb.c was changed since and is left as it is",
			deliver.Commit:   "had been made and stays: 'git show' shows it, " + done.Backup,
		}[target]
		if err != nil || len(list) > 0 || !strings.Contains(said, want) || strings.Contains(said, "rm -rf") {
			t.Errorf("%s: %v, %+v, %q", target, err, list, said)
		}
		text, err := os.ReadFile(filepath.Join(h.Dir, "a.c"))
		if want := map[deliver.Target]string{deliver.WorkTree: "old\n", deliver.Commit: "new\n"}[target]; err != nil || string(text) != want {
			t.Errorf("%s: a.c is %q, %v", target, text, err)
		}
	}
}

func TestTemporaryFolders(t *testing.T) {
	// Folders of killed runs are found and removed; those of running ones stay. An unreadable
	// journal is a finding, too.
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	living, err := sandbox.NewScratch("")
	if err != nil {
		t.Fatal(err)
	}
	defer living.Close()
	old := time.Now().Add(-time.Hour)
	left := []string{filepath.Join(tmp, fmt.Sprintf("git-agent-%d", os.Getuid()), "run-1", "tree"), filepath.Join(tmp, "git-agent-tmp-1", "shadow.git")}
	for _, dir := range left {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(filepath.Dir(dir), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if f, found := checkTemporary(); !found || f.Status != checkWarn || f.Fix != repairHint || !strings.Contains(f.Detail, "2 temporary folders in "+tmp+", such as run-1") {
		t.Errorf("%+v", f)
	}
	h := gittest.New(t)
	h.Commit("base", gittest.Files{"a.c": "old\n"})
	if err := os.Symlink("/etc/passwd", filepath.Join(h.Dir, ".git", "git-agent-delivery")); err != nil {
		t.Fatal(err)
	}
	said, list, err := repairs(t, h.Open())
	if err != nil || said != "2 temporary folders of killed runs removed\n" || len(list) != 1 || !strings.Contains(list[0].Detail, "is not a regular file") {
		t.Errorf("%v, %+v, %q", err, list, said)
	}
	for _, dir := range left {
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", dir, err)
		}
	}
	if dir, err := living.Dir("tree"); err != nil || !disk.Exists(filepath.Dir(dir)) {
		t.Errorf("the living run has lost its folder: %v", err)
	}
}
