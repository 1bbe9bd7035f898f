package fixtool

import (
	"encoding/json"
	"strings"
	"testing"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/gitext/gittest"
)

// A recorded is a call and its record.
type recorded struct {
	tool string
	args json.RawMessage
	res  agent.CallResult
}

// record makes calls and returns their records in a journal.
func (b *bench) record(calls ...any) (list []recorded) {
	b.t.Helper()
	for i := 0; i < len(calls); i += 2 {
		name := calls[i].(string)
		args, err := json.Marshal(calls[i+1])
		if err != nil {
			b.t.Fatal(err)
		}
		res := b.result(name, string(args))
		list = append(list, recorded{name, args, agent.CallResult{Name: name, Text: res.Text, Final: res.Final, Failed: strings.HasPrefix(res.Text, "error: ")}})
	}
	return list
}

// resume brings a new box to the state after recorded calls.
func (b *bench) resume(list []recorded) {
	b.t.Helper()
	for _, r := range list {
		if err := b.tool(r.tool).(agent.Stateful).Resume(b.t.Context(), r.args, r.res); err != nil {
			b.t.Fatalf("%s %s: %v", r.tool, r.args, err)
		}
	}
}

// A resumed run has the same files, patch, verdict, objections and warnings, and runs no
// test again.
func TestResume(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	tip := h.Commit("c", calcFiles)
	problem := fix.Problem{Test: "echo ran >> runs; " + failing}
	first := benchAt(t, h, tip, problem, Options{})
	calls := first.record(
		"cat", m{"path": "calc.go"},
		"test", m{},
		"edit", m{"path": "calc.go", "old": "a - b", "new": "a | b"},
		"edit", m{"path": "calc.go", "old": "nowhere", "new": "x"},
		"edit", m{"path": "lib/new.py", "old": "", "new": "x = 1\n"},
		"finish", m{"status": "success", "explanation": "x"},
		"edit", m{"path": "calc.go", "old": "a | b", "new": "a + b"},
		"test", m{},
		"code_search", m{"pattern": "calc"},
	)
	second := benchAt(t, h, tip, problem, Options{})
	second.resume(calls)
	if a, b := first.patch(), second.patch(); a != b || a == "" || first.file("calc.go") != second.file("calc.go") {
		t.Errorf("patch %s, then %s", a, b)
	}
	if second.box.Objections() != 1 || !second.box.tested.passed || second.box.tested.version != second.box.version || second.box.smells.untested != 0 {
		t.Errorf("%d objections, %+v at %d", second.box.Objections(), second.box.tested, second.box.version)
	}
	if got := second.call("cat", m{"path": "runs"}); got != "error: \"runs\" is not there; code_search finds text in files, and cat of a directory lists it\n" {
		t.Errorf("tests ran: %s", got)
	}
	if got := second.call("finish", m{"status": "success", "explanation": "x"}); got != "finished: success\n" {
		t.Errorf("%s", got)
	}
}

// The recorded end of a repair is the end of the resumed one.
func TestResumeAfterTheEnd(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	tip := h.Commit("c", calcFiles)
	first := benchAt(t, h, tip, fix.Problem{Test: failing}, Options{})
	calls := first.record("edit", m{"path": "calc.go", "old": "a - b", "new": "a + b"}, "finish", m{"status": "success", "explanation": "why", "introduced_by": tip})
	second := benchAt(t, h, tip, fix.Problem{Test: failing}, Options{})
	second.resume(calls)
	if f := second.box.Finished(); f == nil || f.Claim != first.box.Finished().Claim || !f.Claim.Success || f.Claim.Introduced != tip {
		t.Errorf("%+v", f)
	}
}

// The names of failing tests are taken from the record, unless it has not all.
func TestRecordedVerdict(t *testing.T) {
	t.Parallel()
	b := &Box{version: 3}
	for text, want := range map[string]verdict{
		"the test command passes\nsince the last run: passes now: TestA\n":                             {passed: true},
		"the test command fails (exit 1)\nfailing tests (2): TestA; TestB\n\nx\n":                      {failing: []string{"TestA", "TestB"}, named: true},
		"the test command fails (exit 1)\nfailing tests (14): TestA; 13 more\n":                        {failing: []string{"TestA", "13 more"}},
		"the test command fails (exit 1)\n\nfailing tests (1): TestA\n":                                {},
		"the command of the wider tests passes but for tests that failed before the repair: TestOld\n": {passed: true},
		"the test command does not build (exit 2)\n":                                                   {},
		"": {},
	} {
		want.known, want.version = true, 3
		got := b.recordedVerdict(text)
		if a, b := mustJSON(got), mustJSON(want); a != b {
			t.Errorf("%q: %s, want %s", text, a, b)
		}
	}
}

func mustJSON(v verdict) string {
	data, _ := json.Marshal([]any{v.known, v.version, v.passed, v.named, v.failing})
	return string(data)
}

// A resumed shell runs its commands again.
func TestResumeBash(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	tip := h.Commit("c", calcFiles)
	first := benchAt(t, h, tip, fix.Problem{Test: failing}, Options{Style: fix.Bash})
	calls := first.record("bash", m{"command": "sed -i 's/a - b/a + b/' calc.go"}, "bash", m{"command": "exit 4"})
	second := benchAt(t, h, tip, fix.Problem{Test: failing}, Options{Style: fix.Bash})
	second.resume(calls)
	if a, b := first.patch(), second.patch(); a != b || a == "" {
		t.Errorf("patch %s, then %s", a, b)
	}
}

// A recorded edit that cannot be repeated ends the run, because its files would differ from
// those that the model saw.
func TestResumeOfAnEditThatDoesNotFit(t *testing.T) {
	t.Parallel()
	b := newBench(t, calcFiles, fix.Problem{}, Options{})
	err := b.tool("edit").(agent.Stateful).Resume(t.Context(), json.RawMessage(`{"path":"calc.go","old":"x1","new":"y"}`), agent.CallResult{Text: "calc.go: line 1 changed:\n"})
	if err == nil {
		t.Error("no error")
	}
}
