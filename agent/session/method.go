package session

import (
	"fmt"
	"strings"

	"git-agent/agent"
)

// Method is how a verb lets the session's model work on a question. The answer depends on
// the method, the question, the settings and the build.
type Method struct {
	Runs     int          // size of the ensemble that votes on each question, from 1
	Limits   agent.Limits // of one run; only Turns and Tokens count
	Switches []string     // names of the disabled parts
	Prompts  string       // hash of all texts sent to the model
}

// Case names a case of an evaluation; it is zero outside an evaluation. Runs of an
// evaluation are recorded with the user's data, not with a repository's.
type Case struct {
	Repo   string `json:"repo,omitempty"` // the case's repository
	Name   string `json:"case,omitempty"`
	Repeat int    `json:"repeat,omitempty"` // number of the repetition, from 2; 0 for the first one
}

// RunSpec is the part of a recorded run's spec that does not depend on the question.
// The specs of all verbs hold a Case, then the question, then a RunSpec. An
// interrupted run is resumed by the next one with an equal spec. Specs are recorded
// as JSON and compared byte by byte.
type RunSpec struct {
	Model    string `json:"model"`
	BaseURL  string `json:"base_url"`
	Settings string `json:"settings,omitempty"`
	Prompts  string `json:"prompts"`
	Version  string `json:"version"`
	Sample   int    `json:"sample"` // number of the run in its ensemble, from 0
}

// RunSpec returns the spec of the given sample, counted from 0.
func (s *Session) RunSpec(m Method, sample int) RunSpec {
	return RunSpec{
		Model: s.Settings.Model, BaseURL: s.Settings.ServerID(), Settings: s.Settings.describe(m),
		Prompts: m.Prompts, Version: s.Version, Sample: sample,
	}
}

// Identity lists all inputs of an answer except the build and the question, for its key
// in the cache.
func (s *Session) Identity(m Method) []string {
	return []string{s.Settings.Model, s.Settings.ServerID(), m.Prompts, fmt.Sprint(m.Runs), s.Settings.describe(m)}
}

// Describe lists in one line all inputs of an evaluation's answers except the build.
func (s *Session) Describe(m Method) string {
	return fmt.Sprintf("model=%s url=%s runs=%d %s", s.Settings.Model, s.Settings.ServerID(), m.Runs, s.Settings.describe(m))
}

// describe describes how the model works, as RunSpec.Settings records it. The limits
// on time and cost are not included, because an interrupted run may be resumed with
// higher ones.
func (s Settings) describe(m Method) string {
	words := []string{fmt.Sprintf("wire=%s turns=%d tokens=%d", s.Wire, m.Limits.Turns, m.Limits.Tokens)}
	if sampling := s.Sampling(); sampling != "" {
		words = append(words, sampling)
	}
	return strings.Join(append(words, m.Switches...), " ")
}
