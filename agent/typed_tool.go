package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"git-agent/gitext"
	"git-agent/prompts"
)

// A TypedTool is a Tool with parameters P, which Args describes.
type TypedTool[P any] struct {
	spec     Spec
	args     Args[P]
	timeout  time.Duration
	defaults P
	answer   func(ctx context.Context, p P) (Result, error)
}

// NewTypedTool makes a tool from a spec with a name and a deed, from its prompt texts,
// and from a function that answers. defaults are the parameters of a call without
// arguments. A call that takes longer than timeout is refused; 0 is no limit.
func NewTypedTool[P any](
	spec Spec,
	said prompts.Tool,
	timeout time.Duration,
	defaults P,
	answer func(ctx context.Context, p P) (Result, error),
) (*TypedTool[P], error) {
	args, err := NewArgs[P](said.Params)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", spec.Name, err)
	}
	spec.Description, spec.Parameters = said.Description, args.Schema
	return &TypedTool[P]{spec: spec, args: args, timeout: timeout, defaults: defaults, answer: answer}, nil
}

// Spec describes the tool.
func (t *TypedTool[P]) Spec() Spec { return t.spec }

// Decode reads the arguments of a call. An error is a *CallError.
func (t *TypedTool[P]) Decode(args json.RawMessage) (P, error) {
	p := t.defaults
	err := t.args.Decode(t.spec.Name, args, &p)
	return p, err
}

// Call answers one call.
func (t *TypedTool[P]) Call(ctx context.Context, args json.RawMessage) (Result, error) {
	p, err := t.Decode(args)
	if err != nil {
		return Result{}, err
	}
	limited := ctx
	if t.timeout > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, t.timeout)
		defer cancel()
	}
	res, err := t.answer(limited, p)
	switch {
	case err == nil || ctx.Err() != nil:
		return res, err
	case limited.Err() != nil:
		return res, &CallError{Tool: t.spec.Name, Err: context.DeadlineExceeded, TimedOut: true,
			Text: fmt.Sprintf("stopped after %s without an answer; ask for less", t.timeout)}
	case gitext.Unreadable(err):
		err = &CallError{Tool: t.spec.Name, Err: err, Text: CleanLine(err.Error())}
	}
	return res, err
}
