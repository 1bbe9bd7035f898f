package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"git-agent/agent"
	"git-agent/agent/gittool"
	"git-agent/agent/secret"
	"git-agent/cache"
	"git-agent/cmd/git-agent/app"
	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// These are the threats to the verbs, and the tests of each:
//
//	T1  hostile configuration and hooks     here; gitext/hostile_test.go has all vectors
//	T2  options in arguments                here, and FuzzThreatT2
//	T3  orders in the repository            injection_test.go
//	T4  keys in children                    gitext/keys_test.go, safety_linux_test.go
//	T5  secrets that leave                  here; agent/secret; injection_test.go
//	T7  control characters                  here; script/tool_hostile_text.txtar
//	T8  bombs                               here
//	T9  links and paths that lead out       here
//	T10 fetching behind the user's back     gitext: TestMissingObjectOfAHostilePromisor
//	T11 settings that come with a clone     here
//	T12 one repository's cache for another  here; a stranger's cache: cache/seal_test.go

// in runs git-agent in the trap and returns stdout, stderr and the exit code.
func (tr *trap) in(t *testing.T, args ...string) (string, string, int) {
	t.Helper()
	t.Chdir(tr.dir)
	var out, errs bytes.Buffer
	code := run(context.Background(), os.LookupEnv, strings.NewReader(""), &out, &errs, args)
	return out.String(), errs.String(), code
}

