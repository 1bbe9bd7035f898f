package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/model"
	"git-agent/agent/secret"
	"git-agent/agent/session"
	"git-agent/agent/szz"
	"git-agent/agent/szz/investigate"
	"git-agent/agent/trace"
	"git-agent/gitext"
)

// Kind is the kind under which traces.db records the runs of the agent engine.
const Kind = "szz/agent"

// Spec identifies a run. Its fields are in the order of the recorded JSON.
type Spec struct {
	session.Case
	Fix         gitext.OID   `json:"fix"`
	Parent      gitext.OID   `json:"parent"`
	Patch       string       `json:"patch,omitempty"` // hash of the patch of an uncommitted fix
	Paths       []string     `json:"paths,omitempty"`
	Annotations bool         `json:"annotations,omitempty"`
	Index       bool         `json:"index,omitempty"` // the ranking asked an index of changed lines
	Not         []gitext.OID `json:"not,omitempty"`   // commits that the user excluded
	Hint        *szz.Hint    `json:"hint,omitempty"`
	session.RunSpec
}

// specOf returns the spec of the runs of an inquiry, without its RunSpec.
func specOf(in Inquiry) Spec {
	s := Spec{
		Case:        in.Of,
		Fix:         in.Fix.Fix,
		Parent:      in.Fix.Parent,
		Paths:       in.Question.Paths,
		Annotations: in.Question.Annotations,
		Index:       in.Question.Index,
		Not:         in.Question.Not,
	}
	if !in.Question.Hint.Empty() {
		s.Hint = &in.Question.Hint
	}
	if s.Fix == "" {
		if patch, err := json.Marshal(in.Fix.Patch); err == nil { // a patch can always be encoded
			sum := sha256.Sum256(patch)
			s.Patch = hex.EncodeToString(sum[:8])
		}
	}
	return s
}

// SpecOf returns the spec of a recorded run of kind Kind. It fails if the run cannot
// be replayed or resumed.
func SpecOf(t *trace.Trajectory) (Spec, error) {
	var spec Spec
	if err := t.ReadSpec(&spec); err != nil {
		return spec, err
	}
	if spec.Fix == "" {
		return spec, errors.New("its fix was not committed, and is gone")
	}
	return spec, nil
}

// Question returns the question of the run.
func (s Spec) Question() szz.Question {
	var hint szz.Hint
	if s.Hint != nil {
		hint = *s.Hint
	}
	return szz.Question{
		Hint:        hint,
		Fix:         s.Fix,
		Paths:       s.Paths,
		Annotations: s.Annotations,
		Index:       s.Index,
		Not:         s.Not,
		Switches:    szz.SwitchesNamed(strings.Fields(s.Settings)...),
	}
}

// Replay investigates the fix of a recorded run again, with the recorded replies instead
// of the model's. A strict replay ends at the first difference. In a plain replay, the
// answers of the tools are not compressed.
func Replay(ctx context.Context, repo *gitext.Repo, t *trace.Trajectory, spec Spec, strict, plain bool) (trace.Played, error) {
	q := spec.Question()
	fc, err := szz.NewContext(ctx, repo, q.Fix, q.Context())
	if err != nil {
		return trace.Played{}, err
	}
	player := trace.NewPlayer(t, strict)
	opt := investigate.Options{Model: player, ModelName: t.Model(), Mask: secret.New().Mask, Switches: q.Switches, Limits: player.Limits()}
	opt.NoCompression, opt.Test = plain, recordedTest(t)
	opt.Journal = func(int) (agent.Journal, error) { return player, nil }
	if _, err := investigate.Trace(ctx, repo, fc, opt); err != nil && !errors.Is(err, trace.ErrPlayed) {
		return trace.Played{}, err
	}
	return player.Played(), nil
}

// recordedTest answers like the test of a recorded run, or is nil if the run had none. A replay
// runs no command.
func recordedTest(t *trace.Trajectory) investigate.Test {
	if !slices.ContainsFunc(t.Opening.Tools, func(s model.Tool) bool { return s.Name == investigate.TestName }) {
		return nil
	}
	return func(_ context.Context, commit gitext.Commit) (string, error) {
		for _, turn := range t.Turns {
			for _, call := range turn.Calls {
				if r := call.Result; r != nil && r.Name == investigate.TestName && strings.HasPrefix(r.Text, commit.OID.Short()+":") {
					return r.Text, nil
				}
			}
		}
		return "", &agent.CallError{Tool: investigate.TestName, Text: "a replay runs no test"}
	}
}
