package main

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"git-agent/agent/model/modeltest"
	"git-agent/cmd/git-agent/app"
)

// repairsSome repairs the bug in the trajectories with these numbers, from 0; the others damage
// another file.
func repairsSome(good ...int) func(modeltest.Request) modeltest.Reply {
	var mu sync.Mutex
	begun := 0
	return func(req modeltest.Request) modeltest.Reply {
		if req.Turn() > 0 {
			return modeltest.Call("finish", `{"status":"success","explanation":"Done."}`)
		}
		mu.Lock()
		defer mu.Unlock()
		begun++
		for _, k := range good {
			if k == begun-1 {
				return modeltest.Call("edit", fmt.Sprintf(`{"path":"add.c","old":"a - b;","new":"a + b; /* %d */"}`, k))
			}
		}
		return modeltest.Call("edit", `{"path":"f.c","new":"int other;\n"}`)
	}
}

// plausible@k is estimated from all trajectories of a case: two of four are right. The answer
// lists the right ones first.
func TestEvalFixEstimatesFromTrajectories(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	file, clones, _ := b.bugCases()
	b.serve(repairsSome(1, 3))
	args := []string{file, "--repos=" + clones, "--algorithm=agent-none", "--samples=4", "--run=x"}
	_, out, _ := b.evalFix(app.ExitFound, args...)
	for _, want := range []string{`{"name":"1","values":[{"value":0.5,"low":null,"high":null},{"value":1,`, `{"name":"2","values":[{"value":0.833`, `{"name":"3","values":[{"value":1,`,
		`"SL, plausible","values":[{"value":2,"low":null,"high":null},{"value":1,`, `"SL, not plausible","values":[{"value":2,"low":null,"high":null},{"value":0,"low":null,"high":null},{"value":2,"low":null,"high":null},{"value":1,`} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in %s", want, out)
		}
	}
	if again, _ := b.run(app.ExitFound, append([]string{"eval", "fix", "--sandbox=none"}, args...)...); !strings.Contains(again, "plausible@k") || !strings.Contains(again, "right file") {
		t.Errorf("no table in\n%s", again)
	}
	if _, out, _ := b.evalFix(app.ExitFound, file, "--repos="+clones, "--algorithm=agent", "--samples=2", "--run=y"); strings.Contains(out, `"of_trajectories"`) {
		t.Errorf("estimated under auto: %s", out)
	}
}
