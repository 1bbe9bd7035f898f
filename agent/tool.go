package agent

import (
	"context"
	"encoding/json"

	"git-agent/cache/record"
)

// Tool is something that a model can call.
type Tool interface {
	Spec() Spec
	// Call answers one call. A *CallError is an answer too: its text tells the caller
	// what to change. Any other error is a failure of this program.
	Call(ctx context.Context, args json.RawMessage) (Result, error)
}

// Spec describes a tool to a model.
type Spec struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // JSON schema
	Deed        Deed            `json:"-"`          // not shown to models
}

// Deed is the kind of action of a tool. It is recorded for readers of the run;
// the conversation does not use it.
type Deed string

// These are the deeds. A tool without any of them has the empty deed.
const (
	DeedRead   Deed = "read"    // shows something that the call names
	DeedShow   Deed = "show"    // shows the commit in the argument "commit"
	DeedBlame  Deed = "blame"   // shows which commits wrote lines
	DeedSearch Deed = "search"  // looks for something
	DeedEdit   Deed = "edit"    // changes the file in the argument "path"
	DeedTest   Deed = "test"    // runs tests
	DeedAnswer Deed = "verdict" // gives the answer; the deed of every Decider
)

// Result is the answer to a call.
type Result struct {
	Text      string // for the model: clean, bounded
	Value     any    // for the program; its type depends on the tool
	Truncated bool   // Text is incomplete, and says how to get the rest
	Cached    bool
	Full      string // Text before it was condensed, if that removed something
	// Incomplete says why Value is incomplete: a bound on git ended a read, or the clone
	// lacks an object. It is "" for a complete answer. Text names the reason too.
	Incomplete string
	Lacks      bool // Value is incomplete because the clone lacks an object
	Final      bool // the call was an accepted answer, which ends the conversation
	// Nothing says that a search found nothing, or that a final result names
	// nothing.
	Nothing bool
}

// CallError says why a call cannot be answered. Its text is written for the caller.
type CallError struct {
	Tool      string
	Text      string
	Err       error // the cause; nil if the caller made a mistake
	Malformed bool  // the arguments do not fit the schema, so the tool did not run
	TimedOut  bool  // the call reached its time limit
	Fault     Fault // the fault, if a more exact reason is known
}

func (e *CallError) Error() string { return e.Tool + ": " + e.Text }

func (e *CallError) Unwrap() error { return e.Err }

// Answer returns the text of the error for the caller of the tool.
func (e *CallError) Answer() string { return "error: " + e.Text + "\n" }

// Memory stores answers between calls. *cache.Cache implements it.
type Memory interface {
	Get(ctx context.Context, key record.Key) ([]byte, bool)
	Put(ctx context.Context, key record.Key, value []byte)
}
