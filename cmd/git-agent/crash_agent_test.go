package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/agent/model/modeltest"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/render"
)

// crashReport is a report of a file of an agentBench.
const crashReport = `Program received signal SIGSEGV, Segmentation fault.
#0  0x01 in count (p=0x0) at a.c:2
#1  0x02 in main () at main.c:3
`

// newCrashBench is an agentBench with a report beside it, whose name it returns. Its
// model names main.c, which the offline engine has second.
func newCrashBench(t *testing.T, env ...string) (b *agentBench, report string) {
	t.Helper()
	b = newAgentBench(t, env...)
	b.shell(`cd r; printf 'int main(void)\n{\n\treturn count(0);\n}\n' >main.c; git add -A; git commit -q --no-verify --no-gpg-sign -m 'main: count'`)
	report = filepath.Join(b.home, "report.txt")
	if err := os.WriteFile(report, []byte(crashReport), 0o644); err != nil {
		t.Fatal(err)
	}
	return b, report
}

// blames is a reply that reports a file.
func blames(path string) modeltest.Reply {
	return modeltest.Call("report", `{"explanation":"It passes a null pointer.","files":[{"path":"`+path+`","reason":"It calls count with 0."}],"commits":[{"commit":"HEAD","why":"It wrote the call."}]}`)
}

// looksFirst reads some code before it reports main.c.
func looksFirst(req modeltest.Request) modeltest.Reply {
	if req.Turn() == 0 {
		return modeltest.Call("get_nearby_code", `{"path":"main.c","line":3}`)
	}
	return blames("main.c")
}

func crashAnswer(t *testing.T, out string) (ans render.CrashAnswerJSON) {
	t.Helper()
	if err := json.Unmarshal([]byte(out), &ans); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return ans
}

// A configured model answers, in all forms, and its answer is stored.
func TestCrashAsksTheModel(t *testing.T) {
	t.Parallel()
	b, report := newCrashBench(t)
	server := b.serve(looksFirst)
	out, errs := b.run(app.ExitFound, "crash", "--json", report)
	ans := crashAnswer(t, out)
	if ans.Engine != "agent" || ans.Algorithm != "agent" || ans.Files[0].Path != "main.c" || ans.Files[0].Vote == nil || ans.Files[0].Vote.Of != 3 || len(ans.Suspects) == 0 || string(ans.Suspects[0].Commit) != b.git("rev-parse", "HEAD") {
		t.Errorf("answer %s", out)
	}
	if a := ans.Agent; a == nil || a.Model != "m1" || len(a.Runs) != 3 || a.Turns != 6 || a.Calls != 6 || a.Confidence != 1 || a.Fallback != "" || a.Explanation != "It passes a null pointer." || a.Runs[2].Trace == "" {
		t.Errorf("agent %s", out)
	}
	if !strings.HasPrefix(errs, "engine: agent, m1 at 127.0.0.1:") {
		t.Errorf("stderr %q", errs)
	}
	asked := len(server.Requests())
	human, _ := b.run(app.ExitFound, "crash", report)
	verbose, _ := b.run(app.ExitFound, "crash", "-v", report)
	if len(server.Requests()) != asked {
		t.Error("a kept answer was asked for again")
	}
	for _, want := range []string{
		"chain of events, as the model tells it\n    It passes a null pointer.\n", "3 of 3 investigations name it", "It calls count with 0.", "3 of 3 investigations name",
		"agent: 2 of 2 frames in this repository, agent engine\n", "m1: 6 turns, 6 tool calls in 3 runs, ", "  git agent trace show " + ans.Agent.Runs[0].Trace + "\n",
	} {
		if !strings.Contains(human, want) || !strings.Contains(verbose, want) {
			t.Errorf("no %q in\n%s\nor in\n%s", want, human, verbose)
		}
	}
	b.run(app.ExitFound, "crash", "--no-cache", "--runs=1", report)
	if n := len(server.Requests()) - asked; n != 2 {
		t.Errorf("%d requests for one run", n)
	}
	format, _ := b.run(app.ExitFound, "crash", "-n1", "--format=%(rank) %(path) %(algorithm)", report)
	if format != "1 main.c agent\n" {
		t.Errorf("format %q", format)
	}
	if out, _ := b.run(app.ExitFound, "crash", "--sarif", report); !strings.Contains(out, "main.c") {
		t.Errorf("SARIF %s", out)
	}
}

