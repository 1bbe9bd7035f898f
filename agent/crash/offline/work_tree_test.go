package offline

import (
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/agent/crash/format"
	"git-agent/gitext/gittest"
)

const loader = `def load(path):
    with open(path) as f:
        return parse(f.read())


def parse(text):
    return [line.split("=", 1)[1] for line in text.splitlines()]
`

const loaderTrace = `Traceback (most recent call last):
  File "/srv/app/main.py", line 2, in <module>
    print(top("x.cfg"))
  File "/srv/app/load.py", line 14, in top
    return load(path)[0]
  File "/srv/app/load.py", line 6, in load
    return parse(f.read())
  File "/srv/app/load.py", line 10, in parse
    return [line.split("=", 1)[1] for line in text.splitlines()]
IndexError: list index out of range
`

// In a changed file of the work tree, the lines of a report are found in HEAD, and those that are
// not committed are named.
func TestLinesOfTheWorkTree(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("one", gittest.Files{"load.py": loader})
	changed := "# settings\n\n\n" + strings.Replace(loader, "parse(f.read())", "parse(f.read().strip())", 1) + "\n\ndef top(path):\n    return load(path)[0]\n"
	h.Write(gittest.Files{"load.py": changed, "main.py": "from load import top\nprint(top(\"x.cfg\"))\n"})
	repo := h.Open()
	patch, added, _, err := repo.Changed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	report, err := format.Read(strings.NewReader(loaderTrace))
	if err != nil {
		t.Fatal(err)
	}
	q := crash.Question{Report: report, Work: crash.WorkOf(crash.WorkFiles(patch, added), report), Suspects: 3}
	got, err := Rank(t.Context(), repo, q)
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{"parse": 7, "load": 0, "top": 0}
	for _, f := range report.Stacks[0].Frames {
		want, ours := at[f.Function]
		line, _ := f.Place()
		if f.Function == "load" && f.DefinedAt != 1 {
			t.Errorf("the function of a changed line is committed: %+v", f)
		}
		if ours && (!f.Uncommitted || !f.Moved || f.At != want || line != f.Line) {
			t.Errorf("%s: %+v, want line %d of HEAD", f.Function, f, want)
		}
	}
	if len(got.Suspects) != 1 || got.Suspects[0].Evidence[0].Line != 7 {
		t.Errorf("suspects %+v", got.Suspects)
	}
	notes := strings.Join(got.Notes, "\n")
	if !strings.Contains(notes, `lines 6, 14 of "load.py" are in changes that are not committed`) || !strings.Contains(notes, `"main.py" is not committed yet`) ||
		strings.Contains(notes, "another version") {
		t.Errorf("notes: %s", notes)
	}
}

// The lines of a report of another version are found by the text that it quotes.
func TestReportOfAnotherVersion(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	old := h.Commit("one", gittest.Files{"load.py": loader})
	h.Commit("two", gittest.Files{"load.py": "import io\n\n\ndef first():\n    return io.open\n\n\n" + loader + "\n\ndef top(path):\n    return load(path)[0]\n"})
	repo := h.Open()
	report, err := format.Read(strings.NewReader(loaderTrace))
	if err != nil {
		t.Fatal(err)
	}
	got, err := Rank(t.Context(), repo, crash.Question{Report: report, Suspects: 3})
	if err != nil {
		t.Fatal(err)
	}
	for function, want := range map[string]int{"parse": 14, "load": 10, "top": 18} {
		for _, f := range report.Stacks[0].Frames {
			if line, _ := f.Place(); f.Function == function && (line != want || f.LineAt() != want) {
				t.Errorf("%s: %+v, want line %d", function, f, want)
			}
		}
	}
	if len(got.Suspects) == 0 || got.Suspects[0].Commit.OID != old {
		t.Errorf("suspects %+v, want %s", got.Suspects, old)
	}
	if notes := strings.Join(got.Notes, "\n"); !strings.Contains(notes, "3 of 3 lines of the report") || !strings.Contains(notes, "--at") {
		t.Errorf("notes: %s", notes)
	}
}
