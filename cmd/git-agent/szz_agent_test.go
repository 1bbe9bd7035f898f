package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"git-agent/agent/model/modeltest"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/render"
)

// reports is a reply that reports a commit.
func reports(commit string) modeltest.Reply {
	return modeltest.Call("report", `{"commits":[{"commit":"`+commit+`","confidence":0.9,"type":"introduction","reasoning":"It made a begin at two."}]}`)
}

// always answers every request alike.
func always(r modeltest.Reply) func(modeltest.Request) modeltest.Reply {
	return func(modeltest.Request) modeltest.Reply { return r }
}

// A configured model answers, is named on stderr, and its answer is stored.
func TestSzzAsksTheModel(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	server := b.serve(func(req modeltest.Request) modeltest.Reply {
		if req.Turn() == 0 {
			return modeltest.Call("git_show", `{"commit":"HEAD~2"}`)
		}
		return reports(b.bug)
	})
	out, errs := b.run(app.ExitFound, "szz", "--json")
	var ans render.AnswerJSON
	if err := json.Unmarshal([]byte(out), &ans); err != nil {
		t.Fatal(err)
	}
	if ans.Engine != "agent" || len(ans.Suspects) != 1 || string(ans.Suspects[0].Commit) != b.bug || ans.Suspects[0].Type != "introduction" {
		t.Errorf("answer %s", out)
	}
	if a := ans.Agent; a == nil || a.Model != "m1" || a.Turns != 2 || a.Calls != 2 || a.Fallback != "" || len(a.Runs) != 1 || a.Runs[0].Trace == "" {
		t.Errorf("agent %+v", ans.Agent)
	}
	if !strings.HasPrefix(errs, "engine: agent, m1 at 127.0.0.1:") {
		t.Errorf("stderr %q", errs)
	}
	asked := len(server.Requests())
	human, _ := b.run(app.ExitFound, "szz")
	if len(server.Requests()) != asked {
		t.Error("a kept answer was asked for again")
	}
	for _, has := range []string{"wrote the faulty code", "It made a begin at two.", "m1: 2 turns, 2 tool calls, ", "git agent trace show " + string(ans.Agent.Runs[0].Trace)} {
		if !strings.Contains(human, has) {
			t.Errorf("no %q in\n%s", has, human)
		}
	}
	format, _ := b.run(app.ExitFound, "szz", "--format=%(engine) %(type) %(model) %(trace)")
	if want := "agent introduction m1 " + string(ans.Agent.Runs[0].Trace) + "\n"; format != want {
		t.Errorf("format %q, want %q", format, want)
	}
	if shown, _ := b.run(app.ExitFound, "trace", "show", string(ans.Agent.Runs[0].Trace)); !strings.Contains(shown, "turns=15 tokens=400000") {
		t.Errorf("the limits that held are not recorded:\n%s", shown)
	}
}

// Without a configured model, nothing changes, for any environment, and no
// request is sent.
func TestSzzWithoutAModel(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	plain, errs := b.run(app.ExitFound, "szz", "--no-cache")
	if errs != "" {
		t.Errorf("stderr %q", errs)
	}
	server := modeltest.Serve(t, always(modeltest.Status(http.StatusTeapot, "{}")))
	b.setenv("OPENAI_API_KEY", "sk-0123456789")
	b.setenv("OPENAI_BASE_URL", server.URL)
	b.git("config", "--global", "agent.baseUrl", server.URL)
	b.git("config", "--global", "agent.apiKeyCommand", "touch ran; echo key")
	if again, errs := b.run(app.ExitFound, "szz", "--no-cache"); again != plain || errs != "" {
		t.Errorf("%q on stderr, and\n%s\nwithout the variables\n%s", errs, again, plain)
	}
	b.setenv("GIT_AGENT_MODEL", "m1")
	if again, errs := b.run(app.ExitFound, "szz", "--no-cache", "--engine=offline"); again != plain || errs != "" {
		t.Errorf("--engine=offline: %q on stderr, and\n%s", errs, again)
	}
	_, errs = b.run(app.ExitFound, "szz", "--algorithm=b")
	if errs != "engine: offline, because of --algorithm=b\n" {
		t.Errorf("stderr %q", errs)
	}
	if n := len(server.Requests()); n > 0 {
		t.Errorf("%d requests", n)
	}
	if _, err := os.Stat(filepath.Join(b.dir, "ran")); !errors.Is(err, os.ErrNotExist) {
		t.Error("the key's command ran")
	}
}

// A repository's settings of models are ignored, with a warning.
func TestRepositorySetsNoModel(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	b.git("config", "agent.model", "evil")
	_, errs := b.run(app.ExitFound, "szz")
	if want := "warning: agent.model (local) is ignored: a repository may not set it; use 'git config --global agent.model <value>'\n"; errs != want {
		t.Errorf("stderr %q, want %q", errs, want)
	}
	server := b.serve(always(reports(b.bug)))
	b.setenv("GIT_AGENT_BASE_URL", "")
	b.git("config", "--global", "agent.baseUrl", server.URL)
	b.git("config", "agent.baseUrl", "http://attacker.example/v1")
	b.git("config", "agent.engine", "offline") // to keep data here is a repository's good right
	_, errs = b.run(app.ExitFound, "szz")
	if !strings.Contains(errs, "engine: offline, because of agent.engine=offline (git config, local)") || len(server.Requests()) > 0 {
		t.Errorf("%d requests, stderr %q", len(server.Requests()), errs)
	}
	if _, errs = b.run(app.ExitFound, "szz", "--engine=agent"); len(server.Requests()) == 0 || !strings.Contains(errs, "agent.baseUrl (local) is ignored") {
		t.Errorf("%d requests, stderr %q", len(server.Requests()), errs)
	}
}

