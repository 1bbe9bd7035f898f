package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"git-agent/agent"
	"git-agent/agent/model"
	"git-agent/agent/szz"
	"git-agent/agent/szz/detect"
	"git-agent/cache"
	"git-agent/gitext"
)

// detectiveKind is what traces.db calls the investigations of a fix.
const detectiveKind = "szz/agent"

// detective lets a model investigate fixes and records what it does. It is
// safe for concurrent use.
type detective struct {
	settings modelSettings
	flags    modelFlags
	client   model.Asker
	body     func(model.Request) ([]byte, error) // what the client would send
	ledger   *agent.Ledger
	mask     func(string) string
	traces   *cache.Traces     // nil: nothing is recorded
	own      bool              // the traces are ours to close
	insisted bool              // on a model's answer: the offline one is no answer to the question
	version  string            // of the program
	keyFrom  string            // where the key is from, "" without one
	prompts  string            // hash of all that the model is told
	say      func(text string) // to the user, beside the answer
	warn     func(text string) // likewise, once

	calibration *detect.Calibration // of its probabilities; may be nil
}

// newDetective is ready to ask; without traces it can only show what it would
// ask. The traces stay the caller's to close.
func (a *app) newDetective(ctx context.Context, s modelSettings, flags modelFlags, traces *cache.Traces) (*detective, error) {
	version, err := engineVersion()
	if err != nil {
		return nil, err
	}
	d := &detective{settings: s, flags: flags, traces: traces, version: version, warn: a.warnOnce}
	d.say = func(text string) { a.say("%s", printable(text)) }
	basis, err := detect.BasisOf(d.options(inquiry{}, nil))
	if err != nil {
		return nil, err
	}
	d.prompts = basis.Prompts
	if err := a.calibrate(d, basis); err != nil {
		return nil, err
	}
	return d, a.connect(ctx, d)
}

// inquiry is one fix to investigate.
type inquiry struct {
	repo    *gitext.Repo
	fix     *szz.FixContext
	about   detectiveSpec // what the caller knows of the run; the rest is filled in
	memory  agent.Memory
	adjust  func(*detect.Options) // may be nil
	onEvent func(agent.Event)     // may be nil
}

// detectiveSpec is what makes two investigations the same. An interrupted one
// is taken up again by the next that is equal to it.
type detectiveSpec struct {
	Repo        string     `json:"repo,omitempty"` // in an evaluation, which belongs to no repository
	Case        string     `json:"case,omitempty"` // likewise
	Fix         gitext.OID `json:"fix"`
	Parent      gitext.OID `json:"parent"`
	Patch       string     `json:"patch,omitempty"` // hash of a fix that is not committed
	Paths       []string   `json:"paths,omitempty"`
	Annotations bool       `json:"annotations,omitempty"`
	Model       string     `json:"model"`
	BaseURL     string     `json:"base_url"`
	Settings    string     `json:"settings,omitempty"`
	Prompts     string     `json:"prompts"`
	Version     string     `json:"version"`
	Sample      int        `json:"sample"` // from 0, of the runs that vote
}

// investigation is what came of an inquiry.
type investigation struct {
	verdict *szz.Verdict
	runs    []cache.RunID // recorded, in the order of the samples
	failed  *model.Error  // the last time that the server gave no answer, nil if it always did

	// end says in the record that the runs have ended. It is called when the
	// answer is kept: who is killed in between takes the runs up again, and
	// would otherwise pay for new ones.
	end func(context.Context)
}

// investigate asks the model. A server that would refuse every other question
// too is an error; other trouble gives the offline answer, marked as such.
func (d *detective) investigate(ctx context.Context, q inquiry) (*investigation, error) {
	w := &witness{Asker: d.client}
	opt := d.options(q, w)
	log := &runLog{traces: d.traces, spec: d.spec(q, opt), say: d.say, lost: func(err error) { d.warn(unrecorded(err)) }}
	opt.Journal = func(k int) (agent.Journal, error) { return log.open(ctx, k) }
	verdict, err := detect.Trace(ctx, q.repo, q.fix, opt)
	if w.fatal() && ctx.Err() == nil {
		err = d.advise(w.failed)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err // its runs stay open, so that they are taken up again
	}
	end := func(ctx context.Context) { log.finish(ctx, verdict.Agent, w.failed != nil) }
	return &investigation{verdict, log.ids(), w.failed, end}, nil
}

