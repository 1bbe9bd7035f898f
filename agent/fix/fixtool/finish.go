package fixtool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/gitext"
)

type finishParams struct {
	Status      string `json:"status" arg:"required,enum=success|failure"`
	Explanation string `json:"explanation" arg:"bytes=16384"`
	RootCause   string `json:"root_cause" arg:"bytes=16384"`
	Introduced  string `json:"introduced_by"`
}

// Finish is a model's statement at the end of a repair.
type Finish struct {
	Claim fix.Claim
}

// ending is the state of the tool finish.
type ending struct {
	finished   *Finish
	objections int
	told       int // the version of the work tree, plus one, whose failing wider tests led to an objection
}

// maxObjections bounds the refused claims of success; the next claim counts as a failure.
const maxObjections = 3

// Finished returns the model's Finish, nil if the model did not end the repair.
func (b *Box) Finished() *Finish { return b.ending.finished }

// Objections returns the number of refused claims of success.
func (b *Box) Objections() int { return b.ending.objections }

const finishName = "finish"

// finishTool is an agent.Decider.
type finishTool struct{ *tool[finishParams] }

// Decides marks the tool as an agent.Decider.
func (finishTool) Decides() {}

// Resume takes the result of a recorded call, so that no test runs again.
func (t finishTool) Resume(ctx context.Context, args json.RawMessage, recorded agent.CallResult) error {
	p, err := t.Decode(args)
	if err != nil {
		return nil // the original call was refused, too
	}
	b := t.box
	if recorded.Final {
		return b.end(ctx, p)
	}
	b.ending.objections++
	if strings.Contains(recorded.Text, objectionTests) {
		b.tested = verdict{known: true, version: b.version}
	}
	if strings.Contains(recorded.Text, objectionWider) {
		b.ending.told = b.version + 1
	}
	return nil
}

func newFinish(b *Box) (agent.Tool, error) {
	t, err := newTool(b, finishName, finishName, agent.DeedAnswer, 0, finishParams{}, b.conclude)
	if err != nil {
		return nil, err
	}
	if b.opt.NoHistory {
		return finishWithoutCommit{finishTool{t}}, nil
	}
	return finishTool{t}, nil
}

// finishWithoutCommit is finish for a repair without history: it does not ask for the commit
// that introduced the bug.
type finishWithoutCommit struct{ finishTool }

// Spec describes the tool.
func (t finishWithoutCommit) Spec() agent.Spec {
	s := t.finishTool.Spec()
	var schema struct {
		Type       string                     `json:"type"`
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
		Additional bool                       `json:"additionalProperties"`
	}
	if err := json.Unmarshal(s.Parameters, &schema); err != nil {
		return s // every schema of this package is valid JSON
	}
	delete(schema.Properties, "introduced_by")
	s.Parameters, _ = json.Marshal(schema)
	return s
}

// conclude accepts the end of a repair, or objects to it.
func (b *Box) conclude(ctx context.Context, p finishParams) (agent.Result, error) {
	if p.Status == "success" && p.Explanation == "" {
		return agent.Result{}, &agent.CallError{
			Tool:      finishName,
			Malformed: true,
			Text:      `"explanation" is missing: say in one or two sentences what the patch does`,
		}
	}
	if p.Status == "success" {
		err := b.object(ctx)
		var refused *agent.CallError
		if err != nil && !errors.As(err, &refused) {
			return agent.Result{}, err
		}
		if refused != nil && b.ending.objections < maxObjections {
			b.ending.objections++
			return agent.Result{}, refused
		}
		if refused != nil {
			p.Status = "failure"
		}
	}
	if err := b.end(ctx, p); err != nil {
		return agent.Result{}, err
	}
	claim := b.ending.finished.Claim
	return agent.Result{Text: fmt.Sprintf("finished: %s\n", p.Status), Value: claim, Final: true, Nothing: !claim.Success}, nil
}

// end keeps the model's claim. An unknown commit is left out.
func (b *Box) end(ctx context.Context, p finishParams) error {
	claim := fix.Claim{Success: p.Status == "success", Explanation: p.Explanation, RootCause: p.RootCause}
	if p.Introduced != "" {
		oid, err := b.scope.Resolve(ctx, b.repo, finishName, p.Introduced)
		var refused *agent.CallError
		if err != nil && !errors.As(err, &refused) && ctx.Err() != nil {
			return err
		}
		claim.Introduced = oid
	}
	b.ending.finished = &Finish{Claim: claim}
	return nil
}

// objectionTests is a part of each objection because of a test.
const objectionTests = "so the bug is not repaired"

// object returns a *CallError that says why a repair is no success, or nil.
func (b *Box) object(ctx context.Context) error {
	files, err := b.Files(ctx)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		what := "no file was changed"
		if b.opt.Style == fix.Bash {
			what += " that belongs in a patch (files of tests, lock files, and new files that are no sources do not)"
		}
		return refuse(finishName, "%s, so nothing is repaired; change the sources, or finish with status failure", what)
	}
	if name := b.unmade; name != "" {
		b.unmade = "" // one objection is enough: the patch may be whole without that edit
		return refuse(
			finishName,
			"the last edit of %s was not made, as its answer says; make it, or call finish again if the patch is whole without it",
			agent.CleanLine(name),
		)
	}
	if b.problem.Test == "" && b.problem.Build == "" {
		return nil
	}
	if b.tested.known && b.tested.version == b.version && b.opt.Style != fix.Bash {
		if b.tested.passed {
			return b.objectWider()
		}
		return refuse(finishName, "the test command still fails with the files as they are, %s; %s", objectionTests, advice)
	}
	if err := b.putBack(ctx, files); err != nil {
		return err
	}
	said, err := b.runTests(ctx, b.problem.Test == "")
	if err != nil {
		return err
	}
	if b.verdictOf(b.problem.Test == "").passed {
		return b.objectWider()
	}
	return refuse(
		finishName,
		"the test command was run with the files as they are, %s; %s\n\n%s",
		objectionTests,
		advice,
		strings.TrimRight(said, "\n"),
	)
}

// objectionWider is a part of each objection because of the wider tests.
const objectionWider = "the wider tests failed with the files as they are"

// objectWider objects once to files with which the wider tests failed, because a model that sends
// finish together with the test has not seen how it ended.
func (b *Box) objectWider() error {
	if !b.suite.known || b.suite.passed || b.suite.version != b.version || b.ending.told == b.version+1 {
		return nil
	}
	b.ending.told = b.version + 1
	return refuse(finishName, "%s, as the answer of test says; go on, or call finish again if the patch is not the reason", objectionWider)
}

// advice tells the model how to go on after an objection.
const advice = "go on, or finish with status failure"

// putBack undoes the changes of commands in files of the problem's tree outside of the patch,
// such as the tests.
func (b *Box) putBack(ctx context.Context, patch []gitext.Overlay) error {
	if b.opt.Style != fix.Bash {
		return nil
	}
	changes, err := b.space.Changes(ctx)
	if err != nil {
		return unreadableTree(ctx, err)
	}
	for _, name := range changes.Large {
		if err := b.original(ctx, name); err != nil {
			return err
		}
	}
	inPatch := map[string]bool{}
	for _, o := range patch {
		inPatch[o.Path] = true
	}
	for _, o := range changes.Tracked {
		if inPatch[o.Path] {
			continue
		}
		if err := b.original(ctx, o.Path); err != nil {
			return err
		}
	}
	return nil
}
