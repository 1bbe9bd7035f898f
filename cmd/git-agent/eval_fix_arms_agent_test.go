package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/model/modeltest"
	"git-agent/cmd/git-agent/app"
)

// foreverWrong writes a case file with one bug that exists since the first commit, so that no
// undone change repairs it. The test names another function, changed recently, which engines
// suspect without better information.
func (b *agentBench) foreverWrong() (args []string, fixed string) {
	b.t.Helper()
	b.shell(`git init -q w && cd w && commit() { git add -A; git commit -q --no-verify --no-gpg-sign -m "$1"; }
		printf 'int add(int a, int b)\n{\n\treturn a - b;\n}\n\nint decoy(int a)\n{\n\treturn a;\n}\n' >decoy.c; commit 'begin with numbers'
		printf 'int add(int a, int b)\n{\n\treturn a - b;\n}\n\nint decoy(int a)\n{\n\treturn 1 * a;\n}\n' >decoy.c; commit 'say what the decoy does'
		printf 'int add(int a, int b)\n{\n\treturn a + b;\n}\n\nint decoy(int a)\n{\n\treturn 1 * a;\n}\n' >decoy.c; mkdir test
		printf 'grep -q "a + b" decoy.c || { echo "decoy.c:8: wrong sum"; exit 1; }\n' >test/decoy.sh; commit 'the secret of the sum'
		cd ..; mkdir -p clones/o; cp -r w clones/o/w`)
	dir := filepath.Join(b.home, "w")
	fixed = b.git("-C", dir, "rev-parse", "HEAD")
	line, err := json.Marshal(map[string]any{"id": "sum", "repo": "o/w", "base": b.git("-C", dir, "rev-parse", "HEAD~"), "fix": fixed,
		"test_files": []string{"test/decoy.sh"}, "src_files": []string{"decoy.c"}, "test_cmd": "sh test/decoy.sh"})
	if err != nil {
		b.t.Fatal(err)
	}
	file := filepath.Join(b.home, "wrong.jsonl")
	if err := os.WriteFile(file, append(line, '\n'), 0o644); err != nil {
		b.t.Fatal(err)
	}
	return []string{"eval", "fix", "--sandbox=none", file, "--repos=" + filepath.Join(b.home, "clones"), "--jobs=1"}, fixed
}

// A repairRow is a row of eval fix --rows.
type repairRow struct {
	Algorithm string
	Answer    struct {
		Given      bool
		Patches    []struct{ Origin, Verdict string }
		Claimed    int
		Tried      int
		Located    int
		NoPlaces   bool `json:"no_locations"`
		Engine     string
		Work       *struct{}
		Reproduced string
	}
}

// rowsText runs an evaluation and returns what --rows writes.
func (b *agentBench) rowsText(args ...string) string {
	b.t.Helper()
	path := filepath.Join(b.home, "rows.jsonl")
	b.run(app.ExitFound, append(args, "--rows="+path)...)
	text, err := os.ReadFile(path)
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

// repairRows measures algorithms and returns their rows.
func (b *agentBench) repairRows(args ...string) map[string]repairRow {
	b.t.Helper()
	rows := map[string]repairRow{}
	for line := range strings.Lines(b.rowsText(args...)) {
		var r repairRow
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			b.t.Fatal(err)
		}
		rows[r.Algorithm] = r
	}
	return rows
}

// offline-revert only tries to undo changes, and locate tries nothing; neither asks the
// configured model. The whole offline engine repairs the same bug.
func TestEvalFixBaselinesLeaveOut(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	args, _ := b.foreverWrong()
	server := b.serve(repairs)
	rows := b.repairRows(append(args, "--algorithm=offline-given,offline-revert-given", "--run=x")...)
	if a := rows["offline-given"].Answer; len(a.Patches) != 1 || a.Patches[0].Verdict != "plausible" || strings.HasPrefix(a.Patches[0].Origin, "revert") {
		t.Errorf("offline-given: %+v", a)
	}
	if a := rows["offline-revert-given"].Answer; a.Reproduced != "failing" || a.Claimed != 0 || len(a.Patches) != 0 || a.Tried >= rows["offline-given"].Answer.Tried || a.Located == 0 {
		t.Errorf("offline-revert: %+v", a)
	}
	rows = b.repairRows(append(args, "--algorithm=locate", "--run=y")...)
	if a := rows["locate"].Answer; a.Claimed != 0 || a.Tried != 0 || a.Patches != nil || a.Located == 0 || a.Given || a.Work != nil {
		t.Errorf("locate: %+v", a)
	}
	file, clones, _ := b.bugCases() // a change can be undone here, and undoing is what repairs it
	rows = b.repairRows("eval", "fix", "--sandbox=none", file, "--repos="+clones, "--algorithm=offline-revert", "--run=z")
	if a := rows["offline-revert"].Answer; len(a.Patches) != 1 || a.Patches[0].Verdict != "plausible" || !strings.HasPrefix(a.Patches[0].Origin, "revert") {
		t.Errorf("offline-revert: %+v", a)
	}
	if n := len(server.Requests()); n != 0 {
		t.Errorf("the model was asked %d times", n)
	}
}

// With -given, an engine knows the lines of the fix and suspects no others; without it, no
// request names them. Both are without history if their name says so, and no part of the fix
// itself is sent.
func TestEvalFixGivenArms(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	args, fixed := b.foreverWrong()
	arms := []string{"agent-none", "agent-none-given", "agent-fl_diff-given", "agent-fl_diff"}
	server := b.serve(func(req modeltest.Request) modeltest.Reply {
		if req.Turn() == 0 {
			return modeltest.Call("cat", `{"path":"decoy.c"}`)
		}
		return modeltest.Call("finish", `{"status":"failure","explanation":"No."}`)
	})
	b.run(app.ExitFound, append(args, "--algorithm="+strings.Join(arms, ","))...)
	list := conversations(server)
	if len(list) != len(arms) {
		t.Fatalf("%d conversations for %d arms", len(list), len(arms))
	}
	for i, c := range list {
		first, err := unescaped(c.first)
		if err != nil {
			t.Fatal(err)
		}
		text, name := first+"\n"+strings.Join(c.answers, "\n"), arms[i]
		given, history := strings.HasSuffix(name, "-given"), !strings.Contains(name, "none")
		for part, want := range map[string]bool{
			"named by you: decoy.c:3": given, ">   3  \treturn a - b;": given, ". decoy.c:6-9 decoy": !given,
			"begin with numbers": history, "say what the decoy does": history && !given, "changed it on": history,
			"the secret of the sum": false, fixed[:12]: false, "a + b": false,
		} {
			if has := strings.Contains(text, part); has != want {
				t.Errorf("%s: it has %q: %v\n%s", name, part, has, first)
			}
		}
		for _, tool := range []string{"git_show", "git_blame", "git_log_search", "git_log_function", "search_commits"} {
			if slices.Contains(c.tools, tool) != history {
				t.Errorf("%s has the tools %q", name, c.tools)
			}
		}
	}
	rows := b.repairRows(append(args, "--algorithm=offline-given", "--run=g")...)
	if a := rows["offline-given"].Answer; !a.Given || a.Located != 1 || len(a.Patches) != 1 || a.Patches[0].Verdict != "plausible" {
		t.Errorf("offline-given: %+v", a)
	}
}
