package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/agent/model"
	"git-agent/agent/model/modeltest"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/render"
	"git-agent/cmd/git-agent/tracecmd"
)

// study is a repository with a bug and its fix, in a separate home, and a model
// that looks at two commits and reports one of them.
type study struct {
	dir     string
	culprit string
}

func newStudy(t *testing.T) *study {
	t.Helper()
	s := &study{dir: filepath.Join(t.TempDir(), "repo")}
	home := t.TempDir()
	for name, value := range map[string]string{
		"HOME": home, "XDG_STATE_HOME": filepath.Join(home, "state"), "XDG_CACHE_HOME": filepath.Join(home, "cache"), "XDG_CONFIG_HOME": home,
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_SYSTEM": os.DevNull, "GIT_CEILING_DIRECTORIES": filepath.Dir(s.dir),
		"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.com", "GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.com",
		"GIT_AGENT_MODEL": "test-1", "GIT_AGENT_API_KEY": "key",
	} {
		t.Setenv(name, value)
	}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s.git(t, "init", "-q", "-b", "main")
	var rest strings.Builder
	for i := range 400 {
		fmt.Fprintf(&rest, "int other_function_%d(int argument) { return argument + %d; }\n", i, i)
	}
	s.commit(t, 1, "sum: begin", "int sum(int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }\n"+rest.String())
	s.commit(t, 2, "sum: skip nothing", "int sum(int *a, int n) { int s = 0; for (int i = 0; i <= n; i++) s += a[i]; return s; }\n"+rest.String())
	s.culprit = s.git(t, "rev-parse", "HEAD")
	s.commit(t, 3, "sum: do not read past the end", "int sum(int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }\n"+rest.String())
	t.Chdir(s.dir)
	return s
}

func (s *study) git(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-C", s.dir}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (s *study) commit(t *testing.T, day int, message, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, "sum.c"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	date := fmt.Sprintf("2024-01-%02dT00:00:00Z", day)
	t.Setenv("GIT_AUTHOR_DATE", date)
	t.Setenv("GIT_COMMITTER_DATE", date)
	s.git(t, "add", "-A")
	s.git(t, "commit", "-q", "-m", message)
}

// run runs git-agent and returns its exit code and its output.
func (s *study) run(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(context.Background(), os.LookupEnv, strings.NewReader(""), &stdout, &stderr, args)
	return code, stdout.String(), stderr.String()
}

// speaks sets the wire for the rest of a test.
func speaks(t *testing.T, wire model.Wire) {
	t.Helper()
	for name, value := range map[string]string{"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "agent.wire", "GIT_CONFIG_VALUE_0": string(wire)} {
		t.Setenv(name, value)
	}
}

// replies are the replies of the study's model.
func (s *study) replies() []modeltest.Reply {
	return []modeltest.Reply{
		modeltest.Call("git_show", `{"commit":"HEAD~1"}`).And("git_log_search", `{"pattern":"<= n"}`).Saying("Which commit wrote it?").Thinking("It reads <n> && more."),
		modeltest.Call("report", fmt.Sprintf(`{"commits":[{"commit":%q,"confidence":0.9,"type":"introduction","reasoning":"It reads one too many."}]}`, s.culprit)),
	}
}

// A conversation replays exactly, also from a file; without compression, it costs
// more and has the same verdict.
func TestReplay(t *testing.T) {
	for _, wire := range model.Wires {
		t.Run(string(wire), func(t *testing.T) { replay(t, wire) })
	}
}

