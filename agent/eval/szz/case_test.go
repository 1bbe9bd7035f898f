package szzeval

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/agent/eval"
)

const f40, b40 = "ffffffffffffffffffffffffffffffffffffffff", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

// readCases reads text as a case file.
func readCases(t *testing.T, text string) ([]Case, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return ReadCaseFiles(t.Context(), []string{path})
}

// Known fields are read, other fields and blank lines are skipped, and a case
// without an id gets one.
func TestReadCases(t *testing.T) {
	cases, err := readCases(t,
		`{"repo":"o/r","fix":"`+f40+`","bics":["`+b40+`"],"files":3,"message":"m","langs":["c"],"age_days":0.5}`+"\n\n"+
			`{"id":"2","repo":"o/r","fix":"`+f40+`","bics":["`+b40+`"],"bic_twins":{"`+b40+`":["`+f40+`"]}}`)
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

// A line that is not a valid case is an error that names the file and the line.
func TestBadLines(t *testing.T) {
	good := `{"id":"1","repo":"o/r","fix":"` + f40 + `","bics":["` + b40 + `"]}` + "\n"
	for _, c := range []struct{ line, want string }{
		{`{"id":`, "unexpected end"},
		{`[]`, "cannot unmarshal"},
		{`{"fix":"` + f40 + `","bics":["` + b40 + `"]}`, `"repo" is missing`},
		{`{"repo":"../x","fix":"` + f40 + `","bics":["` + b40 + `"]}`, "not owner/name"},
		{`{"repo":"/etc","fix":"` + f40 + `","bics":["` + b40 + `"]}`, "not owner/name"},
		{`{"repo":"o/r","bics":["` + b40 + `"]}`, `"fix" is missing`},
		{`{"repo":"o/r","fix":"abc","bics":["` + b40 + `"]}`, `"fix"`},
		{`{"repo":"o/r","fix":"` + f40 + `","bics":[]}`, `"bics" is missing`},
		{`{"repo":"o/r","fix":"` + f40 + `","bics":["-x"]}`, `"bics"`},
		{strings.TrimSpace(good), "also on line 1"},
	} {
		_, err := readCases(t, good+c.line)
		var at *eval.CaseError
		if !errors.As(err, &at) || at.Line != 2 || !strings.Contains(err.Error(), "x.jsonl:2: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s gives %v, want %q", c.line, err, c.want)
		}
	}
}

// A case in two files is used once. Two different fixes with the same id are an error.
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
	cases, files, err := eval.ReadCaseFiles(t.Context(), Task{}, []string{a, b})
	if err != nil || len(cases) != 1 || files[1].Duplicates != 1 || len(files[0].SHA256) != 64 {
		t.Errorf("%v, %v, %v", cases, files, err)
	}
	if _, _, err := eval.ReadCaseFiles(t.Context(), Task{}, []string{a, c}); err == nil || !strings.Contains(err.Error(), "another fix") {
		t.Errorf("two fixes of one id: %v", err)
	}
	if _, _, err := eval.ReadCaseFiles(t.Context(), Task{}, []string{filepath.Join(dir, "none")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}
