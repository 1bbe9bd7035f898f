package repairtool

import (
	"testing"

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
