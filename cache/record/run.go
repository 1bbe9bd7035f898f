package record

import (
	"encoding/json"
	"strings"
	"time"
)

// RunID names a run by the time of its start (UTC) and four letters, so that
// ids sort by time and can be read aloud. Lookup also accepts any unique part
// of an id.
type RunID string

// Valid reports whether an id has only our own characters, since it becomes a
// file name and is printed on the terminal.
func (id RunID) Valid() bool {
	return id != "" && strings.Trim(string(id), "-0123456789abcdefghijklmnopqrstuvwxyz") == ""
}

// State is the state of a run.
type State string

const (
	Running     State = "running"
	Interrupted State = "interrupted" // its process died while it ran; not valid for Finish
	Done        State = "done"
	Stopped     State = "stopped" // by a limit or by the user
	Failed      State = "failed"
)

// Run is one run without its steps.
type Run struct {
	ID      RunID
	Kind    string
	Spec    json.RawMessage
	State   State
	Started time.Time
	Ended   time.Time // zero while it runs
	Version string    // of the tool at its start
	Steps   int
}

// StepKind is the kind of a step.
type StepKind string

const (
	Intent StepKind = "intent" // an action is about to start
	Result StepKind = "result" // the action's result
	Note   StepKind = "note"   // anything else worth keeping
)

// Step is one event of a run. The intent and the result of an action have the
// same key. A repeated action has a second intent with the same key.
type Step struct {
	Seq     int64 // from 1, set by Append
	Kind    StepKind
	Key     string
	Payload []byte
	At      time.Time // set by Append if zero
}
