package engine

import (
	"context"
	"fmt"

	"git-agent/agent"
	"git-agent/agent/model"
	"git-agent/agent/session"
	"git-agent/agent/szz"
	"git-agent/agent/szz/investigate"
	"git-agent/gitext"
)

// Agent is the agent engine: it lets the model of a session investigate fixes,
// and records the runs. It is safe for concurrent use.
type Agent struct {
	Session     *session.Session
	Runs        int                      // size of the ensemble that votes on each fix, from 1
	Calibration *investigate.Calibration // calibrates the model's probabilities; may be nil

	prompts string // hash of all prompts
}

// Investigation is the result of a model's work on one fix.
type Investigation = session.Investigation[*szz.Answer]

// NewAgent prepares the agent engine. It also returns the basis that a calibration for
// this engine must have.
func NewAgent(s *session.Session, runs int, with szz.Switches) (*Agent, szz.Basis, error) {
	a := &Agent{Session: s, Runs: runs}
	basis, err := investigate.BasisOf(a.options(Inquiry{Question: szz.Question{Switches: with}}, nil))
	a.prompts = basis.Prompts
	return a, basis, err
}

// Inquiry is one fix to investigate.
type Inquiry struct {
	Repo     *gitext.Repo
	Fix      *szz.FixContext
	Question szz.Question
	Of       session.Case // the evaluated case
	Memory   agent.Memory
	OnEvent  func(agent.Event) // may be nil
	Test     investigate.Test  // may be nil
}

// Investigate lets the model investigate one fix. It returns an error if the server would
// refuse every other question too. After any other failure the answer is the offline
// engine's, and names the failure.
func (a *Agent) Investigate(ctx context.Context, in Inquiry) (*Investigation, error) {
	spec := specOf(in)
	method := a.method(in.Question)
	record := a.Session.NewRecord(Kind, func(sample int) any {
		spec := spec
		spec.RunSpec = a.Session.RunSpec(method, sample)
		return spec
	})
	return session.Investigate(ctx, a.Session, record, a.trace(ctx, in, a.Runs))
}

// trace returns the work of several runs on an inquiry.
func (a *Agent) trace(ctx context.Context, in Inquiry, runs int) session.Ask[*szz.Answer] {
	return func(asker *session.Watch, journal func(int) (agent.Journal, error)) (*szz.Answer, []agent.RunReport, error) {
		opt := a.options(in, asker)
		opt.Runs, opt.Journal = runs, journal
		v, err := investigate.Trace(ctx, in.Repo, in.Fix, opt)
		if err != nil {
			return nil, nil, err
		}
		return v, v.Agent.RunReports(), nil
	}
}

// Resume resumes one recorded run that investigated q. reopen reopens the run and
// returns its journal.
func (a *Agent) Resume(ctx context.Context, repo *gitext.Repo, q szz.Question, reopen func() (agent.Journal, error)) (*Investigation, error) {
	fc, err := szz.NewContext(ctx, repo, q.Fix, q.Context())
	if err != nil {
		return nil, err
	}
	return session.Resume(a.Session, reopen, a.trace(ctx, Inquiry{Repo: repo, Fix: fc, Question: q}, 1))
}

// FirstRequest returns the body of the first request about a fix. It sends and
// records nothing.
func (a *Agent) FirstRequest(ctx context.Context, repo *gitext.Repo, q szz.Question) ([]byte, error) {
	fc, err := szz.NewContext(ctx, repo, q.Fix, q.Context())
	if err != nil {
		return nil, err
	}
	var answer *szz.Answer
	body, err := a.Session.FirstRequest(func(asker model.Asker) (err error) {
		opt := a.options(Inquiry{Question: q}, asker)
		opt.Unpriced = true // an unsent request costs nothing
		answer, err = investigate.Trace(ctx, repo, fc, opt)
		return err
	})
	switch {
	case body != nil || err != nil:
		return body, err
	case answer.Algorithm == szz.ByAnnotation:
		return nil, session.WithHint(
			fmt.Errorf("no model would be asked about %s: its message names its culprit", q.Fix.Short()),
			"--no-annotations asks the model nevertheless",
		)
	}
	return nil, fmt.Errorf("no model would be asked about %s; see its answer without --show-request", q.Fix.Short())
}

// Broke reports whether an answer is the offline engine's because the budget is spent.
func (a *Agent) Broke(v *szz.Answer) bool { return v.Unanswered() && a.Session.Ledger.Refused() }

// options returns the options of the conversations about an inquiry.
func (a *Agent) options(in Inquiry, asker model.Asker) investigate.Options {
	s := a.Session
	return investigate.Options{
		Model: asker, ModelName: s.Settings.Model, Unpriced: s.Unpriced(), Ledger: s.Ledger, Runs: a.Runs,
		Mask: s.Mask, Memory: in.Memory, OnEvent: in.OnEvent, Max: in.Question.Max,
		Calibration: a.Calibration, Sampling: s.Settings.Sampling(), Limits: s.Settings.Limits(),
		Switches: in.Question.Switches, Test: in.Test,
	}.WithDefaults()
}

// method returns the model's method for a question.
func (a *Agent) method(q szz.Question) session.Method {
	opt := a.options(Inquiry{Question: q}, nil)
	return session.Method{Runs: a.Runs, Limits: opt.Limits, Switches: opt.Names(), Prompts: a.prompts}
}

// identity lists all inputs of the engine's answer to a question, except the build.
func (a *Agent) identity(q szz.Question) []string {
	calibration := ""
	if a.Calibration != nil {
		calibration = a.Calibration.ID()
	}
	return append(a.Session.Identity(a.method(q)), calibration)
}

// Setting lists, in one line, all inputs of the engine's answers with these switches,
// except the build.
func (a *Agent) Setting(with szz.Switches) string {
	return a.Session.Describe(a.method(szz.Question{Switches: with}))
}
