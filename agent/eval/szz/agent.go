package szzeval

import (
	"context"
	"slices"

	"git-agent/agent"
	"git-agent/agent/eval"
	"git-agent/agent/szz"
	"git-agent/gitext"
)

// Arms are the parts of the method that an algorithm may leave out. The first three are from
// AgentSZZ, table 2. Without tools, a model has only the fix's message and patch: no results of
// tools, of the offline engine or of the claim check.
var Arms = eval.Arms{noTools, "no-domain-knowledge", "no-compression", "no-candidates", "no-ranking", "no-claim-check", noGitTools}

const (
	noTools    = "no-tools"
	noGitTools = "no-git-tools" // only the tools are left out
)

// IsAgent reports whether an algorithm asks a model.
func IsAgent(algorithm string) bool {
	_, ok := Arms.Parts(algorithm)
	return ok
}

// SwitchesOf returns the switches for the parts that an agent algorithm leaves out.
func SwitchesOf(algorithm string) szz.Switches {
	parts, _ := Arms.Parts(algorithm)
	s := szz.SwitchesNamed(parts...)
	if slices.Contains(parts, noTools) {
		s.NoCandidates, s.NoClaimCheck = true, true
	}
	s.NoTools = s.NoTools || slices.Contains(parts, noGitTools)
	return s
}

// Inquiry asks a model about one fix.
type Inquiry struct {
	Case      Case
	Algorithm string // an algorithm that asks a model
	Repo      *gitext.Repo
	Fix       *szz.FixContext
	Memory    agent.Memory      // cache of the tools' answers
	OnEvent   func(agent.Event) // receives the events of the conversation
}

// Investigator asks a model. It returns the answer and the ids of the recorded
// runs.
type Investigator func(ctx context.Context, q Inquiry) (v *szz.Answer, runs []string, err error)

// Work records a model's work for one prediction. It adds up all runs that voted.
type Work struct {
	Model string    `json:"model"`
	Basis szz.Basis `json:"basis"` // a calibration is valid only for the same basis
	eval.Work
}

// fell reports whether the offline engine answered instead of the model.
func (w *Work) fell() bool { return w != nil && w.Work.Fell() }

// workOf returns the work for an answer, or nil if no model was asked.
func workOf(o *eval.Observer, v *szz.Answer, runs []string) *Work {
	r := v.Agent
	if r == nil {
		return nil
	}
	work := &Work{Model: r.Model, Basis: r.Basis, Work: o.Work(runs, r.RunReports(), r.Fallback)}
	if r.Fallback == "" {
		for _, s := range v.Suspects {
			work.Types = append(work.Types, s.Type)
		}
	}
	return work
}