// Bad and missing settings are reported with advice.
func TestModelSettingsThatCannotBe(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	tests := []struct {
		name   string
		config map[string]string
		args   []string
		code   int
		want   []string
	}{
		{"no model", nil, []string{"--engine=agent"}, app.ExitFatal, []string{"fatal: no model is configured", "hint: git config --global agent.model <name>"}},
		{"no key", map[string]string{"agent.model": "gpt-5-mini"}, nil, app.ExitFatal, []string{"fatal: there is no API key for api.openai.com", "hint: export GIT_AGENT_API_KEY=<key>"}},
		{"no price", map[string]string{"agent.model": "nobody-knows-1", "agent.apiKeyCommand": "echo sk-1"}, nil, app.ExitFatal, []string{"fatal: the price of", "agent.price"}},
		{"bad key command", map[string]string{"agent.model": "gpt-5-mini", "agent.apiKeyCommand": "echo sk-hidden; exit 3"}, nil, app.ExitFatal, []string{"fatal: agent.apiKeyCommand (git config, global): "}},
		{"bad number", map[string]string{"agent.model": "m", "agent.turns": "many"}, nil, app.ExitFatal, []string{`fatal: bad numeric config value 'many' for 'agent.turns'`}},
		{"bad price", map[string]string{"agent.model": "m", "agent.price": "1"}, nil, app.ExitFatal, []string{"fatal: bad config value '1' for 'agent.price'"}},
		{"bad wire", map[string]string{"agent.model": "m", "agent.wire": "telegraph"}, nil, app.ExitFatal, []string{"it must be auto, chat, responses or messages"}},
		{"bad address", map[string]string{"agent.model": "m", "agent.baseUrl": "ftp://x"}, nil, app.ExitFatal, []string{"fatal: "}},
		{"two minds", map[string]string{"agent.model": "m"}, []string{"--engine=agent", "--algorithm=b"}, app.ExitUsage, []string{"error: --engine=agent does not go with --algorithm=b"}},
		{"options for nobody", nil, []string{"--engine=offline", "--runs=3"}, app.ExitUsage, []string{"error: --engine=offline asks no model"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b.t = t
			b.setenv("GIT_CONFIG_GLOBAL", filepath.Join(t.TempDir(), "config"))
			for key, value := range tt.config {
				b.git("config", "--global", key, value)
			}
			out, errs := b.run(tt.code, append([]string{"szz"}, tt.args...)...)
			for _, want := range tt.want {
				if !strings.Contains(errs, want) {
					t.Errorf("no %q in %q", want, errs)
				}
			}
			if out != "" || strings.Contains(errs, "sk-") {
				t.Errorf("stdout %q, stderr %q", out, errs)
			}
		})
	}
}

// --show-request prints the bytes that are then sent, and sends nothing.
func TestShowRequestIsWhatIsSent(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	server := b.serve(always(reports(b.bug)))
	shown, _ := b.run(app.ExitFound, "szz", "--show-request", "-q")
	if n := len(server.Requests()); n > 0 {
		t.Fatalf("%d requests", n)
	}
	b.run(app.ExitFound, "szz")
	if sent := string(server.Requests()[0].Raw); sent+"\n" != shown {
		t.Errorf("sent\n%s\nshown\n%s", sent, shown)
	}
	if out, _ := b.run(app.ExitFound, "trace", "list", "--json"); strings.Count(out, "\n") != 1 {
		t.Errorf("runs: %q", out)
	}
}

// Showing a request needs neither a key nor a price, and runs no command for the
// key.
func TestShowRequestNeedsNoKey(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	for key, value := range map[string]string{
		"agent.model": "nobody-knows-1", "agent.baseUrl": "https://models.example/v1", "agent.maxCost": "1",
		"agent.apiKeyCommand": "echo no key yet >&2; exit 3",
	} {
		b.git("config", "--global", key, value)
	}
	if out, _ := b.run(app.ExitFound, "szz", "--show-request", "-q"); !strings.Contains(out, `"model":"nobody-knows-1"`) {
		t.Errorf("shown %q", out)
	}
	b.git("commit", "-q", "--amend", "--no-verify", "--no-gpg-sign", "-m", "count from one\n\nFixes: "+b.bug[:12]+" (\"a: count from two\")")
	_, errs := b.run(app.ExitFatal, "szz", "--show-request")
	if !strings.Contains(errs, "its message names its culprit\n") || !strings.Contains(errs, "hint: --no-annotations") {
		t.Errorf("a message that names the culprit: %q", errs)
	}
}