// --show-request prints what is then sent, sends nothing, and needs a model.
func TestCrashShowsTheRequest(t *testing.T) {
	t.Parallel()
	b, report := newCrashBench(t)
	_, errs := b.run(app.ExitFatal, "crash", "--show-request", report)
	if !strings.Contains(errs, "fatal: no model is configured\nhint: git config --global agent.model <name>") {
		t.Errorf("stderr %q", errs)
	}
	server := b.serve(looksFirst)
	shown, _ := b.run(app.ExitFound, "crash", "--show-request", "-q", report)
	if n := len(server.Requests()); n > 0 {
		t.Fatalf("%d requests", n)
	}
	b.run(app.ExitFound, "crash", "--runs=1", report)
	if sent := string(server.Requests()[0].Raw); sent+"\n" != shown {
		t.Errorf("sent\n%s\nshown\n%s", sent, shown)
	}
}

// Options for a model without a model, or with another engine, are errors with advice.
func TestCrashWithoutAModel(t *testing.T) {
	t.Parallel()
	b, report := newCrashBench(t)
	plain, errs := b.run(app.ExitFound, "crash", report)
	if errs != "" || !strings.Contains(plain, "offline engine\n") {
		t.Errorf("%q and\n%s", errs, plain)
	}
	for _, test := range []struct {
		code int
		args []string
		want string
	}{
		{app.ExitFatal, []string{"--engine=agent"}, "fatal: no model is configured"},
		{app.ExitUsage, []string{"--engine=offline", "--runs=3"}, "error: --engine=offline asks no model"},
		{app.ExitUsage, []string{"--engine=offline", "--runs=2"}, "error: --engine=offline asks no model"},
		{app.ExitUsage, []string{"--engine=agent", "--algorithm=rank"}, "error: --engine=agent does not go with --algorithm=rank"},
		{app.ExitUsage, []string{"--group", "--show-request"}, "--show-request"},
		{app.ExitUsage, []string{"--runs=0"}, "--runs"},
	} {
		if out, errs := b.run(test.code, append(append([]string{"crash"}, test.args...), report)...); out != "" || !strings.Contains(errs, test.want) {
			t.Errorf("%q: %q, %q", test.args, out, errs)
		}
	}
	b.serve(looksFirst)
	if again, errs := b.run(app.ExitFound, "crash", "--engine=offline", report); again != plain || errs != "" {
		t.Errorf("--engine=offline: %q on stderr, and\n%s", errs, again)
	}
}

// A model that names nothing leaves the offline ranking, marked in every form. With
// --engine=agent, the exit status shows this.
func TestCrashFallsBack(t *testing.T) {
	t.Parallel()
	b, report := newCrashBench(t)
	server := b.serve(always(modeltest.Call("report", `{"explanation":"","files":[],"commits":[]}`)))
	out, _ := b.run(app.ExitFound, "crash", "--json", "--runs=1", "--suspects=1", report)
	ans := crashAnswer(t, out)
	if ans.Agent == nil || ans.Agent.Fallback != "the model named no file" || ans.Engine != "offline" || ans.Algorithm != "rank" || ans.Files[0].Path != "a.c" || len(ans.Suspects) > 1 {
		t.Errorf("answer %s", out)
	}
	n := len(server.Requests())
	human, _ := b.run(app.ExitFound, "crash", "--runs=1", report)
	if strings.Count(human, "note: the ranking is the offline engine's: the model named no file") != 1 || !strings.Contains(human, "frames in this repository, offline engine") || len(server.Requests()) == n {
		t.Errorf("%d requests, and\n%s", len(server.Requests())-n, human)
	}
	b.serve(always(modeltest.Status(http.StatusBadRequest, `{"error":{"message":"not now"}}`)))
	if human, _ := b.run(app.ExitModel, "crash", "--engine=agent", "--runs=1", report); !strings.Contains(human, "not now") || !strings.Contains(human, "a.c") {
		t.Errorf("%s", human)
	}
	b.serve(always(modeltest.Status(http.StatusUnauthorized, `{"error":{"message":"no such key"}}`)))
	if out, errs := b.run(app.ExitModel, "crash", report); out != "" || !strings.Contains(errs, "hint: ") {
		t.Errorf("%q, %q", out, errs)
	}
}

