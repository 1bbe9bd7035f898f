package crasheval

import (
	"context"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/eval"
	"git-agent/gitext"
)

// Arms are the parts of the method that an algorithm may leave out.
var Arms = eval.Arms(crash.SwitchNames())

// Ablation lists the algorithms of an ablation study: the whole method, the report alone, the
// method without each part of its first message, and the ablations of AutoCrashFL (table 6) and
// Code Researcher (table 3).
var Ablation = []string{
	eval.WholeAgent,
	"agent-no-tools",
	"agent-no-ranking",
	"agent-no-code",
	"agent-no-changes",
	"agent-no-definitions",
	"agent-no-raw",
	"agent-no-history",
}

// IsAgent reports whether an algorithm asks a model.
func IsAgent(algorithm string) bool {
	_, ok := Arms.Parts(algorithm)
	return ok
}

// SwitchesOf returns the switches for the parts that an agent algorithm leaves out.
func SwitchesOf(algorithm string) crash.Switches {
	parts, _ := Arms.Parts(algorithm)
	return crash.SwitchesNamed(parts...)
}

// Inquiry asks a model about one crash, already ranked by the offline engine.
type Inquiry struct {
	Case      Case
	Algorithm string // an algorithm that asks a model
	Repo      *gitext.Repo
	Question  crash.Question // with the switches of the algorithm
	Offline   *crash.Answer
	Memory    agent.Memory      // cache of the tools' answers
	OnEvent   func(agent.Event) // receives the events of the conversation
}

// Investigator asks a model. It returns the ranking and the ids of the recorded runs.
type Investigator func(ctx context.Context, q Inquiry) (r *crash.Answer, runs []string, err error)
