// Package investigate is the agent engine of fix: a language model repairs a bug in
// trajectories, after HAFixAgent (arXiv 2511.01047) and Passerine (arXiv 2501.07531).
//
// The first message of a trajectory has the failing tests, the suspected functions with their
// code, and their history. Tools read, edit and test a scratch work tree. The caller's Validate
// decides whether a patch is plausible, regardless of the model's claim. If no trajectory of a
// round repairs the bug, the next round shows another history, and the rejected patches.
package investigate

import (
	"context"
	"time"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/model"
	"git-agent/agent/symbol"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

// Input has the results of the earlier steps for a problem.
type Input struct {
	Problem      fix.Problem
	Reproduction fix.Reproduction
	Localization *fix.Localization
	History      *fix.History // nil if the history was not searched
	// Validate tries a patch in a separate work tree. Several goroutines may call it at the
	// same time.
	Validate func(ctx context.Context, patch fix.Patch) (fix.Trial, error)
}

// Options select the model, its limits, and its method.
type Options struct {
	Model     model.Asker
	ModelName string
	Method    fix.Method
	Limits    agent.Limits // limits of one trajectory; zero fields are those of defaultLimits, except USD
	MaxOutput int          // most tokens of one answer; 0 leaves the limit to the server
	Unpriced  bool         // go on although the model's price is unknown and there is a limit in USD
	Ledger    *agent.Ledger
	// Journal opens the record of the k-th trajectory, from 0; nil records nothing.
	Journal     func(k int) (agent.Journal, error)
	Memory      agent.Memory        // of the git tools; may be nil
	Mask        func(string) string // removes confidential parts of texts; may be nil
	Definitions symbol.Options
	Trial       trial.Options // options for running commands
	// OnEvent gets the events of the trajectories, as an agent.OfRun if several trajectories
	// run at the same time. Calls do not overlap. It may be nil.
	OnEvent func(agent.Event)
}

// defaultLimits bound one trajectory: HAFixAgent allows 50 steps (section 4.3). The
// limit of one dollar is the session's.
var defaultLimits = agent.Limits{Turns: 50, Tokens: 1_500_000, Wall: time.Hour}

// WithDefaults returns the options with default values for unset limits.
func (o Options) WithDefaults() Options {
	o.Limits = o.Limits.Or(defaultLimits)
	return o
}

// Result is the result of the trajectories.
type Result struct {
	Report fix.AgentReport
	Trials []fix.Trial // the tried patches, in the order of the trajectories
}

// Repair lets the model repair a problem. Failures of the model and its server are in the
// result. An error means that ctx ended, or that the repository, a work tree or the journal
// failed.
func Repair(ctx context.Context, repo *gitext.Repo, in Input, opt Options) (*Result, error) {
	opt = opt.WithDefaults()
	w := &work{repo: repo, in: in, opt: opt}
	if err := w.prepare(ctx); err != nil {
		return nil, err
	}
	res := &Result{Report: fix.AgentReport{Model: opt.ModelName}}
	first := 0
	for _, round := range opt.Method.Rounds() {
		found, err := w.round(ctx, first, round)
		if err != nil {
			return nil, err
		}
		repaired, goOn := false, len(found) == len(round)
		for _, t := range found {
			res.Report.Runs = append(res.Report.Runs, t.runs...)
			goOn = goOn && t.last().Status != agent.StatusFailed
			if t.trial == nil {
				continue
			}
			res.Trials = append(res.Trials, *t.trial)
			repaired = repaired || t.trial.Verdict.Passes()
			w.rejected = append(w.rejected, *t.trial)
		}
		first += len(round)
		if repaired || !goOn {
			break
		}
	}
	if opt.Method.Review {
		if err := w.review(ctx, w.journalOf(first, fix.PhaseAnalysis), res); err != nil {
			return nil, err
		}
	}
	return res, nil
}
