//go:build unix

package deliver

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// killSpec tells a process of this test binary to deliver a patch and to die on the way.
type killSpec struct {
	Dir, Data, Step string
	Tree            fix.Tree
	Files           []gitext.Overlay
	Target          Target
}

// killVariable holds a killSpec.
const killVariable = "DELIVER_TEST_KILL"

func TestMain(m *testing.M) {
	if text := os.Getenv(killVariable); text != "" {
		deliverAndDie(text)
	}
	gittest.UseMemory()
	os.Exit(m.Run())
}

// deliverAndDie delivers a patch and kills this process at a step, as kill -9 does.
func deliverAndDie(text string) {
	var spec killSpec
	if err := json.Unmarshal([]byte(text), &spec); err != nil {
		panic(err)
	}
	ctx := context.Background()
	repo, err := gitext.Open(ctx, gitext.OpenOptions{Dir: spec.Dir, DataDir: spec.Data})
	if err != nil {
		panic(err)
	}
	testOnlyStep = func(step string) {
		if step == spec.Step {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	_, err = Apply(ctx, repo, fix.Trial{Patch: fix.Patch{Files: spec.Files}}, spec.Tree, Options{Target: spec.Target, Message: message})
	panic(err)
}

// kill runs a delivery in a separate process that dies at a step.
func (p *place) kill(step string, tree fix.Tree, target Target, files []gitext.Overlay) {
	p.T.Helper()
	text, err := json.Marshal(killSpec{Dir: p.Dir, Data: p.T.TempDir(), Step: step, Tree: tree, Files: files, Target: target})
	if err != nil {
		p.T.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), killVariable+"="+string(text))
	out, _ := cmd.CombinedOutput()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		p.T.Fatalf("%s: it ended with %v\n%s", step, cmd.ProcessState, out)
	}
}

// killBase and killPatch have a file of each kind that a patch may change.
var (
	killBase  = gittest.Files{"lib.c": "old\n", "gone.c": "old\n", "script": "#!/bin/sh\n", "sub/x": "x\n", ".gitattributes": "crlf text eol=crlf\n", "crlf": "a\r\n"}
	killPatch = []gitext.Overlay{
		text("lib.c", "new text\nof two lines\n"), {Path: "gone.c"}, text("sub/deep/new.c", "new\n"), text("crlf", "b\n"),
		{Path: "script", Mode: 0o100755, Content: []byte("#!/bin/sh\n")}, {Path: "link", Mode: 0o120000, Content: []byte("lib.c")},
	}
)

func TestKilledAtAnyStep(t *testing.T) {
	// Interrupted finds a killed delivery, no other delivery begins before the recovery, and
	// Recover restores files, index and refs, or finds that the commit was made.
	for _, target := range []Target{WorkTree, Index, Commit} {
		for _, step := range []string{"saved", "noted", "applied", "written"} {
			t.Run(string(target)+" "+step, func(t *testing.T) {
				p := newPlace(t)
				p.Commit("base", killBase)
				if err := os.Chmod(filepath.Join(p.Dir, "lib.c"), 0o600); err != nil {
					t.Fatal(err)
				}
				tree, before := p.tree(), p.state()
				p.kill(step, tree, target, killPatch)
				found, err := Interrupted(t.Context(), p.repo)
				if err != nil || (found == nil) != (step == "saved") {
					t.Fatalf("found %+v, %v", found, err)
				}
				if found != nil {
					if found.Target != target || len(found.Paths) != len(killPatch) || p.Git("rev-parse", found.Backup) == "" {
						t.Errorf("%+v", found)
					}
					_, err := Apply(t.Context(), p.repo, fix.Trial{Patch: fix.Patch{Files: killPatch}}, tree, Options{Target: WorkTree})
					if refusal, ok := err.(*Refusal); !ok || refusal.Hint != "git agent doctor --fix" {
						t.Errorf("another delivery: %v", err)
					}
				}
				done, err := Recover(t.Context(), p.repo)
				if err != nil || (done == nil) != (found == nil) || done != nil && (done.Kept != nil || done.Finished != (target == Commit && step == "written")) {
					t.Fatalf("%+v, %v", done, err)
				}
				if done != nil && done.Finished {
					p.undo(done.Undo)
				}
				os.Remove(filepath.Join(p.Dir, ".git", journalName)) // an empty one, after "saved"
				if after := p.state(); after != before {
					t.Errorf("before\n%s\nafter\n%s", before, after)
				}
				if found, err := Interrupted(t.Context(), p.repo); found != nil || err != nil {
					t.Errorf("still %+v, %v", found, err)
				}
				p.deliver(tree, Options{Target: target}, killPatch...)
			})
		}
	}
}

