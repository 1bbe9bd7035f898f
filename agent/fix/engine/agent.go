package engine

import (
	"context"
	"slices"
	"time"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/fix/investigate"
	"git-agent/agent/model"
	"git-agent/agent/session"
	"git-agent/agent/symbol"
)

// Agent is the agent engine: it lets the model of a session repair bugs, and records
// the trajectories. It is safe for concurrent use.
type Agent struct {
	Session *session.Session
	// Definitions are the options of the model's tools for looking up definitions.
	Definitions symbol.Options
	Of          session.Case // the evaluated case
	Memory      agent.Memory // of the git tools; may be nil

	prompts string // hash of all prompts
}

// NewAgent prepares the agent engine.
func NewAgent(s *session.Session) (*Agent, error) {
	hash, err := investigate.PromptsHash()
	return &Agent{Session: s, prompts: hash}, err
}

// repairWithModel lets the model repair the bug. If there is no plausible patch because the
// model's server failed, the offline engine goes on; with Effort.GoOn, it does so whatever the reason is.
func (s *study) repairWithModel(ctx context.Context, ans *Result) error {
	a := s.engine.Agent
	spec, err := specOf(a.Of, s.q)
	if err != nil {
		return err
	}
	method := a.method(s.q)
	record := a.record(spec, method)
	s.say("the model works on the bug")
	found, err := session.Investigate(ctx, a.Session, record, s.ask(ctx))
	if err != nil {
		return err
	}
	report := &found.Answer.Report
	for k, id := range found.Runs {
		if k < len(report.Runs) {
			report.Runs[k].Trace = string(id)
		}
	}
	why := unserved(report.Runs)
	if why == "" && s.engine.Effort.GoOn && s.problem.Test != "" {
		why = noPatch
	}
	if s.wrote != nil {
		report.Runs = slices.Insert(report.Runs, 0, *s.wrote)
	}
	s.answer.Agent = report
	before := ans.End
	ans.End = func(ctx context.Context) { before(ctx); found.End(ctx) }
	s.conclude(ctx, found.Answer.Trials)
	if len(s.answer.Plausible)+len(s.answer.OwnTested) == 0 && why != "" {
		return s.takeOver(ctx, why)
	}
	return nil
}

// noPatch is the reason for the offline engine's work after a model that did its own.
const noPatch = "the model found no plausible patch"

// takeOver lets the offline engine work after a model, and says why.
func (s *study) takeOver(ctx context.Context, why string) error {
	s.say("%s: the offline engine goes on", why)
	s.answer.Agent.Fallback = why
	s.answer.Engine = "offline"
	s.clock = clock{time.Now(), s.engine.Effort.Wall}
	s.trial.NoHistory = false // the offline engine uses history
	if s.answer.History == nil {
		if err := s.blame(ctx, s.answer.Localization.Locations); err != nil {
			return err
		}
	}
	return s.repairOffline(ctx)
}

// record prepares the record of runs.
func (a *Agent) record(spec Spec, method session.Method) *session.Record {
	return a.Session.NewRecord(Kind, func(sample int) any {
		spec := spec
		spec.RunSpec = a.Session.RunSpec(method, sample)
		return spec
	})
}

// unserved returns the reason why no trajectory finished, if the model's server is to blame for
// all of them; else "".
func unserved(runs []fix.Run) string {
	why := "the model was not asked"
	for _, r := range runs {
		if r.Status != agent.StatusFailed || r.Class == "" {
			return ""
		}
		why = r.Reason
	}
	return why
}

// ask returns the model's work on the problem.
func (s *study) ask(ctx context.Context) session.Ask[*investigate.Result] {
	return func(asker *session.Watch, journal func(int) (agent.Journal, error)) (*investigate.Result, []agent.RunReport, error) {
		opt := s.options(asker)
		opt.Journal = journal
		res, err := investigate.Repair(ctx, s.engine.Repo, s.input(), opt)
		if err != nil {
			return nil, nil, err
		}
		return res, res.Report.RunReports(), nil
	}
}

// input returns the input of the trajectories.
func (s *study) input() investigate.Input {
	in := investigate.Input{Problem: s.problem, Reproduction: s.answer.Reproduction, Localization: &s.answer.Localization, History: s.answer.History}
	if s.proof != nil {
		in.Validate = func(ctx context.Context, patch fix.Patch) (fix.Trial, error) {
			t, err := s.proof.Validate(ctx, patch)
			s.own(&t)
			return t, err
		}
	}
	return in
}

// options returns the options of the trajectories.
func (s *study) options(asker model.Asker) investigate.Options {
	a := s.engine.Agent
	set := a.Session.Settings
	return investigate.Options{
		Model: asker, ModelName: set.Model, Method: s.q.Method, Unpriced: a.Session.Unpriced(), Ledger: a.Session.Ledger,
		Mask: a.Session.Mask, Memory: a.Memory, Definitions: a.Definitions, Trial: s.trial, OnEvent: s.listen,
		Limits: agent.Limits{Turns: set.Turns, Tokens: set.MaxTokens, Wall: set.Timeout},
	}.WithDefaults()
}

// method returns the model's method for a question.
func (a *Agent) method(q fix.Question) session.Method {
	set := a.Session.Settings
	limits := investigate.Options{Limits: agent.Limits{Turns: set.Turns, Tokens: set.MaxTokens, Wall: set.Timeout}}.WithDefaults().Limits
	return session.Method{Runs: max(q.Method.Samples, 1), Limits: limits, Switches: []string{q.Method.String()}, Prompts: a.prompts}
}

// Setting describes, in one line, all settings besides the build that determine the engine's
// answers with this method.
func (a *Agent) Setting(m fix.Method) string {
	return a.Session.Describe(a.method(fix.Question{Method: m}))
}

// FirstRequest returns the body of the first request about a question. It sends and records
// nothing, but it runs the failing command.
func (e *Engine) FirstRequest(ctx context.Context, q fix.Question) ([]byte, string, error) {
	s, err := e.study(ctx, q, nil)
	defer s.close()
	if err != nil || s.answer.Declined != "" {
		return nil, s.answer.Declined, err
	}
	body, err := e.Agent.Session.FirstRequest(func(asker model.Asker) error {
		opt := s.options(asker)
		opt.Unpriced, opt.Method.Samples = true, 1 // a request that is not sent costs nothing
		if s.unwritten {
			_, err := investigate.WriteTest(ctx, e.Repo, s.input(), opt)
			return err
		}
		_, err := investigate.Repair(ctx, e.Repo, s.input(), opt)
		return err
	})
	return body, "", err
}
