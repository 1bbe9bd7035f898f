package main

import (
	"os/exec"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// bisect is a tool only if the server may run commands, and is then not announced as read-only.
func TestMCPBisect(t *testing.T) {
	if session, _ := mcpClient(t); !strings.Contains(callError(t, session, "bisect"), "unknown tool") {
		t.Error("bisect is offered without --allow=run")
	}
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "agent.sandbox")
	t.Setenv("GIT_CONFIG_VALUE_0", "none")
	session, server := mcpClient(t, "--allow=run")
	if hello := session.InitializeResult().Instructions; !strings.Contains(hello, "call bisect with the command") || strings.Contains(hello, "Read-only") {
		t.Errorf("instructions: %s", hello)
	}
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if tool.Annotations.ReadOnlyHint != (tool.Name != "bisect") {
			t.Errorf("%s: read-only is %v", tool.Name, tool.Annotations.ReadOnlyHint)
		}
	}
	for _, tt := range []struct {
		args map[string]any
		want string
	}{
		{map[string]any{"command": "grep -q 'a = 1' a.c"}, "a is 2\n    the command fails since this commit"},
		{map[string]any{"command": "grep -q 'a = 3' a.c", "fixed": true, "bad": "HEAD~2"}, "a is 3\n    the command passes since this commit"},
		{map[string]any{"command": "true"}, "there is nothing to look for: it passes"},
		{map[string]any{"command": "false", "good": "HEAD~1"}, "as you say; let good name an older commit"},
		{map[string]any{"command": "grep -q 'a = 3' a.c", "fixed": true, "bad": "HEAD", "good": "HEAD~2"}, "where it passes; the commit since which it fails is found without fixed"},
		{map[string]any{"command": "true", "good": "v20.5.0"}, "error: \"v20.5.0\" is not a commit\nhint: 'git log --oneline --all' lists what there is\n"},
		{map[string]any{"command": " "}, "the command is empty"},
		{map[string]any{"command": "true", "runs": 1}, "from 2 to 200"},
	} {
		if _, text := mcpCall(t, session, "bisect", tt.args); !strings.Contains(text, tt.want) {
			t.Errorf("%v: %s", tt.args, text)
		}
	}
	command := map[string]any{"command": "grep -q 'a = 1' a.c"}
	if _, text := mcpCall(t, session, "bisect", command); strings.Contains(text, "git replace") {
		t.Errorf("nothing is replaced: %s", text)
	}
	replace := exec.Command("git", "replace", "--graft", "HEAD~1")
	replace.Dir, replace.Env = server.cmd.Dir, server.cmd.Env
	if out, err := replace.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if _, text := mcpCall(t, session, "bisect", command); !strings.Contains(text, "what git replace or grafts put in place of") {
		t.Errorf("a commit is replaced: %s", text)
	}
}

// callError returns the text of the error of a call without arguments.
func callError(t *testing.T, session *sdk.ClientSession, tool string) string {
	t.Helper()
	_, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool})
	if err == nil {
		return ""
	}
	return err.Error()
}
