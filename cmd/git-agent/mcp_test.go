package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"git-agent/agent/gittool"
	"git-agent/cmd/git-agent/app"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const mcpHello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// mcpClient connects a client of the SDK to a git-agent in a separate process.
func mcpClient(t *testing.T, args ...string) (*sdk.ClientSession, *program) {
	t.Helper()
	p := prepareProgram(t, append([]string{"mcp"}, args...)...)
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.CommandTransport{Command: p.cmd}, nil)
	if err != nil {
		t.Fatalf("%v; stderr %s", err, &p.stderr)
	}
	t.Cleanup(func() { session.Close() })
	checkStructured(t, client, session)
	return session, p
}

// checkStructured checks all structured answers of a session against the announced schemas.
func checkStructured(t *testing.T, client *sdk.Client, session *sdk.ClientSession) {
	t.Helper()
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	forms := map[string]*jsonschema.Resolved{}
	for _, tool := range list.Tools {
		if tool.OutputSchema == nil {
			continue
		}
		text, err := json.Marshal(tool.OutputSchema)
		if err != nil {
			t.Fatal(err)
		}
		var form jsonschema.Schema
		if err := json.Unmarshal(text, &form); err != nil {
			t.Fatal(err)
		}
		if forms[tool.Name], err = form.Resolve(nil); err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
	}
	client.AddSendingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			res, err := next(ctx, method, req)
			answer, called := res.(*sdk.CallToolResult)
			if err != nil || !called || answer == nil || answer.IsError {
				return res, err
			}
			name := req.GetParams().(*sdk.CallToolParams).Name
			switch form := forms[name]; {
			case form == nil && answer.StructuredContent != nil:
				t.Errorf("%s: no schema is announced", name)
			case form != nil:
				if err := form.Validate(answer.StructuredContent); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			return res, err
		}
	})
}

func mcpText(t *testing.T, res *sdk.CallToolResult) string {
	t.Helper()
	if len(res.Content) != 1 {
		t.Fatalf("%d pieces of content", len(res.Content))
	}
	return res.Content[0].(*sdk.TextContent).Text
}

// A client in another process sees the same tools as a model, read-only.
func TestMCPTools(t *testing.T) {
	session, _ := mcpClient(t)
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	specs, err := gittool.Specs()
	if err != nil {
		t.Fatal(err)
	}
	schemas := map[string]string{}
	for _, s := range specs {
		schemas[s.Name] = canonical(t, s.Parameters)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		a := tool.Annotations
		if a == nil || !a.ReadOnlyHint || a.DestructiveHint == nil || *a.DestructiveHint || a.OpenWorldHint == nil || *a.OpenWorldHint || tool.Title == "" {
			t.Errorf("%s is announced as %+v", tool.Name, a)
		}
		got, err := json.Marshal(tool.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		if want, ok := schemas[tool.Name]; ok && canonical(t, got) != want {
			t.Errorf("%s: schema %s, want %s", tool.Name, got, want)
		}
		// what only a model or a command adds is not announced
		if form, err := json.Marshal(tool.OutputSchema); err != nil || regexp.MustCompile(`"(opinion|vote|confirmation|verdict|own_test|usage)":`).Match(form) {
			t.Errorf("%s: output %s, %v", tool.Name, form, err)
		}
	}
	if can := session.InitializeResult().Capabilities; can.Resources == nil || can.Resources.ListChanged || can.Tools.ListChanged {
		t.Errorf("capabilities: %+v", can)
	}
	if hello := session.InitializeResult().Instructions; !strings.Contains(hello, "starting this server with --allow=run") {
		t.Errorf("instructions: %s", hello)
	}
	slices.Sort(names)
	if got := strings.Join(names, " "); got != "crash fix_history fix_locate git_blame git_grep git_log_function git_log_search git_show szz szz_check szz_risk szz_stat" {
		t.Errorf("tools: %s", got)
	}
	prompt, err := session.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "trace-bug", Arguments: map[string]string{"fix": "HEAD"}})
	if err != nil || len(prompt.Messages) != 1 || !strings.Contains(prompt.Messages[0].Content.(*sdk.TextContent).Text, `szz with revision "HEAD"`) {
		t.Errorf("prompt: %v, %v", prompt, err)
	}
}

