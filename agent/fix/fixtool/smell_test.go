package fixtool

import (
	"fmt"
	"strings"
	"testing"

	"git-agent/agent/fix"
)

// Each smell brings a warning once, and some end the trajectory the second time.
func TestSmells(t *testing.T) {
	t.Parallel()
	search, test := Step{Kind: StepSearch}, Step{Kind: StepTest}
	read := Step{Kind: StepRead, Path: "a", Key: "1-2"}
	edit, other := Step{Kind: StepEdit, Path: "a", Key: "x"}, Step{Kind: StepEdit, Path: "b", Key: "x"}
	failed := Step{Kind: StepEdit, Path: "a", Key: "x", Failed: true}
	times := func(n int, steps ...Step) (list []Step) {
		for range n {
			list = append(list, steps...)
		}
		return list
	}
	for _, c := range []struct {
		name     string
		steps    []Step
		warnings string // the numbers of the steps that bring one
		end      string
	}{
		{"searches", times(5, search), "", ""},
		{"many searches", times(7, search), "6", ""},
		{"searches and a look", append(append(times(5, search), read), times(5, search)...), "", ""},
		{"too many searches", times(12, search), "6", "6 searches in a row found no place to work on"},
		{"searches and definitions", append(append(times(5, search), Step{Kind: StepRead}), times(5, search)...), "", ""},
		{"rereading", times(5, read), "5", ""},
		{"rereading what was edited", times(9, read, edit, test), "", ""},
		{"much rereading", times(30, read), "5", ""},
		{"edits and tests", times(9, edit, other, test), "", ""},
		{"edits without tests", times(5, edit, other), "5", "5 edits were made without a test"},
		{"edits of one file", times(4, edit), "4", ""},
		{"an edit that fails again", times(2, failed), "2", ""},
		{"an edit that fails and others", times(3, failed, edit, test), "", ""},
		{"an edit that fails twice and then is another", append(times(2, failed), edit, failed), "2", ""},
		{"an edit that fails again and again", times(3, failed), "2", "the same edit failed again and again"},
		{"a test that passes in the end", append(times(12, search), Step{Kind: StepTest, Passed: true}), "6", ""},
	} {
		s := NewSmells(true)
		var warned []string
		for i, step := range c.steps {
			if s.Note(step) != "" {
				warned = append(warned, fmt.Sprint(i+1))
			}
		}
		if strings.Join(warned, " ") != c.warnings || s.End() != c.end {
			t.Errorf("%s: warnings %v, end %q", c.name, warned, s.End())
		}
	}
	s := NewSmells(false)
	for range 20 {
		s.Note(edit)
		s.Note(other)
	}
	if s.End() != "" {
		t.Errorf("without tests: %q", s.End())
	}
}

// A definition that is shown is a whole function that was read, and no further search.
func TestDefinitionsAreNoSearches(t *testing.T) {
	t.Parallel()
	b := newBench(t, calcFiles, fix.Problem{Test: failing}, Options{})
	for i := range 20 {
		tool, args := "code_search", m{"pattern": fmt.Sprint("return", i)}
		if i%5 == 4 {
			tool, args = "search_definition", m{"name": "Add"}
		}
		if got := b.call(tool, args); strings.Contains(got, "ends this repair") {
			t.Fatalf("call %d: %s", i+1, got)
		}
	}
}

// A warning is added to the answer of the call that brings it, also to an error.
func TestWarningsAreSaid(t *testing.T) {
	t.Parallel()
	b := newBench(t, calcFiles, fix.Problem{Test: failing}, Options{})
	for i := range 6 {
		got := b.call("code_search", m{"pattern": "return"})
		if warned := strings.HasSuffix(got, "\n\nRead the most likely function, or state what you look for; another series of searches ends this repair.\n"); warned != (i == 5) {
			t.Errorf("search %d: %s", i+1, got)
		}
	}
	b.call("edit", m{"path": "calc.go", "old": "nope", "new": "x"})
	if got := b.call("edit", m{"path": "calc.go", "old": "nope", "new": "x"}); !strings.HasSuffix(got, "the same edit once more ends this repair.\n") {
		t.Errorf("%s", got)
	}
	if b.box.Cut() != "" {
		t.Errorf("cut: %s", b.box.Cut())
	}
	b.call("edit", m{"path": "calc.go", "old": "nope", "new": "x"})
	if b.box.Cut() != "the same edit failed again and again" {
		t.Errorf("cut: %s", b.box.Cut())
	}
}