// A spent budget ends a batch; earlier answers stay.
func TestCrashStopsAtItsBudget(t *testing.T) {
	t.Parallel()
	b, report := newCrashBench(t)
	b.git("config", "--global", "agent.price", "1/1")
	other := filepath.Join(b.home, "other.txt")
	if err := os.WriteFile(other, []byte(strings.Replace(crashReport, "a.c:2", "a.c:1", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	b.serve(always(blames("main.c").Counting(90_000, 10_000))) // $0.10
	out, errs := b.run(app.ExitLimit, "crash", "--runs=1", "--max-cost=0.11", "-n1", "--format=%(path) %(algorithm)", report, other)
	if !strings.HasPrefix(out, "main.c agent\n") || !strings.Contains(errs, ": the budget of $0.11 has no room") {
		t.Errorf("%q, %q", out, errs)
	}
}

// Events describe the report, the runs and the answer.
func TestCrashEvents(t *testing.T) {
	t.Parallel()
	b, report := newCrashBench(t)
	b.serve(looksFirst)
	file := filepath.Join(b.home, "events.jsonl")
	b.run(app.ExitFound, "crash", "--runs=2", "--events="+file, report)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for line := range strings.Lines(string(text)) {
		var e struct {
			Event  string
			Report string
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		kinds[e.Event]++
	}
	if kinds["answer"] != 1 || len(kinds) < 4 || !strings.Contains(string(text), `"report":"`+report+`"`) || !strings.Contains(string(text), "It passes a null pointer.") {
		t.Errorf("%v in\n%s", kinds, text)
	}
}

// Groups are ranked by the model, each once.
func TestCrashGroupAsksTheModel(t *testing.T) {
	t.Parallel()
	b, report := newCrashBench(t)
	server := b.serve(always(blames("main.c")))
	same := filepath.Join(b.home, "same.txt")
	if err := os.WriteFile(same, []byte(strings.Replace(crashReport, "0x01", "0x07", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	out, _ := b.run(app.ExitFound, "crash", "--group", "--runs=1", report, same)
	if n := len(server.Requests()); n != 1 || !strings.Contains(out, "main.c") {
		t.Errorf("%d requests, and\n%s", n, out)
	}
}

// Recorded runs are listed and shown with their subject, replayed exactly, and resumed with the
// answer of the verb.
func TestCrashTraces(t *testing.T) {
	t.Parallel()
	b, report := newCrashBench(t)
	b.setenv("GIT_AGENT_API_KEY", "wrong")
	down := true
	server := b.serve(func(req modeltest.Request) modeltest.Reply {
		if req.Turn() > 0 && down {
			return modeltest.Status(http.StatusUnauthorized, `{"error":{"message":"no such key"}}`)
		}
		return looksFirst(req)
	})
	_, errs := b.run(app.ExitModel, "crash", "--runs=1", "--turns=7", report)
	if !strings.Contains(errs, "hint: check the key for 127.0.0.1") {
		t.Errorf("stderr %q", errs)
	}
	head := b.git("rev-parse", "HEAD")[:12]
	list, _ := b.run(app.ExitFound, "trace", "list", "--state=interrupted", "--kind=crash/agent")
	if !strings.Contains(list, "crash at "+head+" SIGSEGV in count  (the model server failed") || !strings.Contains(list, "1 turn") {
		t.Errorf("list\n%s", list)
	}
	down = false
	out, errs := b.run(app.ExitFound, "trace", "resume", "--json")
	if ans := crashAnswer(t, out); ans.Files[0].Path != "main.c" || ans.Agent == nil || !strings.Contains(errs, "resuming run ") || len(server.Requests()) != 3 {
		t.Errorf("%d requests, %q, answer %s", len(server.Requests()), errs, out)
	}
	list, _ = b.run(app.ExitFound, "trace", "list")
	if !strings.Contains(list, "found") || !strings.Contains(list, "-> main.c") {
		t.Errorf("list\n%s", list)
	}
	row, _ := b.run(app.ExitFound, "trace", "list", "--json")
	if !strings.Contains(row, `"commit":"`+head) || !strings.Contains(row, `"files":["main.c"]`) || !strings.Contains(row, `"crash":"SIGSEGV in count"`) {
		t.Errorf("list --json %s", row)
	}
	shown, _ := b.run(app.ExitFound, "trace", "show")
	for _, want := range []string{"crash at " + head + "  SIGSEGV in count\n", "crash/agent, m1, ", "turns=7", "asked 2 times: the run was resumed here", "main.c\n", "It calls count with 0.", "It passes a null pointer.", "end  found"} {
		if !strings.Contains(shown, want) {
			t.Errorf("no %q in\n%s", want, shown)
		}
	}
	if strings.Contains(shown, "  0%") {
		t.Errorf("a commit has a confidence:\n%s", shown)
	}
	if steps, _ := b.run(app.ExitFound, "trace", "show", "--json"); !strings.Contains(steps, `"commit":"`+head) {
		t.Errorf("show --json %.600s", steps)
	}
	if out, errs := b.run(app.ExitFound, "trace", "replay"); !strings.Contains(out, "equal: ") || !strings.Contains(out, "of 2 turns") {
		t.Errorf("replay %q, %q", out, errs)
	}
	if _, errs := b.run(app.ExitFatal, "trace", "replay", "--plain"); !strings.Contains(errs, "--plain is for runs of szz") {
		t.Errorf("replay --plain %q", errs)
	}
	exported, _ := b.run(app.ExitFound, "trace", "export")
	file := filepath.Join(b.home, "steps.jsonl")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(exported, "return count(0)", "return count(1)")), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _ := b.run(app.ExitNothing, "trace", "replay", file); !strings.Contains(out, "differs at ") {
		t.Errorf("replay of a changed record %q", out)
	}
	for _, form := range []string{"atif", "otel"} {
		b.run(app.ExitFound, "trace", "export", "--format="+form)
	}
	page := filepath.Join(b.home, "page.html")
	b.run(app.ExitFound, "trace", "show", "--html="+page)
	if text, err := os.ReadFile(page); err != nil || !strings.Contains(string(text), "SIGSEGV in count") {
		t.Errorf("%v, the page does not say what it is about", err)
	}
}

// Without recorded runs, the hint names the verbs that record runs.
func TestNothingIsRecorded(t *testing.T) {
	t.Parallel()
	b, _ := newCrashBench(t)
	for _, args := range [][]string{{"list"}, {"show"}, {"resume"}, {"replay", "--all"}} {
		want := app.ExitFatal
		if args[0] == "list" {
			want = app.ExitNothing
		}
		_, errs := b.run(want, append([]string{"trace"}, args...)...)
		if strings.Contains(errs, "git agent szz --engine") && !strings.Contains(errs, "git agent crash --engine=agent") {
			t.Errorf("%q: %q", args, errs)
		}
	}
}

// The sections of a dump are read from its file, also when the run is replayed. Text from the
// dump is escaped on a terminal.
func TestCrashOfADump(t *testing.T) {
	t.Parallel()
	b, _ := newCrashBench(t)
	dump := filepath.Join(b.home, "indexserver_h.30003.crashdump.20240506-070809.012345.trc")
	text := "[BUILD]  Build information: (2024-05-06 07:08:09 012 Local)\r\nVersion    : 2.00.059\r\nBranch     : \x1b[2Jfa\r\n[OK]\r\n--\r\n" +
		"[CRASH_STACK]  Stacktrace of crash: (2024-05-06 07:08:09 012 Local)\r\n----> Symbolic stack backtrace <----\r\n" +
		" 0: co\x1b[31munt(int) + 0x12\r\n       Source: a.c:2\r\n 1: main + 0x3\r\n       Source: main.c:3\r\n[OK]\r\n--\r\n" +
		"[THREADS]  Threads: (2024-05-06 07:08:09 012 Local)\r\nthe watchdog\r\n[OK]\r\n--\r\n"
	if err := os.WriteFile(dump, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	server := b.serve(func(req modeltest.Request) modeltest.Reply {
		if req.Turn() == 0 {
			return modeltest.Call("get_crash_section", `{"name":"THREADS"}`).And("get_crash_section", `{"name":"BUILD"}`).And("get_crash_stack", `{}`)
		}
		return modeltest.Call("report", `{"explanation":"It \u001b[2J fell.","files":[{"path":"main.c","reason":"a\u001b]0;x\u0007b"}],"commits":[{"commit":"HEAD","why":"\u202ew"}]}`)
	})
	var shown []string
	for _, args := range [][]string{{"crash", "--runs=1", dump}, {"crash", "--runs=1", "-v", dump}, {"crash", "--runs=1", "--json", dump}, {"trace", "list"}, {"trace", "show"}, {"trace", "show", "--json"}} {
		out, errs := b.run(app.ExitFound, args...)
		shown = append(shown, out, errs)
	}
	for _, s := range shown {
		if strings.ContainsAny(s, "\x1b\x07\r\u202e") {
			t.Errorf("%q", s)
		}
	}
	last := server.Requests()[1]
	told := ""
	for _, m := range last.Messages {
		told += m.Text
	}
	for _, want := range []string{"the watchdog\n", `Branch     : \x1b[2Jfa` + "\n", "Source: a.c:2\n"} {
		if !strings.Contains(told, want) {
			t.Errorf("no %q in %q", want, told)
		}
	}
	if out, _ := b.run(app.ExitFound, "trace", "replay"); !strings.Contains(out, "equal: ") {
		t.Errorf("%s", out)
	}
	if err := os.Remove(dump); err != nil {
		t.Fatal(err)
	}
	if out, _ := b.run(app.ExitNothing, "trace", "replay"); !strings.Contains(out, "the answer of get_crash_section") {
		t.Errorf("without the dump: %s", out)
	}
}
