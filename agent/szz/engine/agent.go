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

// Agent is the agent engine: it lets the model of a session investigate fixes,
// and records the runs. It is safe for concurrent use.
type Agent struct {
	Session     *session.Session
	Runs        int                 // size of the ensemble that votes on each fix, from 1
	Calibration *detect.Calibration // calibrates the model's probabilities; may be nil

	prompts string // hash of all prompts
}

// NewAgent prepares the agent engine. It also returns the basis on which a
// calibration must have been fitted to be valid for this engine.
func NewAgent(s *session.Session, runs int, with szz.Switches) (*Agent, szz.Basis, error) {
	a := &Agent{Session: s, Runs: runs}
	basis, err := detect.BasisOf(a.options(Inquiry{Question: szz.Question{Switches: with}}, nil))
	a.prompts = basis.Prompts
	return a, basis, err
}

// Inquiry is one fix to investigate.
type Inquiry struct {
	Repo     *gitext.Repo
	Fix      *szz.FixContext
	Question szz.Question
	Of       Case // the evaluated case; zero outside of an evaluation
	Memory   agent.Memory
	OnEvent  func(agent.Event) // may be nil
}

// Case names a case of an evaluation. Runs of an evaluation are recorded with
// the user's data, not with a repository's.
type Case struct{ Repo, Name string }

// Investigation is the result of an inquiry.
type Investigation struct {
	Verdict *szz.Verdict
	Runs    []cache.RunID // the recorded runs, in the order of the samples
	Failed  *model.Error  // error of the last request that the server did not answer; nil if it answered all

	// End records that the runs have ended. Call it after the answer is cached. If
	// the process is killed before that, the next one resumes the runs instead of
	// paying for new ones.
	End func(context.Context)
}

// Investigate lets the model investigate one fix. It returns an error if the
// server would refuse every other question too. After any other failure the
// verdict is the offline engine's, and says so.
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
		return nil, err // its runs stay open, so that they can be resumed
	}
	end := func(ctx context.Context) { record.Finish(ctx, statuses(verdict.Agent), watch.Failed() != nil) }
	return &Investigation{verdict, record.IDs(), watch.Failed(), end}, nil
}

// statuses lists how the runs of a report ended.
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

// Resume resumes one recorded run that investigated q. open reopens the run and
// returns its journal. failed is the server's error if it is the reason why the
// verdict is the offline engine's.
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

// errNotSent ends an investigation whose first request is only to be shown.
var errNotSent = errors.New("the request is shown and not sent")

// requestKeeper keeps the first request that it is asked, and answers none.
type requestKeeper struct{ first *model.Request }

// Ask keeps the first request and returns errNotSent.
func (s *requestKeeper) Ask(_ context.Context, req model.Request) (*model.Reply, error) {
	if s.first == nil {
		s.first = &req
	}
	return nil, errNotSent
}

// FirstRequest returns the body of the first request about a fix. It sends and
// records nothing.
func (a *Agent) FirstRequest(ctx context.Context, repo *gitext.Repo, q szz.Question) ([]byte, error) {
	fc, err := szz.NewContext(ctx, repo, q.Fix, q.Context())
	if err != nil {
		return nil, err
	}
	shown := &requestKeeper{}
	opt := a.options(Inquiry{Question: q}, shown)
	opt.Unpriced = true // a request that is not sent costs nothing
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

// Broke reports whether a verdict is the offline engine's because the budget is
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

// identity lists everything beside the build that determines the engine's answer
// to a question.
func (a *Agent) identity(q szz.Question) []string {
	calibration := ""
	if a.Calibration != nil {
		calibration = a.Calibration.ID()
	}
	s := a.Session.Settings
	return []string{s.Model, s.ServerID(), a.prompts, fmt.Sprint(a.Runs), a.specSettings(a.options(Inquiry{Question: q}, nil)), calibration}
}

// Setting describes, in one line, everything beside the build that determines
// the answers of the engine with these switches.
func (a *Agent) Setting(with szz.Switches) string {
	opt := a.options(Inquiry{Question: szz.Question{Switches: with}}, nil)
	return fmt.Sprintf("model=%s url=%s runs=%d %s", a.Session.Settings.Model, a.Session.Settings.ServerID(), a.Runs, a.specSettings(opt))
}

// specSettings describes how the model investigates, as Spec.Settings records
// it. The limits on time and cost are not included, because an interrupted run
// may be resumed with higher ones.
func (a *Agent) specSettings(opt detect.Options) string {
	words := []string{fmt.Sprintf("wire=%s turns=%d tokens=%d", a.Session.Settings.Wire, opt.Limits.Turns, opt.Limits.Tokens)}
	if opt.Sampling != "" {
		words = append(words, opt.Sampling)
	}
	return strings.Join(append(words, opt.Names()...), " ")
}

// spec returns the spec by which the recorded runs of an inquiry are found.
func (a *Agent) spec(in Inquiry, opt detect.Options) Spec {
	s := Spec{
		Repo: in.Of.Repo, Case: in.Of.Name, Fix: in.Fix.Fix, Parent: in.Fix.Parent, Paths: in.Question.Paths, Annotations: in.Question.Annotations,
		Model: a.Session.Settings.Model, BaseURL: a.Session.Settings.ServerID(), Settings: a.specSettings(opt), Prompts: a.prompts, Version: a.Session.Version,
	}
	if s.Fix == "" {
		if patch, err := json.Marshal(in.Fix.Patch); err == nil { // a patch can always be encoded
			sum := sha256.Sum256(patch)
			s.Patch = hex.EncodeToString(sum[:8])
		}
	}
	return s
}
