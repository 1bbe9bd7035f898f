package eval

import (
	"context"
	"errors"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/model"
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

// StopError ends a run of an evaluation, because every other case would meet
// it as well. The case that met it counts as not done.
type StopError struct{ Err error }

func (e *StopError) Error() string { return e.Err.Error() }
func (e *StopError) Unwrap() error { return e.Err }

// stops is the StopError in err, nil if there is none.
func stops(err error) *StopError {
	var stop *StopError
	errors.As(err, &stop)
	return stop
}

// Work is what a model did for one prediction, over all runs that voted.
type Work struct {
	Model      string      `json:"model"`
	Basis      szz.Basis   `json:"basis"`          // what a calibration of the probabilities holds for
	Runs       []string    `json:"runs,omitempty"` // ids in traces.db
	Status     []string    `json:"status"`         // how each run ended
	Turns      int         `json:"turns"`
	Calls      int         `json:"calls"`
	Kept       int         `json:"calls_kept,omitempty"` // calls whose answer was in the cache
	Objections int         `json:"objections,omitempty"` // claims that the check questioned
	Resumed    int         `json:"resumed,omitempty"`    // steps that an interrupted run had done
	Usage      model.Usage `json:"usage"`
	Tools      [][]string  `json:"tools,omitempty"`    // called in each turn, in order
	Types      []string    `json:"types,omitempty"`    // of the suspects
	Fallback   string      `json:"fallback,omitempty"` // why the offline answer stands in
}

// worker collects the Work of one prediction.
type worker struct {
	tools [][]string
	kept  int
}

// see counts tool calls by turn, and answers from the cache. Runs that vote add
// up.
func (w *worker) see(e agent.Event) {
	if of, ok := e.(agent.OfRun); ok {
		e = of.Event
	}
	if r, ok := e.(agent.ToolResult); ok && r.Cached {
		w.kept++
	}
	call, ok := e.(agent.ToolCall)
	if !ok || call.Turn < 1 {
		return
	}
	for len(w.tools) < call.Turn {
		w.tools = append(w.tools, nil)
	}
	w.tools[call.Turn-1] = append(w.tools[call.Turn-1], call.Name)
}

// workOf is nil for a verdict that took no model.
func (w *worker) workOf(v *szz.Verdict, runs []string) *Work {
	r := v.Agent
	if r == nil {
		return nil
	}
	work := &Work{Model: r.Model, Basis: r.Basis, Runs: runs, Tools: w.tools, Kept: w.kept, Fallback: r.Fallback}
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
