package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/model/modeltest"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/render"
)

// scriptBug makes the bench's repository contain a script broken by the last commit.
func (b *agentBench) scriptBug() {
	b.t.Helper()
	b.shell(`cd r
		printf '#!/bin/sh\nsize() {\n\tcat "$1" | wc -w\n}\nsize text\n' >size.sh; printf 'one two\nthree four\n' >text
		printf 'sh -n size.sh || exit 2\ntest "$(sh size.sh)" -eq 4 || { echo "size.sh:3: wrong size"; exit 1; }\n' >check_test.sh
		git add -A; git commit -q --no-verify --no-gpg-sign -m 'size: count the words'
		printf '#!/bin/sh\nsize() {\n\thead -n 1 "$1" | wc -w\n}\nsize text\n' >size.sh
		git add -A; git commit -q --no-verify --no-gpg-sign -m 'size: count the first words'`)
}

// kept lists everything that a repair must not change: the work tree, the index, refs and the
// list of work trees, and the contents of the temporary directory.
func (b *agentBench) kept() string {
	b.t.Helper()
	index, err := os.ReadFile(filepath.Join(b.dir, ".git", "index"))
	if err != nil {
		b.t.Fatal(err)
	}
	status := b.git("--no-optional-locks", "status", "--porcelain=v2", "--branch", "--ignored")
	left, err := filepath.Glob(filepath.Join(b.getenv("TMPDIR"), "*", "run-*"))
	if err != nil {
		b.t.Fatal(err)
	}
	return strings.Join([]string{status, string(index), b.git("for-each-ref"), b.git("worktree", "list"), b.git("stash", "list"), strings.Join(left, "\n")}, "\n--\n")
}

