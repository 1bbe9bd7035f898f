package engine

import (
	"context"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/crash/investigate"
	"git-agent/agent/model"
	"git-agent/agent/session"
	"git-agent/agent/symbol"
	"git-agent/gitext"
)

// Agent is the agent engine: the model of a session investigates crashes, and Agent records the
// runs. It is safe for concurrent use.
type Agent struct {
	Session *session.Session
	Runs    int // size of the ensemble that votes on each crash, from 1
	// Definitions configures definition lookups of the model's tools.
	Definitions symbol.Options
	// Calibration calibrates the probabilities of answers; may be nil.
	Calibration *session.Calibration

	prompts string // hash of all prompts
}

// Investigation is the result of a model's work on one crash.
type Investigation = session.Investigation[*crash.Answer]

// NewAgent prepares the agent engine.
func NewAgent(s *session.Session, runs int) (*Agent, error) {
	hash, err := investigate.PromptsHash()
	return &Agent{Session: s, Runs: runs, prompts: hash}, err
}

// Inquiry is one crash to investigate, already ranked by the offline engine.
type Inquiry struct {
	Repo     *gitext.Repo
	Question crash.Question
	Offline  *crash.Answer
	Of       session.Case // the evaluated case
	Memory   agent.Memory
	OnEvent  func(agent.Event) // may be nil
}

// Investigate lets the model investigate one crash. It returns an error if the server would
// refuse every other question too. After any other failure it returns the offline engine's
// answer, marked as such.
func (a *Agent) Investigate(ctx context.Context, in Inquiry) (*Investigation, error) {
	spec, err := specOf(in)
	if err != nil {
		return nil, err
	}
	method := a.method(in.Question)
	record := a.Session.NewRecord(Kind, func(sample int) any {
		spec := spec
		spec.RunSpec = a.Session.RunSpec(method, sample)
		return spec
	})
	found, err := session.Investigate(ctx, a.Session, record, a.trace(ctx, in, a.Runs))
	if err != nil {
		return nil, err
	}
	for k, id := range found.Runs {
		if runs := found.Answer.Agent.Runs; k < len(runs) {
			runs[k].Trace = string(id)
		}
	}
	return found, nil
}

// trace returns a function that performs a number of runs on an inquiry.
func (a *Agent) trace(ctx context.Context, in Inquiry, runs int) session.Ask[*crash.Answer] {
	return func(asker *session.Watch, journal func(int) (agent.Journal, error)) (*crash.Answer, []agent.RunReport, error) {
		opt := a.options(in, asker)
		opt.Runs, opt.Journal = runs, journal
		r, err := investigate.Trace(ctx, in.Repo, in.Question, in.Offline, opt)
		if err != nil {
			return nil, nil, err
		}
		return r, r.Agent.RunReports(), nil
	}
}

// Resume resumes one recorded run about q. reopen reopens the run and returns its journal.
func (a *Agent) Resume(ctx context.Context, repo *gitext.Repo, q crash.Question, reopen func() (agent.Journal, error)) (*Investigation, error) {
	offline, err := (&Engine{Repo: repo}).Offline(ctx, q)
	if err != nil {
		return nil, err
	}
	return session.Resume(a.Session, reopen, a.trace(ctx, Inquiry{Repo: repo, Question: q, Offline: offline}, 1))
}

// FirstRequest returns the body of the first request about a crash. It sends and
// records nothing.
func (a *Agent) FirstRequest(ctx context.Context, in Inquiry) ([]byte, error) {
	return a.Session.FirstRequest(func(asker model.Asker) error {
		opt := a.options(in, asker)
		opt.Unpriced, opt.Runs = true, 1 // an unsent request costs nothing
		_, err := investigate.Trace(ctx, in.Repo, in.Question, in.Offline, opt)
		return err
	})
}

// options returns the options of the conversations about an inquiry.
func (a *Agent) options(in Inquiry, asker model.Asker) investigate.Options {
	s := a.Session
	return investigate.Options{
		Model: asker, ModelName: s.Settings.Model, Unpriced: s.Unpriced(), Ledger: s.Ledger, Runs: a.Runs,
		Mask: s.Mask, Memory: in.Memory, OnEvent: in.OnEvent, Definitions: a.Definitions, Calibration: a.Calibration, Sampling: s.Settings.Sampling(),
		Limits: agent.Limits{Turns: s.Settings.Turns, Tokens: s.Settings.MaxTokens, Wall: s.Settings.Timeout},
	}.WithDefaults()
}

// Basis returns the conditions on which the probabilities of the answers to a question depend.
func (a *Agent) Basis(q crash.Question) (agent.Basis, error) {
	return investigate.BasisOf(q, a.options(Inquiry{Question: q}, nil))
}

// method describes how the model works on a question.
func (a *Agent) method(q crash.Question) session.Method {
	return session.Method{Runs: a.Runs, Limits: a.options(Inquiry{Question: q}, nil).Limits, Switches: q.Names(), Prompts: a.prompts}
}

// Setting describes, in one line, all settings except the build that determine the engine's
// answers with these switches.
func (a *Agent) Setting(with crash.Switches) string {
	return a.Session.Describe(a.method(crash.Question{Switches: with}))
}
