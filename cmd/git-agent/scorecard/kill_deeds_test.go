//go:build linux

package scorecard

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"git-agent/agent/model/modeltest"
)

// A deed is a command of the program that is killed while it runs. The command after
// it, by default the same one, must answer as if nothing had happened.
type deed struct {
	name  string
	prep  func(*testing.T, *stage) // prepares the stage
	args  []string
	stdin string
	next  []string // the command after the kill; nil means the same command
	model bool     // the command asks a model server
	like  string   // the deed that represents it in a sample run

	writes []string // files of the user that it writes, relative to the home
	// check checks the state after the kill; whole is the state after an
	// undisturbed deed.
	check func(s *stage, whole map[string]string) error
}

var (
	traceRange = []string{"szz", "--json", "HEAD~5.."}
	askModel   = []string{"szz", "--engine=agent", "--no-annotations", "--json", relayFix}
	evaluate   = []string{"eval", "szz", "cases.jsonl", "--repos=..", "--algorithm=rank,b,r", "--jobs=2", "--json"}
)

// deeds are the commands of the program that write files or start processes.
func deeds() []deed {
	verify := func(sandbox string) []string {
		return []string{"szz", "--json", "--algorithm=b", "--sandbox=" + sandbox, "--verify-cmd=sleep 0.02; ! grep -q unstick src/relay.c", relayFix}
	}
	all := []deed{
		{name: "szz, fresh cache", args: traceRange},
		{name: "szz, warm cache", like: "szz, fresh cache", prep: did(traceRange), args: traceRange},
		{name: "szz --note", args: []string{"szz", "--note", "--json", "HEAD~1.."},
			writes: []string{"relay/.git/refs", "relay/.git/objects", "relay/.git/logs"}},
		{name: "szz with a model", args: askModel, model: true},
		{name: "a run that is resumed", like: "trace resume", prep: brokenOff, args: askModel, model: true},
		{name: "trace resume", prep: brokenOff, args: []string{"trace", "resume", "--json"}, next: askModel, model: true},
		{name: "eval --jobs", like: "eval, gone on with", prep: withCases, args: evaluate},
		{name: "eval, gone on with", prep: evalBegun, args: evaluate},
		{name: "doctor --fix", args: []string{"doctor", "--fix"}},
		{name: "cache prune", like: "cache clear", prep: did(traceRange), args: []string{"cache", "prune", "--size=1k"}, next: traceRange},
		{name: "cache clear", prep: did(traceRange), args: []string{"cache", "clear"}, next: traceRange},
		{name: "trace show --html", prep: investigated, args: []string{"trace", "show", "--html=run.html"}, model: true,
			writes: []string{"relay/run.html", "relay"}, check: wholeOrAbsent},
		{name: "trace export", like: "trace show --html", prep: investigated, args: []string{"trace", "export", "--format=atif"}, model: true},
		{name: "man --install", args: []string{"man", "--install", "pages"}, writes: []string{"relay"}, check: wholeOrAbsent},
		{name: "szz --verify-cmd, none", like: "szz --verify-cmd, bwrap", args: verify("none")},
		{name: "mcp", args: []string{"mcp"}, stdin: mcpTalk},
	}
	if bwrapWorks() {
		all = append(all, deed{name: "szz --verify-cmd, bwrap", args: verify("bwrap")})
	}
	return all
}