// A run interrupted by its server is continued; the replacement for its answer in
// the meantime is marked and not stored.
func TestSzzGoesOnAfterItsServer(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	b.setenv("GIT_AGENT_API_KEY", "wrong")
	down := true
	server := b.serve(func(req modeltest.Request) modeltest.Reply {
		switch {
		case req.Turn() == 0:
			return modeltest.Call("git_show", `{"commit":"HEAD~2"}`)
		case down:
			return modeltest.Status(http.StatusUnauthorized, `{"error":{"message":"no such key"}}`)
		}
		return reports(b.bug)
	})
	_, errs := b.run(app.ExitModel, "szz")
	if !strings.Contains(errs, "hint: check the key for 127.0.0.1") {
		t.Errorf("stderr %q", errs)
	}
	down = false
	_, errs = b.run(app.ExitFound, "szz")
	if !strings.Contains(errs, "resuming run ") {
		t.Errorf("stderr %q", errs)
	}
	turns := []int{}
	for _, req := range server.Requests() {
		turns = append(turns, req.Turn())
	}
	if !slices.Equal(turns, []int{0, 1, 1}) {
		t.Errorf("turns asked for: %v", turns)
	}
}

// Voting runs are concurrent, each recorded as a separate run, and all shown
// lines name their run.
func TestSzzVotes(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	var mu sync.Mutex
	asked := 0
	all := make(chan struct{}) // closed when all three have asked their second question
	b.serve(func(req modeltest.Request) modeltest.Reply {
		if req.Turn() == 0 {
			return modeltest.Call("git_show", `{"commit":"HEAD~2"}`)
		}
		mu.Lock()
		if asked++; asked == 3 {
			close(all)
		}
		mu.Unlock()
		<-all
		return reports(b.bug)
	})
	out, errs := b.run(app.ExitFound, "szz", "--json", "--runs=3", "--progress")
	var ans render.AnswerJSON
	if err := json.Unmarshal([]byte(out), &ans); err != nil {
		t.Fatal(err)
	}
	traces := map[string]bool{}
	for _, run := range ans.Agent.Runs {
		traces[string(run.Trace)] = true
	}
	if len(traces) != 3 || ans.Agent.Agreement != 1 || ans.Agent.Turns != 6 || string(ans.Suspects[0].Commit) != b.bug {
		t.Errorf("answer %s", out)
	}
	for _, want := range []string{"run 1, turn 1: git_show", "run 2, turn 2: report", "run 3, turn 2: "} {
		if !strings.Contains(errs, want) {
			t.Errorf("no %q in %s", want, errs)
		}
	}
	if list, _ := b.run(app.ExitFound, "trace", "list", "--json"); strings.Count(list, "\n") != 3 {
		t.Errorf("runs: %q", list)
	}
	if one, _ := b.run(app.ExitFound, "szz", "--json"); strings.Contains(one, `"agreement"`) {
		t.Errorf("a lone run agrees with itself: %s", one)
	}
}

// After a useless reply of a model, the offline answer is given, marked in every
// form, and the model is asked again the next time.
func TestSzzFallsBack(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	server := b.serve(always(modeltest.Call("report", `{"commits":[]}`)))
	out, _ := b.run(app.ExitFound, "szz", "--json", "--turns=3")
	var ans render.AnswerJSON
	if err := json.Unmarshal([]byte(out), &ans); err != nil {
		t.Fatal(err)
	}
	if ans.Agent == nil || ans.Agent.Fallback == "" || len(ans.Suspects) == 0 || ans.Suspects[0].Type != "" {
		t.Errorf("answer %s", out)
	}
	n := len(server.Requests())
	human, _ := b.run(app.ExitFound, "szz", "--turns=3")
	if strings.Count(human, "the answer is the offline engine's: ") != 1 || !strings.Contains(human, "considered, offline engine") || len(server.Requests()) == n {
		t.Errorf("%d requests, and\n%s", len(server.Requests())-n, human)
	}
	trailer, errs := b.run(app.ExitFound, "szz", "--turns=3", "--trailer")
	if strings.Count(trailer, "\n") != 1 || !strings.Contains(errs, ": the answer is the offline engine's: ") {
		t.Errorf("trailer %q, and on standard error\n%s", trailer, errs)
	}
}

// A spent budget ends the command with a hint to continue; earlier answers stay.
func TestSzzStopsAtItsBudget(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	b.git("config", "--global", "agent.price", "1/1")
	b.serve(always(reports(b.bug).Counting(90_000, 10_000))) // $0.10
	out, errs := b.run(app.ExitLimit, "szz", "--jobs=1", "--max-cost=0.11", "--format=%(fix:short) %(engine)", "HEAD", "HEAD~1")
	if lines := strings.Split(out, "\n"); !strings.HasSuffix(lines[0], " agent") {
		t.Errorf("stdout %q", out)
	}
	for _, want := range []string{"fatal: the budget of $0.11 has no room", "hint: raise the limit with --max-cost", "szz --skip=1"} {
		if !strings.Contains(errs, want) {
			t.Errorf("no %q in %q", want, errs)
		}
	}
}
