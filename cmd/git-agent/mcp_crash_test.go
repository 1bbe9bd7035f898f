package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const mcpReport = "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x1 bp 0x2 sp 0x3\n" +
	"READ of size 4 at 0x602000000010 thread T0\n" +
	"    #0 0x1 in f /src/a.c:1:5\n    #1 0x2 in main /src/main.c:3\n"

func mcpCrashCall(t *testing.T, session *sdk.ClientSession, args map[string]any) *sdk.CallToolResult {
	t.Helper()
	res, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "crash", Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// The tool gives the same answers as the command line, and mistakes are results for the model.
func TestMCPCrash(t *testing.T) {
	session, p := mcpClient(t)
	name := filepath.Join(t.TempDir(), "report")
	if err := os.WriteFile(name, []byte(mcpReport), 0o600); err != nil {
		t.Fatal(err)
	}
	res := mcpCrashCall(t, session, map[string]any{"report": mcpReport, "at": "HEAD"})
	structured, err := json.Marshal(res.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(p.output(t, "crash", "--json", "--at=HEAD", name), fmt.Sprintf("%q", name), `"-"`, 1)
	if res.IsError || canonical(t, structured) != canonical(t, []byte(want)) {
		t.Errorf("%s, want %s", structured, want)
	}
	if text := mcpText(t, res); !strings.Contains(text, "a.c:1  f") || strings.Contains(text, "\x1b") {
		t.Errorf("says %q", text)
	}
	for _, tt := range []struct {
		args map[string]any
		want string
	}{
		{map[string]any{}, `"report" is missing`},
		{map[string]any{"report": "all is well"}, "no crash report was found in the text; reports of these kinds are read"},
		{map[string]any{"report": mcpReport, "at": "--output=x"}, "error: "},
		{map[string]any{"report": mcpReport, "since": "no-such"}, "no-such"},
		{map[string]any{"report": mcpReport, "max": 21}, "from 1 to 20"},
		{map[string]any{"path": name}, "there is no parameter"},
		{map[string]any{"report": "\x7fELF\x02\x01\x01\x00"}, "no crash report was found in the text"},
		{map[string]any{"report": mcpReport, "at": "HEAD\x00"}, "holds a NUL byte; leave it out"},
	} {
		if res := mcpCrashCall(t, session, tt.args); !res.IsError || !strings.Contains(mcpText(t, res), tt.want) {
			t.Errorf("%v: %v %q", tt.args, res.IsError, mcpText(t, res))
		}
	}
	// what a console printed is read, as from a file
	console := mcpCrashCall(t, session, map[string]any{"report": "boot\x00\x00\n" + mcpReport + "\x00"})
	if text := mcpText(t, console); console.IsError || !strings.Contains(text, "a.c:1  f") {
		t.Errorf("a report with NUL bytes: %q", text)
	}
}

// With --fix and --tip, the crash is looked for only in visible commits.
func TestMCPCrashScope(t *testing.T) {
	for bound, want := range map[string]string{"--fix=HEAD~1": "HEAD~2", "--tip=HEAD~1": "HEAD~1"} {
		session, p := mcpClient(t, bound)
		ids := strings.Fields(p.git(t, "rev-list", "HEAD"))
		commit := strings.TrimSpace(p.git(t, "rev-parse", want))
		if text := mcpText(t, mcpCrashCall(t, session, map[string]any{"report": mcpReport})); !strings.Contains(text, "at commit "+commit[:12]) {
			t.Errorf("%s: %s", bound, text)
		}
		for _, args := range []map[string]any{{"report": mcpReport, "at": ids[0]}, {"report": mcpReport, "since": ids[0]}} {
			if res := mcpCrashCall(t, session, args); !res.IsError || !strings.Contains(mcpText(t, res), "is not visible here") {
				t.Errorf("%s %v: %s", bound, args["at"], mcpText(t, res))
			}
		}
	}
}

// The answer to a huge report is small, has no characters that control a terminal, and reveals no
// secrets.
func TestMCPCrashIsBounded(t *testing.T) {
	session, _ := mcpClient(t)
	token := "ghp_" + "x7Kq2LmN9pRs4TuV6wYz1AbC3dEf5GhJ8kLm"
	var b strings.Builder
	for i := range 150 {
		fmt.Fprintf(&b, "Thread %d (LWP %d):\n", i+1, i+1)
		for j := range 60 {
			fmt.Fprintf(&b, "#%d  0x%x in f%d_%d (s=0x1) at /src/a.c:%d\n", j, j+1, i, j, j+1)
		}
	}
	text := "panic: \x1b[2J" + token + "\n" + b.String()
	res := mcpCrashCall(t, session, map[string]any{"report": text})
	structured, err := json.Marshal(res.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	all := mcpText(t, res) + string(structured)
	if res.IsError || len(all) > 200<<10 || !strings.Contains(all, "left out") {
		t.Errorf("%v, %d bytes", res.IsError, len(all))
	}
	if strings.Contains(all, "\x1b") || strings.Contains(all, token) {
		t.Errorf("%.2000q", all)
	}
}
