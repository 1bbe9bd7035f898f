package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// addFaultyHistory adds commits to the repository of a program: a commit writes a function in two
// files, another removes a check from it, and the last one changes a word of another function.
// The repository names test commands that leave a file behind.
func (p *program) addFaultyHistory(t *testing.T) {
	t.Helper()
	cmd := exec.Command("sh", "-ec", `
commit() { git add -A; git commit -q -m "$1"; }
cat >area.c <<X
int width(int a)
{
	return a;
}

int area(int a, int b)
{
	if (a < 0)
		return 0;
	return a * b;
}
X
printf 'test:\n\ttouch ran\n' >Makefile
printf 'TOKEN=first\n' >.env
commit "area: new"
sed -i '/a < 0/,/return 0/d' area.c
commit "area: drop the check of negative widths"
printf 'TOKEN=second\n' >.env
sed -i 's/return a;/return 2 * a;/' area.c
commit "width: twice as wide"
git config agent.testCommand 'touch ran'`)
	cmd.Dir, cmd.Env = p.cmd.Dir, p.cmd.Env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// mcpFixClient is mcpClient for a repository with a faulty function.
func mcpFixClient(t *testing.T) (*sdk.ClientSession, *program) {
	t.Helper()
	session, p := mcpClient(t)
	p.addFaultyHistory(t)
	return session, p
}

func mcpCall(t *testing.T, session *sdk.ClientSession, tool string, args map[string]any) (res *sdk.CallToolResult, text string) {
	t.Helper()
	res, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	return res, mcpText(t, res)
}

// A mcpRefusal is a refused call with its text.
type mcpRefusal struct {
	tool string
	args map[string]any
	want string
}

func checkRefusals(t *testing.T, session *sdk.ClientSession, list []mcpRefusal) {
	t.Helper()
	for _, tt := range list {
		if res, text := mcpCall(t, session, tt.tool, tt.args); !res.IsError || !strings.Contains(text, tt.want) {
			t.Errorf("%s %v: %v %q, want %q", tt.tool, tt.args, res.IsError, text, tt.want)
		}
	}
}

func TestMCPFixLocate(t *testing.T) {
	// fix_locate gives the same answers as fix --locate, finds the function from a test's output,
	// a crash or words, and explains wrong arguments. It runs and changes nothing, for any
	// command in the repository.
	t.Parallel()
	session, p := mcpFixClient(t)
	want := p.output(t, "fix", "--locate", "--json", "--no-coverage", "--test=false", "--at=area.c:8")
	before := snapshot(t, p.cmd.Dir)
	res, text := mcpCall(t, session, "fix_locate", map[string]any{"at": "area.c:8"})
	if got, want := locatedIn(t, res), locations(t, want); res.IsError || got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if !strings.Contains(text, "at commit ") || !strings.Contains(text, "area.c:6-9  area\n") || !strings.Contains(text, "named by you: area.c:8") || strings.Contains(text, "\x1b") {
		t.Errorf("says %q", text)
	}
	for _, args := range []map[string]any{
		{"at": "./area.c:area"},
		{"at": `.\area.c:8`},
		{"at": filepath.Join(p.cmd.Dir, "area.c") + ":8:2\n"},
		{"output": "test_area.c: FAILED\n" + p.cmd.Dir + "/area.c:8: area: Assertion `area(-1, 2) == 0' failed.\n"},
		{"crash": strings.ReplaceAll(mcpReport, "f /src/a.c:1:5", "area /src/area.c:8:5"), "max": 1},
		{"report": "The area of something with a negative side is negative."},
	} {
		if res, text := mcpCall(t, session, "fix_locate", args); res.IsError || !strings.Contains(text, " 1.  area.c:6-9  area\n") || !strings.Contains(text, "area: new") {
			t.Errorf("%v: %s", args, text)
		}
	}
	checkRefusals(t, session, []mcpRefusal{
		{"fix_locate", map[string]any{}, "give at least one of report, output, crash and at"},
		{"fix_locate", map[string]any{"crash": "all is well"}, "no crash report was found in crash; reports of these kinds are read"},
		{"fix_locate", map[string]any{"at": "area.c:99"}, "the file ends at line 9"},
		{"fix_locate", map[string]any{"at": "area.c:8-7"}, "a range ends after it begins"},
		{"fix_locate", map[string]any{"report": "x", "max": 21}, "from 1 to 20"},
		{"fix_locate", map[string]any{"test": "touch ran"}, "there is no parameter"},
		{"fix_locate", map[string]any{"at": strings.Repeat("area.c:8\n", 21)}, "more than 20 locations"},
	})
	if after := snapshot(t, p.cmd.Dir); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

func TestMCPFixLocatesUncommitted(t *testing.T) {
	// The bug and the lines of places may be uncommitted, in a changed file or in a new one. A server that hides what came
	// later hides them, too.
	t.Parallel()
	write := func(t *testing.T, p *program) {
		t.Helper()
		for name, text := range map[string]string{
			"area.c": "int height(int a)\n{\n\treturn a;\n}\n\nint area(int a, int b)\n{\n\treturn a + b;\n}\n", "new.c": "int depth(int a)\n{\n\treturn a;\n}\n",
		} {
			if err := os.WriteFile(filepath.Join(p.cmd.Dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	session, p := mcpFixClient(t)
	write(t, p)
	for at, want := range map[string]string{"area.c:3": " 1.  area.c:1-4  height\n", "new.c:depth": " 1.  new.c:1-4  depth\n"} {
		res, text := mcpCall(t, session, "fix_locate", map[string]any{"at": at})
		if res.IsError || !strings.Contains(text, want) || !strings.Contains(text, "note: read with the uncommitted changes of 2 files\n") {
			t.Errorf("%s: %s", at, text)
		}
	}
	hiding, p := mcpClient(t, "--tip=HEAD")
	p.addFaultyHistory(t)
	write(t, p)
	if res, text := mcpCall(t, hiding, "fix_locate", map[string]any{"at": "area.c:3"}); res.IsError || !strings.Contains(text, "area.c:1-4  width\n") || strings.Contains(text, "uncommitted") {
		t.Error(text)
	}
}

// locatedIn returns the locations of a structured answer.
func locatedIn(t *testing.T, res *sdk.CallToolResult) string {
	t.Helper()
	structured, err := json.Marshal(res.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	return locations(t, string(structured))
}

// locations returns the places in the JSON form of an answer of fix. The order and the grounds of
// other functions differ, because only one of the two answers ran a test.
func locations(t *testing.T, text string) string {
	t.Helper()
	var ans struct {
		Schema, Commit string
		Locations      []struct {
			Path       string
			Start, End int
			Function   string
			Hot        []any
		}
		History []struct{ Commit, Subject string }
	}
	if err := json.Unmarshal([]byte(text), &ans); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if len(ans.Locations) == 0 {
		return text
	}
	return fmt.Sprint(ans.Schema, ans.Commit, ans.Locations[0], ans.History)
}

func TestMCPFixHistory(t *testing.T) {
	// fix_history shows the commits that wrote places and their changes, in all forms of places,
	// but no refused places and no secrets.
	t.Parallel()
	session, _ := mcpFixClient(t)
	for _, tt := range []struct {
		args map[string]any
		want []string
	}{
		{map[string]any{"at": "area.c:area"}, []string{"- area.c:6-9 area\n", ": area: new", "fl_diff: what it changed in area.c"}},
		{map[string]any{"at": "area.c:3", "history": "fl_diff"}, []string{": width: twice as wide", "-\treturn a;\n+\treturn 2 * a;\n"}},
		{map[string]any{"at": "area.c:5", "history": "none"}, []string{": width: twice as wide", "the nearest code to a suspected place"}}, // a blank line
		{map[string]any{"at": "area.c:3", "history": "fn_pair,fn_all"}, []string{"fn_pair: the function before and after", "Before", "fn_all", "area.c: width*, area"}},
		{map[string]any{"at": "area.c:3\narea.c:8", "history": "none"}, []string{"area.c:1-4 width\n- area.c:6-9 area\n", "It wrote this line of width in area.c"}},
		{map[string]any{"at": "area.c", "max": 1, "history": "none"}, []string{"- area.c:1-4 width\n- area.c:6-9 area\n"}},
	} {
		res, text := mcpCall(t, session, "fix_history", tt.args)
		for _, want := range tt.want {
			if res.IsError || !strings.Contains(text, want) {
				t.Errorf("%v: no %q in\n%s", tt.args, want, text)
			}
		}
	}
	checkRefusals(t, session, []mcpRefusal{
		{"fix_history", map[string]any{}, `"at" is missing`},
		{"fix_history", map[string]any{"at": "area.c:3", "history": "auto"}, "give none, or some of fn_all, fn_pair and fl_diff"},
		{"fix_history", map[string]any{"at": "area.c:3", "history": "fl_diff;touch ran"}, "is no kind of history"},
		{"fix_history", map[string]any{"at": "area.c:volume"}, `area.c has no function "volume"; some of its functions are width, area`},
		{"fix_history", map[string]any{"at": "../../etc/passwd:1"}, "is not a file of the repository"},
		{"fix_history", map[string]any{"at": "/etc/passwd"}, "is not a file of the repository"},
		{"fix_history", map[string]any{"at": "--output=x:1"}, "is not a file of the repository"},
		{"fix_history", map[string]any{"at": ".env:1"}, ".env is withheld"},
		{"fix_history", map[string]any{"at": "area.c:3", "max": 11}, "from 1 to 10"},
	})
}

func TestMCPFixScope(t *testing.T) {
	// With --fix, both tools see the state before the fix and nothing later.
	t.Parallel()
	session, p := mcpClient(t, "--fix=HEAD~1")
	p.addFaultyHistory(t)
	if _, text := mcpCall(t, session, "fix_history", map[string]any{"at": "area.c:area"}); !strings.Contains(text, "area.c:6-11 area") || strings.Contains(text, "drop the check") {
		t.Errorf("history: %s", text)
	}
	if _, text := mcpCall(t, session, "fix_locate", map[string]any{"report": "the area is negative"}); !strings.Contains(text, "area.c:6-11  area") || strings.Contains(text, "drop the check") {
		t.Errorf("suspects: %s", text)
	}
}

func TestMCPFixIsBounded(t *testing.T) {
	// The answer to huge and hostile texts is small, has no characters that control a terminal,
	// and reveals no secrets.
	t.Parallel()
	session, _ := mcpFixClient(t)
	token := "ghp_" + "x7Kq2LmN9pRs4TuV6wYz1AbC3dEf5GhJ8kLm"
	var b strings.Builder
	for i := range 8000 {
		fmt.Fprintf(&b, "--- FAIL: Test%d\x1b[2J%s (0.00s)\n    area.c:8: %d\n", i, token, i)
	}
	res, text := mcpCall(t, session, "fix_locate", map[string]any{"output": b.String(), "report": strings.Repeat("area \x1b[31m"+token+"\n", 2000)})
	structured, err := json.Marshal(res.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	if all := text + string(structured); res.IsError || len(all) > 64<<10 || strings.Contains(all, "\x1b") || strings.Contains(all, token) {
		t.Errorf("%v, %d bytes: %.2000q", res.IsError, len(all), all)
	}
}
