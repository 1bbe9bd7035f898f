package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/crash/localize"
	"git-agent/agent/model"
	"git-agent/agent/secret"
	"git-agent/agent/trace"
	"git-agent/gitext"
)

// Kind is the kind under which traces.db records the runs of the agent engine.
const Kind = "crash/agent"

// maxSpecReport is the most bytes of a report that are recorded with a run. A run
// about a larger one is resumed by asking about the same report again.
const maxSpecReport = 1 << 20

// Spec identifies an investigation. An interrupted run is resumed by the next
// investigation with an equal spec. Specs are recorded as JSON and compared byte by
// byte.
type Spec struct {
	Repo     string          `json:"repo,omitempty"` // the case's repository; only in an evaluation
	Case     string          `json:"case,omitempty"` // likewise the case
	Commit   gitext.OID      `json:"commit"`
	Since    gitext.OID      `json:"since,omitempty"`
	Suspects int             `json:"suspects,omitempty"`
	Report   string          `json:"report"`            // hash of the report
	Content  json.RawMessage `json:"content,omitempty"` // the report as it was read, if it is not too large
	Dump     string          `json:"dump,omitempty"`    // the file with the report's sections
	Model    string          `json:"model"`
	BaseURL  string          `json:"base_url"`
	Settings string          `json:"settings,omitempty"`
	Prompts  string          `json:"prompts"`
	Version  string          `json:"version"`
	Sample   int             `json:"sample"` // number of the run in its ensemble, from 0
}

// SpecOf returns the spec of a recorded run. It fails if the run cannot be replayed
// or resumed.
func SpecOf(t *trace.Trajectory) (Spec, error) {
	var spec Spec
	switch {
	case t.Run.Kind != Kind:
		return spec, fmt.Errorf("a run of kind %q is not one of kind %s", t.Run.Kind, Kind)
	case t.Opening == nil:
		return spec, errors.New("it holds no conversation")
	}
	if err := json.Unmarshal(t.Run.Spec, &spec); err != nil {
		return spec, fmt.Errorf("read what it investigated: %w", err)
	}
	if len(spec.Content) == 0 {
		return spec, errors.New("its crash report is too large to be recorded; to go on with it, give git agent crash the same report again")
	}
	return spec, nil
}

// Question returns the question that the run was to answer.
func (s Spec) Question() (crash.Question, error) {
	words := strings.Fields(s.Settings)
	q := crash.Question{Commit: s.Commit, Since: s.Since, Suspects: s.Suspects, Dump: s.Dump, Switches: crash.SwitchesNamed(words...), Report: &crash.Report{}}
	for _, w := range words {
		q.Server = q.Server || w == "lsp"
	}
	if err := json.Unmarshal(s.Content, q.Report); err != nil {
		return q, fmt.Errorf("read the recorded crash report: %w", err)
	}
	return q, nil
}

// Replay investigates the crash of a recorded run again, with the recorded replies in
// place of the model's. A strict replay ends at the first difference.
func Replay(ctx context.Context, repo *gitext.Repo, t *trace.Trajectory, spec Spec, strict bool) (trace.Played, error) {
	q, err := spec.Question()
	if err != nil {
		return trace.Played{}, err
	}
	offline, err := (&Engine{Repo: repo}).Offline(ctx, q)
	if err != nil {
		return trace.Played{}, err
	}
	player := trace.NewPlayer(t, strict)
	opt := localize.Options{Model: player, ModelName: t.Model(), Runs: 1, Mask: secret.New().Mask, Limits: player.Limits()}
	opt.Limits.Tokens, opt.Limits.Wall = 1<<40, 24*time.Hour // practically none; 0 would mean the defaults
	opt.Journal = func(int) (agent.Journal, error) { return player, nil }
	if _, err := localize.Trace(ctx, repo, q, offline, opt); err != nil && !errors.Is(err, trace.ErrPlayed) {
		return trace.Played{}, err
	}
	return player.Played(), nil
}

// Resume resumes one recorded run that investigated q. open reopens the run and
// returns its journal. failed is the server's error if it is the reason why the
// ranking is the offline engine's.
func (a *Agent) Resume(ctx context.Context, repo *gitext.Repo, q crash.Question, open func() (agent.Journal, error)) (r *crash.Ranking, failed *model.Error, err error) {
	offline, err := (&Engine{Repo: repo}).Offline(ctx, q)
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
	r, err = localize.Trace(ctx, repo, q, offline, opt)
	if err == nil && watch.Failed() != nil && r.Agent.Fallback != "" {
		failed = watch.Failed()
	}
	return r, failed, err
}