func TestKilledWhileGitWrites(t *testing.T) {
	// git writes one file after the other. If it is killed, a file may be half written or
	// removed, and a lock may stay. Recover repairs all this. The user's changes after the
	// interruption stay and are named. An older lock stays, too.
	p := newPlace(t)
	p.Commit("base", killBase)
	tree, before := p.tree(), p.state()
	p.kill("noted", tree, Index, killPatch)
	half := func(path, content string) {
		full := filepath.Join(p.Dir, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	half("lib.c", "new te")
	half("sub/deep/new.c", "")
	half("crlf", "b\r\n")
	half(".git/index.lock", "garbage")
	if err := os.Remove(filepath.Join(p.Dir, "gone.c")); err != nil {
		t.Fatal(err)
	}
	done, err := Recover(t.Context(), p.repo)
	if err != nil || done.Kept != nil || p.state() != before {
		t.Fatalf("%+v, %v\nbefore\n%s\nafter\n%s", done, err, before, p.state())
	}
	if _, err := os.Stat(filepath.Join(p.Dir, ".git", "index.lock")); err == nil {
		t.Error("the lock is still there")
	}
	p.kill("applied", tree, WorkTree, killPatch)
	half("lib.c", "the user's own\n")
	half("sub/deep/more.c", "the user's own\n")
	done, err = Recover(t.Context(), p.repo)
	if err != nil || strings.Join(done.Kept, " ") != "lib.c" {
		t.Fatalf("%+v, %v", done, err)
	}
	p.wantContent("lib.c", "the user's own\n")
	p.wantContent("sub/deep/more.c", "the user's own\n")
	p.wantContent("sub/deep/new.c", gittest.Gone)
	p.wantContent("gone.c", "old\n")
	if got := p.Git("show", done.Backup+"^3:before/lib.c"); got != "old" {
		t.Errorf("the backup has %q", got)
	}
}

func TestJournalsOfOthers(t *testing.T) {
	// A journal that is no regular file, is damaged, or names no backup is harmless.
	p := newPlace(t)
	p.Commit("base", killBase)
	tree, before := p.tree(), p.state()
	path := filepath.Join(p.Dir, ".git", journalName)
	for name, make := range map[string]func() error{
		"a pipe":  func() error { return syscall.Mkfifo(path, 0o600) },
		"a link":  func() error { return os.Symlink("/etc/passwd", path) },
		"no JSON": func() error { return os.WriteFile(path, []byte("{"), 0o600) },
		"no backup": func() error {
			return os.WriteFile(path, []byte(`{"Name":"nothing","Files":[{"Path":"bGliLmM="}]}`), 0o600)
		},
		"odd backup": func() error { return os.WriteFile(path, []byte(`{"Name":"../../heads/main"}`), 0o600) },
	} {
		if err := make(); err != nil {
			t.Fatal(err)
		}
		_, err1 := Interrupted(t.Context(), p.repo)
		done, err2 := Recover(t.Context(), p.repo)
		if done != nil || (err2 == nil) != (name == "no JSON") {
			t.Errorf("%s: %v, %+v, %v", name, err1, done, err2)
		}
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
	if after := p.state(); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
	p.deliver(tree, Options{Target: WorkTree}, killPatch...)
}
