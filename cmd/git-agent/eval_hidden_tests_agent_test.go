package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/model/modeltest"
	"git-agent/cmd/git-agent/app"
)

// With --hide-tests, a model sees only the report: neither a message, nor a tool, nor a shell
// shows the test of the fix or its command. That test still judges the patch: a patch that passes
// only the model's own test does not count.
func TestEvalFixHidesTests(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	file, clones, fixed := b.bugCases()
	own, err := json.Marshal(map[string]string{"path": "test/own_test.sh", "text": "grep -q 'a - b' add.c || exit 0; echo 'add.c subtracts'; exit 1\n"})
	if err != nil {
		t.Fatal(err)
	}
	patch := ""
	looks := []modeltest.Reply{
		modeltest.Call("bash", `{"command":"find . -path ./.git -prune -o -type f -print | sort; cat test/add.sh; git log --all --stat; git grep -n 'wrong su[m]' $(git rev-list --all)"}`),
	}
	server := b.serve(func(req modeltest.Request) modeltest.Reply {
		turn := req.Turn()
		switch writing := slices.Contains(req.Tools, "write_test"); {
		case writing && turn == 0:
			return modeltest.Call("code_search", `{"pattern":"wrong"}`)
		case writing && turn == 1:
			return modeltest.Call("cat", `{"path":"test"}`)
		case writing && turn == 2:
			return modeltest.Call("write_test", string(own))
		case turn < len(looks):
			return looks[turn]
		case !writing && turn == len(looks):
			return modeltest.Call("bash", `{"command":"sed -i 's/a - b/`+patch+`/' add.c"}`)
		case !writing && turn == len(looks)+1:
			return modeltest.Call("bash", `{"command":"sh test/own_test.sh"}`)
		}
		return modeltest.Call("finish", `{"status":"success","explanation":"The sum was a difference."}`)
	})
	args := []string{file, "--repos=" + clones, "--algorithm=agent-none", "--hide-tests", "--tools=bash", "--jobs=1"}
	for _, tt := range []struct{ patch, run, plausible, verdicts string }{
		{"a + b", "right", `"plausible_at_1":{"value":1,`, `"verdicts":["plausible"]`},
		{"b - a", "wrong", `"plausible_at_1":{"value":0,`, `"verdicts":["fails"]`},
	} {
		patch = tt.patch
		_, out, errs := b.evalFix(app.ExitFound, append(args, "--run="+tt.run)...)
		if !strings.Contains(out, tt.plausible) {
			t.Errorf("%s: no %s in %s\n%s", tt.patch, tt.plausible, out, errs)
		}
		rows := b.rowsText("eval", "fix", "--run="+tt.run)
		if !strings.Contains(rows, tt.verdicts) || !strings.Contains(rows, `"said":"own test"`) {
			t.Errorf("%s: no %s in %s", tt.patch, tt.verdicts, rows)
		}
	}
	saw := ""
	for _, req := range server.Requests() {
		for _, m := range req.Messages {
			if m.Role != "assistant" {
				saw += m.Text + "\n"
			}
		}
	}
	if !strings.Contains(saw, "Sums are wrong.") || !strings.Contains(saw, "./add.c") {
		t.Errorf("it saw neither the report nor the files:\n%s", saw)
	}
	for _, secret := range []string{"wrong sum", `grep -q "a + b"`, "sh test/add.sh", "./test/add.sh\n", "the secret of the repair", fixed[:12]} {
		if strings.Contains(strings.ReplaceAll(saw, "sh: 1: cannot open", ""), secret) {
			t.Errorf("the model saw %q in\n%s", secret, saw)
		}
	}
	if _, errs := b.run(app.ExitUsage, "eval", "fix", file, "--repos="+clones, "--hide-tests"); !strings.Contains(errs, "--hide-tests") {
		t.Errorf("stderr %q", errs)
	}
}
