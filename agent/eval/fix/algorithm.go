package fixeval

import (
	"context"
	"fmt"
	"strings"

	"git-agent/agent"
	"git-agent/agent/eval"
	"git-agent/agent/fix"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

// An Engine is a program that answers cases.
type Engine string

// The engines.
const (
	Offline Engine = "offline"        // the offline engine
	Revert  Engine = "offline-revert" // the offline engine, restricted to undoing changes of commits: the baseline
	Locate  Engine = "locate"         // localization alone
	Agent   Engine = "agent"          // the engine that asks a model
	// Developers answers with the fix of the developers. It measures the judge: no engine can
	// repair on this machine a case whose fix the judge rejects.
	Developers Engine = "developers"
)

// algorithms are the names of useful algorithms. ParseAlgorithm accepts more.
var algorithms = []string{
	"offline",
	"offline-revert",
	"locate",
	"developers",
	"agent",
	"agent-none",
	"agent-fn_all",
	"agent-fn_pair",
	"agent-fl_diff",
	"agent-no-commit-search",
}

// Histories are the names of the algorithms that HAFixAgent compares: without history, and with
// each kind of history.
var Histories = []string{"agent-none", "agent-fn_all", "agent-fn_pair", "agent-fl_diff"}

// An Algorithm is a configuration of an engine.
type Algorithm struct {
	Name   string
	Engine Engine
	Method fix.Method // how the agent engine works; only its history and NoCommitSearch are set
	Given  bool       // the engine is told the lines that the fix changes
}

const givenSuffix = "-given"

// noCommitSearch is the arm without the search of commits (Code Researcher, section 5.4). It
// stands alone or after kinds of history.
const noCommitSearch = "no-commit-search"

// ParseAlgorithm reads the name of an algorithm: the name of an engine, perhaps with additions.
// After "agent" may come the history for the model ("agent-none", "agent-fn_pair+fl_diff";
// without one it is chosen for each case), and the parts that the arm leaves out
// ("agent-no-commit-search", "agent-fl_diff+no-commit-search"). With "-given" at the end, an
// engine that repairs is told the lines that the fix changes.
func ParseAlgorithm(name string) (Algorithm, error) {
	whole, _ := eval.RepetitionOf(name)
	bare, given := strings.CutSuffix(whole, givenSuffix)
	a := Algorithm{Name: name, Engine: Engine(bare), Given: given}
	switch a.Engine {
	case Offline, Revert:
		return a, nil
	case Locate, Developers:
		if given {
			return Algorithm{}, fmt.Errorf("there is no algorithm %s: only an engine that repairs can be told where the bug is", name)
		}
		return a, nil
	case Agent:
		a.Method.Auto = true
		return a, nil
	}
	history, ok := strings.CutPrefix(bare, string(Agent)+"-")
	if rest, found := strings.CutSuffix("+"+history, "+"+noCommitSearch); ok && found && rest != "+none" {
		a.Engine, a.Method.NoCommitSearch = Agent, true
		if history = strings.TrimPrefix(rest, "+"); history == "" {
			a.Method.Auto = true
			return a, nil
		}
	}
	if !ok || history == "auto" || strings.Contains(history, ",") {
		return Algorithm{}, fmt.Errorf(
			"unknown algorithm %q; there are %s, combinations such as agent-fn_pair+fl_diff, and each engine that repairs with %s",
			name,
			strings.Join(algorithms, ", "),
			givenSuffix,
		)
	}
	kinds, _, err := fix.ParseHistory(strings.ReplaceAll(history, "+", ","))
	if err != nil {
		return Algorithm{}, fmt.Errorf("algorithm %q: unknown history; join some of fn_all, fn_pair and fl_diff with +, or use none", name)
	}
	if strings.ReplaceAll(fix.Name(kinds), ",", "+") != history {
		return Algorithm{}, fmt.Errorf("algorithm %q names a kind of history twice", name)
	}
	a.Engine, a.Method.Heuristics = Agent, kinds
	return a, nil
}

// IsAgent reports whether an algorithm asks a model.
func IsAgent(name string) bool {
	a, err := ParseAlgorithm(name)
	return err == nil && a.Engine == Agent
}

// Inquiry asks an engine about one case.
type Inquiry struct {
	Case      Case         // only for names and records, because it contains the answer
	Repo      *gitext.Repo // ends at the case's base: it has no later commit, ref or object
	Problem   fix.Problem
	Algorithm Algorithm
	// Trial has the sandbox, the limits and the shared build cache for the engine's commands.
	Trial   trial.Options
	OnEvent func(agent.Event) // receives the events of the work
}

// Repairer asks an engine. The answer of a model has its runs in Answer.Agent. For the engine
// Locate only the localization counts.
type Repairer func(ctx context.Context, q Inquiry) (*fix.Answer, error)
