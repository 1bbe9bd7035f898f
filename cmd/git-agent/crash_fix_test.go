package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/agent/model/modeltest"
	"git-agent/cmd/git-agent/app"
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
	t.Parallel()
	b, report, repro := newCrashFixBench(t)
	for _, args := range [][]string{{"--engine=offline"}, nil} {
		out, errs := b.run(app.ExitFound, append([]string{"crash", "--fix", "--json", "--repro", repro, report}, args...)...)
		var ans render.FixAnswerJSON
		if err := json.Unmarshal([]byte(out), &ans); err != nil {
			t.Fatalf("%v in %s", err, out)
		}
		if ans.Engine != "offline" || !ans.Repaired || len(ans.Locations) == 0 || ans.Locations[0].Function != "add" {
			t.Errorf("%v: %s\n%s", args, out, errs)
		}
	}
}

// A patch that fails the wider tests is no repair.
func TestCrashFixRunsTheSuite(t *testing.T) {
	t.Parallel()
	b, report, repro := newCrashFixBench(t)
	out, _ := b.run(app.ExitNothing, "crash", "--fix", "--engine=offline", "--suite", "echo '--- FAIL: TestOther'; grep -q 'return .a + b' add.c", "--repro", repro, report)
	if strings.Contains(out, "a plausible patch") || !strings.Contains(out, "regresses") {
		t.Error(out)
	}
	_, errs := b.run(app.ExitUsage, "crash", "--suite=true", report)
	if !strings.Contains(errs, "need --fix") {
		t.Error(errs)
	}
}

// A model analyses first: its strategy is research, and the answer marks the trajectory of the
// analysis.
func TestCrashFixAsksTheModel(t *testing.T) {
	t.Parallel()
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
	out, _ := b.run(app.ExitFound, "crash", "--fix", "--repro", repro, report)
	for _, want := range []string{"a plausible patch", "\n+\treturn a ? *a + b : b;\n", "3 steps in 2 trajectories", ", analysis\n", "A null pointer counts as 0."} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// freed is a report of AddressSanitizer with two stacks beside that of the crash, for the
// program of a bench.
const freed = `==9==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x1 bp 0x2 sp 0x3
READ of size 4 at 0x602000000010 thread T0
    #0 0x1 in add /src/add.c:3:9
    #1 0x2 in main /src/a.c:2:1

0x602000000010 is located 0 bytes inside of 16-byte region [0x602000000010,0x602000000020)
freed by thread T0 here:
    #0 0x3 in free /asan/malloc.cpp:123:3
    #1 0x4 in drop /src/a.c:1:1

previously allocated by thread T0 here:
    #0 0x5 in malloc /asan/malloc.cpp:145:3
    #1 0x6 in make /src/a.c:2:5

SUMMARY: AddressSanitizer: heap-use-after-free /src/add.c:3:9 in add
`

// toolOf returns the description of a tool of a request, as it was sent.
func toolOf(t *testing.T, req modeltest.Request, name string) string {
	t.Helper()
	var sent struct {
		Tools []struct {
			Function json.RawMessage `json:"function"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(req.Raw, &sent); err != nil {
		t.Fatal(err)
	}
	for _, tool := range sent.Tools {
		if strings.Contains(string(tool.Function), `"name":"`+name+`"`) {
			return string(tool.Function)
		}
	}
	return ""
}

// A repairing model sees the same parts of the report as a localizing model, and has the same
// get_crash_stack with the same answers: in crash --fix and fix --crash, with typed tools and
// with a shell.
func TestRepairSeesTheWholeReport(t *testing.T) {
	t.Parallel()
	b, report, repro := newCrashFixBench(t)
	if err := os.WriteFile(report, []byte(freed), 0o644); err != nil {
		t.Fatal(err)
	}
	ask := func(want int, args ...string) (first modeltest.Request, stack string) {
		t.Helper()
		var sent []modeltest.Request
		b.serve(func(req modeltest.Request) modeltest.Reply {
			sent = append(sent, req)
			if req.Turn() == 0 {
				return modeltest.Call("get_crash_stack", `{}`)
			}
			return modeltest.Status(400, `{"error":{"message":"enough"}}`)
		})
		b.run(want, args...)
		if len(sent) < 2 {
			t.Fatalf("%v: %d requests", args, len(sent))
		}
		_, stack, _ = strings.Cut(sent[1].Last().Text, "## ") // the answers of an analysis are numbered
		return sent[0], stack
	}
	localizes, stack := ask(app.ExitModel, "crash", "--engine=agent", "--runs=1", report)
	_, said, _ := strings.Cut(localizes.Messages[1].Text, "# The crash\n\n")
	problems, rest, _ := strings.Cut(said, "\n# Stacks\n")
	_, rest, _ = strings.Cut(rest, "\n\n")
	stacks, _, _ := strings.Cut(rest, "\n# Files by a ranking")
	for _, want := range []string{"heap-use-after-free", "## freed by", "drop() a.c:1:1", "## allocated by", "make() a.c:2:5"} {
		if !strings.Contains(problems+stacks, want) {
			t.Fatalf("no %q in what crash shows:\n%s", want, said)
		}
	}
	tool := toolOf(t, localizes, "get_crash_stack")
	if tool == "" || !strings.Contains(stack, "#1 0x6 in make /src/a.c:2:5") {
		t.Fatalf("tool %s, answer %s", tool, stack)
	}
	for _, args := range [][]string{
		{"crash", "--fix", "--engine=agent", "--repro", repro, report},
		{"fix", "--engine=agent", "--crash", report, "--test", repro},
		{"fix", "--engine=agent", "--crash", report, "--test", repro, "--tools=bash"},
		{"fix", "--engine=agent", "--crash", report, "--test", repro, "--history=none"},
	} {
		repairs, shown := ask(app.ExitModel, args...)
		first := repairs.Messages[1].Text
		if !strings.Contains(first, strings.TrimSpace(problems)) || !strings.Contains(first, strings.TrimSpace(stacks)) {
			t.Errorf("%v: the report is not shown as crash shows it:\n%s\n--- crash:\n%s", args, first, said)
		}
		if toolOf(t, repairs, "get_crash_stack") != tool || shown != stack {
			t.Errorf("%v: get_crash_stack is another one: %v\n%s", args, repairs.Tools, shown)
		}
	}
	without, _ := b.run(app.ExitFound, "fix", "--engine=agent", "--test", repro, "--show-request")
	if strings.Contains(without, "get_crash_stack") {
		t.Error("get_crash_stack is offered without a report of a crash")
	}
}