// Every mistake of a model ends with a status that names it, and leaves the repository unchanged.
func TestFixModelsThatFail(t *testing.T) {
	t.Parallel()
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
		"edits nothing":       {then(says), nil, app.ExitNothing, []string{"no patch was tried: the model made none", "changed no source file, and said: Done."}},
		"breaks the build":    {then(modeltest.Call("edit", `{"path":"size.sh","old":"size() {","new":"size( {"}`)), []string{"--build=sh -n size.sh"}, app.ExitNothing, []string{"no patch made the tests pass: 1 candidate tried", "    no build: trajectory 1"}},
		"edits the test":      {then(modeltest.Call("edit", `{"path":"check_test.sh","old":"exit 1","new":"exit 0"}`)), nil, app.ExitNothing, []string{"no patch was tried: the model made none", "changed no source file"}},
		"edits it by a shell": {then(modeltest.Call("bash", `{"command":"echo true >check_test.sh"}`)), []string{"--tools=bash"}, app.ExitNothing, []string{"no patch was tried: the model made none", "changed no source file"}},
		"nonsense":            {func(modeltest.Request) modeltest.Reply { return modeltest.Reply{Text: "As a model I like the sea."} }, nil, app.ExitNothing, []string{"changed no source file, and said: As a model I like the sea."}},
		"dies": {func(req modeltest.Request) modeltest.Reply {
			if req.Turn() == 0 {
				return modeltest.Call("cat", `{"path":"size.sh"}`)
			}
			return modeltest.Status(http.StatusUnauthorized, `{"error":{"message":"the key was withdrawn"}}`)
		}, nil, app.ExitModel, []string{"fatal: the model server failed (auth, status 401): the key was withdrawn", "hint: export GIT_AGENT_API_KEY=<key>"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newAgentBench(t)
			b.scriptBug()
			b.setenv("TMPDIR", t.TempDir())
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

// With only a report, a model writes the failing test, and the answer says in each form that the
// patch passes only that test.
func TestFixFromAReport(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	b.scriptBug()
	b.setenv("TMPDIR", t.TempDir())
	b.shell(`cd r && git rm -q check_test.sh && git commit -q --no-verify --no-gpg-sign -m 'no test'; printf 'It prints 2 for two lines of two words.\n' >../bug.txt`)
	b.git("config", "--global", "agent.sandbox", "none")
	report := "--report=" + filepath.Join(b.home, "bug.txt")
	test, err := json.Marshal(map[string]string{"path": "tests/new_test.sh", "text": "got=$(sh size.sh)\ntest \"$got\" -eq 4 || { echo \"got $got words\"; exit 1; }\n"})
	if err != nil {
		t.Fatal(err)
	}
	_, errs := b.run(app.ExitFatal, "fix", report)
	if want := "only a model can write a test from a report"; !strings.Contains(errs, want) || !strings.Contains(errs, "--test=") || strings.Count(errs, "fatal:") != 1 {
		t.Errorf("no %q in\n%s", want, errs)
	}
	b.serve(func(req modeltest.Request) modeltest.Reply {
		switch writing := slices.Contains(req.Tools, "write_test"); {
		case writing && req.Turn() == 0:
			return modeltest.Call("write_test", string(test))
		case !writing && req.Turn() == 0:
			return modeltest.Call("edit", `{"path":"size.sh","old":"head -n 1","new":"cat"}`)
		}
		return modeltest.Call("finish", `{"status":"success","explanation":"All lines count."}`)
	})
	before := b.kept()
	out, _ := b.run(app.ExitUnsure, "fix", report)
	for _, want := range []string{"the model wrote this test itself, tests/new_test.sh: All lines count.", "1 patch of the model, reproduced by a test that it wrote itself: 1 candidate tried",
		"wrote the test\n", "patch (own test", "caution: no wider tests are known", "+\tcat \"$1\"", "+++ b/tests/new_test.sh"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, "plausible") || before != b.kept() {
		t.Errorf("%s", out)
	}
	out, _ = b.run(app.ExitUnsure, "fix", report, "--json", "--branch=repair")
	var ans render.FixAnswerJSON
	if err := json.Unmarshal([]byte(out), &ans); err != nil || ans.Repaired || len(ans.Patches) != 0 || len(ans.OwnTested) != 1 || ans.OwnTested[0].Verdict != "own test" || ans.OwnTest.Path != "tests/new_test.sh" {
		t.Errorf("%v in %s", err, out)
	}
	if files, message := b.git("diff", "--name-only", "HEAD", "repair"), b.git("log", "-1", "--format=%B", "repair"); files != "size.sh\ntests/new_test.sh" || !strings.Contains(message, "reproduced by a test that the model wrote itself") {
		t.Errorf("the branch changes %q: %s", files, message)
	}
	if shown, _ := b.run(app.ExitFound, "fix", report, "--show-request"); !strings.Contains(shown, "write_test") || strings.Contains(shown, "\"edit\"") {
		t.Errorf("the first request is %s", shown)
	}
}

// The wider tests are the known ones, and with --write-test a failing command belongs to them.
func TestFixWritesATestBesideAKnownCommand(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	b.scriptBug()
	b.shell(`printf 'It prints 2 for two lines of two words.\n' >bug.txt`)
	b.git("config", "--global", "agent.sandbox", "none")
	b.git("config", "--global", "agent.testCommand", "sh check_test.sh")
	var first []string
	b.serve(func(req modeltest.Request) modeltest.Reply {
		if req.Turn() == 0 {
			first = append(first, req.Messages[1].Text)
		}
		return modeltest.Call("finish", `{"status":"failure","explanation":"I cannot."}`)
	})
	report := "--report=" + filepath.Join(b.home, "bug.txt")
	b.run(app.ExitNothing, "fix", report, "--history=none", "--engine=agent")
	if len(first) != 1 || !strings.Contains(first[0], "Repair the bug, test, and call finish.") {
		t.Fatalf("a known command that fails is not repaired: %q", first)
	}
	out, _ := b.run(app.ExitNothing, "fix", report, "--history=none", "--write-test")
	if len(first) != 2 || !strings.Contains(first[1], "# How all tests are run\n\n$ sh check_test.sh") || !strings.Contains(out, "nothing was tried: the model wrote no test that fails because of the bug: I cannot.") {
		t.Errorf("%q\n%s", first, out)
	}
	for _, args := range [][]string{{"--write-test"}, {report, "--write-test", "--test=false"}, {report, "--write-test", "--locate"}} {
		if _, errs := b.run(app.ExitUsage, append([]string{"fix"}, args...)...); !strings.Contains(errs, "--write-test goes with") {
			t.Errorf("%v: %s", args, errs)
		}
	}
}
