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

// A deed is a work of the program that is cut short. Its next run, by default
// the same again, must answer as if nothing had happened.
type deed struct {
	name  string
	prep  func(*testing.T, *stage) // what was done before
	args  []string
	stdin string
	next  []string // what comes after the kill; nil: the same
	model bool     // it asks a server
	like  string   // the deed that stands for it in the sample

	writes []string // what it writes of the user's, relative to the home
	// check looks at the state that the kill left; whole is the state that
	// the undisturbed deed left.
	check func(s *stage, whole map[string]string) error
}

var (
	traceRange = []string{"szz", "--json", "HEAD~5.."}
	askModel   = []string{"szz", "--engine=agent", "--no-annotations", "--json", relayFix}
	evaluate   = []string{"eval", "szz", "cases.jsonl", "--repos=..", "--algorithm=rank,b,r", "--jobs=2", "--json"}
)

// deeds are the works of the program that leave something behind, or start
// something.
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

// did is a preparation: a run that nothing disturbs.
func did(args []string) func(*testing.T, *stage) {
	return func(t *testing.T, s *stage) { s.must(t, args) }
}

// must runs the program in the repository and wants an answer.
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

// brokenOff leaves a run that was killed with an answer of the model open.
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

// evalBegun has done a part of the evaluation.
func evalBegun(t *testing.T, s *stage) {
	withCases(t, s)
	s.must(t, []string{"eval", "szz", "cases.jsonl", "--repos=..", "--algorithm=rank", "--json"})
}

// wholeOrAbsent wants each file of the deed to be as it ought to be or not to
// be there. One that is on its way has a name that begins with a dot.
func wholeOrAbsent(s *stage, whole map[string]string) error {
	for path, got := range s.contents() {
		if want, ok := whole[path]; !strings.HasPrefix(filepath.Base(path), ".") && (!ok || got != want) {
			return fmt.Errorf("%s was left with %d bytes, not %d", path, len(got), len(want))
		}
	}
	return nil
}

// contents are the files of the work tree by their paths.
func (s *stage) contents() map[string]string {
	all := map[string]string{}
	filepath.WalkDir(s.repo, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
		case d.IsDir() && d.Name() == ".git":
			return filepath.SkipDir
		case d.Type().IsRegular():
			content, _ := os.ReadFile(path) // it was there a moment ago
			all[path] = string(content)
		}
		return nil
	})
	return all
}

// A listener is the scripted server of a stage. Its answers depend on the
// request alone, so that each life of a run meets the same model.
type listener struct {
	*modeltest.Server
	mu    sync.Mutex
	turns []int  // of the requests so far
	at    int    // the request at which hit is called; 0: none
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

// lastTurn is the one in which the model reports.
const lastTurn = 4

// reply is what the model says in a turn. The calls have names of their own:
// those that the server makes up would count on from life to life.
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

// forget begins a new count of requests.
func (l *listener) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turns, l.at, l.hit = nil, 0, nil
}

// asked are the turns that were asked for since forget.
func (l *listener) asked() []int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]int(nil), l.turns...)
}

// killAt has the program killed when its n-th request has arrived.
func (l *listener) killAt(n int, hit func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at, l.hit = n, hit
}
