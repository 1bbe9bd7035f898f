package gittool

import (
	"strings"
	"testing"

	"git-agent/agent"
	"git-agent/gitext/gittest"
)

// An expression that would search for minutes is refused, and a search ends with its
// context.
func TestExpensiveExpressions(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{`(([ab ]{30}){30}c|d)`, `(\pL*){900}7777`, `[^x]{1000}y`, `((((a{0,9}){0,9}){0,9})c)`, strings.Repeat("a|", 300), strings.Repeat("x", 64<<10), "a\nb", "(", "\\"} {
		if _, err := (CommitSearch{Tool: "t", Pattern: pattern}).expression(); err == nil {
			t.Errorf("%.40q is searched for", pattern)
		}
	}
	long := strings.Repeat("aaaaaaaa ", 2000)
	for _, pattern := range []string{`(a|aa|aaa| )*b`, `\bCVE-\d{4}-\d{4,7}\b`, `(fix(es|ed)?|close[sd]?) #\d+`, `[a ]{250}b`, strings.Repeat(`(x+x+)+`, 20) + "y"} {
		found, err := (CommitSearch{Tool: "t", Pattern: pattern}).expression()
		if err != nil {
			t.Errorf("%q: %v", pattern, err)
			continue
		}
		found.MatchString(long[:maxSearched]) // ends
	}
}

// Commits are found by their messages and by their changes, the newest first, only in the
// scope.
func TestCommitSearch(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("Start\n\nFixes #12: the reader overruns", gittest.Files{"a.c": "int limit = 1;\n", "b.c": "b\n"})
	tip := h.Commit("Raise the limit", gittest.Files{"a.c": "int limit = 2;\n"})
	h.Commit("Later: limit again", gittest.Files{"a.c": "int limit = 3;\n"})
	repo, scope := h.Open(), Scope{Tip: tip}
	for _, test := range []struct {
		changes bool
		q       CommitSearch
		want    []string
		not     string
	}{
		{false, CommitSearch{Pattern: `fix(es|ed) #\d+`, Max: 5}, []string{" Start\n    Fixes #12: the reader overruns\n"}, "Raise"},
		{false, CommitSearch{Pattern: "limit", Max: 5}, []string{" Raise the limit\n"}, "Later"},
		{false, CommitSearch{Pattern: "nowhere", Max: 5}, []string{"no message of 2 commits matches\n"}, ""},
		{false, CommitSearch{Pattern: ".", Max: 1}, []string{" Raise", "(the newest 1; there may be more: raise max, or give path)\n"}, "Start"},
		{false, CommitSearch{Pattern: ".", Max: 5, Paths: []string{"b.c"}}, []string{" Start"}, "Raise"},
		{true, CommitSearch{Pattern: "limit = [0-9]", Max: 5}, []string{" Raise the limit\n    in a.c\n", " Start\n    in a.c\n"}, "Later"},
		{true, CommitSearch{Pattern: "= 3", Max: 5}, []string{"no commit adds or removes a line that matches\n"}, ""},
		{true, CommitSearch{Pattern: "(", Max: 5}, []string{"error: git does not accept the regular expression"}, ""},
		{true, CommitSearch{Pattern: "a\nb", Max: 5}, []string{"error: the pattern must be one line"}, ""},
		{true, CommitSearch{Pattern: "a{1,9999}", Max: 5}, []string{"error: the regular expression repeats too much"}, ""},
	} {
		search := scope.SearchMessages
		if test.changes {
			search = scope.SearchChanges
		}
		res, err := search(t.Context(), repo, test.q)
		if no, ok := err.(*agent.CallError); ok {
			res.Text = no.Answer()
		} else if err != nil {
			t.Fatal(err)
		}
		for _, want := range test.want {
			if !strings.Contains(res.Text, want) {
				t.Errorf("%q: no %q in %s", test.q.Pattern, want, res.Text)
			}
		}
		if test.not != "" && strings.Contains(res.Text, test.not) {
			t.Errorf("%q: %q in %s", test.q.Pattern, test.not, res.Text)
		}
	}
}