// toolbox binds the tools to the commit before the fix.
func (tr *trap) toolbox(t testing.TB, opt gittool.Options) *gittool.Toolbox {
	t.Helper()
	repo, err := gitext.Open(t.Context(), gitext.OpenOptions{Dir: tr.dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	tip, err := repo.Resolve(t.Context(), tr.parent)
	if err != nil {
		t.Fatal(err)
	}
	box, err := gittool.New(repo, gittool.Scope{Tip: tip}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return box
}

// plant configures every program that git knows how to start.
func (tr *trap) plant(t *testing.T) {
	t.Helper()
	for _, kv := range [][2]string{
		{"core.fsmonitor", "touch PWNED"}, {"core.pager", "touch PWNED"}, {"core.sshCommand", "touch PWNED"}, {"core.editor", "touch PWNED"},
		{"diff.external", "touch PWNED"}, {"diff.evil.textconv", "touch PWNED;"}, {"diff.evil.command", "touch PWNED;"},
		{"filter.evil.smudge", "touch PWNED"}, {"filter.evil.clean", "touch PWNED"}, {"filter.evil.process", "touch PWNED"},
		{"gpg.program", "./evil"}, {"log.showSignature", "true"}, {"credential.helper", "!touch PWNED"}, {"agent.testCommand", "touch PWNED"},
		{"alias.show", "!touch PWNED"}, {"pager.agent", "touch PWNED"}, {"interactive.diffFilter", "touch PWNED"}, {"core.hooksPath", "evil-hooks"},
	} {
		tr.git(t, "config", kv[0], kv[1])
	}
	tr.write(t, ".git/info/attributes", "* diff=evil filter=evil\n")
	tr.write(t, "evil-hooks/post-index-change", "#!/bin/sh\ntouch PWNED\n")
	tr.write(t, "evil-hooks/reference-transaction", "#!/bin/sh\ntouch PWNED\n")
}

func TestThreatT1HostileConfigurationRunsNothing(t *testing.T) {
	tr := setTrap(t)
	tr.write(t, "main.c", "int staged;\n")
	tr.git(t, "add", "main.c")
	tr.write(t, "main.c", "int not_staged;\n") // to read it as git add would runs the clean filter
	tr.plant(t)
	before := snapshot(t, tr.dir)
	for _, args := range [][]string{
		{"szz", "the-fix"}, {"szz", "--algorithm=ra", "--json", "the-fix"}, {"szz", "--staged"}, {"szz", "--worktree"},
		{"tool", "git_show", `{"commit":"HEAD"}`}, {"tool", "git_blame", `{"path":"main.c"}`}, {"tool", "git_grep", `{"pattern":"int"}`},
		{"tool", "git_log_search", `{"pattern":"int"}`}, {"tool", "git_log_function", `{"path":"main.c","function":"last"}`},
		{"mcp"}, {"doctor"},
	} {
		if _, errs, code := tr.in(t, args...); code >= app.ExitFatal {
			t.Errorf("%q exits with %d: %s", args, code, errs)
		}
	}
	if after := snapshot(t, tr.dir); after != before {
		t.Error("something was changed or run")
	}
}

func TestThreatT2OptionsAreNoArguments(t *testing.T) {
	tr := setTrap(t)
	before := snapshot(t, tr.dir)
	box := tr.toolbox(t, gittool.Options{})
	for _, evil := range []string{"--output=PWNED", "-OPWNED", "--open-files-in-pager=touch PWNED", "--ext-diff", "--textconv", "--contents=/etc/passwd",
		"--no-index", "-f/etc/passwd", "HEAD --output=PWNED", "HEAD\n--output=PWNED", "--upload-pack=touch PWNED", "$(touch PWNED)", "`touch PWNED`", "; touch PWNED"} {
		for tool, args := range map[string]map[string]any{
			"git_show": {"commit": evil, "path": evil}, "git_blame": {"path": evil, "commit": evil}, "git_grep": {"pattern": evil, "path": "main.c"},
			"git_log_search": {"pattern": evil, "path": evil}, "git_log_function": {"path": "main.c", "function": evil},
		} {
			raw, err := json.Marshal(args)
			if err != nil {
				t.Fatal(err)
			}
			res, err := box.Call(t.Context(), tool, raw)
			var refused *agent.CallError
			if err != nil && !errors.As(err, &refused) || strings.Contains(res.Text, "root:x:0") {
				t.Errorf("%s %s: %v\n%s", tool, raw, err, res.Text)
			}
		}
	}
	if after := snapshot(t, tr.dir); after != before {
		t.Error("something was changed or run")
	}
}

func TestThreatT5SecretsStay(t *testing.T) {
	tr := setTrap(t)
	t.Setenv("GIT_AGENT_MODEL", "m")
	t.Setenv("GIT_AGENT_BASE_URL", "http://127.0.0.1:9/v1")
	t.Setenv("GIT_AGENT_API_KEY", canaryKey)
	shown, errs, code := tr.in(t, "szz", "--engine=agent", "--allow-unpriced", "--show-request", "the-fix")
	if code != 0 || !strings.Contains(shown, "secret:aws-access-token:") {
		t.Errorf("exits with %d: %s", code, errs)
	}
	t.Chdir(tr.dir)
	var served bytes.Buffer
	in := mcpHello
	for i, call := range []string{`"szz","arguments":{"revision":"the-fix"}`, `"git_show","arguments":{"commit":"the-fix"}`, `"git_blame","arguments":{"path":"config.py"}`} {
		in += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%s}}`+"\n", i+1, call)
	}
	if code := run(context.Background(), os.LookupEnv, strings.NewReader(in), &served, &served, []string{"mcp", "--tip=the-fix"}); code != 0 {
		t.Errorf("mcp exits with %d: %s", code, &served)
	}
	for _, c := range canaries {
		if strings.Contains(shown, c) || strings.Contains(served.String(), c) {
			t.Errorf("%q is shown", c)
		}
	}
}

func TestThreatT7ControlCharactersStay(t *testing.T) {
	tr := setTrap(t)
	evil := "\x1b]0;title\x07\x1b[2J\u009b31m\u202etxt\u2066\u200b\u00ad\U000e0041\u2028\x9b\x08\x7f"
	tr.git(t, "checkout", "-q", "-f", "-B", "evil", "the-fix")
	name := "a" + evil + ".c"
	tr.write(t, name, "int x = 1; /* "+evil+" */\n")
	tr.commit(t, 13, "add "+evil, "--author="+evil+" <"+evil+"@x>")
	tr.write(t, name, "int x = 2; /* "+evil+" */\n")
	tr.commit(t, 14, "fix "+evil)
	tr.parent = tr.git(t, "rev-parse", "HEAD")
	for _, args := range [][]string{
		{"szz", "HEAD"}, {"szz", "-v", "HEAD"}, {"szz", "--json", "HEAD"}, {"tool", "git_show", `{"commit":"HEAD"}`},
		{"tool", "--no-compression", "git_show", `{"commit":"HEAD"}`}, {"tool", "git_log_search", `{"pattern":"int x"}`},
		{"tool", "git_grep", `{"pattern":"int x"}`}, {"tool", "git_blame", `{"path":"` + evil[:1] + `"}`}, {"szz", evil},
	} {
		out, errs, _ := tr.in(t, args...)
		if !utf8.ValidString(out + errs) {
			t.Errorf("%q prints bytes that are no UTF-8", args)
		}
		for _, r := range out + errs {
			if quote.Hidden(r) {
				t.Errorf("%q prints %U", args, r)
				break
			}
		}
	}
}

// A tree of ten levels with ten entries each has 10 billion files in a kilobyte.
// The call ends with a message.
func TestThreatT8Bombs(t *testing.T) {
	tr := setTrap(t)
	tr.write(t, "../in", "needle\n")
	id := tr.git(t, "hash-object", "-w", "../in")
	mode, kind := "100644", "blob"
	for range 10 {
		var list strings.Builder
		for i := range 10 {
			fmt.Fprintf(&list, "%s %s %s\t%d\n", mode, kind, id, i)
		}
		tr.write(t, "../in", list.String())
		id = tr.git(t, "-c", "alias.plant=!git mktree <../in", "plant")
		mode, kind = "040000", "tree"
	}
	tr.parent = tr.git(t, "commit-tree", "-m", "bomb", id)
	box := tr.toolbox(t, gittool.Options{Timeout: time.Second})
	for _, args := range []string{`{"pattern":"absent"}`, `{"pattern":"needle","path":"0"}`} {
		res, err := box.Call(t.Context(), "git_grep", json.RawMessage(args))
		var refused *agent.CallError
		if err != nil && !errors.As(err, &refused) || len(res.Text) > 10_000 {
			t.Errorf("%s: %v, %d bytes", args, err, len(res.Text))
		}
	}
}

func TestThreatT9NothingOutsideIsRead(t *testing.T) {
	tr := setTrap(t)
	box := tr.toolbox(t, gittool.Options{})
	for _, path := range []string{"link", "../home/.ssh/id_rsa", "/etc/passwd", "a/../../../etc/passwd", ".git/config", "untracked.txt", "link/../x", `..\..\etc\passwd`} {
		for _, tool := range []string{"git_blame", "git_log_function"} {
			args := fmt.Sprintf(`{"path":%q}`, path)
			if tool == "git_log_function" {
				args = fmt.Sprintf(`{"path":%q,"start":1,"end":1}`, path)
			}
			res, err := box.Call(t.Context(), tool, json.RawMessage(args))
			var refused *agent.CallError
			if err != nil && !errors.As(err, &refused) || err == nil && path != "link" {
				t.Errorf("%s %s: %v", tool, path, err)
			}
			for _, c := range append(canaries, "root:") {
				if strings.Contains(res.Text, c) {
					t.Errorf("%s %s shows %q", tool, path, c)
				}
			}
		}
	}
}

func TestThreatT11ACloneConfiguresNothing(t *testing.T) {
	tr := setTrap(t)
	tr.git(t, "config", "agent.model", "attacker")
	before := snapshot(t, tr.dir)
	_, errs, code := tr.in(t, "szz", "--engine=agent", "the-fix")
	if code == app.ExitFound || !strings.Contains(errs, "no model is configured") {
		t.Errorf("exits with %d: %s", code, errs)
	}
	out, errs, code := tr.in(t, "szz", "the-fix")
	if code != app.ExitFound || out == "" {
		t.Errorf("exits with %d: %s", code, errs)
	}
	if snapshot(t, tr.dir) != before {
		t.Error("something was changed or run")
	}
}

// sharedMemory is one cache for all.
type sharedMemory map[string][]byte

func (m sharedMemory) Get(_ context.Context, key cache.Key) ([]byte, bool) {
	v, ok := m[fmt.Sprint(key)]
	return v, ok
}
func (m sharedMemory) Put(_ context.Context, key cache.Key, value []byte) { m[fmt.Sprint(key)] = value }

func TestThreatT12CachesAreNotMixed(t *testing.T) {
	memory := sharedMemory{}
	one, other := setTrap(t), setTrap(t)
	other.write(t, "only-here.txt", "needle-of-the-other\n")
	other.commit(t, 20, "other")
	other.parent = other.git(t, "rev-parse", "HEAD")
	args := json.RawMessage(`{"pattern":"needle-of-the-other"}`)
	for _, tt := range []struct {
		tr   *trap
		want bool
	}{{other, true}, {one, false}, {other, true}} {
		res, err := tt.tr.toolbox(t, gittool.Options{Memory: memory}).Call(t.Context(), "git_grep", args)
		if err != nil || strings.Contains(res.Text, "only-here.txt") != tt.want {
			t.Errorf("%v %q", err, res.Text)
		}
	}
	if len(memory) != 2 {
		t.Errorf("%d answers are kept", len(memory))
	}
}

// FuzzThreatT2 gives the tools any arguments: the result is an answer or a
// refusal, nothing is written, and nothing from outside is read.
func FuzzThreatT2(f *testing.F) {
	for _, in := range injections {
		f.Add(in.tool, []byte(in.args))
	}
	f.Add("git_grep", []byte(`{"pattern":"(0{)","regex":true}`)) // found by fuzzing
	tr := setTrap(f)
	box := tr.toolbox(f, gittool.Options{Timeout: 3 * time.Second})
	files := countFiles(f, tr.dir)
	f.Fuzz(func(t *testing.T, tool string, args []byte) {
		res, err := box.Call(t.Context(), tool, args)
		var refused *agent.CallError
		if err != nil && !errors.As(err, &refused) {
			t.Errorf("%s %q: %v", tool, args, err)
		}
		text := secret.New().Mask(res.Text)
		for _, c := range canaries {
			if strings.Contains(text, c) && !bytes.Contains(args, []byte(c)) {
				t.Errorf("%s %q shows %q", tool, args, c)
			}
		}
		if countFiles(t, tr.dir) != files {
			t.Fatalf("%s %q changed the work tree", tool, args)
		}
	})
}

func countFiles(t testing.TB, dir string) int {
	t.Helper()
	n := 0
	for _, d := range []string{dir, filepath.Dir(dir), filepath.Join(dir, ".git")} {
		list, err := os.ReadDir(d)
		if err != nil {
			t.Fatal(err)
		}
		n += len(list)
	}
	return n
}
