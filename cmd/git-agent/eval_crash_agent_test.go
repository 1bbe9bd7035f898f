package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"git-agent/agent/model/modeltest"
	"git-agent/cmd/git-agent/app"
)

// crashCases writes a case file with two crashes of the bench's repository.
func (b *agentBench) crashCases() (file, clones string) {
	b.t.Helper()
	clones = filepath.Join(b.home, "clones")
	b.shell("mkdir -p clones/o && cp -r r clones/o/r")
	text := ""
	for id, fixed := range map[string]string{"one": "main.c", "two": "a.c"} {
		line, err := json.Marshal(map[string]any{"id": id, "repo": "o/r", "crash_commit": b.git("rev-parse", "HEAD"), "report": crashReport, "fix_files": []string{fixed},
			"intro_commits": []string{b.git("rev-parse", "HEAD")}, "type": "segv", "source": "issue", "ecosystem": "native"})
		if err != nil {
			b.t.Fatal(err)
		}
		text += string(line) + "\n"
	}
	file = filepath.Join(b.home, "crashes.jsonl")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
	return file, clones
}

func (b *agentBench) evalCrash(want int, args ...string) (r evalReport, stderr string) {
	b.t.Helper()
	out, errs := b.run(want, append([]string{"eval", "crash", "--json"}, args...)...)
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		b.t.Fatalf("%v in %s", err, out)
	}
	return r, errs
}

// A model is measured beside the offline ranking, each case once; --ablation adds the
// method without each of its parts.
func TestEvalCrashMeasuresAModel(t *testing.T) {
	t.Parallel()
	b, _ := newCrashBench(t)
	file, clones := b.crashCases()
	server := b.serve(looksFirst)
	r, _ := b.evalCrash(app.ExitFound, file, "--repos="+clones, "--algorithm=agent,rank", "--run=x")
	if len(r.Algorithms) != 2 || r.Algorithms[0].Name != "agent" || r.Algorithms[0].Effort == nil || r.Algorithms[1].Effort != nil {
		t.Fatalf("report %+v", r)
	}
	if e := r.Algorithms[0].Effort; e.Cases != 2 || e.Turns.Total != 12 || len(e.Tools) != 2 {
		t.Errorf("effort %+v", e)
	}
	n := len(server.Requests())
	if r, _ = b.evalCrash(app.ExitFound, file, "--repos="+clones, "--algorithm=agent,rank", "--run=x"); len(server.Requests()) != n || r.Algorithms[0].Effort.Cases != 2 {
		t.Errorf("%d more requests, %+v", len(server.Requests())-n, r)
	}
	r, _ = b.evalCrash(app.ExitFound, file, "--repos="+clones, "--ablation", "--runs=1", "--run=y")
	var names []string
	for _, a := range r.Algorithms {
		names = append(names, a.Name)
	}
	if got := strings.Join(names, " "); got != "agent agent-no-tools agent-no-ranking agent-no-code agent-no-changes agent-no-definitions agent-no-raw agent-no-history" {
		t.Errorf("%s", got)
	}
	for heading, want := range map[string]int{"# Files by a ranking": 4, "# Code around": 4, "# Latest changes": 6} { // of two cases, in these arms and without tools
		without := 0
		for _, req := range server.Requests()[n:] {
			if req.Turn() == 0 && !strings.Contains(req.Messages[1].Text, heading) {
				without++
			}
		}
		if without != want {
			t.Errorf("%d first requests without %q, want %d", without, heading, want)
		}
	}
	if list, _ := b.run(app.ExitFound, "trace", "list", "--kind=crash/agent"); strings.Count(list, "\n") != 6+16 || !strings.Contains(list, "one -> main.c") {
		t.Errorf("list\n%s", list)
	}
	if out, _ := b.run(app.ExitFound, "trace", "replay", "--all", "--repos="+clones); strings.Count(out, "equal: ") != 22 {
		t.Errorf("replay\n%s", out)
	}
}

