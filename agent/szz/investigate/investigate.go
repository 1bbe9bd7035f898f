// Package investigate is the agent engine of szz: a language model finds the
// bug-introducing commits of a fix with the git tools, after AgentSZZ (arXiv 2604.02665).
// The first prompt lists the candidates of the ranking, the model's answer is checked
// against the history, and several runs can vote. If the model fails, the ranking
// answers.
package investigate

import (
	"context"
	"fmt"
	"slices"
	"time"

	"git-agent/agent"
	"git-agent/agent/model"
	"git-agent/agent/szz"
	"git-agent/gitext"
)

// Options name the model and limit its cost and its view.
type Options struct {
	Model     model.Asker
	ModelName string
	Limits    agent.Limits // of one run; defaultLimits replaces zero Turns, Tokens and Wall
	MaxOutput int          // tokens of one answer; with 0 the server decides
	Unpriced  bool         // continue despite an unknown price of the model and a limit in USD
	Ledger    *agent.Ledger
	Runs      int // independent runs that vote; 0 is 1
	// Journal opens the record of the k-th run, from 0; nil records nothing.
	Journal func(k int) (agent.Journal, error)
	Memory  agent.Memory        // of the tools; may be nil
	Mask    func(string) string // removes secrets from texts; may be nil
	Max     int                 // most suspects returned; 0 lets the runs decide
	// Calibration calibrates the probabilities; nil leaves them unchanged. A calibration
	// for another Basis is not used, and the report says so.
	Calibration *Calibration
	Test        Test   // for a model that asks for it; nil gives the model no such tool
	Sampling    string // the sampling parameters, such as "effort=high"; part of the Basis
	// OnEvent gets the events of the runs, each as an agent.OfRun if there are several.
	// It is called by one goroutine at a time; may be nil.
	OnEvent func(agent.Event)

	szz.Switches
}

// Test runs the test of the fix at a commit and its parents, and returns what [TestText] says of
// it. A *agent.CallError says that no more runs are allowed. Several runs may call it at a time.
type Test func(ctx context.Context, commit gitext.Commit) (string, error)

// defaultLimits bound one run. AgentSZZ allows 15 turns, and needs 5.7 turns and
// 35,000 tokens on average.
var defaultLimits = agent.Limits{Turns: 15, Tokens: 400_000, Wall: 15 * time.Minute}

// Trace finds the bug-introducing commits of a fix with a model in a tool loop, after
// AgentSZZ (arXiv 2604.02665, section 3). If the fix's message names a verified culprit,
// no model is asked. If no run gives an answer, the answer is the offline engine's, and
// Answer.Agent.Fallback gives the reason. An error is for a context that ended and for
// trouble with the repository or the journal.
func Trace(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext, opt Options) (*szz.Answer, error) {
	if v, err := szz.Settle(ctx, repo, fc, szz.Algorithms[0]); v != nil || err != nil {
		if err != nil {
			return nil, err
		}
		return v.Offline(fc, opt.Max), nil
	}
	opt = opt.WithDefaults()
	report, err := newAgentReport(&opt)
	if err != nil {
		return nil, err
	}
	d, err := newInvestigation(ctx, repo, fc, opt)
	if err != nil {
		return nil, err
	}
	if report.Runs, err = d.investigate(ctx); err != nil {
		return nil, err
	}
	return d.conclude(ctx, report)
}

// newAgentReport begins the report with the model and the basis. It removes a calibration
// for another basis from the options.
func newAgentReport(opt *Options) (*szz.AgentReport, error) {
	basis, err := BasisOf(*opt)
	r := &szz.AgentReport{Model: opt.ModelName, Basis: basis, Calibration: "no calibration is set"}
	if c := opt.Calibration; c != nil {
		if r.Calibration = c.Differs(basis); r.Calibration == "" {
			r.Calibrated, r.Calibration = true, c.About()
			return r, err
		}
		opt.Calibration = nil
	}
	return r, err
}

// WithDefaults returns the options with default limits and one run for unset values.
func (o Options) WithDefaults() Options {
	o.Limits = o.Limits.Or(defaultLimits)
	o.Runs = max(1, o.Runs)
	return o
}

// conclude makes the answer from the runs, or from the ranking if no run has one.
func (d *investigation) conclude(ctx context.Context, report *szz.AgentReport) (*szz.Answer, error) {
	answered := voters(report.Runs)
	if d.opt.Calibration != nil && (answered < d.opt.Runs || d.k.Set.Beyond) {
		d.opt.Calibration, report.Calibrated = nil, false
		report.Calibration = fmt.Sprintf("it is for %d runs, and here %d gave an answer", d.opt.Runs, answered)
		if d.k.Set.Beyond {
			report.Calibration = "it is for whole histories, and this clone has not that of the fix's lines"
		}
	}
	suspects, err := d.elect(ctx, report.Runs)
	if err != nil {
		return nil, err
	}
	v := &szz.Answer{Engine: "agent", Algorithm: "agent", Suspects: suspects, Candidates: d.offline.Candidates, Index: d.offline.Index}
	for _, s := range suspects {
		if !slices.Contains(v.Candidates, s.Commit.OID) {
			v.Candidates = append(v.Candidates, s.Commit.OID)
		}
	}
	notes := d.k.Set.Notes
	if len(suspects) == 0 {
		report.Fallback = agent.WhyNone(report.RunReports(), "the model named no commit")
		report.Calibrated, report.Calibration = false, "the answer is the offline engine's, whose probabilities have a calibration of their own"
		v.Algorithm, v.Suspects, v.Owner = d.offline.Algorithm, d.offline.Suspects, d.offline.Owner
		notes = append(slices.Clone(d.offline.Notes), "the answer is the offline engine's: "+report.Fallback)
	} else {
		if answered > 1 {
			report.Agreement = suspects[0].Vote.Agreement
		}
		notes = append(slices.Clone(notes), report.ProbabilityNote())
		v.Owner = d.k.Owner(d.ranking, v.Suspects)
	}
	if d.opt.Max > 0 && len(v.Suspects) >= d.opt.Max {
		v.Owner = nil
	}
	v.Notes = append(d.fc.AllNotes(), notes...)
	v.Fix, v.Parent, v.Agent = d.fc.Fix, d.fc.Parent, report
	return v, nil
}
