package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/agent/model/modeltest"
)

// scriptBug makes the bench's repository one whose last commit broke a script.
func (b *agentBench) scriptBug() {
	b.t.Helper()
	b.shell(`cd r
		printf '#!/bin/sh\nsize() {\n\tcat "$1" | wc -w\n}\nsize text\n' >size.sh; printf 'one two\nthree four\n' >text
		printf 'sh -n size.sh || exit 2\ntest "$(sh size.sh)" -eq 4 || { echo "size.sh:3: wrong size"; exit 1; }\n' >check_test.sh
		git add -A; git commit -q --no-verify --no-gpg-sign -m 'size: count the words'
		printf '#!/bin/sh\nsize() {\n\thead -n 1 "$1" | wc -w\n}\nsize text\n' >size.sh
		git add -A; git commit -q --no-verify --no-gpg-sign -m 'size: count the first words'`)
}

// kept lists what a repair must leave as it was: the work tree, the index, refs and the
// list of work trees, and what is in the temporary directory.
func (b *agentBench) kept() string {
	b.t.Helper()
	index, err := os.ReadFile(filepath.Join(b.dir, ".git", "index"))
	if err != nil {
		b.t.Fatal(err)
	}
	status := b.git("--no-optional-locks", "status", "--porcelain=v2", "--branch", "--ignored")
	left, err := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "*", "run-*"))
	if err != nil {
		b.t.Fatal(err)
	}
	return strings.Join([]string{status, string(index), b.git("for-each-ref"), b.git("worktree", "list"), b.git("stash", "list"), strings.Join(left, "\n")}, "\n--\n")
}

// Whatever a model does wrong ends in a word that says so, and leaves the repository as it
// was.
func TestFixModelsThatFail(t *testing.T) {
	says := modeltest.Call("finish", `{"status":"success","explanation":"Done."}`)
	then := func(first modeltest.Reply) func(modeltest.Request) modeltest.Reply {
		return func(req modeltest.Request) modeltest.Reply {
			if req.Turn() == 0 {
				return first
			}
			return says
		}
	}
	for name, c := range map[string]struct {
		answer func(modeltest.Request) modeltest.Reply
		args   []string
		exit   int
		want   []string
	}{
		"edits nothing":       {then(says), nil, exitNothing, []string{"no patch was tried: the model made none", "changed no source file, and said: Done."}},
		"breaks the build":    {then(modeltest.Call("edit", `{"path":"size.sh","old":"size() {","new":"size( {"}`)), []string{"--build=sh -n size.sh"}, exitNothing, []string{"no patch made the tests pass: 1 candidate tried", "    no build: trajectory 1"}},
		"edits the test":      {then(modeltest.Call("edit", `{"path":"check_test.sh","old":"exit 1","new":"exit 0"}`)), nil, exitNothing, []string{"no patch was tried: the model made none", "changed no source file"}},
		"edits it by a shell": {then(modeltest.Call("bash", `{"command":"echo true >check_test.sh"}`)), []string{"--tools=bash"}, exitNothing, []string{"no patch was tried: the model made none", "changed no source file"}},
		"nonsense":            {func(modeltest.Request) modeltest.Reply { return modeltest.Reply{Text: "As a model I like the sea."} }, nil, exitNothing, []string{"changed no source file, and said: As a model I like the sea."}},
		"dies": {func(req modeltest.Request) modeltest.Reply {
			if req.Turn() == 0 {
				return modeltest.Call("cat", `{"path":"size.sh"}`)
			}
			return modeltest.Status(http.StatusUnauthorized, `{"error":{"message":"the key was withdrawn"}}`)
		}, nil, exitModel, []string{"fatal: the model server failed (auth, status 401): the key was withdrawn", "hint: export GIT_AGENT_API_KEY=<key>"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newAgentBench(t)
			b.scriptBug()
			t.Setenv("TMPDIR", t.TempDir())
			b.serve(c.answer)
			before := b.kept()
			out, errs := b.run(c.exit, append([]string{"fix", "--engine=agent", "--history=none", "--sandbox=none", "--no-coverage", "--apply", "--test=sh check_test.sh", "--at=size.sh"}, c.args...)...)
			for _, want := range c.want {
				if !strings.Contains(out+errs, want) {
					t.Errorf("no %q in\n%s\n%s", want, out, errs)
				}
			}
			if after := b.kept(); after != before {
				t.Errorf("before\n%s\nafter\n%s", before, after)
			}
		})
	}
}