// The report has the tables of single runs, made without new requests, and lists fruitless calls
// with the reasons.
func TestEvalCrashTables(t *testing.T) {
	t.Parallel()
	b, _ := newCrashBench(t)
	file, clones := b.crashCases()
	server := b.serve(func(req modeltest.Request) modeltest.Reply {
		switch req.Turn() {
		case 0:
			return modeltest.Call("get_nearby_code", `{"path":"nowhere.c","line":3}`).And("get_nearby_code", `{"path":"main.c","line":3}`).
				And("get_term_definition", `{"symbol":"not_there"}`).And("git_show", `{"commit":"0123456789"}`).
				And("git_grep", `{"pattern":7,"pages":1}`).And("no_tool", `{}`)
		}
		return blames("main.c")
	})
	args := []string{"eval", "crash", file, "--repos=" + clones, "--algorithm=agent", "--runs=3", "--run=x"}
	out, _ := b.run(app.ExitFound, args...)
	n := len(server.Requests())
	for _, want := range []string{
		"files named by so many runs", "means over all subsets of the 3 runs of each of 2 cases", "confidence of the vote", "files of the fix, by single runs",
		"get_nearby_code", "no such file", "found nothing", "no such commit", "bad arguments", "no such tool",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	again, _ := b.run(app.ExitFound, "eval", "crash", "--run=x")
	if _, tables, _ := strings.Cut(out, "files named by"); len(server.Requests()) != n || !strings.Contains(again, tables[:strings.Index(tables, "\n\n")]) {
		t.Errorf("a stored run has\n%s", again)
	}
	if r, _ := b.evalCrash(app.ExitFound, "--run=x"); len(r.Algorithms) != 1 || len(r.Algorithms[0].Effort.Faults) != 5 || r.Algorithms[0].Effort.Faults[0].Calls != 6 {
		t.Errorf("%+v", r.Algorithms[0].Effort)
	}
}

// A case whose server refuses all requests is continued later; the rest of a failed run is no
// answer.
func TestEvalCrashTriesAgain(t *testing.T) {
	t.Parallel()
	b, _ := newCrashBench(t)
	file, clones := b.crashCases()
	var status atomic.Int32
	status.Store(http.StatusUnauthorized)
	server := b.serve(func(req modeltest.Request) modeltest.Reply {
		if req.Turn() > 0 && status.Load() != 0 {
			return modeltest.Status(int(status.Load()), `{"error":{"message":"no"}}`)
		}
		return looksFirst(req)
	})
	args := []string{file, "--repos=" + clones, "--engine=agent", "--runs=1", "--run=x", "--jobs=1"}
	out, errs := b.run(app.ExitModel, append([]string{"eval", "crash"}, args...)...)
	if !strings.Contains(errs, "stopped: 2 of 2 cases are not done") || strings.Contains(out, "failed, counted") {
		t.Errorf("stderr %q, stdout\n%s", errs, out)
	}
	status.Store(0)
	before := len(server.Requests())
	r, _ := b.evalCrash(app.ExitFound, args...)
	if r.Unfinished != 0 || len(r.Failed) != 0 || r.Algorithms[0].Overall.Cases != 2 || server.Requests()[before].Turn() == 0 {
		t.Errorf("report %+v", r)
	}
}

// Options for a model without a model, and the reverse, are errors.
func TestEvalCrashOptions(t *testing.T) {
	t.Parallel()
	b, _ := newCrashBench(t)
	file, clones := b.crashCases()
	for _, test := range []struct {
		code int
		args string
		want string
	}{
		{app.ExitUsage, "--engine=offline --algorithm=agent", "--engine=offline asks no model"},
		{app.ExitUsage, "--algorithm=rank --runs=2", "no algorithm asks a model"},
		{app.ExitUsage, "--algorithm=agent-no-hope", "agent-no-hope"},
		{app.ExitFatal, "--engine=agent", "no model is configured"},
	} {
		args := append([]string{"eval", "crash", file, "--repos=" + clones}, strings.Fields(test.args)...)
		if _, errs := b.run(test.code, args...); !strings.Contains(errs, test.want) {
			t.Errorf("%s: %q", test.args, errs)
		}
	}
}
