package crasheval

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/eval"
	"git-agent/agent/stat"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

const c40, b40 = "cccccccccccccccccccccccccccccccccccccccc", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// A line of a case file is read, and other fields are skipped.
func TestReadCase(t *testing.T) {
	line := `{"repo":"o/r","crash_commit":"` + c40 + `","fix":"` + b40 + `","report":"r","fix_files":["a.c"],"formats":["x"],"fix_time":1}`
	got, err := Task{}.ReadCase([]byte(line), "x.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if h := got.Head(); h.ID != "o/r@bbbbbbbbbbbb" || h.File != "x.jsonl" || !strings.HasPrefix(h.Question, c40+" ") {
		t.Errorf("%+v", h)
	}
	other := got.(Case)
	other.Report = "another"
	if other.Head().Question == got.Head().Question {
		t.Error("two reports are the same question")
	}
	other = got.(Case)
	other.FixFiles, other.IntroCommits = []string{"b.c"}, []gitext.OID{b40}
	if other.Head().Question != got.Head().Question {
		t.Error("the truth is part of the question")
	}
}

// A line that is not a valid case is an error that names the field.
func TestBadLines(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{`{"id":`, "unexpected end"},
		{`{"crash_commit":"` + c40 + `","report":"r","fix_files":["a"]}`, `"repo" is missing`},
		{`{"repo":"../x","crash_commit":"` + c40 + `","report":"r","fix_files":["a"]}`, "not owner/name"},
		{`{"repo":"o/r","report":"r","fix_files":["a"]}`, `"crash_commit" is missing`},
		{`{"repo":"o/r","crash_commit":"HEAD","report":"r","fix_files":["a"]}`, `"crash_commit":`},
		{`{"repo":"o/r","crash_commit":"` + c40 + `","fix_files":["a"]}`, `"report" is missing`},
		{`{"repo":"o/r","crash_commit":"` + c40 + `","report":"r"}`, `"fix_files" is missing`},
		{`{"repo":"o/r","crash_commit":"` + c40 + `","report":"r","fix_files":["a"],"fix":"-x"}`, `"fix":`},
		{`{"repo":"o/r","crash_commit":"` + c40 + `","report":"r","fix_files":["a"],"intro_commits":["abc"]}`, `"intro_commits":`},
	} {
		if _, err := (Task{}).ReadCase([]byte(c.line), "x.jsonl"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s gives %v, want %q", c.line, err, c.want)
		}
	}
}

// files returns an answer with these files. A "+" marks a related file.
func files(paths ...string) Prediction {
	p := Prediction{Formats: []string{"gdb"}}
	for i, path := range paths {
		name, related := strings.CutPrefix(path, "+")
		p.Files = append(p.Files, File{Path: name, Related: related, Probability: 0.8 / float64(i+1)})
	}
	return p
}

// results scores one answer for each case.
func results(cases []Case, answers []eval.Answer) *eval.Results {
	res := &eval.Results{Algorithms: []string{"rank"}, Outcomes: map[string][]eval.Outcome{}}
	for i, c := range cases {
		res.Cases = append(res.Cases, c)
		res.Outcomes["rank"] = append(res.Outcomes["rank"], eval.Outcome{Case: i, Evaluated: true, Failed: answers[i] == nil,
			Score: Task{}.Score(c, answers[i]), Unanswered: Task{}.Score(c, nil).Tally})
	}
	return res
}

// fiveCases have known numbers: positions 1, 2 and 11 of the right file, no right file, and a
// failure. Two of the cases have known crash-introducing commits.
func fiveCases() ([]Case, []eval.Answer) {
	far := files("1", "2", "3", "4", "5", "6", "7", "+8", "+9", "+10", "+a.c")
	found := files("a.c", "b.c")
	found.Suspects = []Suspect{{Commit: c40}, {Commit: b40}}
	cases := []Case{
		{ID: "1", FixFiles: []string{"a.c", "z.c"}, IntroCommits: []gitext.OID{b40}, Type: "overflow", Ecosystem: "native", Source: "commit-message"},
		{ID: "2", FixFiles: []string{"a.c"}, Type: "leak", Source: "commit-message"},
		{ID: "3", FixFiles: []string{"a.c"}, Type: "Heap-buffer-overflow READ {*}", Source: "arvo-state"},
		{ID: "4", FixFiles: []string{"a.c"}},
		{ID: "5", FixFiles: []string{"a.c"}, IntroCommits: []gitext.OID{b40, c40}},
	}
	return cases, []eval.Answer{found, files("b.c", "a.c"), far, files(), nil}
}

