package render

import (
	"git-agent/agent"
	"git-agent/agent/model"
)

// modelWork sums up a model's work for one question in all runs.
type modelWork struct {
	Turns, Calls int
	Usage        model.Usage
}

func modelWorkOf(reports []agent.RunReport) modelWork {
	var w modelWork
	for _, run := range reports {
		w.Turns += run.Turns
		w.Calls += run.Calls
		w.Usage = w.Usage.Add(run.Usage)
	}
	return w
}
