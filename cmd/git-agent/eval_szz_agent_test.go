package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"git-agent/agent/model/modeltest"
	"git-agent/cmd/git-agent/app"
)

// cases writes a case file over the bench's repository: its HEAD, and its
// HEAD~1 as another case.
func (b *agentBench) cases() (file, clones string) {
	b.t.Helper()
	clones = filepath.Join(b.home, "clones")
	b.shell("mkdir -p clones/o && cp -r r clones/o/r")
	line := func(id, fix, bic string) string {
		return fmt.Sprintf(`{"id":%q,"repo":"o/r","fix":%q,"bics":[%q]}`+"\n", id, fix, bic)
	}
	text := line("one", b.git("rev-parse", "HEAD"), b.bug) + line("two", b.innocent, b.git("rev-parse", "HEAD~3"))
	file = filepath.Join(b.home, "cases.jsonl")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
	return file, clones
}

// evalReport is the part of a report that the tests below look at.
type evalReport struct {
	Unfinished int
	Failed     []struct{ ID string }
	Algorithms []struct {
		Name    string
		Overall struct{ Cases, Right, Failed int }
		Effort  *struct {
			Cases  int
			Turns  struct{ Total float64 }
			Kept   struct{ Total float64 } `json:"calls_kept"`
			Tools  []struct{ Name string }
			Faults []struct {
				Tool, Fault string
				Calls, Of   int
			}
		}
	}
}

func (b *agentBench) eval(want int, args ...string) (r evalReport, stderr string) {
	b.t.Helper()
	out, errs := b.run(want, append([]string{"eval", "szz", "--json"}, args...)...)
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		b.t.Fatal(err)
	}
	return r, errs
}

// A model is measured beside the other algorithms, each case once.
func TestEvalMeasuresAModel(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	file, clones := b.cases()
	server := b.serve(func(req modeltest.Request) modeltest.Reply {
		if req.Turn() == 0 {
			return modeltest.Call("git_blame", `{"path":"a.c"}`)
		}
		return reports("HEAD")
	})
	r, _ := b.eval(app.ExitFound, file, "--repos="+clones, "--algorithm=agent,r", "--run=x")
	if len(r.Algorithms) != 2 || r.Algorithms[0].Name != "agent" || r.Algorithms[0].Effort == nil || r.Algorithms[1].Effort != nil {
		t.Fatalf("report %+v", r)
	}
	if e := r.Algorithms[0].Effort; e.Cases != 2 || e.Turns.Total < 4 || len(e.Tools) != 2 {
		t.Errorf("effort %+v", e)
	}
	n := len(server.Requests())
	r, _ = b.eval(app.ExitFound, file, "--repos="+clones, "--algorithm=agent,r", "--run=x")
	if len(server.Requests()) != n || r.Algorithms[0].Effort.Cases != 2 {
		t.Errorf("%d more requests, %+v", len(server.Requests())-n, r)
	}
	r, _ = b.eval(app.ExitFound, file, "--repos="+clones, "--algorithm=agent", "--run=y", "--runs=2")
	if e := r.Algorithms[0].Effort; len(server.Requests()) < n+8 || e.Kept.Total != 4 {
		t.Errorf("%d more requests, effort %+v; the tools of both runs of both cases have been asked before", len(server.Requests())-n, e)
	}
	n = len(server.Requests())
	r, _ = b.eval(app.ExitFound, file, "--repos="+clones, "--ablation", "--run=x")
	if len(r.Algorithms) != 4 || len(server.Requests()) <= n {
		t.Errorf("ablation: %+v", r)
	}
	bare := 0 // requests without the git tools
	for _, req := range server.Requests()[n:] {
		if len(req.Tools) == 1 {
			bare++
		}
	}
	if bare == 0 {
		t.Error("no request goes without tools")
	}
}

// A case whose server fails is continued later, and a refused key stops the run;
// neither counts as an answer.
func TestEvalTriesFailedCasesAgain(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	file, clones := b.cases()
	var status atomic.Int32
	server := b.serve(func(req modeltest.Request) modeltest.Reply {
		switch {
		case req.Turn() == 0:
			return modeltest.Call("git_blame", `{"path":"a.c"}`)
		case status.Load() != 0:
			return modeltest.Status(int(status.Load()), `{"error":{"message":"no"}}`)
		}
		return reports("HEAD")
	})
	status.Store(http.StatusUnauthorized)
	out, errs := b.run(app.ExitModel, "eval", "szz", file, "--repos="+clones, "--engine=agent", "--run=x", "--jobs=1")
	if !strings.Contains(errs, "stopped: 2 of 2 cases are not done") || strings.Contains(out, "failed, counted") {
		t.Errorf("stderr %q, stdout\n%s", errs, out)
	}
	status.Store(0)
	before := len(server.Requests())
	r, _ := b.eval(app.ExitFound, file, "--repos="+clones, "--engine=agent", "--run=x", "--jobs=1")
	if r.Unfinished != 0 || len(r.Failed) != 0 || r.Algorithms[0].Overall.Cases != 2 {
		t.Errorf("report %+v", r)
	}
	if first := server.Requests()[before]; first.Turn() == 0 {
		t.Error("the interrupted conversation begins anew")
	}
}
