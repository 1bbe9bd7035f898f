package investigate

import (
	"context"
	"fmt"
	"sync/atomic"

	"git-agent/agent"
	"git-agent/agent/suspect"
	"git-agent/gitext"
	"git-agent/prompts"
)

// TestName is the name of the tool that runs the test of the fix.
const TestName = "test"

// maxTests bounds the calls of the tool in one run, because each may run a command twice.
const maxTests = 4

type testParams struct {
	Commit string `json:"commit"`
}

// newTestTool makes the tool that runs the test of the fix at commits of the investigation's
// scope. A nil d makes the tool only for its spec.
func newTestTool(d *investigation) (agent.Tool, error) {
	text, err := prompts.Get("szz/test")
	if err != nil {
		return nil, err
	}
	var calls atomic.Int32 // a turn may call the tool several times at once
	return agent.NewTypedTool(agent.Spec{Name: TestName, Deed: agent.DeedTest}, text.Tool(), 0, testParams{},
		func(ctx context.Context, p testParams) (agent.Result, error) {
			if calls.Add(1) > maxTests {
				return agent.Result{}, &agent.CallError{Tool: TestName, Text: fmt.Sprintf("%d calls are allowed, and were made", maxTests)}
			}
			return d.test(ctx, p.Commit)
		})
}

// test runs the test of the fix at a commit.
func (d *investigation) test(ctx context.Context, name string) (agent.Result, error) {
	oid, err := d.scope.Resolve(ctx, d.repo, TestName, name)
	if err != nil {
		return agent.Result{}, err
	}
	commit, err := d.repo.Commit(ctx, oid)
	if err != nil {
		return agent.Result{}, err
	}
	said, err := d.opt.Test(ctx, commit)
	return agent.Result{Text: said}, err
}

// TestText says in a line what the test says about a commit.
func TestText(commit gitext.Commit, found suspect.Confirmation) string {
	conclusion := map[string]string{
		suspect.Confirmed: "it introduced the failure",
		suspect.Refuted:   "it did not introduce the failure",
		suspect.Unclear:   "the test cannot tell",
	}
	return fmt.Sprintf("%s: %s. So %s.\n", commit.OID.Short(), agent.CleanLine(found.Detail), conclusion[found.Status])
}
