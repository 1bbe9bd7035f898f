package crasheval

import (
	"context"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/gitext"
)

// AgentAlgorithms are the names of the algorithms that ask a model. "agent" is the
// whole method; each of the others leaves out one part of it.
var AgentAlgorithms = []string{"agent", "agent-no-tools", "agent-no-ranking", "agent-no-code", "agent-no-changes"}

// IsAgent reports whether algorithm is one of AgentAlgorithms.
func IsAgent(algorithm string) bool { return slices.Contains(AgentAlgorithms, algorithm) }

// SwitchesOf returns the switches that turn off what an agent algorithm leaves out.
func SwitchesOf(algorithm string) crash.Switches {
	return crash.SwitchesNamed(strings.TrimPrefix(algorithm, "agent-"))
}

// Inquiry asks a model about one crash, which the offline engine has ranked.
type Inquiry struct {
	Case     Case
	Repo     *gitext.Repo
	Question crash.Question
	Offline  *crash.Ranking
	Memory   agent.Memory      // cache of the tools' answers
	OnEvent  func(agent.Event) // receives the events of the conversation
}

// Investigator asks a model. It returns the ranking and the ids of the recorded runs.
type Investigator func(ctx context.Context, q Inquiry) (r *crash.Ranking, runs []string, err error)
