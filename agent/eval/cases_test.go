package eval

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const f40, b40 = "ffffffffffffffffffffffffffffffffffffffff", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

// Known fields are read, others ignored, blank lines skipped, an id made.
func TestReadCases(t *testing.T) {
	cases, err := ReadCases("in/x.jsonl", strings.NewReader(
		`{"repo":"o/r","fix":"`+f40+`","bics":["`+b40+`"],"files":3,"message":"m","langs":["c"],"age_days":0.5}`+"\n\n"+
			`{"id":"2","repo":"o/r","fix":"`+f40+`","bics":["`+b40+`"],"bic_twins":{"`+b40+`":["`+f40+`"]}}`))
	if err != nil || len(cases) != 2 {
		t.Fatalf("%v, %v", cases, err)
	}
	if c := cases[0]; c.ID != "o/r@ffffffffffff" || c.File != "x.jsonl" || *c.AgeDays != 0.5 {
		t.Errorf("%+v", c)
	}
	if truth := cases[1].truth(); truth[f40] != b40 || truth[b40] != b40 {
		t.Errorf("%v", truth)
	}
}

// A line that is no case is an error that names file and line.
func TestBadLines(t *testing.T) {
	good := `{"id":"1","repo":"o/r","fix":"` + f40 + `","bics":["` + b40 + `"]}` + "\n"
	for _, c := range []struct{ line, want string }{
		{`{"id":`, "unexpected end"},
		{`[]`, "cannot unmarshal"},
		{`{"fix":"` + f40 + `","bics":["` + b40 + `"]}`, `no "repo"`},
		{`{"repo":"../x","fix":"` + f40 + `","bics":["` + b40 + `"]}`, "not owner/name"},
		{`{"repo":"/etc","fix":"` + f40 + `","bics":["` + b40 + `"]}`, "not owner/name"},
		{`{"repo":"o/r","bics":["` + b40 + `"]}`, `no "fix"`},
		{`{"repo":"o/r","fix":"abc","bics":["` + b40 + `"]}`, `"fix"`},
		{`{"repo":"o/r","fix":"` + f40 + `","bics":[]}`, `no "bics"`},
		{`{"repo":"o/r","fix":"` + f40 + `","bics":["-x"]}`, `"bics"`},
		{strings.TrimSpace(good), "also on line 1"},
	} {
		_, err := ReadCases("x.jsonl", strings.NewReader(good+c.line))
		var at *CaseError
		if !errors.As(err, &at) || at.Line != 2 || !strings.HasPrefix(err.Error(), "x.jsonl:2: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s gives %v, want %q", c.line, err, c.want)
		}
	}
}

// A case of two files is taken once; another fix of the same id is refused.
func TestSeveralFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, fix string) string {
		path := filepath.Join(dir, name)
		line := `{"id":"1","repo":"o/r","fix":"` + fix + `","bics":["` + b40 + `"]}` + "\n"
		if err := os.WriteFile(path, []byte(line), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a, b, c := write("a.jsonl", f40), write("b.jsonl", f40), write("c.jsonl", b40)
	cases, files, err := ReadCaseFiles(t.Context(), []string{a, b})
	if err != nil || len(cases) != 1 || files[1].Duplicates != 1 || len(files[0].SHA256) != 64 {
		t.Errorf("%v, %v, %v", cases, files, err)
	}
	if _, _, err := ReadCaseFiles(t.Context(), []string{a, c}); err == nil || !strings.Contains(err.Error(), "another fix") {
		t.Errorf("two fixes of one id: %v", err)
	}
	if _, _, err := ReadCaseFiles(t.Context(), []string{filepath.Join(dir, "none")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// Every layout is found, bare or not, and the mirror before the repository.
func TestFinder(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{"o/nested/.git", "o__flat/objects", "o__flat/HEAD", "o+plus/.git", "o+inside/repo/objects", "o+inside/repo/HEAD",
		"o+bare.git/HEAD", "o+bare.git/objects", "o/both/.git", "fork+both/.git", "o/empty"} {
		if err := os.MkdirAll(filepath.Join(dir, path), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ repo, mirror, want string }{
		{"o/nested", "", "o/nested"}, {"o/flat", "", "o__flat"}, {"o/plus", "", "o+plus"}, {"o/inside", "", "o+inside/repo"},
		{"o/bare", "", "o+bare.git"}, {"o/both", "fork+both", "fork+both"}, {"o/both", "fork/both", "fork+both"}, {"o/both", "../x", "o/both"},
		{"o/empty", "", ""}, {"o/none", "", ""},
	} {
		got, ok := Finder{dir}.Find(Case{Repo: c.repo, Mirror: c.mirror})
		if want := filepath.Join(dir, c.want); ok != (c.want != "") || ok && got != want {
			t.Errorf("%s with mirror %q is %q, want %q", c.repo, c.mirror, got, c.want)
		}
	}
}

// A sample is the same each time, keeps the order, and grows by addition.
func TestSample(t *testing.T) {
	var cases []Case
	for i := range 100 {
		cases = append(cases, Case{ID: string(rune('A' + i))})
	}
	small, large := Sample(cases, 10), Sample(cases, 30)
	if len(small) != 10 || len(large) != 30 || len(Sample(cases, 0)) != 100 || len(Sample(cases, 200)) != 100 {
		t.Fatalf("%d and %d cases", len(small), len(large))
	}
	if !slices.IsSortedFunc(large, func(a, b Case) int { return strings.Compare(a.ID, b.ID) }) {
		t.Error("the order changed")
	}
	for _, c := range small {
		if !slices.ContainsFunc(large, func(d Case) bool { return c.ID == d.ID }) {
			t.Errorf("%s is in the smaller sample only", c.ID)
		}
	}
}
