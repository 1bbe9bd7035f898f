package investigate

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/gitext/quote"
	"git-agent/prompts"
)

// newTool returns the report tool of an investigation.
func (b *bench) newTool() *reportTool {
	b.T.Helper()
	tool, err := newReportTool(b.investigation())
	if err != nil {
		b.T.Fatal(err)
	}
	return tool
}

// claimOf returns the claim of a result, and its files in one line.
func claimOf(res agent.Result) (v crash.Claim, files string) {
	v, _ = res.Value.(crash.Claim)
	for _, f := range v.Files {
		files += f.Path + ": " + f.Reason + "; "
	}
	return v, strings.TrimSuffix(files, "; ")
}

// Besides the form of the schema, common forms by models are read. Ambiguous forms are errors.
func TestReportForms(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const one = `{"path":"main.c","reason":"r"}`
	quoted, _ := json.Marshal("[" + one + "]")
	for form, want := range map[string]string{
		`{"explanation":"e","files":[` + one + `],"commits":[]}`:              "main.c: r",
		`{"explanation":"e","files":[` + one + `,` + one + `]}`:               "main.c: r",
		`{"files":` + string(quoted) + `,"explanation":"e","commits":"[]"}`:   "main.c: r",
		`{"files":` + one + `,"explanation":"e","commits":null}`:              "main.c: r",
		`{"files":"main.c","explanation":"e","commits":""}`:                   "main.c: ",
		`{"files":["main.c","lib/reader.c"],"explanation":"e"}`:               "main.c: ; lib/reader.c: ",
		`{"files":["./main.c"],"explanation":"e","commits":["c1"]}`:           "main.c: ",
		`{"files":["/build/p/lib/reader.c"],"explanation":"e","more":1}`:      "lib/reader.c: ",
		`{"files":["main.c"],"explanation":"e","commits":{"commit":"c1"}}`:    "main.c: ",
		`{"files":["main.c"],"explanation":"e","commits":[{"commit":"  "}]}`:  "main.c: ",
		`{"files":[{"path":"main.c","reason":"a\n\tb\u001b[2J"}]}`:            `main.c: a b\x1b[2J`,
		`{"files":["main.c","main.c","./main.c","lib/reader.h"],"commits":7}`: "",
		`{"files":7}`:          "",
		`{"files":[[]]}`:       "",
		`{"files":"[\"main"}`:  "",
		`[]`:                   "",
		`"main.c"`:             "",
		``:                     "",
		`{"files":["main.c"],`: "",
	} {
		res, err := b.newTool().Call(t.Context(), json.RawMessage(form))
		var refused *agent.CallError
		if v, files := claimOf(res); files != want || (want == "") != errors.As(err, &refused) || want != "" && !res.Final {
			t.Errorf("%s: %q %+v, %v", form, files, v, err)
		}
	}
}

// Invalid targets are refused once, with the reason; then the rest is accepted.
func TestReportIsRefusedOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	tool := b.newTool()
	call := func(args string) agent.Result {
		res, err := tool.Call(t.Context(), json.RawMessage(args))
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	bad := `{"explanation":"e","files":["lib/raeder.c","main.c"],"commits":["feedfacefeed","` + string(b.oid("check the length again")) + `"]}`
	res := call(bad)
	if res.Final || strings.Count(res.Text, "\n- ") != 3 || !strings.Contains(res.Text, "lib/reader.c") || !strings.Contains(res.Text, "Call report again.") {
		t.Errorf("%+v", res)
	}
	if len(tool.pending.Files) != 1 {
		t.Errorf("pending %+v", tool.pending)
	}
	res = call(bad)
	if v, files := claimOf(res); !res.Final || files != "main.c: " || len(v.Commits) != 0 || v.Explanation != "e" {
		t.Errorf("%+v", res)
	}
}

// A report without a file is asked for once more, and is then accepted.
func TestReportIsEmptyTwice(t *testing.T) {
	t.Parallel()
	tool := newBench(t).newTool()
	for n, final := range []bool{false, true} {
		res, err := tool.Call(t.Context(), json.RawMessage(`{"explanation":"no idea","files":[],"commits":[]}`))
		if err != nil || res.Final != final || res.Nothing != final || !final && !strings.Contains(res.Text, "names no file") {
			t.Errorf("%d: %+v, %v", n+1, res, err)
		}
	}
}

// The length of a report and of its stored parts is limited.
func TestReportIsBounded(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	long := strings.Repeat("é\x1b ", 1500)
	_, err := b.newTool().Call(t.Context(), json.RawMessage(`{"explanation":"`+strings.Repeat("a", maxReportBytes)+`"}`))
	var refused *agent.CallError
	if !errors.As(err, &refused) || len(refused.Text) > 300 || !strings.Contains(refused.Text, "at most 65536 are read") {
		t.Errorf("%.400v", err)
	}
	args, _ := json.Marshal(map[string]any{"explanation": long, "files": []any{map[string]any{"path": "main.c", "reason": long}}})
	res, err := b.newTool().Call(t.Context(), args)
	v, _ := claimOf(res)
	if err != nil || len(v.Files) != 1 {
		t.Fatalf("%v, %+v", err, res)
	}
	for text, most := range map[string]int{v.Explanation: maxExplanation, v.Files[0].Reason: maxReason} {
		if n := utf8.RuneCountInString(text); n > most+20 || n < most || strings.Contains(text, "\x1b") {
			t.Errorf("%d characters, at most %d", n, most)
		}
	}
	names := make([]string, 250)
	for i := range names {
		names[i] = strings.Repeat("b", 200)
	}
	args, _ = json.Marshal(map[string]any{"files": append(names, "main.c"), "commits": []string{strings.Repeat("c", 5000)}})
	if res, err = b.newTool().Call(t.Context(), args); err != nil || res.Final || len(res.Text) > 8000 || !strings.Contains(res.Text, "the name of a commit has 5000 bytes") {
		t.Errorf("%v, %d characters: %.300s", err, len(res.Text), res.Text)
	}
}

