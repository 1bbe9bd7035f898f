package localize

import (
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext/gittest"
)

// Where a report is all that is known, the words of a path count, and those of other functions of the file; the output of a
// command is something else to go by.
func TestReportAlone(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("r", gittest.Files{
		"src/cookie/parser.py": "def read(text):\n    return split(text)\n\n\ndef split(text):\n    # The value may be empty.\n    return text\n",
		"src/query/parser.py":  "def read(text):\n    return split(text)\n\n\ndef split(text):\n    # The value may be empty.\n    return text\n",
	})
	in := Input{Problem: fix.Problem{Report: "an empty value of a cookie is lost"}, Max: 1}
	l := localize(t, h, in)
	if got := names(l); got != "split" || l.Locations[0].Path != "src/cookie/parser.py" {
		t.Errorf("first is %s of %s", got, l.Locations[0].Path)
	}
	if alone := (&search{in: in}); !alone.reportAlone() {
		t.Error("a report is not all that is known")
	}
	in.Reproduction.Output = []byte("query: wrong")
	if s := (&search{in: in}); s.reportAlone() || !s.reportLeads() {
		t.Error("a report beside an output is all that is known, or does not lead")
	}
}
