package trial

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"git-agent/agent/sandbox"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

func TestSetup(t *testing.T) {
	// Files that a setup command installs are visible to the commands of a workspace, in the
	// tree and at the paths in variables. The command runs once for a tree.
	t.Parallel()
	h := gittest.New(t)
	commit := h.Commit("c", gittest.Files{"file": "x\n"})
	repo := h.Open()
	log := filepath.Join(t.TempDir(), "log")
	spec := SetupSpec{
		Command: `echo run >>` + log + ` && mkdir -p node_modules/p "$GOMODCACHE/m" .venv/bin && cp file node_modules/p/ && touch "$GOMODCACHE/m/f" .venv/pyvenv.cfg other` +
			` && printf '#!/bin/sh\necho tool\n' >.venv/bin/tool && chmod +x .venv/bin/tool`,
		Folder: filepath.Join(t.TempDir(), "kept"), Commit: commit, Over: []gitext.Overlay{{Path: "file", Mode: 0o100644, Content: []byte("over\n")}},
	}
	opt := Options{Sandbox: sandbox.None, Scratch: filepath.Join(t.TempDir(), "scratch"), Timeout: time.Minute}
	var s *Setup
	for _, again := range []bool{false, true} {
		var err error
		if s, err = NewSetup(t.Context(), repo, spec, opt); err != nil || s.Again != again {
			t.Fatalf("%+v, %v", s, err)
		}
	}
	if data, err := os.ReadFile(log); err != nil || string(data) != "run\n" {
		t.Errorf("%q, %v", data, err)
	}
	s.Use(&opt)
	w, err := Open(t.Context(), repo, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Prepare(t.Context(), commit, nil); err != nil {
		t.Fatal(err)
	}
	res, err := w.Exec(t.Context(), `cat node_modules/p/file && ls "$GOMODCACHE/m" && tool; test ! -e other`, ExecOptions{})
	if err != nil || res.Exit != 0 || string(res.Output) != "over\nf\ntool\n" {
		t.Errorf("%d, %q, %v", res.Exit, res.Output, err)
	}
	shared := Options{Compiled: "shared"}
	if s.Use(&shared); !strings.HasPrefix(shared.Compiled, spec.Folder) {
		t.Errorf("what is compiled with the setup goes to %q, which others read", shared.Compiled)
	}
	spec.Over = nil // another tree
	if s, err = NewSetup(t.Context(), repo, spec, opt); err != nil || s.Again {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestSetupThatFailsLeavesNothing(t *testing.T) {
	// A setup command that fails is an error with its output, and runs again next time.
	t.Parallel()
	h := gittest.New(t)
	commit := h.Commit("c", gittest.Files{"file": "x\n"})
	spec := SetupSpec{Command: "echo no such package; exit 3", Folder: filepath.Join(t.TempDir(), "kept"), Commit: commit}
	for range 2 {
		_, err := NewSetup(t.Context(), h.Open(), spec, Options{Sandbox: sandbox.None})
		var failed *SetupError
		if !errors.As(err, &failed) || !strings.Contains(err.Error(), "fails (exit 3)") || string(failed.Output) != "no such package\n" {
			t.Fatalf("%v", err)
		}
		if left, err := filepath.Glob(filepath.Join(spec.Folder, "*")); err != nil || len(left) != 1 { // its lock
			t.Errorf("%q, %v", left, err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := NewSetup(ended, h.Open(), spec, Options{Sandbox: sandbox.None}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestSetupIsReadOnly(t *testing.T) {
	// A confined command can read the installed files, and cannot change them.
	t.Parallel()
	if _, err := sandbox.Probe(t.Context(), sandbox.Auto); err != nil {
		t.Skip(err)
	}
	h := gittest.New(t)
	commit := h.Commit("c", gittest.Files{"file": "x\n"})
	opt := Options{Sandbox: sandbox.Auto, Scratch: filepath.Join(t.TempDir(), "scratch"), Timeout: time.Minute}
	spec := SetupSpec{Command: `mkdir -p node_modules/p "$GOMODCACHE/m" && echo good >node_modules/p/f && echo good >"$GOMODCACHE/m/f"`, Folder: filepath.Join(t.TempDir(), "kept"), Commit: commit}
	s, err := NewSetup(t.Context(), h.Open(), spec, opt)
	if err != nil {
		t.Fatal(err)
	}
	s.Use(&opt)
	w, err := Open(t.Context(), h.Open(), opt)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Prepare(t.Context(), commit, nil); err != nil {
		t.Fatal(err)
	}
	res, err := w.Exec(t.Context(), `for f in node_modules/p/f "$GOMODCACHE/m/f"; do cat $f; echo bad >$f; touch "$(dirname $f)/new"; done 2>/dev/null; cat node_modules/p/f "$GOMODCACHE/m/f"; ls node_modules/p`, ExecOptions{})
	if err != nil || string(res.Output) != "good\ngood\ngood\ngood\nf\n" {
		t.Errorf("%q, %v", res.Output, err)
	}
}
