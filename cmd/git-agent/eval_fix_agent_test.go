package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"git-agent/agent/model/modeltest"
	"git-agent/cmd/git-agent/app"
)

// bugCases writes a case file with one bug of the bench's repository, and returns the
// commit that fixes it.
func (b *agentBench) bugCases() (file, clones, fixed string) {
	b.t.Helper()
	b.shell(`cd r
		printf 'int add(int a, int b)\n{\n\treturn a + b;\n}\n' >add.c; git add -A; git commit -q --no-verify --no-gpg-sign -m 'add'
		printf 'int add(int a, int b)\n{\n\treturn a - b;\n}\n' >add.c; git add -A; git commit -q --no-verify --no-gpg-sign -m 'add: in another way'
		printf 'int add(int a, int b)\n{\n\treturn a + b;\n}\n' >add.c; mkdir test
		printf 'grep -q "a + b" add.c || { echo "add.c:3: wrong sum"; exit 1; }\n' >test/add.sh; git add -A; git commit -q --no-verify --no-gpg-sign -m 'the secret of the repair'
		cd ..; mkdir -p clones/o; cp -r r clones/o/r`)
	clones, fixed = filepath.Join(b.home, "clones"), b.git("rev-parse", "HEAD")
	line, err := json.Marshal(map[string]any{"id": "sum", "repo": "o/r", "base": b.git("rev-parse", "HEAD~"), "fix": fixed, "test_files": []string{"test/add.sh"},
		"src_files": []string{"add.c"}, "test_cmd": "sh test/add.sh", "category": "SL", "bug_report": "Sums are wrong."})
	if err != nil {
		b.t.Fatal(err)
	}
	file = filepath.Join(b.home, "bugs.jsonl")
	if err := os.WriteFile(file, append(line, '\n'), 0o644); err != nil {
		b.t.Fatal(err)
	}
	return file, clones, fixed
}

// repairs edits add.c and says that it is done.
func repairs(req modeltest.Request) modeltest.Reply {
	if req.Turn() == 0 {
		return modeltest.Call("edit", `{"path":"add.c","old":"a - b","new":"a + b"}`)
	}
	return modeltest.Call("finish", `{"status":"success","explanation":"It adds again."}`)
}

func (b *agentBench) evalFix(want int, args ...string) (r evalReport, out, stderr string) {
	b.t.Helper()
	out, stderr = b.run(want, append([]string{"eval", "fix", "--json", "--sandbox=none"}, args...)...)
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		b.t.Fatalf("%v in %s", err, out)
	}
	return r, out, stderr
}

// Each kind of history is measured, with the effort by outcome, and a second evaluation sends no
// request. No request names the fix or its description.
func TestEvalFixMeasuresAModel(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	file, clones, fixed := b.bugCases()
	server := b.serve(repairs)
	args := []string{file, "--repos=" + clones, "--ablation", "--algorithm=agent-none", "--run=x", "--report", "--jobs=1"}
	r, out, _ := b.evalFix(app.ExitFound, args...)
	if len(r.Algorithms) != 4 || r.Algorithms[1].Name != "agent-fn_all" {
		t.Fatalf("report %s", out)
	}
	for _, a := range r.Algorithms {
		if a.Effort == nil || a.Effort.Cases != 1 || a.Effort.Turns.Total != 2 || len(a.Effort.Tools) != 2 {
			t.Errorf("%s: effort %+v", a.Name, a.Effort)
		}
	}
	for _, text := range []string{`"plausible_at_1":{"value":1,`, `"exact":1,`, `"sets":[{"algorithms":["agent-none","agent-fn_all","agent-fn_pair","agent-fl_diff"],"all":1,`, `"effort_by_outcome":[{"right":true,"cases":1,"asked":1,"turns":{"mean":2,`} {
		if !strings.Contains(out, text) {
			t.Errorf("no %s in %s", text, out)
		}
	}
	history := 0
	for _, req := range server.Requests() {
		whole, err := json.Marshal(req.Messages)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{fixed, fixed[:12], "the secret of the repair", "clones"} {
			if strings.Contains(string(whole), secret) {
				t.Errorf("%q is sent", secret)
			}
		}
		if req.Turn() == 0 && strings.Contains(string(whole), "add: in another way") {
			history++
		}
	}
	if history != 3 {
		t.Errorf("%d of the first requests show history, and all but the first should", history)
	}
	n := len(server.Requests())
	if b.evalFix(app.ExitFound, args...); len(server.Requests()) != n {
		t.Errorf("%d more requests", len(server.Requests())-n)
	}
}

// A model whose patch fails, or that claims success without one, does not solve a bug.
func TestEvalFixClaims(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	file, clones, _ := b.bugCases()
	b.serve(func(req modeltest.Request) modeltest.Reply {
		return modeltest.Call("finish", `{"status":"success","explanation":"Done."}`)
	})
	if _, out, _ := b.evalFix(app.ExitFound, file, "--repos="+clones, "--engine=agent", "--turns=3"); !strings.Contains(out, `"plausible_at_1":{"value":0,`) {
		t.Errorf("%s", out)
	}
}

// If the key is refused, the evaluation stops, and the same command repeats the case.
func TestEvalFixTriesAgain(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	file, clones, _ := b.bugCases()
	var status atomic.Int32
	status.Store(http.StatusUnauthorized)
	b.serve(func(req modeltest.Request) modeltest.Reply {
		if status.Load() != 0 {
			return modeltest.Status(int(status.Load()), `{"error":{"message":"no"}}`)
		}
		return repairs(req)
	})
	args := []string{file, "--repos=" + clones, "--engine=agent", "--run=x"}
	out, errs := b.run(app.ExitModel, append([]string{"eval", "fix", "--sandbox=none"}, args...)...)
	if !strings.Contains(errs, "stopped: 1 of 1 cases are not done") || strings.Contains(out, "failed, counted") {
		t.Errorf("stderr %q, stdout\n%s", errs, out)
	}
	status.Store(0)
	if r, out, _ := b.evalFix(app.ExitFound, args...); r.Unfinished != 0 || !strings.Contains(out, `"plausible_at_1":{"value":1,`) {
		t.Errorf("report %s", out)
	}
}