const mcpTalk = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"szz","arguments":{"revision":"` + relayFix + `"}}}
`

// did returns a preparation that runs the program undisturbed.
func did(args []string) func(*testing.T, *stage) {
	return func(t *testing.T, s *stage) { s.must(t, args) }
}

// must runs the program in the repository. If it fails, the test ends.
func (s *stage) must(t testing.TB, args []string) outcome {
	t.Helper()
	got := s.run(t, command{dir: s.repo, env: s.env}, args...)
	if got.code != 0 && got.code != 1 {
		t.Fatalf("git agent %q: %d\n%s", args, got.code, got.stderr)
	}
	return got
}

// investigated records a run with the model.
func investigated(t *testing.T, s *stage) { s.must(t, askModel) }

// brokenOff records a run that was killed while it waited for the model.
func brokenOff(t *testing.T, s *stage) {
	if got, struck := s.strike(t, deed{args: askModel}, blow{point: atRequest, n: 3, signal: syscall.SIGKILL}); !struck {
		t.Fatalf("the run ends with %d, not by a signal\n%s", got.code, got.stderr)
	}
}

// withCases writes the cases of an evaluation beside the repository.
func withCases(t *testing.T, s *stage) {
	lines := s.git(t, s.repo, "log", "-4", `--format={"id":"%h","repo":"relay","fix":"%H","bics":["%P"],"langs":["c"],"unknown":[]}`)
	if err := os.WriteFile(filepath.Join(s.repo, "cases.jsonl"), []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
}

// evalBegun does a part of the evaluation.
func evalBegun(t *testing.T, s *stage) {
	withCases(t, s)
	s.must(t, []string{"eval", "szz", "cases.jsonl", "--repos=..", "--algorithm=rank", "--json"})
}

// wholeOrAbsent returns an error unless each file of the deed is complete or absent.
// It ignores temporary files, whose names begin with a dot.
func wholeOrAbsent(s *stage, whole map[string]string) error {
	for path, got := range s.contents() {
		if want, ok := whole[path]; !strings.HasPrefix(filepath.Base(path), ".") && (!ok || got != want) {
			return fmt.Errorf("%s was left with %d bytes, not %d", path, len(got), len(want))
		}
	}
	return nil
}

// contents returns the contents of the files of the work tree, by path.
func (s *stage) contents() map[string]string {
	all := map[string]string{}
	filepath.WalkDir(s.repo, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
		case d.IsDir() && d.Name() == ".git":
			return filepath.SkipDir
		case d.Type().IsRegular():
			content, _ := os.ReadFile(path) // the file existed a moment ago
			all[path] = string(content)
		}
		return nil
	})
	return all
}

// A listener is the scripted model server of a stage. Its answers depend only on the
// request, so that a resumed run meets the same model.
type listener struct {
	*modeltest.Server
	mu    sync.Mutex
	turns []int  // turns of the requests so far
	at    int    // number of the request at which hit is called; 0 for none
	hit   func() // kills the program
}

// listen starts the server of a stage and configures it there.
func listen(t *testing.T, s *stage) {
	fix := strings.TrimSpace(s.git(t, s.repo, "rev-parse", relayFix))
	culprit := strings.TrimSpace(s.git(t, s.repo, "rev-parse", relayCulprit))
	l := &listener{}
	l.Server = modeltest.Serve(t, func(req modeltest.Request) modeltest.Reply {
		l.heard(req.Turn())
		return reply(req.Turn(), fix, culprit)
	})
	s.server = l
	s.env = append(s.env, "GIT_AGENT_MODEL=m1", "GIT_AGENT_BASE_URL="+l.URL)
}

// lastTurn is the turn in which the model reports its verdict.
const lastTurn = 4

// reply returns the model's reply in a turn. It sets the ids of calls itself, because
// the server would continue its own count in a resumed run.
func reply(turn int, fix, culprit string) modeltest.Reply {
	said := modeltest.Call("report", `{"commits":[{"commit":"`+culprit+`","confidence":0.9,"type":"introduction","reasoning":"It says it without casts."}]}`)
	switch turn {
	case 0:
		said = modeltest.Call("git_show", `{"commit":"`+fix+`","path":"src/window.c"}`).And("git_blame", `{"commit":"`+fix+`^","path":"src/window.c","start":3,"end":12}`)
	case 1:
		said = modeltest.Call("git_log_function", `{"commit":"`+fix+`^","path":"src/window.c","function":"in_window"}`)
	case 2:
		said = modeltest.Call("git_grep", `{"commit":"`+fix+`^","pattern":"uint16_t"}`).Saying("Who else reckons with it?")
	case 3:
		said = modeltest.Call("git_show", `{"commit":"`+culprit+`"}`)
	}
	for i := range said.Calls {
		said.Calls[i].ID = fmt.Sprintf("call_%d_%d", turn, i)
	}
	return said
}

func (l *listener) heard(turn int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turns = append(l.turns, turn)
	if len(l.turns) == l.at {
		l.hit()
	}
}

// forget resets the list of requests.
func (l *listener) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turns, l.at, l.hit = nil, 0, nil
}

// asked returns the turns that were requested since forget.
func (l *listener) asked() []int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]int(nil), l.turns...)
}

// killAt kills the program when its n-th request arrives.
func (l *listener) killAt(n int, hit func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at, l.hit = n, hit
}
