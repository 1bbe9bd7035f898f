package fixtool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/prompts"
)

// A tool is an agent.Stateful tool of a box with parameters P.
type tool[P any] struct {
	*agent.TypedTool[P]
	box *Box
	// step describes a call for Smells.
	step func(p P) Step
	// resume brings the box to the state after a call of an earlier process; nil does
	// nothing.
	resume func(ctx context.Context, p P, recorded agent.CallResult) error
}

// newTool makes a tool from the prompt file with the name text.
func newTool[P any](
	b *Box,
	name, text string,
	deed agent.Deed,
	timeout time.Duration,
	defaults P,
	answer func(ctx context.Context, p P) (agent.Result, error),
) (*tool[P], error) {
	said, err := prompts.Get("fix/" + text)
	if err != nil {
		return nil, err
	}
	typed, err := agent.NewTypedTool(agent.Spec{Name: name, Deed: deed}, said.Tool(), timeout, defaults, answer)
	if err != nil {
		return nil, err
	}
	return &tool[P]{TypedTool: typed, box: b}, nil
}

// Call answers one call, and adds a warning if Smells finds one.
func (t *tool[P]) Call(ctx context.Context, args json.RawMessage) (agent.Result, error) {
	p, err := t.Decode(args)
	if err != nil {
		return agent.Result{}, err
	}
	res, err := t.TypedTool.Call(ctx, args)
	var refused *agent.CallError
	if err != nil && !errors.As(err, &refused) {
		return res, err
	}
	warning := t.note(p, err != nil)
	switch {
	case warning == "" || res.Final:
	case refused != nil:
		refused.Text += "\n\n" + warning
	default:
		res.Text = strings.TrimRight(res.Text, "\n") + "\n\n" + warning + "\n"
	}
	return res, err
}

// note tells Smells about a call.
func (t *tool[P]) note(p P, failed bool) string {
	if t.step == nil {
		return ""
	}
	step := t.step(p)
	step.Failed = failed
	return t.box.smells.Note(step)
}

// Resume brings the box to the state after a recorded call.
func (t *tool[P]) Resume(ctx context.Context, args json.RawMessage, recorded agent.CallResult) error {
	p, err := t.Decode(args)
	if err != nil {
		return nil // the call was refused then, too
	}
	if t.resume != nil {
		if err := t.resume(ctx, p, recorded); err != nil {
			return err
		}
	}
	t.note(p, recorded.Failed)
	return nil
}

// refuse returns an error for the model.
func refuse(tool, format string, args ...any) error {
	return &agent.CallError{Tool: tool, Text: fmt.Sprintf(format, args...)}
}

// quoted quotes a text of a model, shortened.
func quoted(text string) string {
	return fmt.Sprintf("%q", agent.Shorten(agent.CleanLine(text), 120))
}
