package szzeval

import (
	"context"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/eval"
	"git-agent/agent/szz"
	"git-agent/gitext"
)

// AgentAlgorithms are the names by which a model is measured: the whole
// method, and what is left of it without one of its parts (AgentSZZ, table 5,
// and two of our own).
var AgentAlgorithms = []string{"agent", "agent-no-tools", "agent-no-domain-knowledge", "agent-no-compression", "agent-no-candidates", "agent-no-claim-check"}

// IsAgent is true for the name of one of them.
func IsAgent(algorithm string) bool { return slices.Contains(AgentAlgorithms, algorithm) }

// SwitchesOf says what the name of an agent algorithm turns off.
func SwitchesOf(algorithm string) szz.Switches {
	return szz.SwitchesNamed(strings.TrimPrefix(algorithm, "agent-"))
}

// Inquiry is one fix that a model shall look at.
type Inquiry struct {
	Case      Case
	Algorithm string // one of AgentAlgorithms
	Repo      *gitext.Repo
	Fix       *szz.FixContext
	Memory    agent.Memory      // of the tools
	OnEvent   func(agent.Event) // to be handed on
}

// Investigator asks a model. It also names the recorded runs.
type Investigator func(ctx context.Context, q Inquiry) (v *szz.Verdict, runs []string, err error)

// Work is what a model did for one prediction, over all runs that voted.
type Work struct {
	Model string    `json:"model"`
	Basis szz.Basis `json:"basis"` // what a calibration of the probabilities holds for
	eval.Work
}

// workOf is nil for a verdict that took no model.
func workOf(o *eval.Observer, v *szz.Verdict, runs []string) *Work {
	r := v.Agent
	if r == nil {
		return nil
	}
	work := &Work{Model: r.Model, Basis: r.Basis, Work: eval.Work{Runs: runs, Tools: o.Tools, Kept: o.Kept, Fallback: r.Fallback}}
	for _, run := range r.Runs {
		work.Status = append(work.Status, run.Status)
		work.Turns += run.Turns
		work.Calls += run.Calls
		work.Objections += run.Objections
		work.Resumed += run.Resumed
		work.Usage = work.Usage.Add(run.Usage)
	}
	if r.Fallback == "" {
		for _, s := range v.Suspects {
			work.Types = append(work.Types, s.Type)
		}
	}
	return work
}
