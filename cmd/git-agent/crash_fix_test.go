package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/agent/model/modeltest"
	"git-agent/cmd/git-agent/render"
)

// newCrashFixBench is an agentBench whose last commit broke add.c, with a report of the
// crash and a command that fails because of it.
func newCrashFixBench(t *testing.T) (b *agentBench, report, repro string) {
	t.Helper()
	b = newAgentBench(t)
	b.shell(`cd r
		printf 'int add(int *a, int b)\n{\n\treturn a ? *a + b : b;\n}\n' >add.c; git add -A; git commit -q --no-verify --no-gpg-sign -m 'add'
		printf 'int add(int *a, int b)\n{\n\treturn *a + b;\n}\n' >add.c; git add -A; git commit -q --no-verify --no-gpg-sign -m 'add: shorter'`)
	b.git("config", "--global", "agent.sandbox", "none")
	report = filepath.Join(b.home, "report.txt")
	text := "Program received signal SIGSEGV, Segmentation fault.\n#0  0x01 in add (a=0x0, b=1) at add.c:3\n#1  0x02 in main () at main.c:3\n"
	if err := os.WriteFile(report, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return b, report, `grep -q 'a ? \*a' add.c || { echo 'Segmentation fault'; exit 139; }`
}

// Without a model the offline engine repairs the crash, by its name or by default.
func TestCrashFixWithoutAModel(t *testing.T) {
	b, report, repro := newCrashFixBench(t)
	for _, args := range [][]string{{"--engine=offline"}, nil} {
		out, errs := b.run(exitFound, append([]string{"crash", "--fix", "--json", "--repro", repro, report}, args...)...)
		var ans render.FixAnswerJSON
		if err := json.Unmarshal([]byte(out), &ans); err != nil {
			t.Fatalf("%v in %s", err, out)
		}
		if ans.Engine != "offline" || !ans.Repaired || len(ans.Locations) == 0 || ans.Locations[0].Function != "add" {
			t.Errorf("%v: %s\n%s", args, out, errs)
		}
	}
}

// What the wider tests reject is no repair.
func TestCrashFixRunsTheSuite(t *testing.T) {
	b, report, repro := newCrashFixBench(t)
	out, _ := b.run(exitNothing, "crash", "--fix", "--engine=offline", "--suite", "echo '--- FAIL: TestOther'; grep -q 'return .a + b' add.c", "--repro", repro, report)
	if strings.Contains(out, "a plausible patch") || !strings.Contains(out, "regresses") {
		t.Error(out)
	}
	_, errs := b.run(exitUsage, "crash", "--suite=true", report)
	if !strings.Contains(errs, "need --fix") {
		t.Error(errs)
	}
}

// A model analyses first: its strategy is research, and the answer says which of the
// trajectories was the analysis.
func TestCrashFixAsksTheModel(t *testing.T) {
	b, report, repro := newCrashFixBench(t)
	b.serve(func(req modeltest.Request) modeltest.Reply {
		if text, _ := json.Marshal(req.Messages); !strings.Contains(string(text), "Findings of the analysis") {
			return modeltest.Call("done", `{"hypothesis":"a may be null."}`)
		}
		if req.Turn() == 0 {
			return modeltest.Call("edit", `{"path":"add.c","old":"return *a + b","new":"return a ? *a + b : b"}`)
		}
		return modeltest.Call("finish", `{"status":"success","explanation":"A null pointer counts as 0."}`)
	})
	out, _ := b.run(exitFound, "crash", "--fix", "--repro", repro, report)
	for _, want := range []string{"a plausible patch", "\n+\treturn a ? *a + b : b;\n", "3 steps in 2 trajectories", ", analysis\n", "A null pointer counts as 0."} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}
