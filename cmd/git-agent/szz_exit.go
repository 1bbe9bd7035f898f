package main

import (
	"slices"

	"git-agent/agent"
	"git-agent/agent/szz"
	"git-agent/cmd/git-agent/render"
)

// szzTally counts what became of the fixes, for the exit code.
type szzTally struct {
	agentRequired bool // the offline engine's answer does not do where a model was asked
	missed        int  // fixes without a suspect
	refused       int  // that the server gave no answer for
	limited       int  // that a limit left without an answer
	failed        int  // that could not be traced
}

// add counts one answer. A vote of which one run has an answer has one, and a
// model that answers nothing of use has answered.
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

// status is the exit code, as an error when it is not 0.
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