// options are what the engine is told of an inquiry.
func (d *detective) options(q inquiry, asker model.Asker) detect.Options {
	opt := detect.Options{
		Model: asker, ModelName: d.settings.Model, Unpriced: d.settings.AllowUnpriced || d.settings.local(), Ledger: d.ledger, Runs: d.flags.runs(),
		Mask: d.mask, Memory: q.memory, OnEvent: q.onEvent,
		Calibration: d.calibration, Sampling: d.settings.sampling(),
		Limits:  agent.Limits{Turns: d.settings.Turns, Tokens: d.settings.MaxTokens, Wall: d.settings.Timeout},
		NoTools: !d.flags.Tools, NoDomainKnowledge: !d.flags.DomainKnowledge, NoCompression: !d.flags.Compression,
	}
	if q.adjust != nil {
		q.adjust(&opt)
	}
	return opt.WithDefaults()
}

// identity is what of the detective determines its answers.
func (d *detective) identity() []string {
	calibration := ""
	if d.calibration != nil {
		calibration = d.calibration.ID()
	}
	return []string{d.settings.Model, d.settings.place(), d.prompts, fmt.Sprint(d.flags.runs()), d.setting(d.options(inquiry{}, nil)), calibration}
}

// advise adds to the error of a server what the user can do about it.
func (d *detective) advise(failed *model.Error) error {
	switch failed.Class {
	case model.ClassAuth:
		if d.keyFrom == "" {
			return withHint(failed, keyHint)
		}
		return withHint(failed, "check the key for %s; it is from %s", d.settings.host(), d.keyFrom)
	case model.ClassQuota:
		return withHint(failed, "check the account at %s", d.settings.host())
	case model.ClassModel:
		if failed.Status == http.StatusOK { // the server knows the model, and says what else is wrong
			return failed
		}
		return withHint(failed, "check the model's name, %q, which is from %s", d.settings.Model, d.settings.from["agent.model"])
	}
	return failed
}

// broke is true when the offline answer stands in because the money is spent.
func (d *detective) broke(v *szz.Verdict) bool {
	return v.Agent != nil && v.Agent.Fallback != "" && d.ledger.Refused()
}

// spent is the error that ends a command whose budget is spent.
func (d *detective) spent() error {
	return withHint(&spentError{d.settings.MaxCost, d.ledger.Spent().USD}, "allow more with --max-cost=<usd>; what is done is kept")
}

// close closes the traces where they are its own.
func (d *detective) close() error {
	if d == nil || !d.own || d.traces == nil {
		return nil
	}
	return d.traces.Close()
}

func (d *detective) spec(q inquiry, opt detect.Options) detectiveSpec {
	spec := q.about
	spec.Fix, spec.Parent, spec.Model, spec.BaseURL = q.fix.Fix, q.fix.Parent, d.settings.Model, d.settings.place()
	spec.Settings, spec.Prompts, spec.Version = d.setting(opt), d.prompts, d.version
	if spec.Fix == "" {
		if patch, err := json.Marshal(q.fix.Patch); err == nil { // it holds nothing that JSON cannot say
			sum := sha256.Sum256(patch)
			spec.Patch = hex.EncodeToString(sum[:8])
		}
	}
	return spec
}

// setting spells what was chosen about how to investigate. How long it may
// take and cost is no part of it: with more of both, a run goes on.
func (d *detective) setting(opt detect.Options) string {
	words := []string{fmt.Sprintf("wire=%s turns=%d tokens=%d", d.settings.Wire, opt.Limits.Turns, opt.Limits.Tokens)}
	if opt.Sampling != "" {
		words = append(words, opt.Sampling)
	}
	return strings.Join(append(words, opt.Ablations()...), " ")
}

