package render

import (
	"git-agent/agent/crash"
	"git-agent/agent/model"
	"git-agent/agent/szz"
)

// modelWork sums up what a model did for one question in all runs.
type modelWork struct {
	Turns, Calls int
	Usage        model.Usage
}

func modelWorkOf(report *szz.AgentReport) modelWork {
	var w modelWork
	for _, run := range report.Runs {
		w.Turns += run.Turns
		w.Calls += run.Calls
		w.Usage = w.Usage.Add(run.Usage)
	}
	return w
}

func crashWorkOf(report *crash.AgentReport) modelWork {
	var w modelWork
	for _, run := range report.Runs {
		w.Turns += run.Turns
		w.Calls += run.Calls
		w.Usage = w.Usage.Add(run.Usage)
	}
	return w
}
