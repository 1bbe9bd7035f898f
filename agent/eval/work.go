package eval

import (
	"git-agent/agent"
	"git-agent/agent/model"
)

// Work records what a model did for one prediction. It adds up all runs that voted.
type Work struct {
	Runs        []string    `json:"runs,omitempty"` // ids in traces.db
	Status      []string    `json:"status"`         // how each run ended
	Turns       int         `json:"turns"`
	Calls       int         `json:"calls"`
	CachedCalls int         `json:"calls_kept,omitempty"` // calls whose answer was in the cache
	Objections  int         `json:"objections,omitempty"` // claims that the claim check questioned
	Resumed     int         `json:"resumed,omitempty"`    // steps taken over from an interrupted run
	Usage       model.Usage `json:"usage"`
	Tools       [][]string  `json:"tools,omitempty"`    // tools called in each turn, in order
	Types       []string    `json:"types,omitempty"`    // types of what the answer names
	Fallback    string      `json:"fallback,omitempty"` // why the offline engine's answer is in the place of the model's
	// Faults counts the calls of each tool that brought nothing, by the reason.
	Faults map[string]map[agent.Fault]int `json:"faults,omitempty"`
}

// Fell reports whether no run of the model gave an answer, so that the offline engine's
// is in its place. A nil Work is that of an algorithm that asks no model.
func (w *Work) Fell() bool { return w != nil && w.Fallback != "" }

// Observer collects figures from the events of a model's work on one prediction.
type Observer struct {
	Tools       [][]string                     // tools called in each turn, in order
	CachedCalls int                            // calls whose answer was in the cache
	Faults      map[string]map[agent.Fault]int // calls that brought nothing, by tool and reason
}

// Work returns the work of the runs with these reports, which the caller completes
// with the types of what the answer names. ids are the runs' in traces.db; fallback
// says why the offline engine's answer is used.
func (w *Observer) Work(ids []string, reports []agent.RunReport, fallback string) Work {
	work := Work{Runs: ids, Tools: w.Tools, CachedCalls: w.CachedCalls, Faults: w.Faults, Fallback: fallback}
	for _, r := range reports {
		work.Status = append(work.Status, r.Status)
		work.Turns += r.Turns
		work.Calls += r.Calls
		work.Objections += r.Objections
		work.Resumed += r.Resumed
		work.Usage = work.Usage.Add(r.Usage)
	}
	return work
}

// See adds one event. Events of several runs that vote are added up.
func (w *Observer) See(e agent.Event) {
	if of, ok := e.(agent.OfRun); ok {
		e = of.Event
	}
	if r, ok := e.(agent.ToolResult); ok {
		w.seeResult(r)
	}
	call, ok := e.(agent.ToolCall)
	if !ok || call.Turn < 1 {
		return
	}
	for len(w.Tools) < call.Turn {
		w.Tools = append(w.Tools, nil)
	}
	w.Tools[call.Turn-1] = append(w.Tools[call.Turn-1], call.Name)
}

func (w *Observer) seeResult(r agent.ToolResult) {
	if r.Cached {
		w.CachedCalls++
	}
	if r.Fault == "" {
		return
	}
	if w.Faults == nil {
		w.Faults = map[string]map[agent.Fault]int{}
	}
	if w.Faults[r.Name] == nil {
		w.Faults[r.Name] = map[agent.Fault]int{}
	}
	w.Faults[r.Name][r.Fault]++
}
