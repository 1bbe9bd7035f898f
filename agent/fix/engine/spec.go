package engine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/fix/investigate"
	"git-agent/agent/fix/validate"
	"git-agent/agent/secret"
	"git-agent/agent/session"
	"git-agent/agent/trace"
	"git-agent/gitext"
)

// Kind is the kind under which traces.db records the trajectories of the agent engine.
const Kind = "fix/agent"

// maxSpecQuestion is the most bytes of a question that are recorded with a run. A run about a
// larger question, with many uncommitted files, cannot be resumed; the user asks again.
const maxSpecQuestion = 4 << 20

// Spec identifies a run. The order of its fields is that of the recorded JSON.
type Spec struct {
	session.Case
	Commit   gitext.OID      `json:"commit"`
	Title    string          `json:"title,omitempty"` // the failing command
	Question string          `json:"question"`        // hash of the question
	Content  json.RawMessage `json:"content,omitempty"`
	session.RunSpec
}

// maxTitle bounds the title of a run, in characters.
const maxTitle = 120

// specOf returns the spec of the runs of a question, without its RunSpec.
func specOf(of session.Case, q fix.Question) (Spec, error) {
	s := Spec{
		Case:   of,
		Commit: q.Problem.Tree.Commit,
		Title:  agent.Shorten(agent.CleanLine(cmp.Or(q.Problem.Test, "a test of: "+firstWords(q.Problem))), maxTitle),
	}
	data, err := json.Marshal(q)
	if err != nil {
		return s, err
	}
	sum := sha256.Sum256(data)
	s.Question = hex.EncodeToString(sum[:8])
	if len(data) <= maxSpecQuestion {
		s.Content = data
	}
	return s, nil
}

// firstWords returns the first line of the text about a bug.
func firstWords(p fix.Problem) string {
	line, _, _ := strings.Cut(strings.TrimSpace(p.Report), "\n")
	if line == "" && p.Crash != nil && len(p.Crash.Problems) > 0 {
		line = p.Crash.Problems[0].Kind
	}
	return line
}

// SpecOf returns the spec of a recorded run of kind Kind. It fails if the run cannot be
// replayed or resumed.
func SpecOf(t *trace.Trajectory) (Spec, error) {
	var spec Spec
	if err := t.ReadSpec(&spec); err != nil {
		return spec, err
	}
	if len(spec.Content) == 0 {
		return spec, errors.New("its uncommitted files are too large to be recorded; to go on with it, run git agent fix again with the same options")
	}
	return spec, nil
}

// asked returns the question of the run.
func (s Spec) asked() (q fix.Question, err error) {
	if err = json.Unmarshal(s.Content, &q); err != nil {
		return q, fmt.Errorf("read the recorded question: %w", err)
	}
	return q, nil
}

// Resume goes on with one recorded trajectory. reopen reopens the run and returns its
// journal.
func (e *Engine) Resume(ctx context.Context, spec Spec, reopen func() (agent.Journal, error), listen func(agent.Event)) (*Result, error) {
	s, err := e.again(ctx, spec, listen)
	if err != nil {
		return nil, err
	}
	defer s.close()
	defer s.proof.Close()
	found, err := session.Resume(e.Agent.Session, reopen, s.ask(ctx))
	if err != nil {
		return nil, err
	}
	if found.Failed != nil && len(found.Answer.Trials) == 0 {
		return nil, found.Failed
	}
	s.answer.Agent = &found.Answer.Report
	s.conclude(ctx, found.Answer.Trials)
	return &Result{Answer: s.answer, End: func(context.Context) {}}, nil
}

// again repeats the steps before the trajectory of a spec.
func (e *Engine) again(ctx context.Context, spec Spec, listen func(agent.Event)) (*study, error) {
	q, err := spec.asked()
	if err != nil {
		return nil, err
	}
	if q.Problem.WriteTest {
		return nil, errors.New("it wrote the test from which a repair starts; to go on with it, run git agent fix again with the same options")
	}
	if q.Method.Strategy == fix.Research {
		return nil, errors.New("it is one half of a research; to go on with it, run git agent fix again with the same options")
	}
	kinds := slices.Concat(q.Method.Rounds()...)
	if spec.Sample >= len(kinds) {
		return nil, errors.New("it is a review of several patches; to go on with it, run git agent fix again with the same options")
	}
	s, err := e.study(ctx, q, listen)
	s.q.Method.Auto, s.q.Method.Samples, s.q.Method.Review, s.q.Method.Heuristics = false, 1, false, kinds[spec.Sample]
	if err == nil && s.answer.Declined != "" {
		err = errors.New(s.answer.Declined)
	}
	if err == nil {
		s.proof, err = validate.New(ctx, e.Repo, s.problem, s.answer.Reproduction, s.trial)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// Replay works on the problem of a recorded run again, with the recorded replies instead of a
// model. A strict replay ends at the first difference.
func (e *Engine) Replay(ctx context.Context, t *trace.Trajectory, spec Spec, strict bool) (trace.Played, error) {
	s, err := e.again(ctx, spec, nil)
	if err != nil {
		return trace.Played{}, err
	}
	defer s.close()
	defer s.proof.Close()
	player := trace.NewPlayer(t, strict)
	opt := investigate.Options{
		Model: player, ModelName: t.Model(), Method: s.q.Method, Mask: secret.New().Mask, Limits: player.Limits(),
		Trial: s.trial, Journal: func(int) (agent.Journal, error) { return player, nil },
	}
	if _, err := investigate.Repair(ctx, e.Repo, s.input(), opt); err != nil && !errors.Is(err, trace.ErrPlayed) {
		return trace.Played{}, err
	}
	return player.Played(), nil
}