func replay(t *testing.T, wire model.Wire) {
	s := newStudy(t)
	speaks(t, wire)
	t.Setenv("GIT_AGENT_BASE_URL", modeltest.Script(t, s.replies()...).URL)
	if code, out, errs := s.run(t, "szz", "--allow-unpriced", "--json", "HEAD"); code != app.ExitFound || !strings.Contains(out, s.culprit) {
		t.Fatalf("szz exits with %d\n%s%s", code, out, errs)
	}
	code, out, errs := s.run(t, "trace", "replay")
	if code != app.ExitFound || !strings.Contains(out, "equal: ") || !strings.Contains(out, "of 2 turns") {
		t.Errorf("replay exits with %d\n%s%s", code, out, errs)
	}
	_, steps, _ := s.run(t, "trace", "export")
	file := filepath.Join(t.TempDir(), "run.jsonl")
	if err := os.WriteFile(file, []byte(steps), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := s.run(t, "trace", "replay", file); code != app.ExitFound {
		t.Errorf("replay of a file exits with %d\n%s%s", code, out, errs)
	}
	code, out, errs = s.run(t, "trace", "replay", "--plain", "--json")
	var row tracecmd.ReplayRow
	if err := json.Unmarshal([]byte(out), &row); err != nil || code != app.ExitFound {
		t.Fatalf("replay --plain exits with %d, %v\n%s%s", code, err, out, errs)
	}
	if !row.Equal || row.Plain == nil || !row.Plain.SameVerdict || row.Plain.Saved < 0.3 || row.Plain.Tokens <= row.Tokens {
		t.Errorf("replay --plain: %s", out)
	}

	// Another answer of a tool is found and named.
	changed := strings.Replace(steps, "skip nothing", "skip something", 1)
	if i := strings.LastIndex(steps, `"key":"tool/1/2"`); i >= 0 {
		changed = steps[:i] + strings.Replace(steps[i:], "skip nothing", "skip something", 1)
	}
	if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := s.run(t, "trace", "replay", file); code != app.ExitNothing || !strings.Contains(out, "differs at tool/1/2: the answer of git_log_search") {
		t.Errorf("replay of a changed record exits with %d\n%s%s", code, out, errs)
	}
}

// A run whose server disappeared is continued from its last answer.
func TestResume(t *testing.T) {
	for _, wire := range model.Wires {
		t.Run(string(wire), func(t *testing.T) { resume(t, wire) })
	}
}

func resume(t *testing.T, wire model.Wire) {
	s := newStudy(t)
	speaks(t, wire)
	replies := s.replies()
	server := modeltest.Script(t, replies[0], modeltest.Status(401, `{"error":{"message":"bad key"}}`), replies[1])
	t.Setenv("GIT_AGENT_BASE_URL", server.URL)
	if code, out, errs := s.run(t, "szz", "--allow-unpriced", "--json", "HEAD"); code == app.ExitFound {
		t.Fatalf("szz exits with %d\n%s%s", code, out, errs)
	}
	if code, out, _ := s.run(t, "trace", "list", "--state=interrupted"); code != app.ExitFound || !strings.Contains(out, "1 turn") {
		t.Fatalf("list exits with %d\n%s", code, out)
	}
	t.Setenv("GIT_AGENT_BASE_URL", "https://elsewhere.example/v1")
	if code, _, errs := s.run(t, "trace", "resume", "--allow-unpriced"); code != app.ExitFatal ||
		!strings.Contains(errs, "and https://elsewhere.example/v1 is configured") || strings.Contains(errs, "git -c") {
		t.Errorf("resume with another server exits with %d\n%s", code, errs)
	}
	t.Setenv("GIT_AGENT_BASE_URL", server.URL)
	code, out, errs := s.run(t, "trace", "resume", "--allow-unpriced", "--json")
	var ans render.AnswerJSON
	if err := json.Unmarshal([]byte(out), &ans); err != nil || code != app.ExitFound || len(ans.Suspects) == 0 || string(ans.Suspects[0].Commit) != s.culprit {
		t.Fatalf("resume exits with %d, %v\n%s%s", code, err, out, errs)
	}
	if n := len(server.Requests()); n != 3 {
		t.Errorf("%d requests: what was answered is asked again", n)
	}
	if code, out, _ := s.run(t, "trace", "show"); code != app.ExitFound || !strings.Contains(out, "asked 2 times: the run was resumed here") || !strings.Contains(out, "end  found") {
		t.Errorf("show exits with %d\n%s", code, out)
	}
	if code, out, errs := s.run(t, "trace", "replay"); code != app.ExitFound {
		t.Errorf("replay of a resumed run exits with %d\n%s%s", code, out, errs)
	}
	if code, _, errs := s.run(t, "trace", "resume"); code != app.ExitFatal || !strings.Contains(errs, "no run was interrupted here") {
		t.Errorf("resume of nothing exits with %d\n%s", code, errs)
	}
	_, list, _ := s.run(t, "trace", "list", "--json")
	var row render.TraceRow
	if err := json.Unmarshal([]byte(list), &row); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := s.run(t, "trace", "resume", row.ID); code != app.ExitFatal || !strings.Contains(errs, "not interrupted") {
		t.Errorf("resume of an ended run exits with %d\n%s", code, errs)
	}
}
