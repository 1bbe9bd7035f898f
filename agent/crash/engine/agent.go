package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/crash/localize"
	"git-agent/agent/model"
	"git-agent/agent/session"
	"git-agent/cache"
	"git-agent/gitext"
)

// Agent is the agent engine: it lets the model of a session investigate crashes, and
// records the runs. It is safe for concurrent use.
type Agent struct {
	Session *session.Session
	Runs    int // size of the ensemble that votes on each crash; 0 is localize.DefaultRuns

	prompts string // hash of all prompts
}

// NewAgent prepares the agent engine.
func NewAgent(s *session.Session, runs int) (*Agent, error) {
	hash, err := localize.PromptsHash()
	return &Agent{Session: s, Runs: runs, prompts: hash}, err
}

// Inquiry is one crash to investigate, which the offline engine has ranked.
type Inquiry struct {
	Repo     *gitext.Repo
	Question crash.Question
	Offline  *crash.Ranking
	Of       Case // the evaluated case; zero outside of an evaluation
	Memory   agent.Memory
	OnEvent  func(agent.Event) // may be nil
}

// Case names a case of an evaluation. Runs of an evaluation are recorded with the
// user's data, not with a repository's.
type Case struct{ Repo, Name string }

// Investigation is the result of an inquiry.
type Investigation struct {
	Ranking *crash.Ranking
	Runs    []cache.RunID // the recorded runs, in the order of the samples
	Failed  *model.Error  // error of the last request that the server did not answer; nil if it answered all
	// End records that the runs have ended. Call it after the answer is printed. If
	// the process is killed before that, the next one resumes the runs instead of
	// paying for new ones.
	End func(context.Context)
}

// Investigate lets the model investigate one crash. It returns an error if the server
// would refuse every other question too. After any other failure the ranking is the
// offline engine's, and says so.
func (a *Agent) Investigate(ctx context.Context, in Inquiry) (*Investigation, error) {
	watch := a.Session.Watch()
	opt := a.options(in, watch)
	spec, err := a.spec(in, opt)
	if err != nil {
		return nil, err
	}
	record := a.Session.NewRecord(Kind, func(sample int) any {
		spec := spec
		spec.Sample = sample
		return spec
	})
	opt.Journal = func(k int) (agent.Journal, error) { return record.Journal(ctx, k) }
	ranking, err := localize.Trace(ctx, in.Repo, in.Question, in.Offline, opt)
	if watch.Fatal() && ctx.Err() == nil {
		err = a.Session.Advise(watch.Failed())
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err // its runs stay open, so that they can be resumed
	}
	for k, id := range record.IDs() {
		if k < len(ranking.Agent.Runs) {
			ranking.Agent.Runs[k].Trace = string(id)
		}
	}
	end := func(ctx context.Context) { record.Finish(ctx, statuses(ranking.Agent), watch.Failed() != nil) }
	return &Investigation{ranking, record.IDs(), watch.Failed(), end}, nil
}

// statuses lists how the runs of a report ended.
func statuses(report *crash.AgentReport) []string {
	var list []string
	for _, r := range report.Runs {
		list = append(list, r.Status)
	}
	return list
}

// FirstRequest returns the body of the first request about a crash. It sends and
// records nothing.
func (a *Agent) FirstRequest(ctx context.Context, in Inquiry) ([]byte, error) {
	shown := &session.Preview{}
	opt := a.options(in, shown)
	opt.Unpriced, opt.Runs = true, 1 // a request that is not sent costs nothing
	_, err := localize.Trace(ctx, in.Repo, in.Question, in.Offline, opt)
	if shown.First != nil {
		return a.Session.Client.Body(*shown.First)
	}
	return nil, err
}

// Broke reports whether a ranking is the offline engine's because the budget is
// spent.
func (a *Agent) Broke(r *crash.Ranking) bool {
	return r.Agent != nil && r.Agent.Fallback != "" && a.Session.Ledger.Refused()
}

// options returns the options of the conversations about an inquiry.
func (a *Agent) options(in Inquiry, asker model.Asker) localize.Options {
	s := a.Session
	return localize.Options{
		Model: asker, ModelName: s.Settings.Model, Unpriced: s.Unpriced(), Ledger: s.Ledger, Runs: a.Runs,
		Mask: s.Mask, Memory: in.Memory, OnEvent: in.OnEvent,
		Limits: agent.Limits{Turns: s.Settings.Turns, Tokens: s.Settings.MaxTokens, Wall: s.Settings.Timeout},
	}.WithDefaults()
}

// Setting describes, in one line, everything beside the build that determines the
// answers of the engine with these switches.
func (a *Agent) Setting(with crash.Switches) string {
	opt := a.options(Inquiry{}, nil)
	return fmt.Sprintf("model=%s url=%s runs=%d %s", a.Session.Settings.Model, a.Session.Settings.ServerID(), opt.Runs, a.specSettings(opt, crash.Question{Switches: with}))
}

// specSettings describes how the model investigates, as Spec.Settings records it. The
// limits on time and cost are not included, because an interrupted run may be resumed
// with higher ones.
func (a *Agent) specSettings(opt localize.Options, q crash.Question) string {
	s := a.Session.Settings
	words := []string{fmt.Sprintf("wire=%s turns=%d tokens=%d", s.Wire, opt.Limits.Turns, opt.Limits.Tokens)}
	if sampling := s.Sampling(); sampling != "" {
		words = append(words, sampling)
	}
	if q.Server {
		words = append(words, "lsp")
	}
	return strings.Join(append(words, q.Names()...), " ")
}

// spec returns the spec by which the recorded runs of an inquiry are found.
func (a *Agent) spec(in Inquiry, opt localize.Options) (Spec, error) {
	s := Spec{
		Repo: in.Of.Repo, Case: in.Of.Name, Commit: in.Offline.Commit, Since: in.Question.Since, Suspects: in.Question.Suspects,
		Model: a.Session.Settings.Model, BaseURL: a.Session.Settings.ServerID(), Settings: a.specSettings(opt, in.Question),
		Prompts: a.prompts, Version: a.Session.Version, Dump: in.Question.Dump,
	}
	data, err := json.Marshal(in.Question.Report)
	if err != nil {
		return s, err
	}
	sum := sha256.Sum256(data)
	s.Report = hex.EncodeToString(sum[:8])
	if len(data) <= maxSpecReport {
		s.Content = data
	}
	return s, nil
}
