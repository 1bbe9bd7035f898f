package main

import (
	"slices"

	"git-agent/agent"
)

// exitTally counts the answers of a verb, which decide the exit code.
type exitTally struct {
	agentRequired bool // an answer of the offline engine in place of a model counts as a failure
	missed        int  // answers that name nothing
	refused       int  // questions that the server did not answer
	limited       int  // questions that a limit left without an answer of the model
	failed        int  // questions that no engine could work on
	incomplete    int  // answers that would need objects or history that the clone lacks
	unsure        int  // answers whose suspect is below the floor for trailers, or whose patch passes only the model's own test
}

// tallied is what counts of one answer.
type tallied struct {
	failed     bool              // no engine could work on the question
	empty      bool              // the answer names nothing
	incomplete bool              // the clone lacks objects or history that the answer needs
	unsure     bool              // its suspect is below the floor for trailers, or its patch passes only the model's own test
	unanswered bool              // a model was asked, and the answer is the offline engine's
	runs       []agent.RunReport // of the model
}

// add counts one answer. An ensemble has answered if any of its runs has. A
// useless answer of the model still counts as one.
func (t *exitTally) add(ans tallied) {
	if ans.failed {
		t.failed++
	}
	switch {
	case ans.incomplete:
		t.incomplete++
	case ans.empty:
		t.missed++
	}
	if ans.unsure {
		t.unsure++
	}
	switch {
	case !ans.unanswered:
	case slices.ContainsFunc(ans.runs, func(r agent.RunReport) bool { return r.Class != "" }):
		t.refused++
	case slices.ContainsFunc(ans.runs, func(r agent.RunReport) bool { return r.Status == agent.StatusLimit }):
		t.limited++
	}
}

// status returns the exit code as an error, or nil if it is 0.
func (t *exitTally) status() error {
	switch {
	case t.failed > 0:
		return exitStatus(exitFatal)
	case t.agentRequired && t.refused > 0:
		return exitStatus(exitModel)
	case t.agentRequired && t.limited > 0:
		return exitStatus(exitLimit)
	case t.incomplete > 0:
		return exitStatus(exitIncomplete)
	case t.missed > 0:
		return exitStatus(exitNothing)
	case t.unsure > 0:
		return exitStatus(exitUnsure)
	}
	return nil
}
