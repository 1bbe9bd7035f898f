package crashtrain

import (
	"slices"
	"strings"
	"testing"

	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

const trace = `Traceback (most recent call last):
  File "/opt/app/load.py", line 12, in load
    return table[key]
  File "/opt/app/key.py", line 3, in lower
    return self.name.lower()
AttributeError: 'NoneType' object has no attribute 'lower'
`

// mineRepo makes one case from a fix with a trace, for all copies of the trace. The case refers
// to the lines of the trace and has no text.
func TestMine(t *testing.T) {
	h := gittest.New(t)
	h.Commit("start", gittest.Files{"load.py": "a\n", "key.py": "b\n", "test_load.py": "c\n", "README.md": "d\n"})
	change := func(message string, files gittest.Files) gitext.OID { return h.Commit(message, files) }
	parent := change("An issue\n\n#12 says why: it is slow\n#13 too\n", gittest.Files{"key.py": "b2\n"})
	fix := change("load: a key without a name\n\nSome keys have none:\n\n"+trace+"\nReported-by: A\n",
		gittest.Files{"load.py": "a2\n", "test_load.py": "c2\n", "README.md": "d2\n", "new.py": "e\n"})
	change("load: a key without a name, again\n\n"+trace, gittest.Files{"load.py": "a3\n"})
	change("Revert \"load\"\n\n"+strings.ReplaceAll(trace, "12", "14"), gittest.Files{"load.py": "a4\n"})
	change("load: as Python does\n\n>>> f()\nTraceback (most recent call last):\n  File \"<stdin>\", line 1, in <module>\nTypeError: f\n", gittest.Files{"load.py": "a5\n"})
	change("test: a trace\n\n"+strings.ReplaceAll(trace, "12", "15"), gittest.Files{"test_load.py": "c3\n"})

	repo, err := gitext.Open(t.Context(), gitext.OpenOptions{Dir: h.Dir})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	known := map[string]bool{}
	c, ok, err := mineCommit(t.Context(), repo, commitOf(t, repo, fix), known)
	if err != nil || !ok {
		t.Fatalf("%+v, %v", c, err)
	}
	if c.CrashCommit != parent || c.ReportLines != [2]int{5, 10} || !slices.Equal(c.FixFiles, []string{"load.py"}) || c.Type != "AttributeError" || c.Ecosystem != "python" {
		t.Errorf("%+v", c)
	}
	cases, err := mineHistory(t.Context(), repo, "o/r", map[string]bool{})
	if err != nil || len(cases) != 1 {
		t.Errorf("%+v, %v", cases, err)
	}
	if again, err := mineHistory(t.Context(), repo, "o/r", known); err != nil || len(again) != 0 {
		t.Errorf("known fixes are mined again: %+v, %v", again, err)
	}
}

func commitOf(t *testing.T, repo *gitext.Repo, oid gitext.OID) gitext.Commit {
	t.Helper()
	c, err := repo.Commit(t.Context(), oid)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
