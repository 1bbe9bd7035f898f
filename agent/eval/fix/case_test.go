package fixeval

import (
	"slices"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext"
)

const b40, f40 = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", "ffffffffffffffffffffffffffffffffffffffff"

// A line of a case file with null fields is read, and unknown fields are skipped.
func TestReadCase(t *testing.T) {
	line := `{"repo":"o/r","base":"` + b40 + `","fix":"` + f40 + `","test_cmd":"go test","suite_cmd":null,"test_files":["a_test.go"],"src_files":["a.go"],"blameable":false,"fl":{"rank":1},"secs":3}`
	got, err := Task{}.ReadCase([]byte(line), "x.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	c := got.(Case)
	if h := c.Head(); h.ID != "o/r@ffffffffffff" || h.File != "x.jsonl" || !strings.HasPrefix(h.Question, b40+" ") || c.Blameable == nil || *c.Blameable {
		t.Errorf("%+v", h)
	}
	for name, change := range map[string]func(*Case){
		"tests": func(c *Case) { c.TestFiles = []string{"b_test.go"} }, "command": func(c *Case) { c.TestCmd = "make" },
		"suite": func(c *Case) { c.SuiteCmd = "make" }, "truth": func(c *Case) { c.SrcFiles = []string{"b.go"} }, "crash": func(c *Case) { c.CrashReport = "SIGSEGV" }, "known": func(c *Case) { c.KnownFailing = []string{"T"} },
	} {
		other := c
		if change(&other); other.Head().Question == c.Head().Question {
			t.Errorf("cases that differ in their %s are the same question", name)
		}
	}
	other := c
	if other.Category, other.Lang = "SL", "c"; other.Head().Question != c.Head().Question {
		t.Error("a label is part of the question")
	}
}

// A line that is not a valid case is an error that names the field.
func TestBadLines(t *testing.T) {
	whole := map[string]string{"repo": `"o/r"`, "base": `"` + b40 + `"`, "fix": `"` + f40 + `"`, "test_cmd": `"x"`, "test_files": `["t"]`, "src_files": `["s"]`}
	for _, c := range []struct{ field, value, want string }{
		{"repo", `""`, `"repo" is missing`}, {"repo", `"../x"`, "not owner/name"},
		{"base", `""`, `"base" is missing`}, {"base", `"HEAD"`, `"base":`}, {"fix", `""`, `"fix" is missing`}, {"fix", `"-x"`, `"fix":`}, {"fix", whole["base"], "same commit"},
		{"test_cmd", `" "`, `"test_cmd" is missing`}, {"src_files", `[]`, `"src_files" is missing`}, {"src_files", `["t"]`, "both in"},
		{"test_files", `["../t"]`, "no path inside"}, {"src_files", `["/s"]`, "no path inside"}, {"src_files", `["a\u0000"]`, "no path inside"}, {"test_files", `3`, "cannot unmarshal"},
	} {
		var fields []string
		for name, value := range whole {
			if name == c.field {
				value = c.value
			}
			fields = append(fields, `"`+name+`":`+value)
		}
		slices.Sort(fields)
		line := "{" + strings.Join(fields, ",") + "}"
		if _, err := (Task{}).ReadCase([]byte(line), "x.jsonl"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s gives %v, want %q", line, err, c.want)
		}
	}
}

// The name of an algorithm contains the engine, its history, and whether it gets the lines of the
// fix.
func TestParseAlgorithm(t *testing.T) {
	for name, want := range map[string]Algorithm{
		"offline": {Engine: Offline}, "offline-revert-given": {Engine: Revert, Given: true}, "locate": {Engine: Locate}, "developers": {Engine: Developers},
		"agent": {Engine: Agent, Method: fix.Method{Auto: true}}, "agent-given": {Engine: Agent, Given: true, Method: fix.Method{Auto: true}},
		"agent-none":                           {Engine: Agent},
		"agent-fn_pair+fl_diff-given":          {Engine: Agent, Given: true, Method: fix.Method{Heuristics: []fix.Heuristic{fix.FnPair, fix.FlDiff}}},
		"agent-no-commit-search":               {Engine: Agent, Method: fix.Method{Auto: true, NoCommitSearch: true}},
		"agent-fl_diff+no-commit-search-given": {Engine: Agent, Given: true, Method: fix.Method{Heuristics: []fix.Heuristic{fix.FlDiff}, NoCommitSearch: true}},
		"agent-fl_diff":                        {Engine: Agent, Method: fix.Method{Heuristics: []fix.Heuristic{fix.FlDiff}}},
	} {
		got, err := ParseAlgorithm(name)
		if err != nil || got.Name != name || got.Engine != want.Engine || got.Given != want.Given || got.Method.String() != want.Method.String() {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if IsAgent(name) != (want.Engine == Agent) {
			t.Errorf("%s: IsAgent", name)
		}
	}
	for _, name := range append(algorithms, "offline-given") {
		if _, err := ParseAlgorithm(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, want := range map[string]string{"": "unknown algorithm", "agents": "unknown algorithm", "agent-auto": "unknown algorithm", "agent-fl_diff,fn_all": "unknown algorithm",
		"agent-magic": "unknown history", "agent-none+no-commit-search": "unknown history", "agent-no-commit-search+no-commit-search": "unknown history", "agent-fl_diff+none": "unknown history", "agent-fl_diff+fl_diff": "twice", "locate-given": "can be told", "developers-given": "can be told"} {
		if _, err := ParseAlgorithm(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// The blocks of a diff are the old lines that it changes. The block of an insertion is empty.
func TestBlocks(t *testing.T) {
	diff := "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,6 +1,6 @@ func f\n one\n-two\n-three\n+2\n four\n+new\n five\n-@@ -9 @@\n@@ -20 +20,2 @@\n twenty\n+more\n\\ No newline at end of file\n@@ -30,0 +33 @@\n+x\n"
	want := []gitext.LineRange{{Start: 2, End: 3}, {Start: 5, End: 4}, {Start: 6, End: 6}, {Start: 21, End: 20}, {Start: 31, End: 30}}
	if got := blocksOf([]byte(diff)); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, none := range []string{"", "Binary files differ\n", "@@ -x,1 +1 @@\n-a\n", "--- a\n+++ b\n"} {
		if got := blocksOf([]byte(none)); got != nil {
			t.Errorf("%q: %v", none, got)
		}
	}
}

// The fix changes lines of a location if they overlap. An insertion is in a location that
// contains the lines on both sides. An insertion is given as an empty range.
func TestTruth(t *testing.T) {
	tr := truth{changes: []change{{path: "a", lines: gitext.LineRange{Start: 5, End: 7}}, {path: "b", lines: gitext.LineRange{Start: 10, End: 9}},
		{path: "new", lines: gitext.LineRange{Start: 1, End: 0}}, {path: "binary"}}}
	for _, c := range []struct {
		path       string
		start, end int
		function   string
		want       bool
	}{{"a", 7, 9, "f", true}, {"a", 1, 5, "f", true}, {"a", 8, 9, "f", false}, {"c", 5, 7, "f", false},
		{"b", 9, 10, "f", true}, {"b", 1, 9, "f", false}, {"b", 10, 20, "f", false}, {"b", 9, 9, "", true}, {"binary", 1, 9, "f", false}} {
		l := fix.Location{Path: c.path, Lines: gitext.LineRange{Start: c.start, End: c.end}, Function: c.function}
		if got := tr.holds(l); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	want := []fix.GivenLocation{{Path: "a", Lines: gitext.LineRange{Start: 5, End: 7}}, {Path: "b", Lines: gitext.LineRange{Start: 10, End: 9}}}
	if got := tr.given(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