// witness remembers whether the server failed. What the model does wrong is
// the engine's to judge, and no failure here.
type witness struct {
	model.Asker

	mu     sync.Mutex
	failed *model.Error
}

// Ask hands the question on.
func (w *witness) Ask(ctx context.Context, req model.Request) (*model.Reply, error) {
	reply, err := w.Asker.Ask(ctx, req)
	var failed *model.Error
	if errors.As(err, &failed) && ctx.Err() == nil {
		switch failed.Class {
		case model.ClassOverflow, model.ClassRefused, model.ClassMalformed, model.ClassRequest:
		default:
			w.mu.Lock()
			w.failed = failed
			w.mu.Unlock()
		}
	}
	return reply, err
}

// Price hands on what the client knows, for limits in USD.
func (w *witness) Price() (model.Price, bool) {
	if pricer, ok := w.Asker.(agent.Pricer); ok {
		return pricer.Price()
	}
	return model.Price{}, false
}

// fatal is true when every other question would fail as well.
func (w *witness) fatal() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failed != nil && w.failed.EndsAll()
}

// runLog opens the recorded runs of one inquiry.
type runLog struct {
	traces *cache.Traces // nil records nothing
	spec   detectiveSpec
	say    func(string)
	lost   func(error) // told when a record ends before its run

	mu   sync.Mutex
	runs map[int]cache.RunID
	torn map[int]bool // runs whose record has ended early
}

// open takes up the k-th run where it was interrupted, or starts it.
func (l *runLog) open(ctx context.Context, k int) (agent.Journal, error) {
	if l.traces == nil {
		return nil, nil
	}
	spec := l.spec
	spec.Sample = k
	id, err := l.resume(ctx, spec)
	if err == nil && id == "" {
		id, err = l.traces.StartRun(ctx, detectiveKind, spec)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, err
	case err != nil:
		l.lost(err)
		return nil, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.runs == nil {
		l.runs, l.torn = map[int]cache.RunID{}, map[int]bool{}
	}
	l.runs[k] = id
	return &optionalJournal{Journal: agent.NewTraceJournal(l.traces, id), lost: func(err error) {
		l.mu.Lock()
		l.torn[k] = true
		l.mu.Unlock()
		l.lost(err)
	}}, nil
}

// resume returns "" when there is nothing to take up, or somebody else is at
// it.
func (l *runLog) resume(ctx context.Context, spec detectiveSpec) (cache.RunID, error) {
	run, ok, err := l.traces.FindRun(ctx, detectiveKind, spec)
	if err != nil || !ok || run.State != cache.Interrupted {
		return "", err
	}
	if err := l.traces.Resume(ctx, run.ID); err != nil {
		if errors.Is(err, cache.ErrHeld) {
			return "", nil
		}
		return "", err
	}
	l.say(fmt.Sprintf("going on with run %s, which was interrupted after %d steps", run.ID, run.Steps))
	return run.ID, nil
}

func (l *runLog) ids() []cache.RunID {
	l.mu.Lock()
	defer l.mu.Unlock()
	var ids []cache.RunID
	for _, k := range slices.Sorted(maps.Keys(l.runs)) {
		for len(ids) < k {
			ids = append(ids, "") // could not be recorded
		}
		ids = append(ids, l.runs[k])
	}
	return ids
}

// finish closes the runs. One that failed at the server stays open: it goes on
// from the last answer when it is asked for again.
func (l *runLog) finish(ctx context.Context, report *szz.AgentReport, server bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, k := range slices.Sorted(maps.Keys(l.runs)) {
		state := cache.Done
		if report != nil && k < len(report.Runs) {
			state = runState(report.Runs[k].Status)
		}
		if state == cache.Failed && server || l.torn[k] {
			continue
		}
		if err := l.traces.Finish(context.WithoutCancel(ctx), l.runs[k], state); err != nil {
			l.lost(err)
		}
	}
}

func runState(status string) cache.State {
	switch status {
	case agent.StatusLimit, agent.StatusInterrupted:
		return cache.Stopped
	case agent.StatusFailed:
		return cache.Failed
	}
	return cache.Done
}
