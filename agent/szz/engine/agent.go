package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"git-agent/agent"
	"git-agent/agent/model"
	"git-agent/agent/session"
	"git-agent/agent/szz"
	"git-agent/agent/szz/detect"
	"git-agent/cache"
	"git-agent/gitext"
)

// An Agent has the model of a session investigate fixes, and records what the model
// does. It is safe for concurrent use.
type Agent struct {
	Session     *session.Session
	Runs        int                 // how many vote on each fix, from 1
	Calibration *detect.Calibration // of its probabilities; may be nil

	prompts string // hash of all texts that the model is sent
}

// NewAgent prepares the agent engine. It also returns the basis that a
// calibration of its probabilities has to have.
func NewAgent(s *session.Session, runs int, with szz.Switches) (*Agent, szz.Basis, error) {
	a := &Agent{Session: s, Runs: runs}
	basis, err := detect.BasisOf(a.options(Inquiry{Question: szz.Question{Switches: with}}, nil))
	a.prompts = basis.Prompts
	return a, basis, err
}

// An Inquiry is one fix to investigate.
type Inquiry struct {
	Repo     *gitext.Repo
	Fix      *szz.FixContext
	Question szz.Question
	Of       Case // in an evaluation
	Memory   agent.Memory
	OnEvent  func(agent.Event) // may be nil
}

// A Case names a case of an evaluation. Its runs belong to no repository.
type Case struct{ Repo, Name string }

// An Investigation is the result of an inquiry.
type Investigation struct {
	Verdict *szz.Verdict
	Runs    []cache.RunID // the recorded runs, in the order of their samples
	Failed  *model.Error  // the last time that the server gave no answer, nil if it always did

	// End records that the runs have ended. The caller calls it when the answer is
	// kept. When the process is killed before that, the next one resumes the runs
	// instead of paying for new ones.
	End func(context.Context)
}

// Investigate asks the model. It is an error when the server would refuse every other
// question too. Other trouble gives the offline engine's answer, marked as such.
func (a *Agent) Investigate(ctx context.Context, in Inquiry) (*Investigation, error) {
	watch := a.Session.Watch()
	opt := a.options(in, watch)
	spec := a.spec(in, opt)
	record := a.Session.NewRecord(Kind, func(sample int) any {
		spec := spec
		spec.Sample = sample
		return spec
	})
	opt.Journal = func(k int) (agent.Journal, error) { return record.Journal(ctx, k) }
	verdict, err := detect.Trace(ctx, in.Repo, in.Fix, opt)
	if watch.Fatal() && ctx.Err() == nil {
		err = a.Session.Advise(watch.Failed())
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err // its runs stay open, to be resumed
	}
	end := func(ctx context.Context) { record.Finish(ctx, statuses(verdict.Agent), watch.Failed() != nil) }
	return &Investigation{verdict, record.IDs(), watch.Failed(), end}, nil
}

// statuses returns how the runs of a report ended.
func statuses(report *szz.AgentReport) []string {
	if report == nil {
		return nil
	}
	var list []string
	for _, r := range report.Runs {
		list = append(list, r.Status)
	}
	return list
}

// Resume goes on with one recorded run about q. open reopens the run and returns its
// journal. failed is the error of the server when the answer is the offline engine's
// because of it.
func (a *Agent) Resume(ctx context.Context, repo *gitext.Repo, q szz.Question, open func() (agent.Journal, error)) (v *szz.Verdict, failed *model.Error, err error) {
	fc, err := szz.NewContext(ctx, repo, q.Fix, q.Context())
	if err != nil {
		return nil, nil, err
	}
	journal, err := open()
	if err != nil {
		return nil, nil, err
	}
	watch := a.Session.Watch()
	opt := a.options(Inquiry{Question: q}, watch)
	opt.Runs = 1
	opt.Journal = func(int) (agent.Journal, error) { return journal, nil }
	v, err = detect.Trace(ctx, repo, fc, opt)
	if err == nil && watch.Failed() != nil && v.Agent != nil && v.Agent.Fallback != "" {
		failed = watch.Failed()
	}
	return v, failed, err
}

// errShown ends an investigation whose first request is only shown.
var errShown = errors.New("the request is shown and not sent")

// A shownRequest keeps the first request and answers none.
type shownRequest struct{ first *model.Request }