// The metrics are right on cases with known numbers. Cases without known crash-introducing
// commits do not count for the metrics of suspects.
func TestMetrics(t *testing.T) {
	cases, answers := fiveCases()
	r := eval.NewReport(Task{}, eval.About{}, results(cases, answers))
	row := r.Algorithms[0].Overall
	for name, want := range map[string]float64{
		"acc_at_1": 0.2, "acc_at_2": 0.4, "acc_at_3": 0.4, "acc_at_5": 0.4, "acc_at_10": 0.4, "in_list": 0.6,
		"mrr": (1 + 0.5 + 1.0/11) / 5, "mean_files": 15.0 / 5, "mean_traced_files": 11.0 / 5,
		"suspect_cases": 2, "suspect_acc_at_1": 0, "suspect_acc_at_3": 0.5, "suspect_acc_at_10": 0.5, "mean_suspects": 1,
	} {
		near(t, name, *row.Value(name).Value, want)
	}
	if row.Empty != 2 || row.Failed != 1 {
		t.Errorf("%d empty, %d failed", row.Empty, row.Failed)
	}
	if c := r.Algorithms[0].Calibration; c.Forecasts != 3 {
		t.Errorf("%d probabilities, and only that of the first file counts", c.Forecasts)
	}
}

// Answers without requested suspects do not count as wrong suspects.
func TestNoSuspects(t *testing.T) {
	c := Case{FixFiles: []string{"a.c"}, IntroCommits: []gitext.OID{b40}}
	p := files("a.c")
	if got := (Task{}).Score(c, p).Tally[judged]; got != 1 {
		t.Errorf("an answer that names no suspect counts %g", got)
	}
	p.NoSuspects = true
	if got := (Task{}).Score(c, p).Tally[judged]; got != 0 {
		t.Errorf("an answer without suspects counts %g", got)
	}
}

// The strata are those that the report promises.
func TestStrata(t *testing.T) {
	cases, answers := fiveCases()
	r := eval.NewReport(Task{}, eval.About{}, results(cases, answers))
	got := map[string][]string{}
	for _, d := range r.Algorithms[0].By {
		for _, row := range d.Rows {
			got[d.Dimension] = append(got[d.Dimension], row.Name)
			if d.Dimension == "set" && row.Name == "leak" && row.Value("suspect_acc_at_1").Value != nil {
				t.Error("suspects are measured without truth")
			}
		}
	}
	for name, want := range map[string][]string{
		"set":                {"core", "leak", "three functions"},
		"files in the trace": {"2-3", "4-7", "none"},
		"type":               {"not stated", "heap-buffer-overflow", "leak", "overflow"},
		"language":           {"not stated", "native"},
		"format":             {"gdb", "none"},
	} {
		if !slices.Equal(got[name], want) {
			t.Errorf("strata of %s: %q, want %q", name, got[name], want)
		}
	}
}

// Breadths count the files in stacks.
func TestBreadth(t *testing.T) {
	for n, want := range map[int]string{0: "none", 1: "1", 2: "2-3", 3: "2-3", 4: "4-7", 7: "4-7", 8: "8+", 90: "8+"} {
		if got := breadthOf(scoreRow{Traced: n}); got != want {
			t.Errorf("%d files: %q, want %q", n, got, want)
		}
	}
}

