package localize

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext/gittest"
)

// Operators, statements and calls of libraries call functions without their names; texts and
// comments do not.
func TestImplied(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, line, want string }{
		{"tests/t.rs", `    assert_ne!(test1, test2);`, "eq ne"},
		{"tests/t.rs", `    let x = &a[1] + *b; // a == b`, "add add_assign deref deref_mut index index_mut"},
		{"tests/t.rs", `    let v: Vec<&'a str> = f("a == b", 'x');`, ""},
		{"test/t.py", `    self.assertEqual(a, b)`, "__eq__ __ne__"},
		{"test/t.py", `    x = a["b < c"]  # a == b`, "__delitem__ __getitem__ __setitem__"},
		{"T.java", `    assertEquals(first, second);`, "equals hashCode"},
		{"T.java", `    String s = "x" + first;`, "toString"},
		{"t.go", `	if a == b {`, ""},
	} {
		if got := strings.Join(implied(c.file, []byte(c.line)), " "); got != c.want {
			t.Errorf("%s: %q; want %q", c.line, got, c.want)
		}
	}
}

// A comparison that only an assertion calls is suspected, as in rust-csv, where the fix of issue 138
// changes eq: of what the failing test executes, with no passing test to compare, the test names the
// others. Many functions of the name hide it from the graph of calls.
func TestOperatorIsSuspected(t *testing.T) {
	t.Parallel()
	record := "pub struct Record(Vec<u8>);\n\nimpl PartialEq for Record {\n    fn eq(&self, other: &Record) -> bool {\n        self.0 == other.0\n    }\n}\n\n" +
		"impl Record {\n    pub fn build(v: Vec<u8>) -> Record {\n        Record(v)\n    }\n}\n"
	for _, others := range []int{0, maxMeanings} {
		h := gittest.New(t)
		more := ""
		for i := range others {
			more += fmt.Sprintf("\nimpl PartialEq<[u8; %d]> for Record {\n    fn eq(&self, other: &[u8; %d]) -> bool {\n        false\n    }\n}\n", i, i)
		}
		h.Commit("p", gittest.Files{
			"src/record.rs": record + more,
			"tests/t.rs":    "#[test]\nfn boundaries() {\n    let a = Record::build(vec![1]);\n    assert_ne!(a, Record::build(vec![2]));\n}\n",
		})
		hit := func(line int) fix.LineHits { return fix.LineHits{Line: line, Failing: 1} }
		for _, sp := range []*fix.Spectrum{nil, {Failing: 1, Files: map[string][]fix.LineHits{"src/record.rs": {hit(5), hit(11)}}}} {
			l := localize(t, h, Input{Reproduction: fix.Reproduction{Failing: []string{"boundaries"}}, Spectrum: sp})
			at := slices.IndexFunc(l.Locations, func(l fix.Location) bool { return l.Function == "eq" && l.Lines.Start == 4 })
			if at < 0 && (sp != nil || others == 0) {
				t.Errorf("%d others, coverage %v: %s", others, sp != nil, names(l))
			}
			if sp != nil && strings.Count(names(l), "eq") > 1 {
				t.Errorf("%d others: functions that the test does not execute: %s", others, names(l))
			}
		}
	}
}
