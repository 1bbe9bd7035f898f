package cache

import "git-agent/cache/record"

// These are the types of package record under the name of the store.
type (
	Key      = record.Key
	RunID    = record.RunID
	State    = record.State
	Run      = record.Run
	StepKind = record.StepKind
	Step     = record.Step
)

// These are the states of a run; see package record.
const (
	Running     = record.Running
	Interrupted = record.Interrupted
	Done        = record.Done
	Stopped     = record.Stopped
	Failed      = record.Failed
)

// These are the kinds of a step; see package record.
const (
	Intent = record.Intent
	Result = record.Result
	Note   = record.Note
)
