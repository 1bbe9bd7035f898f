package main

import (
	"encoding/json"
	"strings"
	"testing"

	"git-agent/agent/model/modeltest"
	"git-agent/cmd/git-agent/app"
)

// Recorded runs of the repository are resources, and the skills are prompts. A server that hides
// later history has no runs.
func TestMCPRunsAndPrompts(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	b.serve(func(req modeltest.Request) modeltest.Reply {
		if req.Turn() == 0 {
			return modeltest.Call("git_show", `{"commit":"HEAD~2"}`)
		}
		return reports("HEAD~2")
	})
	b.run(app.ExitFound, "szz", "--runs=1")
	ask := func(args []string, requests ...string) string {
		t.Helper()
		code, out, errs := b.runAny(mcpHello+strings.Join(requests, "\n")+"\n", append([]string{"mcp"}, args...)...)
		if code != app.ExitFound {
			t.Fatalf("exit code %d: %s", code, errs)
		}
		return out
	}
	listed := ask(nil, `{"jsonrpc":"2.0","id":1,"method":"resources/list"}`)
	_, rest, _ := strings.Cut(listed, `"uri":"`)
	uri, _, _ := strings.Cut(rest, `"`)
	if !strings.HasPrefix(uri, "git-agent://run/") {
		t.Fatalf("no run is listed: %s", listed)
	}
	text := ask(nil, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"`+uri+`"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"git-agent://run/../x"}}`)
	if !strings.Contains(text, "git_show") || !strings.Contains(text, `"id":2,"error":{"code":`) {
		t.Errorf("the run is %s", text)
	}
	if hidden := ask([]string{"--tip=HEAD~1"}, `{"jsonrpc":"2.0","id":1,"method":"resources/list"}`); strings.Contains(hidden, "git-agent://run/") {
		t.Errorf("a run is listed with --tip: %s", hidden)
	}
	for name, args := range map[string]string{"triage-crash": `{"report":"CANARY \u001b[2J"}`, "repair-with-history": `{"bug":"CANARY"}`, "check-fixes": `{"base":"CANARY"}`} {
		got := ask(nil, `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"`+name+`","arguments":`+args+`}}`)
		var answer struct {
			Result struct {
				Messages []struct{ Content struct{ Text string } }
			}
		}
		for line := range strings.Lines(got) {
			if strings.Contains(line, `"messages"`) && json.Unmarshal([]byte(line), &answer) != nil {
				t.Errorf("%s: %s", name, line)
			}
		}
		if m := answer.Result.Messages; len(m) != 1 || !strings.HasPrefix(m[0].Content.Text, "# ") || !strings.Contains(m[0].Content.Text, "CANARY") || strings.Contains(m[0].Content.Text, "\x1b") {
			t.Errorf("%s: %s", name, got)
		}
	}
}
