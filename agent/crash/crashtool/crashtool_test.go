package crashtool

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/crash/format"
	"git-agent/agent/crash/locate"
	"git-agent/agent/gittool"
	"git-agent/agent/symbol"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
	"git-agent/gitext/quote"
)

const reader = `#include "reader.h"

int read_length(const char *in)
{
	return in[0];
}

int read_packet(const char *in, char *out)
{
	int n = read_length(in);
	for (int i = 0; i < n; i++)
		out[i] = in[i];
	return n;
}
`

// asan is a report of the files of history.
const asan = `==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000010 at pc 0x1 bp 0x2 sp 0x3
WRITE of size 1 at 0x602000000010 thread T0
    #0 0x1 in read_packet /build/p/lib/reader.c:12:10
    #1 0x2 in main /build/p/main.c:3:9
    #2 0x3 in __libc_start_main (/lib/libc.so.6+0x1)
`

// history has files of all kinds at its second commit, the one that crashed, and then the repair.
func history(t *testing.T) (h *gittest.History, crashed gitext.OID) {
	h = gittest.New(t)
	h.Commit("reader: begin\n\nThe length is a byte.", gittest.Files{
		"lib/reader.c": reader, "lib/reader.h": "int read_packet(const char *in, char *out);\n", "lib/other/reader_more.c": "int more;\n",
		"a/same.c": "int a;\n", "b/same.c": "int b;\n", "c/reader.c": "int c;\n",
		"main.c": gittest.Lines("int main(void)", "{", "\treturn read_packet(0, 0);", "}"),
		".env":   "TOKEN=secret-value\n", "logo.png": "\x89PNG\x00\x01", "empty.c": "", "fetch.pem": "int fetch_key(void) { return 1234567; }\n",
	})
	crashed = h.Commit("main: read a packet", gittest.Files{"notes.txt": "none\n"})
	h.Commit("reader: check the length, the repair", gittest.Files{"lib/reader.c": strings.Replace(reader, "return in[0]", "return in[0] & 15", 1), "later.c": "int later;\n"})
	return h, crashed
}

