package fixtool

import (
	"encoding/json"
	"strings"
	"testing"

	"git-agent/agent"
	"git-agent/agent/fix"
)

// A whole repair: read, edit, test, finish. These are the golden texts of the answers.
func TestRepair(t *testing.T) {
	t.Parallel()
	b := newBench(t, calcFiles, fix.Problem{Test: failing}, Options{})
	for _, step := range []struct {
		tool string
		args any
		want string
	}{
		{"test", m{}, "the test command fails (exit 1)\nfailing tests (1): TestAdd\n\n--- FAIL: TestAdd (0.00s)\n    calc_test.go:5: got -1, want 3\n"},
		{"code_search", m{"pattern": "a - b"}, "\"a - b\": 1 line in 1 file\ncalc.go\n  in func Add(a, b int) int { (4-6)\n    5|  return a - b\n"},
		{"cat", m{"path": "calc.go", "function": "Add"}, "calc.go, lines 4-6 of 11\n   4|func Add(a, b int) int {\n   5|\treturn a - b\n   6|}\n"},
		{"finish", m{"status": "success", "explanation": "x"}, "error: no file was changed, so nothing is repaired; change the sources, or finish with status failure\n"},
		{"edit", m{"path": "calc.go", "old": "return a - b", "new": "return a+b // sum"}, "calc.go: line 5 changed:\n   2|\n   3|// Add adds.\n   4|func Add(a, b int) int {\n   5|\treturn a + b // sum\n   6|}\n   7|\n   8|// Mul multiplies.\n(formatted by gofmt)\n"},
		{"test", m{}, "the test command passes\n"},
		{"finish", m{"status": "success", "explanation": "Add adds", "root_cause": "a wrong sign", "introduced_by": "HEAD"}, "finished: success\n"},
	} {
		if got := b.call(step.tool, step.args); got != step.want {
			t.Errorf("%s %v:\n%s\nwant:\n%s", step.tool, step.args, got, step.want)
		}
	}
	if got := b.patch(); got != "calc.go 100644 136" {
		t.Errorf("patch %s", got)
	}
	f := b.box.Finished()
	if f == nil || !f.Claim.Success || f.Claim.Introduced != b.box.scope.Tip || f.Claim.RootCause != "a wrong sign" || b.box.Objections() != 1 || b.box.Cut() != "" {
		t.Errorf("%+v, %d objections", f, b.box.Objections())
	}
}

// All tools of all styles are described, in a fixed order and with valid schemas.
func TestSpecs(t *testing.T) {
	t.Parallel()
	specs, err := Specs()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range specs {
		names = append(names, s.Name)
		if s.Description == "" || !json.Valid(s.Parameters) {
			t.Errorf("%+v", s)
		}
	}
	want := "cat code_search search_definition search_commits get_crash_stack get_crash_section git_blame git_show git_log_search git_log_function edit test finish test edit edit bash write_test finish"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("tools %s", got)
	}
}

// The tools for reading change nothing; a shell comes without them.
func TestReading(t *testing.T) {
	t.Parallel()
	b := newBench(t, calcFiles, fix.Problem{Test: failing}, Options{Style: fix.Bash})
	for _, tool := range b.box.Reading() {
		switch d := tool.Spec().Deed; d {
		case agent.DeedRead, agent.DeedSearch, agent.DeedShow, agent.DeedBlame:
		default:
			t.Errorf("%s: %q", tool.Spec().Name, d)
		}
	}
	if n := len(b.box.Reading()); n != 8 {
		t.Errorf("%d tools", n)
	}
}