// A claim is read only from the text forms in which models write one.
func TestReportInText(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, test := range []struct{ reply, files, explanation string }{
		{"EXPLANATION: it runs away\nFILE: main.c it trusts the length", "main.c: it trusts the length", "it runs away"},
		{"I am sure.\n**FILE:** `lib/reader.c` - no check\n", "lib/reader.c: no check", ""},
		{"- FILE: main.c: why\n- FILE: lib/reader.c", "main.c: why; lib/reader.c: ", ""},
		{"file: main.c\n> **Explanation**: because\nFILE: lib/reader.c **bold**", "main.c: ; lib/reader.c: bold", "because"},
		{"FILE: main.c\nFILE: lib/reader.c\n\nThat is all.", "main.c: ; lib/reader.c: ", ""},
		{"FILE: main.c:6 why", "main.c: why", ""},
		{"FILE:\nmain.c", "", ""},
		{"FILES: main.c, lib/reader.c", "main.c: lib/reader.c", ""},
		{`{"explanation":"x","files":[{"path":"main.c","reason":"r"}]}`, "main.c: r", "x"},
		{"see {x} and\n```json\n{\"files\": \"main.c\"}\n```", "main.c: ", ""},
		{`{"files":[]} FILE: main.c`, "", ""},
		{"The file is main.c; let me look further", "", ""},
		{`File "main.c", line 3, in f`, "", ""},
		{"FILE:", "", ""},
		{strings.Repeat("{", 10_000), "", ""},
		{strings.Repeat(`{"files":`, 7000), "", ""},
		{"", "", ""},
	} {
		res, err := b.newTool().text(t.Context(), test.reply)
		if v, files := claimOf(res); err != nil || files != test.files || v.Explanation != test.explanation || res.Final != (files != "") {
			t.Errorf("%.60q: %q %q, %v", test.reply, files, v.Explanation, err)
		} else if files == "" && !strings.Contains(res.Text, "neither a tool call") {
			t.Errorf("%.60q is answered by %q", test.reply, res.Text)
		}
	}
	b.question.NoTools = true
	if res, _ := b.newTool().text(t.Context(), "hm"); strings.Contains(res.Text, "look further") {
		t.Errorf("a model without tools is told %q", res.Text)
	}
	lines := strings.Repeat("FILE: main.c\n", 100)
	if res, _ := b.newTool().text(t.Context(), lines); !res.Final {
		t.Errorf("many lines: %+v", res)
	}
}

// The schema is valid JSON and strict on all levels.
func TestReportSchema(t *testing.T) {
	t.Parallel()
	p, err := prompts.Get("crash/report")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := reportSchema(p.Tool().Params)
	if err != nil {
		t.Fatal(err)
	}
	type level struct {
		Properties           map[string]json.RawMessage
		Required             []string
		AdditionalProperties *bool
	}
	var top level
	if err := json.Unmarshal(raw, &top); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	levels := []level{top}
	for _, name := range []string{"files", "commits"} {
		var list struct{ Items level }
		if err := json.Unmarshal(top.Properties[name], &list); err != nil {
			t.Fatal(err)
		}
		levels = append(levels, list.Items)
	}
	for _, l := range levels {
		if len(l.Properties) != len(l.Required) || l.AdditionalProperties == nil || *l.AdditionalProperties {
			t.Errorf("%+v", l)
		}
	}
	if _, err := reportSchema(nil); err == nil {
		t.Error("a parameter without a description passes")
	}
}

// FuzzReport decodes reports of models, as arguments and as text.
func FuzzReport(f *testing.F) {
	for _, seed := range []string{
		`{"explanation":"e","files":[{"path":"main.c","reason":"r"}],"commits":[{"commit":"c1","why":"w"}]}`,
		`{"files":"[\"main.c\"]","commits":"c1"}`, "EXPLANATION: x\nFILE: main.c y", "```json\n{\"files\":[\"main.c\"]}", `{"files":null}`, `{"files":["\u001b\ud800"]}`,
		"**FILE:** `lib/reader.c` — no check", `{"files":[{"path":[]}]}`, "{{{{[[[[", "FILE:\x00",
	} {
		f.Add(seed)
	}
	tool := newBench(f).newTool()
	f.Fuzz(func(t *testing.T, text string) {
		for _, read := range []func() (agent.Result, error){
			func() (agent.Result, error) { return tool.Call(t.Context(), json.RawMessage(text)) },
			func() (agent.Result, error) { return tool.text(t.Context(), text) },
		} {
			res, err := read()
			var refused *agent.CallError
			if err != nil && !errors.As(err, &refused) {
				t.Fatalf("%q: %v", text, err)
			}
			v, _ := claimOf(res)
			if len(v.Files) > maxFiles || len(v.Commits) > maxCommits || utf8.RuneCountInString(v.Explanation) > maxExplanation+50 {
				t.Fatalf("%q: %+v", text, v)
			}
			said := []string{v.Explanation}
			for _, c := range v.Files {
				said = append(said, c.Path, c.Reason)
			}
			for _, s := range said {
				for _, r := range s {
					if quote.Hidden(r) || r == '\n' {
						t.Fatalf("%q: %U in %q", text, r, s)
					}
				}
			}
		}
	})
}
