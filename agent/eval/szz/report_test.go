package szzeval

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"git-agent/agent/eval"
	"git-agent/gitext/quote"
)

var update = flag.Bool("update", false, "write the golden files")

func reportJSON(t *testing.T, res *eval.Results) string {
	t.Helper()
	var b bytes.Buffer
	if err := eval.NewReport(Task{}, eval.About{Run: "r", Version: "v"}, res).WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// golden compares got with a file in testdata, or writes the file with -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; go test -update writes it\n%s", path, got)
	}
}

// smallResults returns the results of three cases: one is skipped and one failed.
func smallResults() *eval.Results {
	age := 12.0
	cases := []eval.Case{
		Case{ID: "o/r@1", Repo: "o/r", Fix: oid("f1"), BICs: oids("a"), File: "x.jsonl", LabelSource: "trailer:Fixes", Langs: []string{"C"}, AgeDays: &age},
		Case{ID: "o/r@2", Repo: "o/r", Fix: oid("f2"), BICs: oids("b"), File: "x.jsonl", LabelSource: "rosa2021", Ghost: yes(true), Langs: []string{"py"}},
		Case{ID: "o/s@3", Repo: "o/s", Fix: oid("f3"), BICs: oids("c"), File: "x.jsonl"},
	}
	res := &eval.Results{Cases: cases, Algorithms: []string{"b", "rank"}, Outcomes: map[string][]eval.Outcome{},
		Skipped: []eval.Skipped{{ID: "o/s@3", Repo: "o/s", Reason: `no repository "o/s" under repos`}},
		Failed:  []eval.Failed{{ID: "o/r@2", Repo: "o/r", Algorithm: "b", Error: "panic: <script>\nstack"}},
		Partial: []eval.Partial{{ID: "o/r@1", Repo: "o/r", Absent: []string{string(oid("z"))}}}}
	rows := map[string][]eval.Record{
		"b":    {answer("x", "a"), {Error: "panic: <script>"}, {Skip: "x"}},
		"rank": {answer("a"), answer("b", "y"), {Skip: "x"}},
	}
	for name, records := range rows {
		for i, r := range records {
			res.Outcomes[name] = append(res.Outcomes[name], outcome(i, cases[i].(Case), r))
		}
	}
	return res
}

var smallAbout = eval.About{Run: "first", Version: "v1", Files: []eval.CaseFile{{Path: "x.jsonl", SHA256: "00", Cases: 3}}}

// The JSON keeps its format, with "schema" as the first field.
func TestGoldenJSON(t *testing.T) {
	var b bytes.Buffer
	if err := eval.NewReport(Task{}, smallAbout, smallResults()).WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(b.String(), `{"schema":"git-agent/eval/1",`) || strings.Count(b.String(), "\n") != 1 {
		t.Errorf("not one line with the schema first: %.60s", b.String())
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, b.Bytes(), "", " "); err != nil {
		t.Fatal(err)
	}
	golden(t, "report.json", pretty.Bytes())
}

// The text report is aligned and lists missing cases.
func TestGoldenText(t *testing.T) {
	var b bytes.Buffer
	if err := eval.NewReport(Task{}, smallAbout, smallResults()).WriteText(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "report.txt", b.Bytes())
}

// The page is self-contained, escapes text from engines, and has every plot.
func TestHTML(t *testing.T) {
	var b bytes.Buffer
	if err := eval.NewReport(Task{}, smallAbout, smallResults()).WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if m := regexp.MustCompile(`(?i)https?:|//[a-z]|\bsrc=|\bhref=|url\(|@import|<script|<link|<iframe`).FindString(page); m != "" {
		t.Errorf("the page has %q", m)
	}
	if n := strings.Count(page, ` role="img"`); n != 3 {
		t.Errorf("%d plots, want 3", n)
	}
	for _, want := range []string{"panic: &lt;script&gt;", "prefers-color-scheme: dark", "By repository", "o/s@3", "ZgotmplZ"} {
		if strings.Contains(page, want) != (want != "ZgotmplZ") {
			t.Errorf("the page and %q", want)
		}
	}
}

// A report of comparisons alone has no empty parts, as HTML and as text.
func TestComparisonAlone(t *testing.T) {
	r := eval.NewComparison(Task{}, []eval.Comparison{{A: "x:b", B: "y:b", Cases: 3, OnlyA: 1}})
	var page, text bytes.Buffer
	if err := errors.Join(r.WriteHTML(&page), r.WriteText(&text)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(page.String(), "x:b, y:b") || strings.Contains(page.String(), "F1 by algorithm") {
		t.Errorf("page: %s", page.String())
	}
	if !strings.HasPrefix(text.String(), "comparison") || !strings.Contains(text.String(), "left out: 1 case only in x:b, 0 cases only in y:b") {
		t.Errorf("text: %s", text.String())
	}
}

// A report without cases can be written in every form.
func TestEmptyReport(t *testing.T) {
	r := eval.NewReport(Task{}, eval.About{}, &eval.Results{Algorithms: []string{"b"}, Outcomes: map[string][]eval.Outcome{"b": nil}})
	var b bytes.Buffer
	for _, write := range []func() error{
		func() error { return r.WriteText(&b) }, func() error { return r.WriteJSON(&b) }, func() error { return r.WriteHTML(&b) },
	} {
		if err := write(); err != nil {
			t.Error(err)
		}
	}
	if strings.Contains(b.String(), "NaN") {
		t.Error("NaN in an empty report")
	}
}

// Text from others in a report cannot control a terminal, and cannot hide anything
// on a page or in JSON.
func TestReportIsPrintable(t *testing.T) {
	res := smallResults()
	res.Skipped = []eval.Skipped{{ID: "a\x1b[2J", Reason: "no repository \u202e\u200b"}}
	r := eval.NewReport(Task{}, smallAbout, res)
	for name, c := range map[string]struct {
		write func(io.Writer) error
		want  string
	}{
		"text": {r.WriteText, `no repository \u202e\u200b: a\x1b[2J`},
		"page": {r.WriteHTML, `no repository \u202e\u200b`},
		"JSON": {r.WriteJSON, `"id":"a\u001b[2J","repo":"","reason":"no repository \u202e\u200b"`},
	} {
		var b bytes.Buffer
		if err := c.write(&b); err != nil || !strings.Contains(b.String(), c.want) || strings.ContainsFunc(b.String(), quote.Hidden) {
			t.Errorf("%s: %v in %q", name, err, &b)
		}
	}
}