// The report has all forms, and no word of another task.
func TestForms(t *testing.T) {
	cases, answers := fiveCases()
	r := eval.NewReport(Task{}, eval.About{Run: "r"}, results(cases, answers))
	for name, write := range map[string]func(*bytes.Buffer) error{
		"text": func(b *bytes.Buffer) error { return r.WriteText(b) },
		"page": func(b *bytes.Buffer) error { return r.WriteHTML(b) },
		"JSON": func(b *bytes.Buffer) error { return r.WriteJSON(b) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"acc@1 (line)", "bug-introducing", "recall", "F1", "NaN", "hints in messages"} {
			if strings.Contains(b.String(), word) {
				t.Errorf("the %s has %q:\n%s", name, word, b.String())
			}
		}
	}
}

// A prediction is the same after it was stored.
func TestReadKept(t *testing.T) {
	c, a, err := Task{}.ReadKept([]byte(`{"id":"1","repo":"o/r","fix_files":["a.c"]}`), []byte(`{"formats":["gdb"],"files":[{"path":"a.c","p":0.5}],"answered":true}`))
	if err != nil || c.Head().ID != "1" {
		t.Fatalf("%v, %+v", err, c)
	}
	if s := (Task{}).Score(c, a); !s.Right || !slices.Equal(s.Forecasts, []stat.Forecast{{P: 0.5, Right: true}}) {
		t.Errorf("%+v", s)
	}
	if _, a, err := (Task{}).ReadKept([]byte(`{}`), nil); a != nil || err != nil {
		t.Errorf("no answer: %v, %v", a, err)
	}
}

// A session asks the engine with every algorithm. A report of an unknown format gives an empty
// answer, and an unknown commit makes the case invalid.
func TestSession(t *testing.T) {
	h := gittest.New(t)
	head := h.Commit("start", gittest.Files{"src/copy.c": "int copy(char *to)\n{\n\treturn *to;\n}\n", "src/main.c": "int main(void)\n{\n\treturn copy(0);\n}\n"})
	s, err := Open(Options{Suspects: MostSuspects})(t.Context(), h.Dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	gone := gitext.OID(strings.Repeat("1", len(head))) // of either hash
	c := Case{ID: "1", CrashCommit: head, FixFiles: []string{"src/copy.c"}, IntroCommits: []gitext.OID{gone},
		Report: "Program received signal SIGSEGV, Segmentation fault.\n#0  0x01 in copy (to=0x0) at src/copy.c:3\n#1  0x02 in main () at src/main.c:3\n"}
	ask, absent, err := s.Begin(t.Context(), c)
	if err != nil || !slices.Equal(absent, []gitext.OID{gone}) {
		t.Fatalf("absent %q, %v", absent, err)
	}
	for _, algorithm := range []string{"rank", "baseline1", "baseline2"} {
		a, err := ask(t.Context(), algorithm)
		if err != nil {
			t.Fatal(err)
		}
		if score := (Task{}).Score(c, a); !score.Right || (algorithm == "rank") != (len(score.Forecasts) == 1) {
			t.Errorf("%s: %+v for %+v", algorithm, score, a)
		}
	}
	c.Report = "Nothing happened.\n"
	ask, _, err = s.Begin(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if a, err := ask(t.Context(), "rank"); err != nil || len(a.(Prediction).Files) > 0 || len(a.(Prediction).Notes) != 1 {
		t.Errorf("no report: %+v, %v", a, err)
	}
	c.CrashCommit = gone
	if _, _, err := s.Begin(t.Context(), c); !errors.As(err, new(*eval.AbsentError)) {
		t.Errorf("an unknown commit: %v", err)
	}
}

// Cases of several files are one set.
func TestCaseFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.jsonl")
	line := `{"repo":"o/r","crash_commit":"` + c40 + `","report":"r","fix_files":["a.c"]}` + "\n"
	if err := os.WriteFile(path, []byte(line), 0o666); err != nil {
		t.Fatal(err)
	}
	cases, _, err := eval.ReadCaseFiles(t.Context(), Task{}, []string{path, path})
	if err != nil || len(cases) != 1 || cases[0].Head().ID != "o/r@cccccccccccc" {
		t.Errorf("%v, %v", cases, err)
	}
}
