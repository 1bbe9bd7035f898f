package eval

import (
	"git-agent/agent"
	"git-agent/agent/model"
)

// Work records a model's work for one prediction. It adds up all runs that voted.
type Work struct {
	Runs        []string    `json:"runs,omitempty"` // ids in traces.db
	Status      []string    `json:"status"`         // how each run ended
	Turns       int         `json:"turns"`
	Calls       int         `json:"calls"`
	CachedCalls int         `json:"calls_kept,omitempty"` // calls whose answer was in the cache
	Objections  int         `json:"objections,omitempty"` // claims that the claim check questioned
	Resumed     int         `json:"resumed,omitempty"`    // steps reused from an interrupted run
	Usage       model.Usage `json:"usage"`
	Tools       [][]string  `json:"tools,omitempty"`    // tools called in each turn, in order
	Types       []string    `json:"types,omitempty"`    // types of the named answers
	Fallback    string      `json:"fallback,omitempty"` // reason for the offline engine's answer instead of the model's
	// Faults counts the calls without a result, by tool and reason.
	Faults map[string]map[agent.Fault]int `json:"faults,omitempty"`
}

// Fell reports whether the offline engine answered because no run of the model did. A nil Work
// means that the algorithm asks no model.
func (w *Work) Fell() bool { return w != nil && w.Fallback != "" }

// Observer collects figures from the events of a model's work on one prediction.
type Observer struct {
	Tools       [][]string                     // tools called in each turn, in order
	CachedCalls int                            // calls whose answer was in the cache
	Faults      map[string]map[agent.Fault]int // calls without a result, by tool and reason
}

// Work returns the work of the runs with these reports. The caller adds the types of the named
// answers. ids are the ids of the runs in traces.db; fallback is the reason for using the offline
// engine's answer.
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
