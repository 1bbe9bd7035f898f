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
	Deed        Deed            `json:"-"`          // no model is told of it
}

// Deed is what kind of thing a call of a tool does. It is recorded for those who
// read the run later; the conversation makes no use of it.
type Deed string

// The deeds. A tool whose deed is none of them has the empty one.
const (
	DeedRead    Deed = "read"    // shows something that has a name
	DeedShow    Deed = "show"    // shows the commit in the argument "commit"
	DeedBlame   Deed = "blame"   // shows who wrote lines
	DeedSearch  Deed = "search"  // looks for something
	DeedEdit    Deed = "edit"    // changes the file in the argument "path"
	DeedTest    Deed = "test"    // runs tests
	DeedVerdict Deed = "verdict" // gives the answer; that of every Decider
)

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
	// Nothing says that the call looked for something and there is none, and of
	// a final result that the verdict names nothing.
	Nothing bool
}

// CallError says why a call cannot be answered, in words for its caller.
type CallError struct {
	Tool      string
	Text      string
	Err       error // the cause, nil for a mistake of the caller
	Malformed bool  // the arguments do not fit the schema: nothing was looked for
	TimedOut  bool  // the time limit of the call ended it
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