// Ask keeps the request.
func (s *shownRequest) Ask(_ context.Context, req model.Request) (*model.Reply, error) {
	if s.first == nil {
		s.first = &req
	}
	return nil, errShown
}

// FirstRequest returns the body of the first request for a fix. Nothing is sent
// or recorded.
func (a *Agent) FirstRequest(ctx context.Context, repo *gitext.Repo, q szz.Question) ([]byte, error) {
	fc, err := szz.NewContext(ctx, repo, q.Fix, q.Context())
	if err != nil {
		return nil, err
	}
	shown := &shownRequest{}
	opt := a.options(Inquiry{Question: q}, shown)
	opt.Unpriced = true // it costs nothing
	verdict, err := detect.Trace(ctx, repo, fc, opt)
	switch {
	case shown.first != nil:
		return a.Session.Client.Body(*shown.first)
	case err != nil:
		return nil, err
	case verdict.Algorithm == "annotation":
		return nil, session.WithHint(fmt.Errorf("no model would be asked about %s: its message names its culprit", q.Fix.Short()), "--no-annotations asks the model nevertheless")
	}
	return nil, fmt.Errorf("no model would be asked about %s; see its answer without --show-request", q.Fix.Short())
}

// Broke reports whether a verdict is the offline engine's because the money was
// spent.
func (a *Agent) Broke(v *szz.Verdict) bool {
	return v.Agent != nil && v.Agent.Fallback != "" && a.Session.Ledger.Refused()
}

// options returns the options of the conversations about an inquiry.
func (a *Agent) options(in Inquiry, asker model.Asker) detect.Options {
	s := a.Session
	return detect.Options{
		Model: asker, ModelName: s.Settings.Model, Unpriced: s.Unpriced(), Ledger: s.Ledger, Runs: a.Runs,
		Mask: s.Mask, Memory: in.Memory, OnEvent: in.OnEvent, Max: in.Question.Max,
		Calibration: a.Calibration, Sampling: s.Settings.Sampling(),
		Limits:   agent.Limits{Turns: s.Settings.Turns, Tokens: s.Settings.MaxTokens, Wall: s.Settings.Timeout},
		Switches: in.Question.Switches,
	}.WithDefaults()
}

// identity returns what determines the answers of the engine to a question.
func (a *Agent) identity(q szz.Question) []string {
	calibration := ""
	if a.Calibration != nil {
		calibration = a.Calibration.ID()
	}
	s := a.Session.Settings
	return []string{s.Model, s.Place(), a.prompts, fmt.Sprint(a.Runs), a.setting(a.options(Inquiry{Question: q}, nil)), calibration}
}

// Setting returns what determines the answers of the engine with those switches,
// beside the build, as one text.
func (a *Agent) Setting(with szz.Switches) string {
	opt := a.options(Inquiry{Question: szz.Question{Switches: with}}, nil)
	return fmt.Sprintf("model=%s url=%s runs=%d %s", a.Session.Settings.Model, a.Session.Settings.Place(), a.Runs, a.setting(opt))
}

// setting returns how fixes are investigated, as words. Limits of time and cost are
// no part of it: with higher ones, a run can go on.
func (a *Agent) setting(opt detect.Options) string {
	words := []string{fmt.Sprintf("wire=%s turns=%d tokens=%d", a.Session.Settings.Wire, opt.Limits.Turns, opt.Limits.Tokens)}
	if opt.Sampling != "" {
		words = append(words, opt.Sampling)
	}
	return strings.Join(append(words, opt.Names()...), " ")
}

// spec returns what the recorded runs of an inquiry are found by.
func (a *Agent) spec(in Inquiry, opt detect.Options) Spec {
	s := Spec{
		Repo: in.Of.Repo, Case: in.Of.Name, Fix: in.Fix.Fix, Parent: in.Fix.Parent, Paths: in.Question.Paths, Annotations: in.Question.Annotations,
		Model: a.Session.Settings.Model, BaseURL: a.Session.Settings.Place(), Settings: a.setting(opt), Prompts: a.prompts, Version: a.Session.Version,
	}
	if s.Fix == "" {
		if patch, err := json.Marshal(in.Fix.Patch); err == nil { // it has nothing that JSON cannot encode
			sum := sha256.Sum256(patch)
			s.Patch = hex.EncodeToString(sum[:8])
		}
	}
	return s
}
