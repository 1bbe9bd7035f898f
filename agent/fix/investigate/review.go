package investigate

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/fix/validate"
	"git-agent/agent/session"
	"git-agent/prompts"
)

// These bound a review.
const (
	maxReviewed = 5     // shown patches
	maxReview   = 16000 // characters of all patches
	reviewTurns = 3     // answers of the model
)

// preferTool ends a review with the number of a patch.
type preferTool struct {
	spec    agent.Spec
	args    agent.Args[preferArgs]
	patches int
}

type preferArgs struct {
	Patch  int    `json:"patch" arg:"required,min=1"`
	Reason string `json:"reason" arg:"required"`
}

var _ agent.Decider = (*preferTool)(nil)

func (t *preferTool) Spec() agent.Spec { return t.spec }

// Decides marks the tool as one whose result ends the conversation.
func (t *preferTool) Decides() {}

// Call ends the review.
func (t *preferTool) Call(_ context.Context, args json.RawMessage) (agent.Result, error) {
	var p preferArgs
	if err := t.args.Decode(t.spec.Name, args, &p); err != nil {
		return agent.Result{}, err
	}
	if p.Patch > t.patches {
		return agent.Result{}, &agent.CallError{Tool: t.spec.Name, Text: fmt.Sprintf("there are the patches 1 to %d", t.patches)}
	}
	return agent.Result{Text: "The review has ended.", Value: p, Final: true}, nil
}

// review lets the model choose among the plausible patches of a result, if there are several
// different ones. The chosen trial is marked. k is the number of the recorded run.
func (w *work) review(ctx context.Context, k int, res *Result) error {
	choices := plausible(validate.Best(ctx, w.repo, res.Trials, w.in.History))
	if len(choices) < 2 {
		return nil
	}
	choices = choices[:min(len(choices), maxReviewed)]
	loop, err := w.reviewLoop(ctx, k, choices)
	if err != nil {
		return err
	}
	loop.OnEvent = w.opt.OnEvent
	out, _, err := session.Converse(ctx, loop)
	if err != nil {
		return err
	}
	run := fix.Run{RunReport: out.Report(0), Phase: fix.PhaseReview}
	var p preferArgs
	if data, ok := out.Final.Value.(json.RawMessage); ok && json.Unmarshal(data, &p) == nil && p.Patch >= 1 && p.Patch <= len(choices) {
		reason := agent.Abridge(agent.CleanLine(p.Reason), 600)
		run.Claim.Explanation = reason
		prefer(res.Trials, choices[p.Patch-1], reason)
	}
	res.Report.Runs = append(res.Report.Runs, run)
	return nil
}

// plausible returns the trials that are plausible.
func plausible(trials []fix.Trial) (list []fix.Trial) {
	for _, t := range trials {
		if t.Verdict.Passes() {
			list = append(list, t)
		}
	}
	return list
}

// prefer marks a trial.
func prefer(trials []fix.Trial, chosen fix.Trial, reason string) {
	for i := range trials {
		if trials[i].Origin == chosen.Origin {
			trials[i].Preferred = reason
		}
	}
}

// reviewLoop prepares the conversation of a review.
func (w *work) reviewLoop(ctx context.Context, k int, choices []fix.Trial) (*agent.Loop, error) {
	loop, err := w.emptyLoop(k, "review_end")
	if err != nil {
		return nil, err
	}
	loop.Limits.Turns = min(loop.Limits.Turns, reviewTurns)
	tool := &preferTool{patches: len(choices)}
	if err := describe("prefer", agent.DeedAnswer, &tool.spec, &tool.args); err != nil {
		return nil, err
	}
	loop.Tools = []agent.Tool{tool}
	text, err := prompts.Get("fix/review")
	if err != nil {
		return nil, err
	}
	parts := caseParts{patches: patchesText(choices)}
	if w.opt.Method.ShowsHistory() {
		parts.kinds = []fix.Heuristic{fix.FlDiff}
	}
	if loop.System, err = text.Render(map[string]any{"History": len(parts.kinds) > 0}); err != nil {
		return nil, err
	}
	loop.Prompt, err = w.casePrompt(ctx, parts)
	return loop, err
}

// patchesText shows the patches of a review.
func patchesText(choices []fix.Trial) string {
	var b strings.Builder
	for i, t := range choices {
		fmt.Fprintf(&b, "## Patch %d (%s)\n", i+1, agent.Plural(max(t.Votes, 1), "trajectory"))
		if t.Why != "" {
			b.WriteString(agent.Abridge(agent.Clean(t.Why), 600) + "\n")
		}
		b.WriteString("\n" + agent.Abridge(agent.Clean(strings.TrimSpace(string(t.Patch.Diff))), maxReview/len(choices)) + "\n\n")
	}
	return strings.TrimRight(b.String(), "\n")
}
