package app

import (
	"slices"

	"git-agent/agent"
)

// ExitTally counts the answers of a verb, which decide the exit code.
type ExitTally struct {
	AgentRequired bool // an answer of the offline engine instead of a model counts as a failure
	Missed        int  // answers that name nothing
	refused       int  // questions that the server did not answer
	limited       int  // questions without an answer of the model because of a limit
	failed        int  // questions that no engine could work on
	incomplete    int  // answers that need objects or history missing in the clone
	unsure        int  // answers whose suspect is below the floor for trailers, or whose patch passes only the model's own test
}

// Tallied has the parts of one answer that count.
type Tallied struct {
	Failed     bool              // no engine could work on the question
	Empty      bool              // the answer names nothing
	Incomplete bool              // the clone lacks objects or history that the answer needs
	Unsure     bool              // its suspect is below the floor for trailers, or its patch passes only the model's own test
	Unanswered bool              // a model was asked, and the answer is the offline engine's
	Runs       []agent.RunReport // of the model
}

// Add counts one answer. An ensemble has answered if any of its runs has. Even a
// useless answer of the model counts as an answer.
func (t *ExitTally) Add(ans Tallied) {
	if ans.Failed {
		t.failed++
	}
	switch {
	case ans.Incomplete:
		t.incomplete++
	case ans.Empty:
		t.Missed++
	}
	if ans.Unsure {
		t.unsure++
	}
	switch {
	case !ans.Unanswered:
	case slices.ContainsFunc(ans.Runs, func(r agent.RunReport) bool { return r.Class != "" }):
		t.refused++
	case slices.ContainsFunc(ans.Runs, func(r agent.RunReport) bool { return r.Status == agent.StatusLimit }):
		t.limited++
	}
}

// Status returns the exit code as an error, or nil if it is 0.
func (t *ExitTally) Status() error {
	switch {
	case t.failed > 0:
		return ExitStatus(ExitFatal)
	case t.AgentRequired && t.refused > 0:
		return ExitStatus(ExitModel)
	case t.AgentRequired && t.limited > 0:
		return ExitStatus(ExitLimit)
	case t.incomplete > 0:
		return ExitStatus(ExitIncomplete)
	case t.Missed > 0:
		return ExitStatus(ExitNothing)
	case t.unsure > 0:
		return ExitStatus(ExitUnsure)
	}
	return nil
}
