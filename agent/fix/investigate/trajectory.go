package investigate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/fix/fixtool"
	"git-agent/agent/session"
	"git-agent/agent/trace"
	"git-agent/agent/trial"
	"git-agent/prompts"
)

// trajectory is one attempt of the model.
type trajectory struct {
	runs  []fix.Run  // the analysis, if there is one, and the repair
	trial *fix.Trial // nil if the model changed nothing
}

// last returns the newest run; the zero Run if there is none.
func (t trajectory) last() fix.Run {
	if len(t.runs) == 0 {
		return fix.Run{}
	}
	return t.runs[len(t.runs)-1]
}

// ending describes the end of a trajectory.
func (t trajectory) ending(endsAll bool) session.Ending {
	e := session.Ending{EndsAll: endsAll}
	for _, r := range t.runs {
		e.Answered = e.Answered || r.Turns > 0
		if r.Usage.CostUSD == nil {
			continue
		}
		sum := *r.Usage.CostUSD
		if e.CostUSD != nil {
			sum += *e.CostUSD
		}
		e.CostUSD = &sum
	}
	return e
}

// round makes trajectories at the same time, one for each list of histories. first is
// the number of the first one.
func (w *work) round(ctx context.Context, first int, kinds [][]fix.Heuristic) ([]trajectory, error) {
	return session.Ensemble[trajectory]{
		Size: len(kinds), Ledger: w.opt.Ledger, Noun: "trajectories", OnEvent: w.opt.OnEvent,
		Do: func(ctx context.Context, k int, listen func(agent.Event)) (trajectory, session.Ending, error) {
			t, endsAll, err := w.try(ctx, first+k, kinds[k], listen)
			return t, t.ending(endsAll), err
		},
	}.Run(ctx)
}

// try makes the k-th trajectory and validates its patch. endsAll reports whether the reason of
// its failure would end every other trajectory too.
func (w *work) try(ctx context.Context, k int, kinds []fix.Heuristic, listen func(agent.Event)) (t trajectory, endsAll bool, err error) {
	space, box, err := w.open(ctx, len(kinds) == 0)
	if err != nil {
		return t, false, err
	}
	defer space.Close()
	defer box.Close()
	var found string
	if w.opt.Method.Strategy == fix.Research {
		var run fix.Run
		run, found, endsAll, err = w.analyse(ctx, k, kinds, box, listen)
		t.runs = append(t.runs, run)
		if err != nil || endsAll || run.Status == agent.StatusFailed {
			return t, endsAll, err
		}
	}
	loop, err := w.loop(ctx, w.journalOf(k, fix.PhaseRepair), kinds, found, box)
	if err != nil {
		return t, false, err
	}
	loop.OnEvent = listen
	out, endsAll, err := session.Converse(ctx, loop)
	if err != nil {
		return t, endsAll, err
	}
	run := fix.Run{RunReport: out.Report(box.Objections()), History: kinds, Cut: box.Cut()}
	if run.Cut != "" {
		run.Allowed = w.opt.Limits.Turns
	}
	if f := box.Finished(); f != nil {
		run.Claim = f.Claim
	} else {
		run.Claim.Explanation = textOf(out)
	}
	if t.trial, err = w.prove(ctx, k, space, box, run.Claim); t.trial != nil {
		run.Verdict, run.Tried = t.trial.Verdict, t.trial
		err = errors.Join(err, w.recordPatch(ctx, loop.Journal, *t.trial))
	}
	run.Status = statusOf(run)
	t.runs = append(t.runs, run)
	return t, endsAll, err
}

// open makes the scratch work tree of a trajectory and its tools, both with history or without.
func (w *work) open(ctx context.Context, noHistory bool) (*trial.Workspace, *fixtool.Box, error) {
	tree := w.in.Problem.Tree
	commands := w.opt.Trial
	commands.NoHistory = noHistory
	space, err := trial.Open(ctx, w.repo, commands)
	if err != nil {
		return nil, nil, err
	}
	if err := space.Prepare(ctx, tree.Commit, tree.Over); err != nil {
		space.Close()
		return nil, nil, err
	}
	box, err := fixtool.New(ctx, w.repo, space, w.in.Problem, w.toolOptions(noHistory))
	if err != nil {
		space.Close()
	}
	return space, box, err
}

// journalOf returns the number of the recorded run of a phase of the k-th trajectory.
func (w *work) journalOf(k int, phase fix.Phase) int {
	switch {
	case w.opt.Method.Strategy != fix.Research:
		return k
	case phase == fix.PhaseAnalysis:
		return 2 * k
	}
	return 2*k + 1
}