func canonical(t *testing.T, data []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// The answers are those of the command line, and mistakes are results that a
// model can read.
func TestMCPCalls(t *testing.T) {
	session, p := mcpClient(t)
	call := func(name string, args map[string]any) *sdk.CallToolResult {
		t.Helper()
		res, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return res
	}
	for _, tt := range []struct {
		tool string
		args map[string]any
	}{
		{"git_blame", map[string]any{"path": "a.c"}},
		{"git_show", map[string]any{"commit": "HEAD"}},
		{"git_log_search", map[string]any{"pattern": "int a"}},
		{"git_log_function", map[string]any{"path": "a.c", "start": 1, "end": 1}},
		{"git_grep", map[string]any{"pattern": "int a"}},
	} {
		args, err := json.Marshal(tt.args)
		if err != nil {
			t.Fatal(err)
		}
		want := p.output(t, "tool", tt.tool, string(args))
		if res := call(tt.tool, tt.args); res.IsError || mcpText(t, res) != want {
			t.Errorf("%s: %q, want %q", tt.tool, mcpText(t, res), want)
		}
	}
	traced := call("szz", map[string]any{"revision": "HEAD", "algorithm": "b"})
	structured, err := json.Marshal(traced.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	if want := p.output(t, "szz", "--json", "--algorithm=b", "HEAD"); traced.IsError || canonical(t, structured) != canonical(t, []byte(want)) {
		t.Errorf("szz: %s, want %s", structured, want)
	}
	if text := mcpText(t, traced); !strings.Contains(text, "a is 2") || strings.Contains(text, "\x1b") {
		t.Errorf("szz says %q", text)
	}
	if text := mcpText(t, call("szz", map[string]any{"algorithm": "b", "affected": true})); !strings.Contains(text, "\naffected: no tag of 0\n") {
		t.Errorf("szz with releases says %q", text)
	}
	for _, tt := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"szz", map[string]any{"revision": "no-such"}, "no-such"},
		{"szz", map[string]any{"revision": "--output=x"}, "error: "},
		{"szz", map[string]any{"rev": "HEAD"}, "there is no parameter"},
		{"szz", map[string]any{"max": 21}, "from 1 to 20"},
		{"git_show", map[string]any{}, `"commit" is missing`},
		{"git_blame", map[string]any{"path": "../../etc/passwd"}, "leads out of the repository"},
	} {
		if res := call(tt.tool, tt.args); !res.IsError || !strings.Contains(mcpText(t, res), tt.want) {
			t.Errorf("%s %v: %v %q", tt.tool, tt.args, res.IsError, mcpText(t, res))
		}
	}
}

// An answer of szz is stored, and given again even if it cannot be computed
// again; without the cache, it is not.
func TestMCPSzzIsCached(t *testing.T) {
	for _, cached := range []bool{true, false} {
		t.Run(fmt.Sprintf("cache %t", cached), func(t *testing.T) {
			session, p := mcpClient(t, fmt.Sprintf("--cache=%t", cached))
			ask := func() *sdk.CallToolResult {
				t.Helper()
				res, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "szz", Arguments: map[string]any{"algorithm": "b"}})
				if err != nil {
					t.Fatal(err)
				}
				return res
			}
			first := mcpText(t, ask())
			id := strings.TrimSpace(p.git(t, "rev-parse", "HEAD~1:a.c"))
			if err := os.Remove(filepath.Join(p.cmd.Dir, ".git", "objects", id[:2], id[2:])); err != nil {
				t.Fatal(err)
			}
			if got := mcpText(t, ask()); (got == first) != cached {
				t.Errorf("first %q, then %q", first, got)
			}
		})
	}
}

