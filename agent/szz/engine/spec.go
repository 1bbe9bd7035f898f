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

// Kind is the kind under which traces.db records the runs of the agent engine.
const Kind = "szz/agent"

// Spec identifies an investigation. An interrupted run is resumed by the next
// investigation with an equal spec. Specs are recorded as JSON and compared byte
// by byte.
type Spec struct {
	Repo        string     `json:"repo,omitempty"` // the case's repository; only in an evaluation
	Case        string     `json:"case,omitempty"` // likewise the case
	Fix         gitext.OID `json:"fix"`
	Parent      gitext.OID `json:"parent"`
	Patch       string     `json:"patch,omitempty"` // hash of the patch of an uncommitted fix
	Paths       []string   `json:"paths,omitempty"`
	Annotations bool       `json:"annotations,omitempty"`
	Model       string     `json:"model"`
	BaseURL     string     `json:"base_url"`
	Settings    string     `json:"settings,omitempty"`
	Prompts     string     `json:"prompts"`
	Version     string     `json:"version"`
	Sample      int        `json:"sample"` // number of the run in its ensemble, from 0
}

// SpecOf returns the spec of a recorded run. It fails if the run cannot be
// replayed or resumed.
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

// Question returns the question that the run was to answer.
func (s Spec) Question() szz.Question {
	return szz.Question{Fix: s.Fix, Paths: s.Paths, Annotations: s.Annotations, Switches: szz.SwitchesNamed(strings.Fields(s.Settings)...)}
}

// Replay investigates the fix of a recorded run again, with the recorded replies
// in place of the model's. A strict replay ends at the first difference. In a
// plain replay, the answers of the tools are not compressed.
func Replay(ctx context.Context, repo *gitext.Repo, t *trace.Trajectory, spec Spec, strict, plain bool) (trace.Played, error) {
	q := spec.Question()
	fc, err := szz.NewContext(ctx, repo, q.Fix, q.Context())
	if err != nil {
		return trace.Played{}, err
	}
	player := trace.NewPlayer(t, strict)
	opt := detect.Options{Model: player, ModelName: t.Model(), Mask: secret.New().Mask, Switches: q.Switches, Limits: player.Limits()}
	opt.NoCompression = plain
	opt.Limits.Tokens, opt.Limits.Wall = 1<<40, 24*time.Hour // practically none; 0 would mean the defaults
	opt.Journal = func(int) (agent.Journal, error) { return player, nil }
	if _, err := detect.Trace(ctx, repo, fc, opt); err != nil && !errors.Is(err, trace.ErrPlayed) {
		return trace.Played{}, err
	}
	return player.Played(), nil
}