// statusOf returns the status of a repair, judged by its patch: a failure of the server after
// the model repaired the bug does not matter.
func statusOf(run fix.Run) string {
	switch {
	case run.Verdict.Passes():
		return agent.StatusFound
	case run.Status == agent.StatusFound:
		return agent.StatusNothing
	}
	return run.Status
}

// textOf returns the model's last text, if it called no tool with it.
func textOf(out agent.Outcome) string { return agent.Abridge(agent.Clean(out.Final.Text), 2000) }

// prove validates the files that a trajectory changed, if there are any.
func (w *work) prove(ctx context.Context, k int, space *trial.Workspace, box *fixtool.Box, claim fix.Claim) (*fix.Trial, error) {
	files, err := box.Files(ctx)
	var unreadable *agent.CallError
	if errors.As(err, &unreadable) {
		return nil, nil // the tool finish has already told the model
	}
	if err != nil || len(files) == 0 {
		return nil, err
	}
	tree := w.in.Problem.Tree
	patch := fix.Patch{Files: files}
	if patch.Diff, err = space.Diff(ctx, tree.Commit, tree.Over, files); err != nil || len(patch.Diff) == 0 {
		return nil, err
	}
	trial, err := w.in.Validate(ctx, patch)
	if err != nil {
		return nil, err
	}
	trial.Origin = fmt.Sprintf("trajectory %d", k+1)
	trial.Why, trial.Commit = claim.Explanation, claim.Introduced
	return &trial, nil
}

// recordPatch adds a patch and the verdict on it to the record of its conversation.
func (w *work) recordPatch(ctx context.Context, journal agent.Journal, t fix.Trial) error {
	if journal == nil {
		return nil
	}
	note := trace.Patch{
		Verdict: string(t.Verdict), Reason: t.Reason, Failing: t.Failing, Cautions: t.Cautions, Diff: string(t.Patch.Diff), Seconds: t.Seconds,
	}
	for _, c := range t.Checks {
		note.Checks = append(note.Checks, trace.Check(c))
	}
	payload, err := json.Marshal(note.Masked(w.opt.Mask))
	if err != nil {
		return fmt.Errorf("encode the patch: %w", err)
	}
	return journal.Note(ctx, trace.KeyPatch, payload)
}

// loop prepares the conversation of a repair, recorded as the k-th run.
func (w *work) loop(ctx context.Context, k int, kinds []fix.Heuristic, found string, box *fixtool.Box) (*agent.Loop, error) {
	loop, err := w.emptyLoop(k, "lastword")
	if err != nil {
		return nil, err
	}
	loop.Tools, loop.Stop = box.Tools(), box.Cut
	if loop.System, err = w.system(kinds); err != nil {
		return nil, err
	}
	loop.Prompt, err = w.prompt(ctx, kinds, found)
	return loop, err
}

// emptyLoop prepares a conversation, except for its tools and its first messages.
func (w *work) emptyLoop(k int, lastWord string) (*agent.Loop, error) {
	loop := &agent.Loop{
		Model: w.opt.Model, Name: w.opt.ModelName, Limits: w.opt.Limits, MaxOutput: w.opt.MaxOutput,
		Unpriced: w.opt.Unpriced, Ledger: w.opt.Ledger, Mask: w.opt.Mask, Text: nudged(),
	}
	last, err := prompts.Get("fix/" + lastWord)
	if err != nil {
		return nil, err
	}
	loop.LastWord = last.Text
	if w.opt.Journal != nil {
		loop.Journal, err = w.opt.Journal(k)
	}
	return loop, err
}

// maxNudges bounds the reminders to call a tool.
const maxNudges = 2

// nudged returns a handler of replies without a tool call: it answers the first ones with a
// reminder, and ends the conversation after maxNudges.
func nudged() func(context.Context, string) (agent.Result, error) {
	n := 0
	return func(_ context.Context, reply string) (agent.Result, error) {
		if n++; n > maxNudges {
			return agent.Result{Text: reply, Final: true, Nothing: true}, nil
		}
		p, err := prompts.Get("fix/nudge")
		return agent.Result{Text: p.Text}, err
	}
}

// toolOptions returns the options of the tools of a trajectory.
func (w *work) toolOptions(noHistory bool) fixtool.Options {
	m := w.opt.Method
	return fixtool.Options{
		Style: m.Tools, Edits: m.Edits, NoHistory: noHistory, NoCommitSearch: m.NoCommitSearch, Memory: w.opt.Memory,
		Definitions: w.opt.Definitions, Mask: w.opt.Mask,
	}
}