// --fix hides the fix and what came later.
func TestMCPScope(t *testing.T) {
	session, _ := mcpClient(t, "--fix=HEAD~1")
	for commit, visible := range map[string]bool{"HEAD": true, "HEAD~1": false} {
		res, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "git_show", Arguments: map[string]any{"commit": commit}})
		if err != nil || res.IsError == visible {
			t.Errorf("%s: %v %v", commit, res, err)
		}
		if visible && !strings.Contains(mcpText(t, res), "a is 1") {
			t.Errorf("HEAD is %s", mcpText(t, res))
		}
	}
}

// szz traces the commit of --fix by default, and no later commit; likewise
// for --tip.
func TestMCPSzzScope(t *testing.T) {
	for _, bound := range []string{"--fix=HEAD~1", "--tip=HEAD~1"} {
		session, p := mcpClient(t, bound)
		ids := strings.Fields(p.git(t, "rev-list", "HEAD"))
		for _, tt := range []struct {
			args map[string]any
			fix  string // traced; "" for refused
		}{
			{map[string]any{}, ids[1]},
			{map[string]any{"revision": ids[1]}, ids[1]},
			{map[string]any{"revision": ids[2]}, ids[2]},
			{map[string]any{"revision": "HEAD"}, ""},
			{map[string]any{"revision": ids[0]}, ""},
		} {
			res, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "szz", Arguments: tt.args})
			if err != nil {
				t.Fatal(err)
			}
			text := mcpText(t, res)
			if tt.fix == "" && (!res.IsError || !strings.Contains(text, "is not visible here")) || tt.fix != "" && !strings.Contains(text, "fix "+tt.fix[:12]) {
				t.Errorf("%s, szz %v: %s", bound, tt.args, text)
			}
		}
	}
}

// A session changes nothing in the repository.
func TestMCPChangesNothing(t *testing.T) {
	session, p := mcpClient(t)
	before := snapshot(t, p.cmd.Dir)
	for _, name := range []string{"git_show", "szz", "git_grep", "crash", "fix_locate", "fix_history"} {
		if _, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: map[string]any{}}); err != nil {
			t.Fatal(err)
		}
	}
	if after := snapshot(t, p.cmd.Dir); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

// snapshot returns every file of a repository with its content.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		b.WriteString(path + " " + string(data) + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The end of the input is a clean end: earlier requests are answered, and stdout
// has only protocol messages.
func TestMCPEndOfInput(t *testing.T) {
	p := startProgram(t, "mcp")
	io.WriteString(p.in, mcpHello+"not a message\n"+strings.Repeat("x", 4<<20)+"\n"+
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"szz","arguments":{}}}`+"\n")
	p.in.Close()
	all, err := io.ReadAll(p.out)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(all)), "\n")
	for _, line := range lines {
		if !json.Valid([]byte(line)) {
			t.Errorf("not JSON: %q", line)
		}
	}
	if code := p.exitCode(t); code != 0 || len(lines) != 4 || !strings.Contains(string(all), "a is 2") || p.stderr.Len() > 0 {
		t.Errorf("exits with %d; %s; stderr %s", code, all, &p.stderr)
	}
}

// The loss of the client, or a signal, ends the session.
func TestMCPClientGone(t *testing.T) {
	p := startProgram(t, "mcp")
	p.pipe.Close()
	io.WriteString(p.in, mcpHello)
	if code := p.exitCode(t); code != 0 || p.stderr.Len() > 0 {
		t.Errorf("exits with %d; stderr %s", code, &p.stderr)
	}
}

func TestMCPSignal(t *testing.T) {
	p := startProgram(t, "mcp")
	io.WriteString(p.in, mcpHello)
	if _, err := p.out.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := p.exitCode(t); code != app.ExitInterrupted {
		t.Errorf("exits with %d; stderr %s", code, &p.stderr)
	}
}

// git runs git in the same repository.
func (p *program) git(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = p.cmd.Dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return string(out)
}

// output runs git-agent once more in the same repository.
func (p *program) output(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Args = append([]string{"git-agent"}, args...)
	cmd.Dir, cmd.Env = p.cmd.Dir, p.cmd.Env
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return string(out)
}