func read(t testing.TB, text string) *crash.Report {
	t.Helper()
	r, err := format.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// toolsOf returns the tools for a report of a commit, by name.
func toolsOf(t testing.TB, repo *gitext.Repo, commit gitext.OID, report *crash.Report, dump string) map[string]agent.Tool {
	t.Helper()
	files, err := locate.Locate(t.Context(), repo, commit, report)
	if err != nil {
		t.Fatal(err)
	}
	finder := symbol.NewFinder(repo, commit, symbol.Options{})
	t.Cleanup(func() { finder.Close() })
	list, err := New(&Case{Repo: repo, Commit: commit, Report: report, Dump: dump, Files: files, Finder: finder, Scope: gittool.Scope{Tip: commit}})
	if err != nil {
		t.Fatal(err)
	}
	tools := map[string]agent.Tool{}
	for _, tool := range list {
		tools[tool.Spec().Name] = tool
	}
	return tools
}

// ask calls a tool. It returns the answer, or the model's message about the failure.
func ask(t testing.TB, tools map[string]agent.Tool, name, args string) (res agent.Result, refused bool) {
	t.Helper()
	res, err := tools[name].Call(t.Context(), json.RawMessage(args))
	var no *agent.CallError
	if errors.As(err, &no) {
		res, refused = agent.Result{Text: no.Text}, true
	} else if err != nil {
		t.Fatalf("%s %s: %v", name, args, err)
	}
	for _, r := range res.Text {
		if quote.Hidden(r) && r != '\n' {
			t.Errorf("%s %s: %U in %q", name, args, r, res.Text)
		}
	}
	return res, refused
}

// A call with a wrong line or path gets the nearest answer, which says what it used instead;
// invalid or hidden targets are refused.
func TestAnswersAndRefusals(t *testing.T) {
	t.Parallel()
	h, crashed := history(t)
	tools := toolsOf(t, h.Open(), crashed, read(t, asan), "")
	for _, test := range []struct {
		tool, args string
		refused    bool
		want       string // parts, separated by "|"
		not        string
	}{
		{"get_nearby_code", `{"path":"lib/reader.c","line":12}`, false, "lib/reader.c, lines 2-14 of 14\n| 12     out[i] = in[i];\n", ""},
		{"get_nearby_code", `{"path":"lib/reader.c","line":5,"lines":1}`, false, "lib/reader.c, lines 4-6 of 14\n 4 {\n 5   return in[0];\n 6 }\n", " 7 "},
		{"get_nearby_code", `{"path":"lib/reader.c"}`, false, "lines 1-11 of 14", ""},
		{"get_nearby_code", `{"path":"lib/reader.c","line":900}`, false, "lib/reader.c has 14 lines; these are the last ones|lines 4-14 of 14", ""},
		{"get_nearby_code", `{"path":"/build/p/lib/reader.c","line":5}`, false, `"/build/p/lib/reader.c" is lib/reader.c in the repository|return in[0];`, "& 15"},
		{"get_nearby_code", `{"path":"C:\\src\\lib\\reader.c","line":5}`, false, "is lib/reader.c in the repository", ""},
		{"get_nearby_code", `{"path":"lib/reader.c:12:10","line":5}`, false, "is lib/reader.c in the repository", ""},
		{"get_nearby_code", `{"path":"/x/reader.c","line":5}`, false, "is lib/reader.c in the repository", ""}, // and not c/reader.c, where no frame is
		{"get_nearby_code", `{"path":"/x/same.c"}`, true, "a/same.c", "int a"},
		{"get_nearby_code", `{"path":"empty.c"}`, false, "empty.c is empty", ""},
		{"get_nearby_code", `{"path":"lib/raeder.c","line":5}`, true, "lib/reader.c", ""},
		{"get_nearby_code", `{"path":"lib"}`, true, "is a directory of 3 file(s)", ""},
		{"get_nearby_code", `{"path":".env"}`, true, ".env", "secret-value"},
		{"get_nearby_code", `{"path":"/build/p/.env"}`, true, ".env", "secret-value"},
		{"get_nearby_code", `{"path":"logo.png"}`, true, "is a binary file", ""},
		{"get_nearby_code", `{"path":"later.c"}`, true, "later.c", "int later"},
		{"get_nearby_code", `{"path":"../../etc/passwd"}`, true, "", "root:"},
		{"get_nearby_code", `{"path":"lib/reader.c","line":0}`, false, "lines 1-11 of 14", ""},
		{"get_nearby_code", `{"path":"lib/reader.c","lines":2001}`, false, "120 lines on either side are the most", ""},
		{"get_nearby_code", `{"line":5}`, true, "path", ""},
		{"get_nearby_code", `{"path":"` + strings.Repeat("a/", 3000) + `","line":5}`, true, "", ""},

		{"get_term_definition", `{"symbol":"read_length"}`, false, "read_length: lib/reader.c:3\n|return in[0];", "& 15"},
		{"get_term_definition", `{"symbol":"read_length","path":"lib/reader.c","line":10}`, false, "lib/reader.c:3", "nearest"},
		{"get_term_definition", `{"symbol":"read_length","path":"lib/raeder.c","line":10}`, false, "note: |looked in the whole repository|lib/reader.c:3", ""},
		{"get_term_definition", `{"symbol":"read_length","path":"/build/p/lib/reader.c","line":10}`, false, "lib/reader.c:3", "note: "},
		{"get_term_definition", `{"symbol":"no_such_name"}`, false, "no definition of no_such_name is found", ""},
		{"get_term_definition", `{"symbol":"later"}`, false, "no definition of later is found", ""},
		{"get_term_definition", `{"symbol":"fetch_key"}`, false, "", "1234567"},
		{"get_term_definition", `{"symbol":"a\u001b[31mb"}`, true, "is not a name", ""},
		{"get_term_definition", `{}`, true, "symbol", ""},

		{"search_commits", `{"pattern":"READER"}`, false, "2020-09-13 reader: begin", "repair"},
		{"search_commits", `{"pattern":"length is"}`, false, "reader: begin\n    The length is a byte.", "repair"},
		{"search_commits", `{"pattern":".","path":"/build/p/lib/reader.c"}`, false, "reader: begin", "main: read"},
		{"search_commits", `{"pattern":".","max":1}`, false, "main: read a packet\n(the newest 1; there may be more", "begin"},
		{"search_commits", `{"pattern":"nothing has this"}`, false, "no message of 2 commits matches", ""},
		{"search_commits", `{"pattern":"a("}`, true, `"a(" is not a regular expression`, ""},
		{"search_commits", `{"pattern":"(?<=a)b"}`, true, "is not a regular expression", ""},
		{"search_commits", `{"pattern":"a\nb"}`, true, "is not a regular expression of one line", ""},
		{"search_commits", `{"pattern":"(a{999}){999}"}`, true, "is not a regular expression", ""},
		{"search_commits", `{"pattern":"x","path":"later.c"}`, true, "later.c", ""},
		{"search_commits", `{"pattern":"x","max":51}`, true, "50", ""},

		{"git_grep", `{"pattern":"in\\[0\\] & 15"}`, false, "", "lib/reader.c:5"},
		{"git_grep", `{"pattern":"a("}`, false, "no lines found", ""},
		{"git_log_search", `{"pattern":"& 15"}`, false, "", "repair"},
		{"git_log_search", `{"pattern":"a[","mode":"G"}`, true, "", ""},
		{"git_show", `{"commit":"main"}`, true, "", "repair"},
	} {
		res, refused := ask(t, tools, test.tool, test.args)
		if refused != test.refused {
			t.Errorf("%s %.100s: refused %v: %s", test.tool, test.args, refused, res.Text)
		}
		for part := range strings.SplitSeq(test.want, "|") {
			if !strings.Contains(res.Text, part) {
				t.Errorf("%s %.100s: no %q in\n%s", test.tool, test.args, part, res.Text)
			}
		}
		if test.not != "" && strings.Contains(res.Text, test.not) {
			t.Errorf("%s %.100s: %q in\n%s", test.tool, test.args, test.not, res.Text)
		}
		if len(res.Text) > 4000 {
			t.Errorf("%s %.100s: %d characters", test.tool, test.args, len(res.Text))
		}
	}
}

// The text of a definition is not shown if its file is hidden.
func TestDefinitionInAWithheldFile(t *testing.T) {
	t.Parallel()
	h, crashed := history(t)
	c := &Case{Repo: h.Open(), Commit: crashed, Scope: gittool.Scope{Tip: crashed}}
	found := symbol.Found{Definitions: []symbol.Definition{
		{Path: ".env", Line: 1, Text: "TOKEN=secret-value"}, {Path: "lib/reader.c", Line: 3, Kind: symbol.Function},
		{Path: "main.c", Line: 90, Text: "int main(void) of another version"},
	}, More: 2}
	res, err := c.definitionView("t").Render(t.Context(), symbol.Question{Name: "TOKEN"}, found)
	if err != nil || strings.Contains(res.Text, "secret-value") || !strings.Contains(res.Text, "withheld") {
		t.Errorf("%v, %s", err, res.Text)
	}
	for _, want := range []string{"return in[0];", "of another version", "(2 more definitions left out"} {
		if !strings.Contains(res.Text, want) {
			t.Errorf("no %q in %s", want, res.Text)
		}
	}
}

// If the name is not on the given line, the answer names the line that it used.
func TestDefinitionSaysWhatItTook(t *testing.T) {
	t.Parallel()
	h, crashed := history(t)
	c := &Case{Repo: h.Open(), Commit: crashed, Scope: gittool.Scope{Tip: crashed}}
	one := []symbol.Definition{{Path: "lib/reader.c", Line: 3, Kind: symbol.Function}}
	for want, used := range map[string]int{"n is not on line 5 of lib/reader.c; the nearest use is on line 9\n": 9, "n does not occur in lib/reader.c\n": 0, "": 5} {
		res, err := c.definitionView("t").Render(t.Context(), symbol.Question{Name: "n", At: symbol.Place{Path: "lib/reader.c", Line: 5}},
			symbol.Found{Definitions: one, Used: symbol.Place{Line: used}})
		if head, _, _ := strings.Cut(res.Text, "function n: "); err != nil || head != want {
			t.Errorf("%v, %q, want %q", err, head, want)
		}
	}
}
