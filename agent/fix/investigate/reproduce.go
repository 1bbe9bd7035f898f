package investigate

import (
	"context"
	"encoding/json"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/session"
	"git-agent/gitext"
	"git-agent/prompts"
)

// Written is the result of writing a test.
type Written struct {
	Test *fix.OwnTest // nil if the model wrote no failing test
	Run  fix.Run
}

// WriteTest lets the model write a test that fails because of the reported bug. The test failed
// in the model's work tree; the caller has to run it in a clean one. Failures of the model and
// its server are in the result. The conversation is recorded as run 0.
func WriteTest(ctx context.Context, repo *gitext.Repo, in Input, opt Options) (*Written, error) {
	w := &work{repo: repo, in: in, opt: opt.WithDefaults()}
	if err := w.prepare(ctx); err != nil {
		return nil, err
	}
	var kinds []fix.Heuristic
	if opt.Method.ShowsHistory() {
		kinds = []fix.Heuristic{fix.FlDiff}
	}
	space, box, err := w.open(ctx, len(kinds) == 0)
	if err != nil {
		return nil, err
	}
	defer space.Close()
	defer box.Close()
	loop, err := w.emptyLoop(0, "reproduce_end")
	if err != nil {
		return nil, err
	}
	writing, err := box.Writing()
	if err != nil {
		return nil, err
	}
	loop.Tools, loop.OnEvent = append(box.Reading(), writing...), w.opt.OnEvent
	text, err := prompts.Get("fix/reproduce")
	if err != nil {
		return nil, err
	}
	if loop.System, err = text.Render(map[string]any{"Turns": w.opt.Limits.Turns}); err != nil {
		return nil, err
	}
	if loop.Prompt, err = w.casePrompt(ctx, caseParts{kinds: kinds, writing: true}); err != nil {
		return nil, err
	}
	out, _, err := session.Converse(ctx, loop)
	if err != nil {
		return nil, err
	}
	written := writtenOf(out, box.Written(), box.Objections())
	written.Run.History = kinds
	return written, nil
}

// writtenOf returns the result of a conversation. A failing test counts even if the
// conversation ended before the model's final statement.
func writtenOf(out agent.Outcome, test *fix.OwnTest, objections int) *Written {
	r := &Written{Test: test, Run: fix.Run{RunReport: out.Report(objections), Phase: fix.PhaseTest}}
	data, ok := out.Final.Value.(json.RawMessage)
	switch {
	case !ok || json.Unmarshal(data, &r.Run.Claim) != nil:
		r.Run.Claim = fix.Claim{Explanation: textOf(out)}
	case !r.Run.Claim.Success:
		r.Test = nil // the model itself says that the test does not show the bug
	}
	if r.Test != nil {
		r.Test.Why = agent.Abridge(agent.Clean(r.Run.Claim.Explanation), 2000)
		r.Run.Status, r.Run.Claim.Success = agent.StatusFound, true
	}
	return r
}
