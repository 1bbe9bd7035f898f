package render

import (
	"git-agent/agent/model"
	"git-agent/agent/szz"
	"git-agent/cache"
)

// szzWork is what a model did for one fix, over all runs.
type szzWork struct {
	Turns, Calls int
	Usage        model.Usage
}

func szzWorkOf(report *szz.AgentReport) szzWork {
	var w szzWork
	for _, run := range report.Runs {
		w.Turns += run.Turns
		w.Calls += run.Calls
		w.Usage = w.Usage.Add(run.Usage)
	}
	return w
}

func szzJSONAgentOf(ans Answer) *szzJSONAgent {
	report := ans.Verdict.Agent
	if report == nil {
		return nil
	}
	work := szzWorkOf(report)
	out := &szzJSONAgent{Model: report.Model, Fallback: report.Fallback, Agreement: report.Agreement,
		Calibrated: report.Calibrated, Calibration: report.Calibration, Turns: work.Turns, Calls: work.Calls,
		Usage: TokensOf(work.Usage), Runs: []szzJSONRun{}}
	for k, run := range report.Runs {
		var trace cache.RunID
		if k < len(ans.Runs) {
			trace = ans.Runs[k]
		}
		out.Runs = append(out.Runs, szzJSONRunOf(trace, run))
	}
	return out
}

func szzJSONRunOf(trace cache.RunID, run szz.AgentRun) szzJSONRun {
	out := szzJSONRun{
		Trace: trace, Status: run.Status, Reason: run.Reason, Turns: run.Turns, Calls: run.Calls, Objections: run.Objections,
		Usage: TokensOf(run.Usage), Claims: []szzJSONClaim{},
	}
	for _, c := range run.Claims {
		out.Claims = append(out.Claims, szzJSONClaim{c.Commit, c.Type, c.Confidence, c.Reasoning, c.Checked})
	}
	return out
}
