package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/secret"
	"git-agent/agent/szz"
	"git-agent/agent/szz/detect"
	"git-agent/agent/trace"
	"git-agent/gitext"
)

// Kind is what traces.db calls the recorded runs of the agent engine.
const Kind = "szz/agent"

// Spec is what makes two investigations the same. An interrupted one is taken
// up again by the next that is equal to it. Its JSON is recorded and compared
// byte by byte.
type Spec struct {
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

// SpecOf reads what a recorded run investigated.
func SpecOf(t *trace.Trajectory) (Spec, error) {
	var spec Spec
	switch {
	case t.Run.Kind != Kind:
		return spec, fmt.Errorf("a run of kind %q cannot be replayed or resumed, only one of kind %s", t.Run.Kind, Kind)
	case t.Opening == nil:
		return spec, errors.New("it holds no conversation")
	}
	if err := json.Unmarshal(t.Run.Spec, &spec); err != nil {
		return spec, fmt.Errorf("read what it investigated: %w", err)
	}
	if spec.Fix == "" {
		return spec, errors.New("its fix was not committed, and is gone")
	}
	return spec, nil
}

// Question is what the run was asked.
func (s Spec) Question() szz.Question {
	return szz.Question{Fix: s.Fix, Paths: s.Paths, Annotations: s.Annotations, Switches: szz.SwitchesNamed(strings.Fields(s.Settings)...)}
}

// Replay investigates the fix of a recorded run again with the recorded replies.
// A strict replay ends at the first difference; a plain one gives the model
// tools that compress nothing.
func Replay(ctx context.Context, repo *gitext.Repo, t *trace.Trajectory, spec Spec, strict, plain bool) (trace.Played, error) {
	q := spec.Question()
	fc, err := szz.NewContext(ctx, repo, q.Fix, q.Context())
	if err != nil {
		return trace.Played{}, err
	}
	player := trace.NewPlayer(t, strict)
	opt := detect.Options{Model: player, ModelName: t.Model(), Mask: secret.New().Mask, Switches: q.Switches, Limits: player.Limits()}
	opt.NoCompression = plain
	opt.Limits.Tokens, opt.Limits.Wall = 1<<40, 24*time.Hour // 0 would be the usual ones
	opt.Journal = func(int) (agent.Journal, error) { return player, nil }
	if _, err := detect.Trace(ctx, repo, fc, opt); err != nil && !errors.Is(err, trace.ErrPlayed) {
		return trace.Played{}, err
	}
	return player.Played(), nil
}
