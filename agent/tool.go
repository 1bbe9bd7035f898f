package agent

import (
	"context"
	"encoding/json"

	"git-agent/cache"
)

// Tool is something that a model can call.
type Tool interface {
	Spec() Spec
	// Call answers one call. A *CallError is an answer too: its text tells
	// the caller what to change. Any other error is trouble of ours.
	Call(ctx context.Context, args json.RawMessage) (Result, error)
}

// Spec is what a model is told about a tool.
type Spec struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // JSON schema
}

// Result is the answer to a call.
type Result struct {
	Text      string // for the model: clean, bounded
	Value     any    // for the program: *Blame, *Show, *Search, *FunctionLog or *Grep
	Truncated bool   // Text is not all of it, and says how to get the rest
	Cached    bool
	Full      string // before compression, where Text is less
	// Incomplete says why Value is of a part only: a bound on git ended a read.
	// It is "" for a whole answer, and Text says it too.
	Incomplete string
	Final      bool // the call was the verdict, and it is accepted: the conversation ends
}

// CallError says why a call cannot be answered, in words for its caller.
type CallError struct {
	Tool      string
	Text      string
	Err       error // the cause, nil for a mistake of the caller
	Malformed bool  // the arguments do not fit the schema: nothing was looked for
}

func (e *CallError) Error() string { return e.Tool + ": " + e.Text }

func (e *CallError) Unwrap() error { return e.Err }

// Answer is what the caller sees in place of a result's text.
func (e *CallError) Answer() string { return "error: " + e.Text + "\n" }

// Memory keeps answers between calls. *cache.Cache is one.
type Memory interface {
	Get(ctx context.Context, key cache.Key) ([]byte, bool)
	Put(ctx context.Context, key cache.Key, value []byte)
}
