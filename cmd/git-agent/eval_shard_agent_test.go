package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/agent/model/modeltest"
	"git-agent/cmd/git-agent/app"
)

// The answers of a model are dealt and joined, too, and a finished shard sends no request.
func TestEvalShardsOfAModel(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	file, clones := b.cases()
	server := b.serve(func(modeltest.Request) modeltest.Reply { return reports("HEAD") })
	journals := []string{filepath.Join(b.home, "1.jsonl"), filepath.Join(b.home, "2.jsonl")}
	shard := func(i int) {
		b.run(app.ExitFound, "eval", "szz", file, "--repos="+clones, "--algorithm=agent,r", "--shard="+string(rune('1'+i))+"/2", "--journal="+journals[i])
	}
	shard(0)
	shard(1)
	n := len(server.Requests())
	shard(1)
	if more := len(server.Requests()) - n; more > 0 {
		t.Errorf("a finished shard asks %d times", more)
	}
	out, _ := b.run(app.ExitFound, append([]string{"eval", "merge", "--json"}, journals...)...)
	var r evalReport
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if e := r.Algorithms[0].Effort; r.Algorithms[0].Overall.Cases != 2 || e == nil || e.Cases != 2 {
		t.Errorf("report %+v", r)
	}
	b.shell("git config --global agent.model other")
	if _, errs := b.run(app.ExitFatal, "eval", "szz", file, "--repos="+clones, "--algorithm=agent,r", "--shard=1/2", "--journal="+journals[0], "--turns=3"); !strings.Contains(errs, "the option setting of agent is ") {
		t.Errorf("another model: %s", errs)
	}
}
