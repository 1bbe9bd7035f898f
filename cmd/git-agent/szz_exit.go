package main

import (
	"slices"

	"git-agent/agent"
	"git-agent/agent/szz"
	"git-agent/cmd/git-agent/render"
)

// szzTally counts the results for the fixes. They decide the exit code.
type szzTally struct {
	agentRequired bool // an answer of the offline engine in place of a model counts as a failure
	missed        int  // fixes without a suspect
	refused       int  // fixes for which the server gave no answer
	limited       int  // fixes that a limit left without an answer of the model
	failed        int  // fixes that could not be traced
}

// add counts one answer. An ensemble has answered if any of its runs has. A
// useless answer of the model still counts as one.
func (t *szzTally) add(ans render.Answer) {
	v := ans.Verdict
	if ans.Failed() != nil {
		t.failed++
	}
	if len(v.Suspects) == 0 {
		t.missed++
	}
	if v.Agent == nil || v.Agent.Fallback == "" {
		return
	}
	switch runs := v.Agent.Runs; {
	case slices.ContainsFunc(runs, func(r szz.AgentRun) bool { return r.Class != "" }):
		t.refused++
	case slices.ContainsFunc(runs, func(r szz.AgentRun) bool { return r.Status == agent.StatusLimit }):
		t.limited++
	}
}

// status returns the exit code as an error, or nil if it is 0.
func (t *szzTally) status() error {
	switch {
	case t.failed > 0:
		return exitStatus(exitFatal)
	case t.agentRequired && t.refused > 0:
		return exitStatus(exitModel)
	case t.agentRequired && t.limited > 0:
		return exitStatus(exitLimit)
	case t.missed > 0:
		return exitStatus(exitNothing)
	}
	return nil
}
