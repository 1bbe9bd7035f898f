package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func mcpResult(t *testing.T, session *sdk.ClientSession, name string, args map[string]any) *sdk.CallToolResult {
	t.Helper()
	if args == nil {
		args = map[string]any{}
	}
	res, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// value decodes a structured answer.
func value(t *testing.T, res *sdk.CallToolResult) (v struct {
	Schema          string
	Commits, Traced int
	Ranking         bool
	Findings        []struct{ Problem, Kind, Write string }
},
) {
	t.Helper()
	text, err := json.Marshal(res.StructuredContent)
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// commitA commits a new content of a.c.
func commitA(t *testing.T, p *program, content, message string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(p.cmd.Dir, "a.c"), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	p.git(t, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-a", "-m", message)
}

// The tool szz_check finds what the command line finds, and says that a right trailer is right.
func TestMCPCheck(t *testing.T) {
	session, p := mcpClient(t)
	right := strings.TrimSpace(p.git(t, "rev-parse", "--short=12", "HEAD"))
	commitA(t, p, "int a = 4;\n", "a is fixed\n\nFixes: "+right+" (\"a is 3\")")
	if res := mcpResult(t, session, "szz_check", nil); res.IsError || len(value(t, res).Findings) != 0 || !strings.Contains(mcpText(t, res), "nothing is wrong with the trailers of 1 commit") {
		t.Errorf("a right trailer: %s", mcpText(t, res))
	}
	commitA(t, p, "int a = 5;\n", "a is fixed again\n\nFixes: 0123456789ab (\"a is 3\")")
	res := mcpResult(t, session, "szz_check", map[string]any{"since": "HEAD~3", "max": 500})
	v := value(t, res)
	if res.IsError || v.Schema != "git-agent/check-list/1" || v.Commits != 3 || !v.Ranking || len(v.Findings) != 1 || v.Findings[0].Problem != "unknown" ||
		!strings.Contains(mcpText(t, res), "unknown: Fixes: 0123456789ab") {
		t.Errorf("%+v %s", v, mcpText(t, res))
	}
	for want, args := range map[string]map[string]any{
		"is after HEAD":  {"revision": "HEAD~1", "since": "HEAD"},
		"from 1 to 1000": {"max": 1001},
		"no-such":        {"since": "no-such"},
		"no parameter":   {"staged": true},
		"error: ":        {"revision": "--output=x"},
	} {
		if res := mcpResult(t, session, "szz_check", args); !res.IsError || !strings.Contains(mcpText(t, res), want) {
			t.Errorf("%v: %v %q", args, res.IsError, mcpText(t, res))
		}
	}
}

// The tool szz_risk reads commits, the index and the work tree, and writes nothing.
func TestMCPRisk(t *testing.T) {
	session, p := mcpClient(t)
	if res := mcpResult(t, session, "szz_risk", nil); res.IsError || value(t, res).Schema != "git-agent/risk/1" || !strings.Contains(mcpText(t, res), "a is 3") {
		t.Errorf("HEAD: %s", mcpText(t, res))
	}
	commitA(t, p, "int a = 3;\nint limit_of(struct buffer *buffer) { return buffer->limit; }\nint room_in(struct buffer *buffer) { return buffer->limit - buffer->used; }\n", "a has a limit")
	if err := os.WriteFile(filepath.Join(p.cmd.Dir, "a.c"), []byte("int a = 3;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := p.git(t, "status", "--porcelain=v2")
	res := mcpResult(t, session, "szz_risk", map[string]any{"uncommitted": "worktree"})
	if v := value(t, res); res.IsError || len(v.Findings) == 0 || v.Findings[0].Kind != "undoes" || !strings.Contains(mcpText(t, res), "the changes of the work tree") {
		t.Errorf("the change undoes HEAD: %s", mcpText(t, res))
	}
	if after := p.git(t, "status", "--porcelain=v2"); after != before {
		t.Errorf("status is %q, was %q", after, before)
	}
	for want, args := range map[string]map[string]any{
		"nothing is staged; worktree takes": {"uncommitted": "staged"},
		"not both":                          {"uncommitted": "staged", "revision": "HEAD"},
		"staged":                            {"uncommitted": "all"},
		"unknown":                           {"revision": "unknown"},
	} {
		if res := mcpResult(t, session, "szz_risk", args); !res.IsError || !strings.Contains(mcpText(t, res), want) {
			t.Errorf("%v: %v %q", args, res.IsError, mcpText(t, res))
		}
	}
}

// A bare repository has no uncommitted changes: all files of HEAD counted as staged to be deleted.
func TestMCPRiskOfABareRepository(t *testing.T) {
	bare := filepath.Join(t.TempDir(), "bare")
	_, p := mcpClient(t)
	p.git(t, "clone", "-q", "--bare", ".", bare)
	session, _ := mcpClient(t, "--repo="+bare)
	for _, what := range []string{"staged", "worktree"} {
		res := mcpResult(t, session, "szz_risk", map[string]any{"uncommitted": what})
		if !res.IsError || !strings.Contains(mcpText(t, res), "a bare repository has no uncommitted changes") {
			t.Errorf("%s: %s", what, mcpText(t, res))
		}
	}
}

// The tool szz_stat gives the sums of the command line.
func TestMCPStat(t *testing.T) {
	session, p := mcpClient(t)
	commitA(t, p, "int a = 4;\n", "a is fixed\n\nFixes: "+strings.TrimSpace(p.git(t, "rev-parse", "--short=12", "HEAD"))+" (\"a is 3\")")
	res := mcpResult(t, session, "szz_stat", map[string]any{"since": "HEAD~2"})
	structured, err := json.Marshal(res.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	if want := p.output(t, "szz", "--stat", "--json", "HEAD~2.."); res.IsError || canonical(t, structured) != canonical(t, []byte(want)) {
		t.Errorf("%s, want %s", structured, want)
	}
	if v := value(t, res); v.Traced != 1 || !strings.Contains(mcpText(t, res), "2 commits") {
		t.Errorf("%s", mcpText(t, res))
	}
}

// With --fix and --tip, these tools show nothing that came later.
func TestMCPRangeScope(t *testing.T) {
	for _, bound := range []string{"--fix=HEAD~1", "--tip=HEAD~1"} {
		session, p := mcpClient(t, bound)
		newest := strings.Fields(p.git(t, "rev-list", "HEAD"))[0]
		for name, args := range map[string]map[string]any{
			"szz_check": {"revision": newest}, "szz_risk": {"revision": newest}, "szz_stat": {},
		} {
			if res := mcpResult(t, session, name, args); !res.IsError || !strings.Contains(mcpText(t, res), "not visible here") {
				t.Errorf("%s %s: %s", bound, name, mcpText(t, res))
			}
		}
		if res := mcpResult(t, session, "szz_risk", map[string]any{"uncommitted": "staged"}); !res.IsError || !strings.Contains(mcpText(t, res), "not visible here") {
			t.Errorf("%s: %s", bound, mcpText(t, res))
		}
		if res := mcpResult(t, session, "szz_risk", nil); res.IsError || !strings.Contains(mcpText(t, res), "a is 2") {
			t.Errorf("%s: %s", bound, mcpText(t, res))
		}
	}
}
