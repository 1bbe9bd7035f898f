package engine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/crash/input"
	"git-agent/agent/crash/investigate"
	"git-agent/agent/secret"
	"git-agent/agent/session"
	"git-agent/agent/trace"
	"git-agent/gitext"
)

// Kind is the kind of the agent engine's runs in traces.db.
const Kind = "crash/agent"

// maxSpecReport is the most bytes of a report that are recorded with a run. To resume a run about
// a larger report, ask about the same report again.
const maxSpecReport = 1 << 20

// Spec identifies a run. Its fields are in the order of the recorded JSON.
type Spec struct {
	session.Case
	Commit   gitext.OID       `json:"commit"`
	Title    string           `json:"title,omitempty"` // of the crash, such as "SIGSEGV in main"
	Since    gitext.OID       `json:"since,omitempty"`
	Until    time.Time        `json:"until,omitzero"`
	Suspects int              `json:"suspects,omitempty"`
	Work     []crash.WorkFile `json:"work,omitempty"`    // what the work tree changed, if HEAD crashed
	Report   string           `json:"report"`            // hash of the report
	Content  json.RawMessage  `json:"content,omitempty"` // the parsed report, if it is not too large
	Dump     string           `json:"dump,omitempty"`    // the file with the report's sections
	session.RunSpec
}

// specOf returns the spec of the runs of an inquiry, without its RunSpec.
func specOf(in Inquiry) (Spec, error) {
	s := Spec{
		Case:     in.Of,
		Commit:   in.Offline.Commit,
		Title:    titleOf(in.Question.Report),
		Since:    in.Question.Since,
		Until:    in.Offline.Until,
		Suspects: in.Question.Suspects,
		Dump:     in.Question.Dump,
	}
	if in.Offline.CommitFrom == crash.FromHead {
		s.Work = in.Question.Work
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

// maxTitle limits the title of a crash, in characters.
const maxTitle = 120

// titleOf summarises a report in a few words: the kind of its first failure, and the first
// function of its first stack.
func titleOf(r *crash.Report) string {
	words := []string{cmp.Or(input.KindOf(r), "crash")}
	if main := r.Main(); main >= 0 {
		if name := r.Stacks[main].Frames[0].Function; name != "" {
			words = append(words, "in", name)
		}
	}
	return agent.Shorten(agent.CleanLine(strings.Join(words, " ")), maxTitle)
}

// SpecOf returns the spec of a recorded run of kind Kind. It returns an error if the run cannot
// be replayed or resumed.
func SpecOf(t *trace.Trajectory) (Spec, error) {
	var spec Spec
	if err := t.ReadSpec(&spec); err != nil {
		return spec, err
	}
	if len(spec.Content) == 0 {
		return spec, errors.New("its crash report is too large to be recorded; to go on with it, give git agent crash the same report again")
	}
	return spec, nil
}

// Question returns the question of the run.
func (s Spec) Question() (crash.Question, error) {
	q := crash.Question{
		Commit:   s.Commit,
		Since:    s.Since,
		Until:    s.Until,
		Suspects: s.Suspects,
		Work:     s.Work,
		Dump:     s.Dump,
		Switches: crash.SwitchesNamed(strings.Fields(s.Settings)...),
		Report:   &crash.Report{},
	}
	if err := json.Unmarshal(s.Content, q.Report); err != nil {
		return q, fmt.Errorf("read the recorded crash report: %w", err)
	}
	return q, nil
}

// Replay investigates the crash of a recorded run again, with the recorded replies instead of the
// model's. A strict replay ends at the first difference.
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
	opt := investigate.Options{Model: player, ModelName: t.Model(), Runs: 1, Mask: secret.New().Mask, Limits: player.Limits()}
	opt.Journal = func(int) (agent.Journal, error) { return player, nil }
	if _, err := investigate.Trace(ctx, repo, q, offline, opt); err != nil && !errors.Is(err, trace.ErrPlayed) {
		return trace.Played{}, err
	}
	return player.Played(), nil
}
